#include "session_stage.hpp"

#include "desktop/run_files.hpp"
#include "eyehand/agent/journal_reader.hpp"
#include "eyehand/agent/replay.hpp"
#include "eyehand/mcp/error.hpp"
#include "eyehand/session/report.hpp"
#include "eyehand/session/verify.hpp"

#include "catch.hpp"

#if defined(__SANITIZE_ADDRESS__)
extern "C" std::size_t __sanitizer_get_current_allocated_bytes(); // NOLINT: of the sanitizer
#endif

using namespace eyehand;
using test::images_of;
using test::SessionStage;
using test::structured;
using test::text_at;

TEST_CASE("mcp session: look returns the screen with its size and the displays") {
    SessionStage stage;
    const mcp::CallResult result = stage.call("look");
    REQUIRE_FALSE(result.is_error);
    const auto images = images_of(result);
    REQUIRE(images.size() == 1);
    CHECK(images[0].mime_type == "image/png");
    CHECK(winio::image_file_size(images[0].bytes) == winio::Size{640, 480});
    const auto told = structured(result);
    CHECK(told.at("screenshot").at("width").as_int64() == 640);
    CHECK(told.at("screenshot").at("height").as_int64() == 480);
    CHECK(told.at("displays").as_array().size() == 1);
    CHECK(told.at("settled").as_bool());
}

TEST_CASE("mcp session: a click returns its effect, the changes and the screenshot after it") {
    SessionStage stage;
    stage.react_with({96, 96, 64, 32});
    (void)stage.call("look");
    const mcp::CallResult result = stage.click(100, 100);
    REQUIRE_FALSE(result.is_error);
    const auto told = structured(result);
    CHECK(text_at(told, "effect") == "confirmed");
    const auto& changed = told.at("changed").as_array();
    REQUIRE(changed.size() == 1);
    CHECK(boost::json::serialize(changed[0]) == "[96,96,159,127]");
    CHECK(images_of(result).size() == 1);
    CHECK(stage.presses() == 1);
}

TEST_CASE("mcp session: an action without an effect is told apart") {
    SessionStage stage;
    (void)stage.call("look");
    CHECK(text_at(structured(stage.click(100, 100)), "effect") == "no_visible_change");
}

TEST_CASE("mcp session: an action that closes a menu has an effect") {
    SessionStage stage;
    const winio::Image closed = stage.desktop.screen();
    bool is_open = false;
    stage.desktop.on_input = [&](const winio::InputEvent& event) {
        const auto* key = std::get_if<winio::KeyChange>(&event);
        if (key == nullptr || key->press != winio::Press::down) return;
        is_open = !is_open;
        stage.desktop.screen() = closed;
        if (is_open) stage.desktop.screen().fill({96, 96, 200, 128}, {250, 250, 250});
    };
    (void)stage.call("look");
    for (int i = 0; i < 2; ++i) {
        CHECK(text_at(structured(stage.call("press", R"({"key":"f10"})")), "effect") ==
              "confirmed");
        CHECK(text_at(structured(stage.call("press", R"({"key":"escape"})")), "effect") ==
              "confirmed");
    }
}

TEST_CASE("mcp session: a client can decline the screenshot after an action") {
    SessionStage stage;
    stage.react_with({96, 96, 64, 32});
    (void)stage.call("look");
    const mcp::CallResult result =
        stage.call("click", R"({"element":"it","position":[100,100]})", {}, false);
    CHECK(images_of(result).empty());
    CHECK(text_at(structured(result), "effect") == "confirmed");
}

