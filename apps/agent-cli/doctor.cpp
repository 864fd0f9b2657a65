// agent-cli doctor
#include "commands.hpp"

#include "agent/profile.hpp"
#include "vlm/error.hpp"
#include "winio/error.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cli {
namespace {

void pass(const char* what, const std::string& found) {
    fmt::print("pass  {:9} {}\n", what, found);
}
void refuse(const char* what, const std::string& why) { fmt::print("FAIL  {:9} {}\n", what, why); }

bool check_desktop() {
    try {
        const auto desktop = winio::open_desktop();
        const std::vector<winio::Display> displays = desktop->displays();
        const winio::WorkArea area = winio::choose_area(displays, {});
        pass("desktop", fmt::format("{} display(s)", displays.size()));
        for (const winio::Display& display : displays) {
            pass("display",
                 fmt::format("{}: {}x{} at {},{}, {} DPI ({} %){}", display.id,
                             display.bounds.width, display.bounds.height, display.bounds.x,
                             display.bounds.y, display.dpi, display.dpi * 100 / 96,
                             display.primary ? ", primary" : ""));
        }
        winio::Frame frame;
        desktop->open_capturer({})->capture(area.bounds(), frame);
        pass("capture", fmt::format("{}x{}", frame.pixels.width(), frame.pixels.height()));
        return true;
    } catch (const winio::Error& error) {
        refuse("desktop", error.what());
        return false;
    }
}

bool check_endpoint(const EndpointFlags& flags) {
    vlm::ClientOptions options = resolve(flags);
    // A server that lists its models for minutes is no server to work with.
    constexpr std::chrono::milliseconds patience{10000};
    if (options.timeout <= options.timeout.zero() || options.timeout > patience) {
        options.timeout = patience;
    }
    const std::string wanted = model_name(flags, agent::load_profile("observer").model);
    try {
        vlm::OpenAiClient client(options);
        const std::vector<std::string> models = client.models();
        pass("endpoint", client.url());
        const bool there = std::find(models.begin(), models.end(), wanted) != models.end();
        if (there) {
            pass("model", wanted);
        } else if (models.empty()) {
            refuse("model", "the server lists no model: load one");
        } else {
            refuse("model", fmt::format("{} is not there; load it, or choose with --model: {}",
                                        wanted, fmt::join(models, ", ")));
        }
        return there;
    } catch (const vlm::Error& error) {
        if (error.code() == vlm::errc::bad_url) throw;
        refuse("endpoint", error.what());
        return false;
    }
}

} // namespace

ExitCode run_doctor(const EndpointFlags& flags) {
    const bool desktop = check_desktop();
    const bool endpoint = check_endpoint(flags);
    if (!desktop) return ExitCode::desktop;
    return endpoint ? ExitCode::completed : ExitCode::endpoint;
}

} // namespace cli
