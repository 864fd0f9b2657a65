// Runs for the tests of reports, on a desktop in memory and with a scripted model.
#pragma once

#include "eyehand/agent/agent.hpp"
#include "eyehand/base/stoppable_wait.hpp"
#include "eyehand/session/calibration.hpp"
#include "eyehand/vlm/error.hpp"
#include "eyehand/vlm/testing/scripted_model.hpp"
#include "eyehand/winio/testing/memory_desktop.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace test {

/// Would run if a page parsed it as HTML, and ends a script element.
inline const std::string hostile = "</script><script>window.hacked = true</script>"
                                   "<img src=x onerror='window.hacked = true'><!-- {{run}} \" & \\";

inline eyehand::agent::AgentOptions at_once() {
    eyehand::agent::AgentOptions options;
    options.settle.minimum = options.settle.quiet = std::chrono::milliseconds(0);
    options.reaction = eyehand::winio::no_reaction_wait;
    return options;
}

/// A window with lines that look like text; `busy` adds lines.
inline void paint_window(eyehand::winio::Image& screen, int busy) {
    const eyehand::winio::Rect all{0, 0, screen.width(), screen.height()};
    const eyehand::winio::Rect window{all.width / 10, all.height / 10, all.width / 2,
                                      all.height * 3 / 5};
    screen.fill(window, {250, 250, 250, 255});
    screen.fill({window.x, window.y, window.width, 24}, {200, 120, 30, 255});
    for (int line = 0; line < 4 + busy; ++line) {
        const int y = window.y + 40 + line * 14;
        if (y + 8 > window.bottom()) break;
        for (int word = 0; word < 9; ++word)
            screen.fill({window.x + 12 + word * 40, y, 12 + (line * 7 + word * 11) % 24, 7},
                        {60, 60, 60, 255});
    }
}

inline void paint_desktop(eyehand::winio::Image& screen, int busy) {
    screen.fill({0, 0, screen.width(), screen.height()}, {140, 100, 40, 255});
    screen.fill({0, screen.height() - 28, screen.width(), 28}, {60, 60, 60, 255});
    paint_window(screen, busy);
}

/// A run with a failed call and hostile text in every place. Returns its directory.
inline std::filesystem::path hostile_run(const std::filesystem::path& folder) {
    eyehand::winio::testing::MemoryDesktop desktop{eyehand::winio::Size{1280, 720}};
    eyehand::winio::WindowInfo window;
    window.title = "Notes " + hostile;
    window.bounds = {10, 10, 300, 200};
    desktop.set_windows({window});
    int busy = 0;
    paint_desktop(desktop.screen(), busy);
    desktop.on_input = [&](const eyehand::winio::InputEvent& event) {
        if (std::holds_alternative<eyehand::winio::ButtonChange>(event) ||
            std::holds_alternative<eyehand::winio::TypedScalar>(event))
            paint_desktop(desktop.screen(), ++busy);
    };
    eyehand::vlm::testing::ScriptedModel model;
    eyehand::vlm::ChatReply thinking;
    thinking.text = "I see a window. " + hostile;
    thinking.reasoning = "The title is odd: " + hostile;
    thinking.tool_calls = {
        {"call_a", "click_element", R"({"label":"the <b>title</b>","box":[350,120]})", {}}};
    thinking.usage = {1200, 800, 45, {}, {}};
    model.reply_with(thinking)
        .call("observe_screen", "{}", "I look.")
        .call("type_text", R"({"text":"</script><script>window.hacked = true</script>"})",
              "I type.")
        .call("list_windows", "{}",
              "Invisible: a\xE2\x80\xAE"
              "cod.exe\xF3\xA0\x81\x81")
        .call("click_element", R"({"label":"nowhere","box":["a",1]})", "I click beside it.")
        .call("drag", R"({"label":"it","start":[200,300],"end":[600,500]})", "I drag.")
        .call("observe_screen", "{}")
        .say("It is done. " + hostile);
    eyehand::agent::AgentOptions options = at_once();
    options.with = {"list_windows", "drag"};
    options.redaction.areas = {{900, 600, 50, 50}};
    options.settings = {
        {"model", hostile, "--model"}, {"max_turns", "10", "profile"}, {"guard", "off", "--guard"}};
    eyehand::agent::Profile profile = eyehand::agent::load_profile("observer");
    profile.model = hostile;
    eyehand::agent::RunDirectory directory = eyehand::agent::RunDirectory::create(folder);
    eyehand::agent::RunControl control;
    eyehand::agent::Agent agent(desktop, model, profile, eyehand::agent::built_in_tools(), options);
    agent.run("Write a note. " + hostile, directory, control);
    eyehand::session::Calibration calibration;
    calibration.endpoint = "http://localhost:1234/v1/chat/completions";
    calibration.model = hostile;
    calibration.version = hostile;
    calibration.time = 1764150000; // 2025-11-26
    calibration.fit = {.grounds = true, .residual = 7.125, .uncorrected_residual = 21.5};
    calibration.fit.form.convention = eyehand::agent::CoordinateConvention::percent;
    calibration.hit_rates = {{8, 2, 5}, {16, 4, 5}, {96, 5, 5}};
    calibration.early = {30, 30};
    calibration.late = {10, 10};
    std::ofstream(directory.path() / "calibration.json") << eyehand::session::to_json(calibration);
    return directory.path();
}

