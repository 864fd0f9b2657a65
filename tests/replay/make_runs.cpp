// Makes the recorded runs that CTest replays:
//
//     build/linux-debug/bin/eyehand-replay-runs tests/replay/runs
//
// Run it after a change that is meant to change decisions, input or prompts, and commit the runs
// together with the change: their difference shows its effect.
#include "recorded_run.hpp"

#include "eyehand/vlm/chat.hpp"

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

using namespace eyehand;
using test::RecordedRun;

namespace {

const std::string evidence =
    "The title bar reads greeting.txt - Editor, the text area shows the greeting in one line, and "
    "no dialog is open any more.";

/// The files that a replay needs, and that verify finds complete.
bool is_needed(const std::string& name) {
    return name != "execution_log.txt" && name != "main.log";
}

void save(const RecordedRun& run, const std::filesystem::path& folder) {
    std::filesystem::remove_all(folder);
    // A run directory has this folder, and Git drops empty ones.
    std::filesystem::create_directories(folder / "screenshots");
    std::ofstream(folder / "screenshots" / ".gitkeep").close();
    for (const std::string& name : run.store.names()) {
        if (!is_needed(name)) continue;
        const std::filesystem::path file = folder / name;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file, std::ios::binary) << run.store.bytes(name);
    }
}

void run_and_save(RecordedRun& run, const std::string& task, const std::filesystem::path& folder) {
    (void)run.run(task);
    const agent::ReplayReport report = run.replay();
    std::cout << folder.string() << ": " << to_text(report);
    if (!report.identical()) throw std::runtime_error("the new run does not replay");
    save(run, folder);
}

void make_observer(const std::filesystem::path& folder) {
    RecordedRun run("observer");
    run.model.call("click_element", R"({"label":"the text area","box":[200,250]})")
        .call("type_text", R"({"text":"Grüße\nan alle"})")
        .call("scroll_at_position", R"({"box":[500,500],"direction":"down"})")
        .call("press_key", R"({"key":"ctrl+s"})")
        .call("click_element", R"({"label":"nothing"})") // a mistake
        .call("observe_screen", "{}")
        .say("The greeting is saved.");
    run_and_save(run, "Write a greeting and save it.", folder);
}

/// Denied by the guard, refused because the target has changed, and a borrowed clipboard.
void make_guarded(const std::filesystem::path& folder) {
    RecordedRun run("observer");
    run.options.with = {"launch_app", "paste_text", "list_windows"};
    run.options.settings = {{"with", "launch_app,paste_text,list_windows", "--with"}};
    run.desktop.clipboard()->set_text("words of the user");
    run.model.call("launch_app", R"({"command":"calculator"})")
        .call("list_windows", "{}")
        .call("paste_text", R"({"text":"a long text"})")
        .call("observe_screen", "{}")
        .answer([&](const vlm::ChatRequest&) -> vlm::ChatReply {
            run.desktop.change([&] {
                run.desktop.screen().fill({50, 80, 150, 100}, {.blue = 255});
            });
            return {.tool_calls = {
                        {"changed", "click_element", R"({"label":"OK","box":[400,500]})", {}}}};
        })
        .call("click_element", R"({"label":"OK","box":[400,500]})")
        .say("The calculator cannot be started.");
    run_and_save(run, "Start the calculator.", folder);
}

void make_commander(const std::filesystem::path& folder) {
    RecordedRun run("commander");
    const std::string brief = R"({"operator_instructions":"Click OK.","rationale":"It is next."})";
    run.model.call("spawn_operator", brief, "1. click OK (now) 2. check (later)")
        .call("click_element", R"({"justification":"asked","label":"OK","position":[300,400]})",
              "OBJ: click OK")
        .call("report_progress",
              R"({"objective_id":"click OK","status":"DONE","evidence":"the dialog is gone"})")
        .call("spawn_operator", brief, "2. check (now)")
        .call("spawn_operator", brief, "2. check (now)")
        .call("report_completion", R"({"evidence":"It is done."})")
        .call("report_completion", R"({"evidence":")" + evidence + R"("})");
    run_and_save(run, "Click OK.", folder);
}

void make_planner(const std::filesystem::path& folder) {
    RecordedRun run("planner");
    run.model
        .call("update_execution_plan", R"({"instructions":"Click the field.","reasoning":"first"})",
              "1. click the field (now)")
        .call("click_screen_element",
              R"({"reasoning":"to focus it","element_name":"field","position":[10,20]})",
              "LAST_ACTION_RESULT: none\nNEXT_STEP: click, the field gets a caret")
        .call("report_mission_complete", R"({"evidence":")" + evidence + R"("})");
    run_and_save(run, "Click the field.", folder);
}

void make_basic(const std::filesystem::path& folder) {
    RecordedRun run("basic");
    const std::string move = R"({"x":300,"y":400})";
    run.model.call("take_screenshot", "{}")
        .call("move_mouse", move)
        .call("click_mouse", "")
        .call("scroll_down", "{}")
        .say("The field has the focus.");
    run_and_save(run, "Click the field.", folder);
}

void make_story(const std::filesystem::path& folder) {
    RecordedRun run("story");
    const auto reply = [](const std::string& actions, const std::string& more = {}) {
        return R"({"observation":"I draw.","bboxes":[],"actions":[)" + actions + "]" + more + "}";
    };
    run.model
        .say(reply(
            R"({"name":"click","x1":300,"y1":400},{"name":"DRAG","x1":10,"y1":20,"x2":30,"y2":20})"))
        .say(reply(R"({"name":"move","x1":600,"y1":600})"))
        .say(reply("", R"(,"done":true)"));
    run_and_save(run, "Draw a line.", folder);
}

} // namespace

int main(int count, char** arguments) {
    if (count != 2) {
        std::cerr << "usage: eyehand-replay-runs FOLDER\n";
        return 2;
    }
    try {
        const std::filesystem::path folder(arguments[1]);
        make_observer(folder / "observer");
        make_guarded(folder / "guarded");
        make_commander(folder / "commander");
        make_planner(folder / "planner");
        make_basic(folder / "basic");
        make_story(folder / "story");
        return 0;
    } catch (const std::exception& problem) {
        std::cerr << problem.what() << '\n';
        return 1;
    }
}
