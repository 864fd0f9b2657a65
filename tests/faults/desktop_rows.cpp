// Faults of the desktop: an X server, a window on it, or a desktop in memory.
#include "scene.hpp"

#include "catch.hpp"
#include "eventually.hpp"
#include "program.hpp"

#include <cstdlib>

namespace fault_tests {
namespace {

/// Runs a program of the X server's to its end.
void run(const Scene& scene, const std::vector<std::string>& command) {
    ChildProcess program({command, scene.folder.path(), scene.folder / "output_of_command"});
    const int exit_code = program.wait();
    INFO(test::read_file(scene.folder / "output_of_command"));
    REQUIRE(exit_code == 0);
}

/// The X server's key for programs that it does not trust.
void become_untrusted(Scene& scene) {
    const std::string file = (scene.folder / "faults/untrusted").string();
    run(scene, {"cp", std::getenv("XAUTHORITY"), file});
    run(scene, {"xauth", "-q", "-f", file, "generate", std::getenv("DISPLAY"), ".", "untrusted"});
    scene.variables["XAUTHORITY"] = file;
}

/// 1280x800 instead of 1920x1080.
void make_screen_smaller(Scene& scene) {
    run(scene, {"xrandr", "--newmode", "smaller", "50", "1280", "1300", "1400", "1500", "800", "810",
                "820", "830"});
    scene.repair = [&scene] {
        run(scene, {"xrandr", "--output", "screen", "--mode", "1920x1080"});
        run(scene, {"xrandr", "--delmode", "screen", "smaller"});
        run(scene, {"xrandr", "--rmmode", "smaller"});
    };
    run(scene, {"xrandr", "--addmode", "screen", "smaller"});
    run(scene, {"xrandr", "--output", "screen", "--mode", "smaller"});
}

void stop_x_server(Scene& scene) {
    const pid_t server = scene.x_server();
    scene.repair = [server] { kill(server, SIGCONT); };
    kill(server, SIGSTOP);
}

void check_no_button(Scene& scene) {
    CHECK(scene.window->lines("button") == std::vector<std::string>());
}

void close_window(Scene& scene) {
    scene.desktop->windows()->apply({scene.window->info().id, eyehand::winio::WindowAction::close, {}});
    REQUIRE(test::eventually([&] { return scene.window->has_ended(); }));
}

} // namespace

std::vector<Row> desktop_rows() {
    const std::string long_text(2000, 'a');
    return {
        {.name = "desktop: the X server does not trust the program",
         .answers = {clicks(), is_done()},
         .before = become_untrusted,
         .exit_code = 5,
         .message = "lacks the XTEST extension",
         .kept = Kept::nothing},
        {.name = "desktop: the capture is denied after an action",
         .answers = {calls("press_key", R"({"key":"a"})"), looks(), is_done()},
         .before = [](Scene& scene) { scene.memory_fault = "capture denied"; },
         .exit_code = 5,
         .message = "x",
         .outcome = "desktop_failed"},
        {.name = "desktop: locked after an action",
         .answers = {calls("press_key", R"({"key":"a"})"), looks(), is_done()},
         .before = [](Scene& scene) { scene.memory_fault = "locked"; },
         .exit_code = 5,
         .message = "x",
         .outcome = "desktop_failed"},
        {.name = "desktop: locked for a moment",
         .answers = {calls("press_key", R"({"key":"a"})"), looks(), is_done()},
         .before = [](Scene& scene) { scene.memory_fault = "locked for a moment"; },
         .message = "It is done.",
         .outcome = "completed"},
        {.name = "desktop: the input is half accepted",
         .answers = {calls("press_key", R"({"key":"ctrl+shift+alt+s"})"), is_done()},
         .before = [](Scene& scene) { scene.memory_fault = "input half accepted"; },
         .exit_code = 5,
         .message = "x",
         .outcome = "desktop_failed"},
        {.name = "desktop: the resolution changes between the screenshot and the click",
         .answers = {clicks(), is_done()},
         .before = [](Scene& scene) { scene.open_window(); },
         .fault = make_screen_smaller,
         .message = "It is done.",
         .outcome = "completed",
         .then =
             [](Scene& scene) { // the target has stayed where it was
                 CHECK(scene.window->lines("button") == std::vector<std::string>{"1 599 500"});
             }},
        {.name = "desktop: the target is not on the screen any more",
         .answers = {calls("click_element", R"({"label":"OK","box":[781,463]})"), is_done()},
         .before = [](Scene& scene) { scene.open_window({1100, 200, 800, 600}); },
         .fault = make_screen_smaller,
         .message = "It is done.",
         .outcome = "completed",
         .then =
             [](Scene& scene) {
                 CHECK(scene.journal_contains(R"("stale")"));
                 check_no_button(scene);
             }},
        {.name = "desktop: the window is closed between the screenshot and the click",
         .answers = {clicks(), is_done()},
         .before = [](Scene& scene) { scene.open_window(); },
         .fault = close_window,
         .message = "It is done.",
         .outcome = "completed",
         .then =
             [](Scene& scene) {
                 CHECK(scene.journal_contains(R"("stale")"));
                 check_no_button(scene);
             }},
        {.name = "desktop: the X server ends while the model thinks",
         .answers = {looks(), is_done()},
         .before = [](Scene& scene) { scene.use_own_x_server(); },
         .fault = [](Scene& scene) { kill(scene.x_server(), SIGKILL); },
         .exit_code = 5,
         .message = "the connection to the X server is lost",
         .outcome = "desktop_failed"},
        {.name = "desktop: the X server ends while a text is typed",
         .answers = {calls("type_text", R"({"text":")" + long_text + R"("})"), is_done()},
         .before = [](Scene& scene) {
             scene.use_own_x_server();
             scene.variables["EYEHAND_TYPE_DELAY"] = "0.05";
         },
         .fault = [](Scene& scene) {
             scene.go_on();
             scene.wait_for("key");
             kill(scene.x_server(), SIGKILL); },
         .exit_code = 5,
         .message = "x",
         .outcome = "desktop_failed"},
        {.name = "desktop: the X server is stopped for a moment",
         .answers = {looks(), is_done()},
         .fault =
             [](Scene& scene) {
                 stop_x_server(scene);
                 scene.go_on();
                 scene.repair();
             },
         .message = "It is done.",
         .outcome = "completed"},
        {.name = "desktop: the X server is stopped",
         .answers = {looks(), is_done()},
         .fault = [](Scene& scene) { stop_x_server(scene);
                 scene.go_on();
                 (void)scene.program->wait();
                 scene.repair();
         },
         .exit_code = 5,
         .message = "x",
         .outcome = "desktop_failed"},
    };
}

} // namespace fault_tests