/// A team, whose prompts change from turn to turn and contain hostile text. Returns its directory.
inline std::filesystem::path team_run(const std::filesystem::path& folder) {
    eyehand::winio::testing::MemoryDesktop desktop{eyehand::winio::Size{1280, 720}};
    int busy = 0;
    paint_desktop(desktop.screen(), busy);
    desktop.on_input = [&](const eyehand::winio::InputEvent& event) {
        if (std::holds_alternative<eyehand::winio::ButtonChange>(event))
            paint_desktop(desktop.screen(), ++busy);
    };
    const std::string brief =
        R"({"operator_instructions":"Click OK. <b>bold</b>","rationale":"x"})";
    const auto click = [](const char* x) {
        return std::string(R"({"justification":"asked","label":"OK","position":[)") + x + ",400]}";
    };
    eyehand::vlm::testing::ScriptedModel model;
    model.call("spawn_operator", brief, "1. click OK (now)\n" + hostile)
        .call("click_element", click("300"), "OBJ: click OK " + hostile)
        .call("click_element", click("400"), "OBJ: click OK again")
        .call("report_completion", R"({"evidence":")" + std::string(120, 'e') + R"("})");
    eyehand::agent::RunDirectory directory = eyehand::agent::RunDirectory::create(folder);
    eyehand::agent::RunControl control;
    eyehand::agent::Agent agent(desktop, model, eyehand::agent::load_profile("commander"),
                                eyehand::agent::built_in_tools(), at_once());
    agent.run("Click OK. " + hostile, directory, control);
    return directory.path();
}

/// A visual loop, whose screenshots are annotated. Returns its directory.
inline std::filesystem::path story_run(const std::filesystem::path& folder) {
    eyehand::winio::testing::MemoryDesktop desktop{eyehand::winio::Size{1280, 720}};
    int busy = 0;
    paint_desktop(desktop.screen(), busy);
    desktop.on_input = [&](const eyehand::winio::InputEvent& event) {
        if (std::holds_alternative<eyehand::winio::ButtonChange>(event))
            paint_desktop(desktop.screen(), ++busy);
    };
    eyehand::vlm::testing::ScriptedModel model;
    model
        .say(R"({"observation":"I draw a line.","bboxes":[{"x1":100,"y1":100,"x2":600,"y2":700}],)"
             R"("actions":[{"name":"click","x1":300,"y1":400},)"
             R"({"name":"drag","x1":200,"y1":300,"x2":500,"y2":600}]})")
        .say(
            R"({"observation":"One more.","bboxes":[],"actions":[{"name":"click","x1":700,"y1":500}]})")
        .say(R"({"observation":"The line is drawn.","bboxes":[],"actions":[],"done":true})");
    eyehand::agent::Profile profile = eyehand::agent::load_profile("story");
    profile.pace.drag_step_delay = std::chrono::milliseconds(0);
    eyehand::agent::RunDirectory directory = eyehand::agent::RunDirectory::create(folder);
    eyehand::agent::RunControl control;
    eyehand::agent::Agent agent(desktop, model, profile, eyehand::agent::built_in_tools(),
                                at_once());
    agent.run("Draw a line.", directory, control);
    return directory.path();
}

/// Waits during its first request until it is canceled, then clicks, then is done.
class PatientModel final : public eyehand::vlm::ChatModel {
public:
    eyehand::vlm::ChatReply reply(const eyehand::vlm::ChatRequest& request,
                                  const eyehand::vlm::OnDelta& on_delta,
                                  std::stop_token stop) override {
        if (++requests != 1) return then_.reply(request, on_delta, std::move(stop));
        (void)eyehand::base::wait_for(std::chrono::milliseconds::max(), stop);
        throw eyehand::vlm::Error(eyehand::vlm::errc::cancelled, "cancelled");
    }
    std::atomic<int> requests = 0;

private:
    eyehand::vlm::testing::ScriptedModel then_ =
        eyehand::vlm::testing::ScriptedModel()
            .call("click_element", R"({"label":"OK","box":[300,257]})", "I click.")
            .say("It is done.");
};