TEST_CASE("mcp session: positions refer to the image that the client received last") {
    SessionStage stage;
    (void)stage.call("look");
    const mcp::CallResult zoomed = stage.call("look", R"({"region":[320,240,479,359]})");
    REQUIRE_FALSE(zoomed.is_error);
    const auto size = winio::image_file_size(images_of(zoomed).at(0).bytes);
    REQUIRE(size.width > 300); // enlarged
    const auto area = structured(zoomed).at("screenshot").at("area").as_array();
    (void)stage.click(size.width / 2, size.height / 2);
    const auto pointer = stage.desktop.pointer();
    REQUIRE(pointer);
    CHECK(std::abs(pointer->x - (area[0].as_int64() + area[2].as_int64() / 2)) <= 1);
    CHECK(std::abs(pointer->y - (area[1].as_int64() + area[3].as_int64() / 2)) <= 1);
    // The screenshot after the click shows the same part.
    CHECK(structured(stage.click(10, 10)).at("screenshot").at("area") == area);
    // Without an image, positions still refer to the latest one.
    (void)stage.call("press", R"({"key":"a"})", {}, false);
    (void)stage.click(size.width / 2, size.height / 2);
    CHECK(std::abs(stage.desktop.pointer()->x - (area[0].as_int64() + area[2].as_int64() / 2)) <=
          1);
}

TEST_CASE("mcp session: since returns only what has changed") {
    SessionStage stage;
    const auto id = structured(stage.call("look")).at("screenshot").at("id").as_int64();
    const std::string since = R"({"since":)" + std::to_string(id) + "}";
    SECTION("nothing") {
        const mcp::CallResult result = stage.call("look", since);
        CHECK(structured(result).at("changed").as_array().empty());
        CHECK(images_of(result).empty());
    }
    SECTION("a part, also of several screenshots later") {
        stage.desktop.screen().fill({64, 64, 32, 32}, {255, 0, 0});
        (void)stage.call("press", R"({"key":"a"})", {}, false);
        stage.desktop.screen().fill({400, 320, 32, 32}, {0, 255, 0});
        const mcp::CallResult result = stage.call("look", since);
        const auto told = structured(result);
        CHECK(images_of(result).size() == 2);
        const auto& regions = told.at("regions").as_array();
        REQUIRE(regions.size() == 2);
        const auto& box = regions[0].at("box").as_array();
        CHECK(box[0].to_number<int>() <= 64);
        CHECK(box[2].to_number<int>() >= 95);
        CHECK(box[2].to_number<int>() < 160);
        // The parts are not a complete image: positions refer to the one before, and so does the resource.
        CHECK(winio::image_file_size(mcp::read_bytes(stage.session->directory(),
                                                     stage.session->latest_screenshot())) ==
              winio::Size{640, 480});
        (void)stage.click(320, 240);
        CHECK(*stage.desktop.pointer() == winio::Point{320, 240});
    }
    SECTION("everything, if most of the screen has changed") {
        stage.desktop.screen().fill({0, 0, 640, 400}, {255, 0, 0});
        const mcp::CallResult result = stage.call("look", since);
        REQUIRE(images_of(result).size() == 1);
        CHECK(winio::image_file_size(images_of(result)[0].bytes) == winio::Size{640, 480});
    }
    SECTION("everything, if the screenshot is unknown") {
        const mcp::CallResult result = stage.call("look", R"({"since":99})");
        CHECK(images_of(result).size() == 1);
    }
}

TEST_CASE("mcp session: every convention of positions leads to the same pixel") {
    const auto [convention, position] = GENERATE(table<agent::CoordinateConvention, std::string>({
        {agent::CoordinateConvention::norm1000, "[250,500]"},
        {agent::CoordinateConvention::norm1000_yx, "[500,250]"},
        {agent::CoordinateConvention::unit, "[0.25,0.5]"},
        {agent::CoordinateConvention::percent, "[25,50]"},
        {agent::CoordinateConvention::image_pixels, "[160,240]"},
    }));
    SessionStage stage;
    stage.options.coordinates = convention;
    (void)stage.call("look");
    const mcp::CallResult result =
        stage.call("click", R"({"element":"it","position":)" + position + "}");
    INFO(result.structured_json);
    REQUIRE_FALSE(result.is_error);
    CHECK(std::abs(stage.desktop.pointer()->x - 160) <= 1);
    CHECK(std::abs(stage.desktop.pointer()->y - 240) <= 1);
}

