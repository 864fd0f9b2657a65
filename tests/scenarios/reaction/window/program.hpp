// The behavior of the reaction window, which its versions for X11 and Win32 share.
//   eyehand-reaction-window LOGFILE SCENARIO
// A press on the button "step 1" makes the button look pressed at once. After a delay, the rest of the window changes,
// too, and the button "step 2" appears elsewhere; a press on it leads to the last view in the same way. SCENARIO:
//   0, 100, ... (a number)   the delay in milliseconds
//   splash                   a splash screen after 100 ms, the reaction 700 ms after it
//   no_effect                a press changes nothing
//   late_dialog              no delay; 1000 ms after the press on step 1, a dialog covers the button of step 2
//   clock                    250 ms, with a clock that changes every 250 ms
// LOGFILE has a line for each event, with the time of std::chrono::steady_clock in microseconds:
//   painting VIEW TIME       before a change is painted
//   visible VIEW TIME        when the screen shows it
//   press VIEW TIME          a press of the left button was received while the window showed VIEW
#pragma once

#include "../views.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace reaction {

using Clock = std::chrono::steady_clock;

struct Scenario {
    std::optional<std::chrono::milliseconds> delay{}; ///< empty: a press has no effect
    bool splash = false;
    bool late_dialog = false;
    bool clock = false;
};
/// Empty for an unknown scenario.
[[nodiscard]] std::optional<Scenario> scenario_of(std::string_view name);

/// The windows, as the program uses them.
class Windows {
public:
    virtual ~Windows() = default;
    /// Shows the picture in the main window, and returns when the screen shows it.
    virtual void show(const Picture& picture) = 0;
    /// Opens the dialog; `Program::dialog_is_visible` is called when the screen shows it.
    virtual void open_dialog(const Picture& picture) = 0;
    /// Closes it; `Program::dialog_is_gone` is called when the screen shows the main window again.
    virtual void close_dialog() = 0;
};

class Program {
public:
    /// Throws std::runtime_error if the log cannot be written.
    Program(const std::filesystem::path& log, const Scenario& scenario, Windows& windows);

    /// The main window is on the screen.
    void start();
    /// The left button was pressed at a point of the main window or of the dialog.
    void press(int x, int y);
    void press_in_dialog(int x, int y);
    void dialog_is_visible();
    void dialog_is_gone();

    /// The time at which `act` must be called; empty if the program only waits for input.
    [[nodiscard]] std::optional<Clock::time_point> due() const;
    /// Executes what is due.
    void act();

    /// Closes the log; no other function may be called after it.
    void close() { log_.close(); }

private:
    void show(View view);
    void react(View next, Clock::time_point pressed);
    void tick(Clock::time_point time);
    void write(std::string_view event, View view);
    [[nodiscard]] Picture picture() const;

    std::ofstream log_;
    Scenario scenario_;
    Windows& windows_;
    View view_ = View::step_1;
    int quarter_seconds_ = 0;
    std::multimap<Clock::time_point, std::function<void()>> tasks_;
};

} // namespace reaction