/// A run in which the screen changes during the first request, and at the target before the click of
/// the second one. Returns its directory.
inline std::filesystem::path watched_run(const std::filesystem::path& folder) {
    eyehand::winio::testing::MemoryDesktop desktop{eyehand::winio::Size{1280, 720}};
    PatientModel model;
    class Replies final : public eyehand::agent::Observer {
    public:
        void on_event(const eyehand::agent::Event& event) override {
            if (std::holds_alternative<eyehand::agent::Replied>(event.payload)) any = true;
        }
        bool any = false;
    } replies;
    desktop.on_capture = [&] {
        paint_desktop(desktop.screen(), replies.any ? 2 : std::min(model.requests.load(), 1));
    };
    eyehand::agent::AgentOptions options = at_once();
    options.watch = eyehand::agent::Watch::resend;
    eyehand::agent::RunDirectory directory = eyehand::agent::RunDirectory::create(folder);
    eyehand::agent::RunControl control;
    eyehand::agent::Agent agent(desktop, model, eyehand::agent::load_profile("observer"),
                                eyehand::agent::built_in_tools(), options);
    agent.run("Click OK.", directory, control, &replies);
    return directory.path();
}

/// Compresses like a photograph: soft shapes with grain, and different content at each offset.
class Photo {
public:
    explicit Photo(eyehand::winio::Size size) : pixels_(size) {
        std::uint32_t noise = 7;
        for (int y = 0; y < size.height; ++y) {
            const auto row = pixels_.row(y);
            for (int x = 0; x < size.width; ++x) {
                noise = noise * 1664525U + 1013904223U;
                const int grain = static_cast<int>(noise >> 28U);
                const int shape = wave(x * 3 + y) + wave(y * 2 - x / 2 + wave(x) * 4) / 2;
                std::uint8_t* pixel = &row[static_cast<std::size_t>(x) * 4];
                pixel[0] = static_cast<std::uint8_t>(40 + shape / 2 + grain);
                pixel[1] = static_cast<std::uint8_t>(60 + wave(x + shape) / 3 + grain);
                pixel[2] = static_cast<std::uint8_t>(30 + wave(y + shape * 2) / 2 + grain);
            }
        }
    }
    void show(eyehand::winio::Image& screen, eyehand::winio::Point from) const {
        for (int y = 0; y < screen.height(); ++y)
            std::memcpy(screen.row(y).data(),
                        &pixels_.view().row(y + from.y)[static_cast<std::size_t>(from.x) * 4],
                        screen.stride());
    }

private:
    /// 0 to 255 and back.
    static int wave(int at) {
        const int in = at & 511;
        return in < 256 ? in : 511 - in;
    }
    eyehand::winio::Image pixels_;
};

/// A run in which each turn shows another photograph on the whole screen. Returns its directory.
inline std::filesystem::path photo_run(const std::filesystem::path& folder, int turns) {
    eyehand::winio::testing::MemoryDesktop desktop{eyehand::winio::Size{1536, 864}};
    const Photo photo({1536 + 8 * turns, 864 + 4 * turns});
    photo.show(desktop.screen(), {0, 0});
    eyehand::vlm::testing::ScriptedModel model;
    for (int turn = 1; turn < turns; ++turn)
        model.answer([&, turn](const eyehand::vlm::ChatRequest&) {
            desktop.change([&] {
                photo.show(desktop.screen(), {turn * 7, turn * 3});
                paint_window(desktop.screen(), turn % 20); // must stay legible
            });
            eyehand::vlm::ChatReply reply;
            reply.text = "Turn " + std::to_string(turn) + ".";
            reply.tool_calls = {{"call_" + std::to_string(turn), "observe_screen", "{}", {}}};
            return reply;
        });
    model.say("done");
    eyehand::agent::Profile profile = eyehand::agent::load_profile("observer");
    profile.max_turns = turns;
    profile.loops.answer = eyehand::agent::LoopAnswer::none;
    eyehand::agent::RunDirectory directory = eyehand::agent::RunDirectory::create(folder);
    eyehand::agent::RunControl control;
    eyehand::agent::Agent agent(desktop, model, profile, eyehand::agent::built_in_tools(),
                                at_once());
    agent.run("look at photographs", directory, control);
    return directory.path();
}

} // namespace test