TEST_CASE("mcp session: the windows are a list, and the clipboard can be written and read") {
    SessionStage stage;
    winio::WindowInfo window;
    window.id = winio::WindowId{7};
    window.title = "Letter - Editor";
    window.process = "editor";
    window.bounds = {100, 100, 200, 100};
    window.foreground = true;
    stage.desktop.set_windows({window});
    const auto told = structured(stage.call("windows"));
    REQUIRE(told.at("windows").as_array().size() == 1);
    CHECK(text_at(told.at("windows").at(0).as_object(), "title") == "Letter - Editor");
    CHECK(text_at(told, "untrusted") == "window");
    CHECK_FALSE(stage.call("clipboard_write", R"({"text":"grüße"})").is_error);
    CHECK(text_at(structured(stage.call("clipboard_read")), "text") == "grüße");
    CHECK(stage.call("look", R"({"window":"nothing like it"})").is_error);
    CHECK_FALSE(stage.call("look", R"({"window":"Letter"})").is_error);
}

TEST_CASE("mcp session: a wait ends at once if the screen has changed since the last image") {
    SessionStage stage;
    (void)stage.call("look");
    stage.desktop.screen().fill({64, 64, 64, 64}, {255, 0, 0});
    const mcp::CallResult result = stage.call("wait_for_change", R"({"seconds":60})");
    CHECK_FALSE(structured(result).at("changed").as_array().empty());
    CHECK(images_of(result).size() == 1);
    // And it ends when the screen changes.
    stage.desktop.on_capture = [&, captures = 0]() mutable {
        if (++captures == 4) stage.desktop.screen().fill({256, 256, 64, 64}, {0, 0, 255});
    };
    CHECK_FALSE(structured(stage.call("wait_for_change", R"({"seconds":60})"))
                    .at("changed")
                    .as_array()
                    .empty());
}

// ---- the guard ----------------------------------------------------------------------------------

namespace {

/// Each action needs approval.
void guard_strictly(SessionStage& stage) {
    stage.options.agent.guard = agent::Guard(agent::GuardLevel::strict);
}

agent::Approval granted(const agent::ApprovalRequest&, const std::stop_token&) {
    return {.granted = true, .reason = {}, .channel = "mcp"};
}

/// What a server throws to leave a handler until the client has asked its user.
struct AskClientFirst {};

agent::Approval ask_client_first(const agent::ApprovalRequest&, const std::stop_token&) {
    throw AskClientFirst{};
}

/// What the guard and the user decided on the latest action of the journal.
agent::GuardRecord latest_decision(const SessionStage& stage) {
    std::optional<agent::GuardRecord> latest;
    agent::for_each_event(stage.session->directory(), [&](agent::Event&& event) {
        if (const auto* invoked = std::get_if<agent::Invoked>(&event.payload))
            if (invoked->guard) latest = invoked->guard;
    });
    REQUIRE(latest);
    return *latest;
}

} // namespace

TEST_CASE("mcp session: what needs approval is denied if no user can be asked") {
    SessionStage stage;
    guard_strictly(stage);
    (void)stage.call("look");
    const mcp::CallResult result = stage.click(100, 100);
    CHECK(result.is_error);
    const auto told = structured(result);
    CHECK(text_at(told, "effect") == "refused");
    CHECK(text_at(told.at("error").as_object(), "type") == "denied");
    CHECK(stage.presses() == 0);
}

TEST_CASE("mcp session: an action is denied if the client fails to ask its user") {
    SessionStage stage;
    guard_strictly(stage);
    stage.asks_client = true;
    (void)stage.call("look");
    mcp::CallLinks links;
    links.approve = [](const agent::ApprovalRequest&, const std::stop_token&) -> agent::Approval {
        throw mcp::Error(mcp::errc::connection_lost, "the client disconnected");
    };
    const mcp::CallResult result = stage.click(100, 100, links);
    CHECK(result.is_error);
    CHECK(text_at(structured(result).at("error").as_object(), "type") == "denied");
    CHECK(stage.presses() == 0);
    // Others can use the desktop.
    REQUIRE(stage.turnstile.take({}));
    stage.turnstile.give_back();
}

