// Prepares scenarios and evaluates their checks.
#include "base/path_text.hpp"
#include "base/text.hpp"
#include "eyehand/agent/tool.hpp"
#include "eyehand/base/utf16.hpp"
#include "eyehand/session/scenario.hpp"
#include "eyehand/winio/error.hpp"
#include "eyehand/winio/system.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <sstream>

namespace eyehand::session {

using namespace agent;

namespace {

/// Thrown if a check does not hold.
struct Failure {
    std::string reason;
};

// FAT stores file times with a resolution of two seconds.
constexpr std::chrono::seconds file_time_step{2};
constexpr std::uintmax_t largest_file = std::uintmax_t{64} << 20;

/// Windows' editors save "Unicode" as UTF-16 with a byte order mark.
std::string from_utf16(std::string_view bytes, bool big_endian) {
    std::u16string units;
    for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
        const auto first = static_cast<std::uint8_t>(bytes[i]);
        const auto second = static_cast<std::uint8_t>(bytes[i + 1]);
        units += static_cast<char16_t>(big_endian ? first << 8U | second : second << 8U | first);
    }
    return base::to_utf8(units);
}

/// The text as UTF-8 without byte order mark, with line breaks as "\n".
std::string comparable(std::string text) {
    if (text.starts_with("\xFF\xFE"))
        text = from_utf16(std::string_view(text).substr(2), false);
    else if (text.starts_with("\xFE\xFF"))
        text = from_utf16(std::string_view(text).substr(2), true);
    else if (text.starts_with("\xEF\xBB\xBF"))
        text.erase(0, 3);
    return replace_all(replace_all(std::move(text), "\r\n", "\n"), "\r", "\n");
}

std::string expand(const std::string& path, const CheckOptions& options) {
    std::string expanded;
    for (std::size_t at = 0;;) {
        const std::size_t open = path.find("${", at);
        const std::size_t close = open == std::string::npos ? open : path.find('}', open);
        if (close == std::string::npos) return expanded + path.substr(at);
        const std::string name = path.substr(open + 2, close - open - 2);
        const auto value = options.variable ? options.variable(name) : std::nullopt;
        if (!value || value->empty())
            throw Failure{fmt::format("the environment variable {} is not set", name)};
        expanded += path.substr(at, open - at) + *value;
        at = close + 1;
    }
}

std::filesystem::path existing_file(const ScenarioCheck& check, const CheckOptions& options) {
    std::filesystem::path file = path_of(expand(check.subject, options));
    std::error_code error;
    if (!std::filesystem::exists(file, error)) throw Failure{"the file does not exist"};
    const auto written = std::filesystem::last_write_time(file, error);
    if (options.since && !error && written + file_time_step < *options.since)
        throw Failure{"the file existed before the run, and the run has not written it"};
    return file;
}

std::string contents(const ScenarioCheck& check, const CheckOptions& options) {
    const std::filesystem::path file = existing_file(check, options);
    std::error_code error;
    if (std::filesystem::file_size(file, error) > largest_file && !error)
        throw Failure{"the file is larger than 64 MiB"};
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf(); // an empty file sets the failbit of `text`, which is not an error
    if (!in || error) throw Failure{"the file cannot be read"};
    return comparable(std::move(text).str());
}

void expect_file(const ScenarioCheck& check, const CheckOptions& options) {
    if (check.kind == CheckKind::file_exists) {
        (void)existing_file(check, options);
        return;
    }
    const std::string holds = contents(check, options);
    const std::string wanted = comparable(check.text);
    const bool fits = check.kind == CheckKind::file_equals
                          ? holds == wanted
                          : holds.find(wanted) != std::string::npos;
    if (!fits) throw Failure{fmt::format("it contains \"{}\"", shorten(one_line(holds), 120))};
}

void expect_window(const ScenarioCheck& check, winio::Desktop& desktop) {
    winio::Windows* windows = desktop.windows();
    if (windows == nullptr) throw Failure{"not supported here: this desktop cannot list windows"};
    const std::vector<winio::WindowInfo> all = windows->list();
    if (winio::find_window(all, {.title = check.subject})) return;
    std::vector<std::string> titles;
    for (const winio::WindowInfo& window : all)
        if (!window.title.empty()) titles.push_back("\"" + window.title + "\"");
    throw Failure{titles.empty()
                      ? "no window is open"
                      : fmt::format("the open windows are: {}", fmt::join(titles, ", "))};
}

void expect_clipboard(const ScenarioCheck& check, winio::Desktop& desktop) {
    winio::Clipboard* clipboard = desktop.clipboard();
    if (clipboard == nullptr) throw Failure{"not supported here: this desktop has no clipboard"};
    const std::string holds = comparable(clipboard->text());
    if (holds != comparable(check.text))
        throw Failure{fmt::format("it contains \"{}\"", shorten(one_line(holds), 120))};
}

void expect_registry(const ScenarioCheck& check) {
    if (!winio::has_registry()) throw Failure{"not supported here: only Windows has a registry"};
    const auto value = winio::registry_value(check.subject, check.value);
    if (!value) throw Failure{"the value does not exist or is not readable"};
    if (*value != check.text) throw Failure{fmt::format("it is \"{}\"", shorten(*value, 120))};
}

void expect_process(const ScenarioCheck& check, winio::Desktop& desktop) {
    std::vector<std::string> running = winio::running_programs();
    if (winio::Windows* windows = desktop.windows())
        for (const winio::WindowInfo& window : windows->list()) running.push_back(window.process);
    const bool runs = std::any_of(running.begin(), running.end(), [&](const std::string& one) {
        return equals_ignoring_case(one, check.subject);
    });
    if (!runs) throw Failure{"the program is not running"};
}

void expect_pointer(const ScenarioCheck& check, winio::Desktop& desktop) {
    const auto pointer = desktop.pointer();
    if (!pointer) throw Failure{"not supported here: the position of the pointer is unknown"};
    const winio::Rect area = winio::choose_area(desktop, {}).bounds();
    const double x = (pointer->x - area.x) * 1000.0 / std::max(1, area.width - 1);
    const double y = (pointer->y - area.y) * 1000.0 / std::max(1, area.height - 1);
    const winio::NormBox& box = check.box;
    if (!(x >= box.x1 && x <= box.x2 && y >= box.y1 && y <= box.y2))
        throw Failure{fmt::format("it is at {:.0f}, {:.0f}", x, y)};
}

void expect_calls(const ScenarioCheck& check, const RunView* run) {
    if (run == nullptr) throw Failure{"the run is unknown: this check needs its journal"};
    int calls = 0;
    std::string texts;
    for (std::size_t i = 0; i < run->turn_count(); ++i) {
        for (const TurnItem& item : run->turn(i).items) {
            const auto* call = std::get_if<CallView>(&item);
            if (call == nullptr || !call->ok.value_or(false) ||
                std::find(check.tools.begin(), check.tools.end(), call->action.tool) ==
                    check.tools.end())
                continue;
            ++calls;
            texts += call->action.subject;
        }
    }
    if (calls < check.times)
        throw Failure{calls == 0 ? "there was no such call that succeeded"
                                 : fmt::format("successful calls: {}", calls)};
    if (comparable(texts).find(comparable(check.text)) == std::string::npos)
        throw Failure{fmt::format("its calls were about \"{}\"", shorten(one_line(texts), 120))};
}

std::string describe(const ScenarioCheck& check) {
    const std::string text = shorten(one_line(check.text), 80);
    switch (check.kind) {
    case CheckKind::file_exists:
        return fmt::format("the file {} exists", check.subject);
    case CheckKind::file_contains:
        return fmt::format("the file {} contains \"{}\"", check.subject, text);
    case CheckKind::file_equals:
        return fmt::format("the content of the file {} is \"{}\"", check.subject, text);
    case CheckKind::window_title:
        return fmt::format("a window title contains \"{}\"", check.subject);
    case CheckKind::clipboard:
        return fmt::format("the clipboard contains \"{}\"", text);
    case CheckKind::registry:
        return fmt::format("the registry value \"{1}\" of {0} is \"{2}\"", check.subject,
                           check.value, text);
    case CheckKind::process_running:
        return fmt::format("the program {} is running", check.subject);
    case CheckKind::pointer_in:
        return fmt::format("the pointer is in {:g},{:g},{:g},{:g}", check.box.x1, check.box.y1,
                           check.box.x2, check.box.y2);
    case CheckKind::called: {
        std::string what = fmt::format("the run called {}", fmt::join(check.tools, " or "));
        if (check.times > 1) what += fmt::format(" at least {} times", check.times);
        if (!text.empty()) what += fmt::format(" with \"{}\"", text);
        return what;
    }
    }
    return {};
}

void expect(const ScenarioCheck& check, winio::Desktop& desktop, const CheckOptions& options) {
    switch (check.kind) {
    case CheckKind::file_exists:
    case CheckKind::file_contains:
    case CheckKind::file_equals:
        return expect_file(check, options);
    case CheckKind::window_title:
        return expect_window(check, desktop);
    case CheckKind::clipboard:
        return expect_clipboard(check, desktop);
    case CheckKind::registry:
        return expect_registry(check);
    case CheckKind::process_running:
        return expect_process(check, desktop);
    case CheckKind::pointer_in:
        return expect_pointer(check, desktop);
    case CheckKind::called:
        return expect_calls(check, options.run);
    }
}

} // namespace

