// Faults of the desktop: an X server, a window on it, or a desktop in memory.
#include "scene.hpp"

#include "catch.hpp"
#include "eventually.hpp"
#include "program.hpp"

namespace fault_tests {
namespace {

/// Runs a program to its end, which must succeed.
void run(const Scene& scene, const std::vector<std::string>& command) {
    const std::filesystem::path output = scene.folder / "output_of_command";
    ChildProcess program({command, scene.folder.path(), output});
    const int exit_code = program.wait();
    INFO(test::read_file(output));
    REQUIRE(exit_code == 0);
}

/// The server knows the program by a key that permits neither captures nor input.
void become_untrusted(Scene& scene) {
    const std::string file = (scene.folder / "faults/key").string();
    run(scene, {"cp", variable("XAUTHORITY"), file});
    run(scene, {"xauth", "-q", "-f", file, "generate", variable("DISPLAY"), ".", "untrusted"});
    scene.variables["XAUTHORITY"] = file;
}

std::function<void(Scene&)> in_memory(const std::string& fault) {
    return [fault](Scene& scene) { scene.memory_fault = fault; };
}

/// 1280x900 instead of 1920x1080.
void make_screen_smaller(Scene& scene) {
    run(scene, {"xrandr", "--newmode", "smaller", "50", "1280", "1300", "1400", "1500", "900",
                "910", "920", "930"});
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

/// The server of the row, which `Scene::use_own_x_server` has started.
void end_x_server(Scene& scene) { kill(scene.x_server(), SIGKILL); }

void close_window(Scene& scene) {
    using eyehand::winio::WindowAction;
    scene.desktop->windows()->apply({scene.window->info().id, WindowAction::close, {}});
    REQUIRE(test::eventually([&] { return scene.window->has_ended(); }));
}

void open_window(Scene& scene) { scene.open_window(); }
void open_window_at_the_right(Scene& scene) { scene.open_window({1100, 200, 800, 600}); }
/// In its center.
Answer clicks_at_the_right() { return calls("click_element", R"({"label":"OK","box":[781,463]})"); }

Answer presses(const std::string& key) { return calls("press_key", R"({"key":")" + key + R"("})"); }

/// For minutes, with the delay between characters below.
Answer types_a_long_text() {
    return calls("type_text", R"({"text":")" + std::string(2000, 'a') + R"("})");
}

void check_refused_click(Scene& scene) {
    CHECK(scene.journal_contains(R"("stale")"));
    CHECK(scene.window->lines("button") == std::vector<std::string>());
}

} // namespace

std::vector<Row> desktop_rows() {
    constexpr const char* lost = "the connection to the X server is lost";
    return {
        {.name = "desktop: the X server does not trust the program",
         .before = become_untrusted,
         .exit_code = 5,
         .message = "lacks the XTEST extension",
         .kept = Kept::nothing},
        {.name = "desktop: the capture is denied after an action",
         .answers = {presses("a"), looks(), is_done()},
         .before = in_memory("capture denied"),
         .exit_code = 5,
         .message = "the test made this capture fail",
         .outcome = "desktop_failed"},
        {.name = "desktop: locked after an action",
         .answers = {presses("a"), looks(), is_done()},
         .before = in_memory("locked"),
         .exit_code = 5,
         .message = "the test made this capture fail",
         .outcome = "desktop_failed"},
        {.name = "desktop: locked for a moment",
         .answers = {presses("a"), looks(), is_done()},
         .before = in_memory("locked for a moment"),
         .message = "It is done.",
         .outcome = "completed"},
        {.name = "desktop: the input is half accepted",
         .answers = {presses("ctrl+shift+alt+s"), is_done()},
         .before = in_memory("input half accepted"),
         .exit_code = 5,
         .message = "the system accepted 3 of 8 input events",
         .outcome = "desktop_failed"},
        {.name = "desktop: the resolution changes between the screenshot and the click",
         .answers = {clicks(), is_done()},
         .before = open_window,
         .fault = make_screen_smaller,
         .message = "It is done.",
         .outcome = "completed",
         .then =
             [](Scene& scene) { // the target has stayed where it was
                 CHECK(scene.window->lines("button") == std::vector<std::string>{"1 599 500"});
             }},
        {.name = "desktop: the resolution changes, and the target is not on the screen any more",
         .answers = {clicks_at_the_right(), is_done()},
         .before = open_window_at_the_right,
         .fault = make_screen_smaller,
         .message = "It is done.",
         .outcome = "completed",
         .then = check_refused_click},
        {.name = "desktop: the window is closed between the screenshot and the click",
         .answers = {clicks(), is_done()},
         .before = open_window,
         .fault = close_window,
         .message = "It is done.",
         .outcome = "completed",
         .then = check_refused_click},
        {.name = "desktop: the X server ends while the model thinks",
         .answers = {looks(), is_done()},
         .before = [](Scene& scene) { scene.use_own_x_server(); },
         .fault = end_x_server,
         .exit_code = 5,
         .message = lost,
         .outcome = "desktop_failed"},
        {.name = "desktop: the X server ends while a text is typed",
         .answers = {types_a_long_text(), is_done()},
         .before =
             [](Scene& scene) {
                 scene.use_own_x_server();
                 scene.variables["EYEHAND_TYPE_DELAY"] = "0.05";
             },
         .fault =
             [](Scene& scene) {
                 scene.go_on();
                 scene.wait_for("key");
                 end_x_server(scene);
             },
         .exit_code = 5,
         .message = lost,
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
         .fault =
             [](Scene& scene) {
                 stop_x_server(scene);
                 scene.go_on();
                 (void)scene.program->wait();
                 scene.repair();
             },
         .exit_code = 5,
         .message = lost,
         .outcome = "desktop_failed"},
    };
}

} // namespace fault_tests