TEST_CASE("mcp session: a denial without a user is not one of the user") {
    SessionStage stage;
    guard_strictly(stage);
    stage.asks_client = true;
    (void)stage.call("look");
    CHECK(stage.click(100, 100).is_error); // a call that cannot ask
    CHECK(latest_decision(stage).decider == "unattended");
    mcp::CallLinks links;
    links.approve = [](const agent::ApprovalRequest&, const std::stop_token&) {
        return agent::Approval{.granted = false, .reason = {}, .channel = "mcp"};
    };
    CHECK(stage.click(100, 100, links).is_error);
    CHECK(latest_decision(stage).decider == "user");
}

TEST_CASE(
    "mcp session: a client that does not come back with an answer does not keep the desktop") {
    SessionStage stage;
    guard_strictly(stage);
    stage.asks_client = true;
    (void)stage.call("look");
    mcp::CallLinks links;
    links.approve = ask_client_first;
    CHECK_THROWS_AS(stage.click(100, 100, links), AskClientFirst);
    stage.session->deny_if_abandoned_before(std::chrono::steady_clock::now());
    REQUIRE(stage.turnstile.take({})); // waits
    stage.turnstile.give_back();
    CHECK(stage.presses() == 0);
    links.approve = granted;
    CHECK_FALSE(stage.click(100, 100, links).is_error);
    CHECK(stage.presses() == 1);
}

TEST_CASE("mcp session: an answer in the panel ends the question of the client") {
    SessionStage stage;
    guard_strictly(stage);
    stage.asks_client = true;
    std::optional<agent::RunControl> control;
    stage.options.on_session = [&](const agent::RunDirectory&, agent::RunControl& run,
                                   const agent::Profile&) {
        control = run;
        return std::unique_ptr<agent::Observer>();
    };
    (void)stage.call("look");
    mcp::CallLinks links;
    bool was_told = false;
    links.approve = [&](const agent::ApprovalRequest& request,
                        const std::stop_token& answered) -> agent::Approval {
        control->resolve(request.id, {.granted = true, .reason = {}, .channel = "panel"});
        was_told = answered.stop_requested();
        throw mcp::Error(mcp::errc::cancelled, "the question was withdrawn");
    };
    CHECK_FALSE(stage.click(100, 100, links).is_error);
    CHECK(was_told);
    CHECK(stage.presses() == 1);
    CHECK(latest_decision(stage).channel == "panel");
}

TEST_CASE("mcp session: the user of the client approves or denies") {
    SessionStage stage;
    guard_strictly(stage);
    stage.asks_client = true;
    (void)stage.call("look");
    std::string tool;
    mcp::CallLinks links;
    links.approve = [&](const agent::ApprovalRequest& request, const std::stop_token& answered) {
        tool = request.tool;
        return granted(request, answered);
    };
    CHECK_FALSE(stage.click(100, 100, links).is_error);
    CHECK(tool == "click");
    CHECK(stage.presses() == 1);
    links.approve = [](const agent::ApprovalRequest&, const std::stop_token&) {
        return agent::Approval{};
    };
    CHECK(stage.click(100, 100, links).is_error);
    CHECK(stage.presses() == 1);
    // A later request of a client that cannot ask.
    CHECK(stage.click(100, 100).is_error);
}

TEST_CASE("mcp session: a repeated request continues the call that waits for approval") {
    SessionStage stage;
    guard_strictly(stage);
    stage.asks_client = true;
    (void)stage.call("look");
    std::string pending;
    mcp::CallLinks links;
    links.set_pending = [&](const std::string& token) { pending = token; };
    links.approve = ask_client_first;
    CHECK_THROWS_AS(stage.click(100, 100, links), AskClientFirst);
    REQUIRE_FALSE(pending.empty());
    CHECK(stage.presses() == 0);
    links.approve = granted;
    SECTION("with its answer") {
        links.pending = pending;
        CHECK_FALSE(stage.click(100, 100, links).is_error);
        CHECK(stage.presses() == 1);
    }
    SECTION("but not another call, which denies it") {
        links.pending = pending;
        CHECK_FALSE(stage.click(300, 300, links).is_error);
        CHECK(stage.presses() == 1);
        CHECK(*stage.desktop.pointer() == winio::Point{300, 300});
    }
    SECTION("but not with another name") {
        links.pending = "0123";
        CHECK_FALSE(stage.click(100, 100, links).is_error);
        CHECK(stage.presses() == 1);
    }
}