void set_up(const Scenario& scenario, winio::Desktop& desktop, const std::stop_token& stop) {
    for (const ScenarioStep& step : scenario.setup) {
        if (!step.launch.empty()) {
            desktop.launch({step.launch, agent::key_variables()});
            continue;
        }
        winio::Windows* windows = desktop.windows();
        if (windows == nullptr)
            throw winio::Error(
                winio::errc::not_supported,
                "the scenario waits for a window, but this desktop cannot list windows");
        (void)winio::wait_for_window(*windows, {.title = step.wait_for_window}, step.timeout, stop);
    }
}

std::vector<CheckResult> check(const Scenario& scenario, winio::Desktop& desktop,
                               const CheckOptions& options) {
    std::vector<CheckResult> results;
    for (const ScenarioCheck& one : scenario.checks) {
        CheckResult result{.what = describe(one), .holds = true, .reason = {}};
        try {
            expect(one, desktop, options);
        } catch (const Failure& failure) {
            result.holds = false;
            result.reason = failure.reason;
        } catch (const winio::Error& error) {
            result.holds = false;
            result.reason = error.what();
        } catch (const std::filesystem::filesystem_error& error) {
            result.holds = false;
            result.reason = error.what();
        }
        results.push_back(std::move(result));
    }
    return results;
}

} // namespace eyehand::session
