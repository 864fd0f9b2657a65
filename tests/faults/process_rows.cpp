// Signals to the run, and memory that runs out.
#include "scene.hpp"

#include "catch.hpp"

namespace fault_tests {
namespace {

std::function<void(Scene&)> signal(int number) {
    return [number](Scene& scene) { scene.program->send(number); };
}

/// The answer arrives while the program is stopped.
void stop_and_continue(Scene& scene) {
    scene.program->send(SIGSTOP);
    scene.program->wait_until_stopped();
    scene.go_on();
    scene.program->send(SIGCONT);
}

/// For a drag in the window, with the delay of each of its steps.
void prepare_drag(Scene& scene, int steps, const std::string& delay) {
    scene.open_window();
    scene.arguments = {"--with", "drag"};
    scene.variables["EYEHAND_DRAG_STEPS"] = std::to_string(steps);
    scene.variables["EYEHAND_DRAG_STEP_DELAY"] = delay;
}

/// Signals arrive during it.
void prepare_short_drag(Scene& scene) { prepare_drag(scene, 30, "0.01"); }
/// Would take a quarter of an hour.
void prepare_endless_drag(Scene& scene) { prepare_drag(scene, 1000, "1"); }

Answer drags() { return calls("drag", R"({"label":"OK","start":[250,400],"end":[400,600]})"); }

/// Sends the signals while the button is held.
std::function<void(Scene&)> signals_in_drag(std::vector<int> numbers) {
    return [numbers = std::move(numbers)](Scene& scene) {
        scene.go_on();
        scene.wait_for("button");
        for (const int number : numbers) scene.program->send(number);
    };
}

void check_button_was_released(Scene& scene) { scene.wait_for("button-up"); }

} // namespace

std::vector<Row> process_rows() {
    return {
        {.name = "process: INT while the model thinks",
         .answers = {never()},
         .fault = signal(SIGINT),
         .exit_code = 130,
         .message = "interrupted by the user",
         .outcome = "cancelled"},
        {.name = "process: TERM while the model thinks",
         .answers = {never()},
         .fault = signal(SIGTERM),
         .exit_code = 130,
         .message = "interrupted by the user",
         .outcome = "cancelled"},
        {.name = "process: HUP while the model thinks",
         .answers = {never()},
         .fault = signal(SIGHUP),
         .exit_code = 130,
         .message = "interrupted by the user",
         .outcome = "cancelled"},
        {.name = "process: KILL while the model thinks",
         .answers = {never()},
         .fault = signal(SIGKILL),
         .exit_code = 128 + SIGKILL},
        {.name = "process: STOP and CONT while the model thinks",
         .answers = {looks(), is_done()},
         .fault = stop_and_continue,
         .message = "It is done.",
         .outcome = "completed"},
        {.name = "process: USR1 while the model thinks",
         .answers = {looks(), is_done()},
         .fault = signal(SIGUSR1),
         .message = "It is done.",
         .outcome = "completed"},
        {.name = "process: INT during a drag",
         .answers = {drags(), never()},
         .before = prepare_short_drag,
         .fault = signals_in_drag({SIGINT}),
         .exit_code = 130,
         .message = "interrupted by the user",
         .outcome = "cancelled",
         .then = check_button_was_released},
        {.name = "process: TERM during a drag",
         .answers = {drags(), never()},
         .before = prepare_short_drag,
         .fault = signals_in_drag({SIGTERM}),
         .exit_code = 130,
         .message = "interrupted by the user",
         .outcome = "cancelled",
         .then = check_button_was_released},
        {.name = "process: HUP during a drag",
         .answers = {drags(), never()},
         .before = prepare_endless_drag,
         .fault = signals_in_drag({SIGHUP}),
         .exit_code = 130,
         .message = "interrupted by the user",
         .outcome = "cancelled",
         .then = check_button_was_released},
        {.name = "process: INT twice during a drag",
         .answers = {drags(), never()},
         .before = prepare_endless_drag,
         .fault =
             [](Scene& scene) {
                 signals_in_drag({SIGINT})(scene);
                 scene.wait_for_output("press Ctrl+C again to stop at once");
                 scene.program->send(SIGINT);
             },
         .exit_code = 130,
         .message = "stopping at once",
         .outcome = "cancelled",
         .then = check_button_was_released},
        // What follows is the work of the watchdog.
        {.name = "process: KILL during a drag",
         .answers = {drags()},
         .before = prepare_endless_drag,
         .fault = signals_in_drag({SIGKILL}),
         .exit_code = 128 + SIGKILL,
         .then = check_button_was_released},
        {.name = "process: KILL after STOP during a drag",
         .answers = {drags()},
         .before = prepare_endless_drag,
         .fault = signals_in_drag({SIGSTOP, SIGKILL}),
         .exit_code = 128 + SIGKILL,
         .then = check_button_was_released},
        {.name = "process: STOP and CONT during a drag",
         .answers = {drags()},
         .before = prepare_endless_drag,
         .fault =
             [](Scene& scene) {
                 signals_in_drag({SIGSTOP})(scene);
                 check_button_was_released(scene);
                 scene.program->send(SIGCONT);
             },
         .exit_code = 5,
         .message = "its watchdog released them",
         .outcome = "desktop_failed"},
        {.name = "process: USR1 during a drag",
         .answers = {drags(), is_done()},
         .before = prepare_short_drag,
         .fault = signals_in_drag({SIGUSR1}),
         .message = "It is done.",
         .outcome = "completed",
         .then = check_button_was_released},
        {.name = "process: zlib has no memory for a screenshot",
         .before =
             [](Scene& scene) {
                 scene.load_library_faults();
                 scene.set_fault("deflate", 1);
             },
         .exit_code = 5,
         .message = "zlib",
         .outcome = "desktop_failed"},
        {.name = "process: no memory for a frame",
         .before =
             [](Scene& scene) {
                 scene.load_library_faults();
                 scene.set_fault("memory", 1000000);
             },
         .exit_code = 1,
         .message = "out of memory",
         .outcome = "failed"},
        {.name = "process: no memory for a reply",
         .answers = {looks(), is_done()},
         .before = [](Scene& scene) { scene.load_library_faults(); },
         .fault = [](Scene& scene) { scene.set_fault("memory", 65536); },
         .exit_code = 1,
         .message = "out of memory",
         .outcome = "failed"},
    };
}

} // namespace fault_tests