// ---- interruptions ------------------------------------------------------------------------------

TEST_CASE("mcp session: a client that cancels during a drag leaves nothing pressed") {
    SessionStage stage;
    (void)stage.call("look");
    std::stop_source stop;
    stage.desktop.on_input = [&](const winio::InputEvent& event) {
        if (std::holds_alternative<winio::ButtonChange>(event)) stop.request_stop();
    };
    mcp::CallLinks links;
    links.stop = stop.get_token();
    std::string corners; // a long way
    for (int i = 0; i < 60; ++i)
        corners += std::string(i == 0 ? "" : ",") + (i % 2 == 0 ? "[600,10]" : "[10,400]");
    CHECK_THROWS_AS(
        stage.call("drag",
                   R"({"element":"it","start":[10,10],"end":[600,400],"via":[)" + corners + "]}",
                   links),
        mcp::Error);
    CHECK(stage.presses() == 1);
    CHECK_FALSE(stage.desktop.holds_anything());
    CHECK(*stage.desktop.pointer() != winio::Point{600, 400});
    CHECK_FALSE(stage.call("look").is_error); // the session continues
}

TEST_CASE("mcp session: a call that was canceled before it begins is not carried out") {
    SessionStage stage;
    (void)stage.call("look");
    std::stop_source stop;
    stop.request_stop();
    mcp::CallLinks links;
    links.stop = stop.get_token();
    CHECK_THROWS_AS(stage.click(100, 100, links), mcp::Error);
    CHECK(stage.presses() == 0);
    CHECK_FALSE(stage.turnstile.take(stop.get_token())); // although it is free
    REQUIRE(stage.turnstile.take({}));
    stage.turnstile.give_back();
}

TEST_CASE("mcp session: positions do not refer to an image that the client has not received") {
    SessionStage stage;
    (void)stage.call("look");
    CHECK(stage.session->has_shown());
    std::stop_source stop;
    stage.desktop.on_capture = [&] { stop.request_stop(); };
    mcp::CallLinks links;
    links.stop = stop.get_token();
    CHECK_THROWS_AS(stage.call("look", R"({"region":[320,240,479,359]})", links), mcp::Error);
    stage.desktop.on_capture = nullptr;
    CHECK_FALSE(stage.session->has_shown());
    (void)stage.call("look");
    CHECK(stage.session->has_shown());
}

TEST_CASE("mcp session: a client that cancels ends a wait for a change") {
    SessionStage stage;
    (void)stage.call("look");
    std::stop_source stop;
    stage.desktop.on_capture = [&, captures = 0]() mutable {
        if (++captures == 4) stop.request_stop();
    };
    mcp::CallLinks links;
    links.stop = stop.get_token();
    CHECK_THROWS_AS(stage.call("wait_for_change", R"({"seconds":60})", links), mcp::Error);
    stage.desktop.on_capture = nullptr;
    std::string result;
    agent::for_each_event(stage.session->directory(), [&](agent::Event&& event) {
        if (const auto* invoked = std::get_if<agent::Invoked>(&event.payload))
            result = invoked->result_json;
    });
    CHECK(result.find("canceled") != std::string::npos);
    CHECK_FALSE(stage.call("look").is_error); // the session continues
}

TEST_CASE("mcp session: a client that disconnects during a drag leaves nothing pressed") {
    SessionStage stage;
    (void)stage.call("look");
    stage.desktop.on_input = [&](const winio::InputEvent& event) {
        if (std::holds_alternative<winio::ButtonChange>(event))
            stage.session->end("the client has disconnected");
    };
    const mcp::CallResult result =
        stage.call("drag", R"({"element":"it","start":[10,10],"end":[600,400]})");
    CHECK(result.is_error);
    CHECK_FALSE(stage.desktop.holds_anything());
    CHECK(*stage.desktop.pointer() != winio::Point{600, 400});
    const std::filesystem::path run = stage.session->directory().path();
    stage.session.reset();
    CHECK(agent::load_run(run).outcome == "cancelled");
    CHECK(std::filesystem::exists(run / "report.html"));
}

