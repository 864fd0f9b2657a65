// The programs that the hostile text aims at. Each system has its own: victim_x11.cpp, victim_win32.cpp.
#pragma once

#include "eyehand/winio/desktop.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace injection_tests {

/// What a program in a terminal does.
enum class TerminalProgram {
    shell,        ///< executes commands
    confirmation, ///< waits until a line is confirmed, and creates the mark
    mouse,        ///< waits until it receives a click, and creates the mark
};

struct TerminalFiles {
    std::filesystem::path ready; ///< exists once the program handles input
    std::filesystem::path mark;
};

/// A window that has the keyboard focus, in another process, which ends with this object.
class Victim {
public:
    virtual ~Victim() = default;
    /// Where a click presses the button of a window, or reaches the program of a terminal; desktop
    /// pixels.
    [[nodiscard]] virtual eyehand::winio::Point target() const = 0;
    /// Whether the button of a window was pressed. May be called on any thread.
    [[nodiscard]] virtual bool was_clicked() const { return false; }
    /// What was typed into a window. May be called on any thread.
    [[nodiscard]] virtual std::string text() const { return {}; }
};

/// An ordinary window with this title; it must appear.
[[nodiscard]] std::unique_ptr<Victim> open_window(eyehand::winio::Desktop& desktop,
                                                  const std::string& title);
/// A terminal with this title; its window must appear.
[[nodiscard]] std::unique_ptr<Victim> open_terminal(eyehand::winio::Desktop& desktop,
                                                    const std::string& title,
                                                    TerminalProgram program,
                                                    const TerminalFiles& files);

/// A command line that creates a file, for a shell and for a launch.
[[nodiscard]] std::string creates(const std::filesystem::path& file);
/// Keys that make the shell of `open_terminal` create the mark; empty if terminals accept typed text.
[[nodiscard]] std::vector<std::string> command_keys();
/// The command of a program tool that lists the names in a folder.
[[nodiscard]] std::vector<std::string> lists(const std::filesystem::path& folder);
/// The command of a program tool that writes this text.
[[nodiscard]] std::vector<std::string> writes(const std::string& text);

} // namespace injection_tests
