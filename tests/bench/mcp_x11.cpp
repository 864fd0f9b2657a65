// Calls of an MCP session on a whole X11 screen, without the waits for a stable screen and for reactions, and without
// the transport; skipped if the environment names no display.
#include "desktop/client_session.hpp"
#include "desktop/session_tools.hpp"
#include "eyehand/winio/error.hpp"
#include "temp_folder.hpp"
#include "x11/x11_desktop.hpp"

#include <benchmark/benchmark.h>

#include <cstring>
#include <memory>
#include <optional>
#include <vector>

namespace {

using namespace eyehand;

/// A line of text on the root window that changes with each call.
class ChangingLine {
public:
    explicit ChangingLine(xcb_connection_t* server)
        : server_(server), screen_(xcb_setup_roots_iterator(xcb_get_setup(server)).data),
          font_(xcb_generate_id(server)), context_(xcb_generate_id(server)) {
        constexpr const char* name = "fixed"; // a font of every X server
        xcb_open_font(server_, font_, static_cast<std::uint16_t>(std::strlen(name)), name);
        const std::uint32_t values[] = {screen_->white_pixel, screen_->black_pixel, font_};
        xcb_create_gc(server_, context_, screen_->root,
                      XCB_GC_FOREGROUND | XCB_GC_BACKGROUND | XCB_GC_FONT, values);
    }
    ~ChangingLine() {
        xcb_free_gc(server_, context_);
        xcb_close_font(server_, font_);
        xcb_flush(server_);
    }
    ChangingLine(const ChangingLine&) = delete;
    ChangingLine& operator=(const ChangingLine&) = delete;

    void write() {
        other_ = !other_;
        const char* text = other_ ? "The quick brown fox jumps over the lazy dog, and so on."
                                  : "Pack my box with five dozen jugs of liquid, or with six.";
        xcb_image_text_8(server_, static_cast<std::uint8_t>(std::strlen(text)), screen_->root,
                         context_, 200, 400, text);
        xcb_flush(server_);
    }

private:
    xcb_connection_t* server_;
    xcb_screen_t* screen_;
    xcb_font_t font_;
    xcb_gcontext_t context_;
    bool other_ = false;
};

/// A session of the whole screen.
class SessionOnX11 {
public:
    explicit SessionOnX11(winio::x11::X11Desktop& desktop) {
        options_.runs = folder_.path();
        options_.agent.guard = agent::Guard(agent::GuardLevel::standard);
        // A fast machine clicks more often than the level permits.
        options_.agent.guard.add(
            agent::parse_guard_rules(
                R"({"rules":[{"name":"benchmark","when":{"effect":"click"},"then":"allow"}]})",
                "the rules of the benchmark"),
            agent::RuleOrigin::user);
        options_.agent.settle.minimum = options_.agent.settle.quiet = std::chrono::milliseconds(0);
        options_.agent.reaction = winio::no_reaction_wait;
        profile_ = mcp::session_profile(options_);
        session_.emplace(mcp::ClientSession::Surroundings{desktop, options_, profile_, turnstile_},
                         false);
        (void)call("look", "{}");
    }
    mcp::CallResult call(const std::string& tool, const std::string& arguments) {
        return session_->call({.tool = tool, .arguments_json = arguments, .wants_image = true}, {});
    }

private:
    test::TempFolder folder_;
    mcp::DesktopServerOptions options_;
    agent::Profile profile_;
    mcp::Turnstile turnstile_;
    std::optional<mcp::ClientSession> session_;
};

std::unique_ptr<winio::x11::X11Desktop> x11_desktop_or_skip(benchmark::State& state) {
    try {
        return std::make_unique<winio::x11::X11Desktop>();
    } catch (const winio::Error& error) {
        state.SkipWithError(error.what());
        return nullptr;
    }
}

/// Calls the tool with each of the arguments in turn.
void measure(benchmark::State& state, const char* tool, const std::vector<const char*>& arguments,
             bool changes) {
    const auto desktop = x11_desktop_or_skip(state);
    if (!desktop) return;
    ChangingLine line(desktop->connection().get());
    SessionOnX11 session(*desktop);
    std::size_t calls = 0;
    for (auto _ : state) {
        if (changes) {
            state.PauseTiming();
            line.write();
            state.ResumeTiming();
        }
        const mcp::CallResult result = session.call(tool, arguments[calls++ % arguments.size()]);
        if (result.is_error) {
            state.SkipWithError(result.structured_json.c_str());
            return;
        }
    }
}

void look_unchanged(benchmark::State& state) { measure(state, "look", {"{}"}, false); }
void look_one_line(benchmark::State& state) { measure(state, "look", {"{}"}, true); }
void click(benchmark::State& state) {
    // At two places: a second click at one place waits until it cannot become a double click.
    measure(state, "click",
            {R"({"element":"the root window","position":[1500,800]})",
             R"({"element":"the root window","position":[300,600]})"},
            true);
}

BENCHMARK(look_unchanged)
    ->Name("mcp/look_unchanged_1080p")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK(look_one_line)
    ->Name("mcp/look_one_line_1080p")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK(click)->Name("mcp/click")->Unit(benchmark::kMillisecond)->UseRealTime();

} // namespace