TEST_CASE("mcp session: the end of a session completes its run and writes the report") {
    SessionStage stage;
    stage.react_with({96, 96, 64, 32});
    (void)stage.call("look");
    (void)stage.click(100, 100);
    const std::filesystem::path run = stage.session->directory().path();
    // Also readable before the end, as after a crash.
    CHECK(agent::load_run(run).outcome.empty());
    CHECK(session::report_html(run).find("click") != std::string::npos);
    stage.session.reset();
    CHECK(agent::load_run(run).outcome == "completed");
    CHECK(std::filesystem::exists(run / "report.html"));
}

TEST_CASE("mcp session: a screen that has not changed is stored once") {
    SessionStage stage;
    stage.react_with({96, 96, 64, 32});
    (void)stage.call("look");
    (void)stage.call("look");
    (void)stage.click(100, 100);
    (void)stage.call("look");
    const std::filesystem::path run = stage.session->directory().path();
    stage.session.reset();
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(run / "screenshots"))
        files += entry.is_regular_file() ? 1 : 0;
    CHECK(files == 2);
    CHECK(session::verify_run(agent::RunDirectory::open(run)).problems.empty());
    CHECK(session::report_html(run).find("click") != std::string::npos);
}

TEST_CASE("mcp session: after its run has ended, calls say why") {
    SessionStage stage;
    stage.options.agent.limits.max_actions_per_minute = 1;
    (void)stage.call("look");
    (void)stage.click(100, 100);
    (void)stage.click(100, 100);
    const int presses = stage.presses();
    const mcp::CallResult look = stage.call("look");
    CHECK(look.is_error);
    CHECK_FALSE(structured(look).contains("effect"));
    const mcp::CallResult click = stage.click(100, 100);
    CHECK(click.is_error);
    CHECK(click.structured_json.find("limit of 1 actions per minute") != std::string::npos);
    CHECK(text_at(structured(click), "effect") == "refused");
    CHECK(stage.presses() == presses);
    CHECK(stage.session->end_reason().value_or("").find("limit") != std::string::npos);
}

TEST_CASE("mcp session: a recorded session can be replayed") {
    SessionStage stage;
    stage.options.agent.record_desktop = true;
    stage.react_with({96, 96, 64, 32});
    const auto id = structured(stage.call("look")).at("screenshot").at("id").as_int64();
    (void)stage.click(100, 100);
    (void)stage.call("look", R"({"since":)" + std::to_string(id) + "}");
    (void)stage.call("look", R"({"region":[0,0,99,99]})");
    (void)stage.call("type", R"({"text":"hello"})");
    (void)stage.call("windows");
    const std::filesystem::path run = stage.session->directory().path();
    stage.session.reset();
    agent::ReplayOptions options;
    options.agent = stage.options.agent;
    options.tools = mcp::session_tools();
    options.modes.add(mcp::session_mode());
    const agent::ReplayReport report = agent::replay_run(agent::RunDirectory::open(run), options);
    INFO(agent::to_text(report));
    CHECK(report.identical());
    CHECK(report.inputs > 0);
}

TEST_CASE("mcp session: a long session needs no more memory than a short one") {
    SessionStage stage;
    stage.react_with({96, 96, 64, 32});
    (void)stage.call("look");
    const auto some_calls = [&](int calls) {
        for (int i = 0; i < calls; ++i) {
            REQUIRE_FALSE(stage.click(100, 100).is_error);
            stage.desktop.clear_records();
        }
    };
#if defined(__SANITIZE_ADDRESS__)
    some_calls(100); // history and buffers have their final size
    const std::size_t before = __sanitizer_get_current_allocated_bytes();
    some_calls(200);
    // A few texts and names per call.
    CHECK(__sanitizer_get_current_allocated_bytes() < before + 200 * 1024);
#else
    some_calls(20); // only AddressSanitizer counts memory
#endif
    std::size_t requests = 0;
    agent::for_each_event(stage.session->directory(), [&](agent::Event&& event) {
        if (const auto* asked = std::get_if<agent::Asked>(&event.payload)) {
            ++requests;
            CHECK(asked->messages == 2);
            CHECK(asked->images.empty());
        }
    });
    CHECK(requests >= 21);
}
