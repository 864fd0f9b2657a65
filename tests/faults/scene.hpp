// One row of the fault matrix: a run of agent-cli with one fault, and what must be true afterwards.
#pragma once

#include "child_process.hpp"
#include "eyehand/vlm/testing/chat_server.hpp"
#include "eyehand/winio/desktop.hpp"
#include "temp_folder.hpp"
#include "test_window.hpp"

#include <csignal>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fault_tests {

using eyehand::vlm::testing::Answer;
using eyehand::vlm::testing::completion;

/// A run and its surroundings: its folders, the model's server, the desktop and a window on it. A fault
/// changes one of them.
class Scene {
public:
    Scene();
    ~Scene();
    Scene(const Scene&) = delete;
    Scene& operator=(const Scene&) = delete;

    [[nodiscard]] std::filesystem::path runs() const { return folder / "runs"; }
    // The folder for temporary files, the working directory and the user's folder: empty afterwards.
    [[nodiscard]] std::filesystem::path temporary() const { return folder / "temporary"; }
    [[nodiscard]] std::filesystem::path work() const { return folder / "work"; }
    [[nodiscard]] std::filesystem::path user() const { return folder / "user"; }
    [[nodiscard]] std::filesystem::path run() const { return runs() / run_name; }
    [[nodiscard]] std::filesystem::path output() const { return folder / "output"; }
    [[nodiscard]] bool journal_contains(const std::string& text) const;

    /// Loads library_faults.cpp into the program; `set_fault` begins a fault there.
    void load_library_faults();
    void set_fault(const std::string& name, long value) const;
    /// The size of each file at its latest fsync or fdatasync, by inode.
    [[nodiscard]] std::map<std::uintmax_t, std::uintmax_t> synced() const;

    /// Starts the run on a separate X server, on which a window has the input focus.
    void use_own_x_server();
    /// The process of the X server of the run.
    [[nodiscard]] pid_t x_server() const;

    /// Opens a window with the input focus. By default, the model's point [312, 463] is its center.
    void open_window(const eyehand::winio::Rect& place = {200, 200, 800, 600});
    /// Waits for a line of the log of a window: "button" or "key".
    void wait_for(const std::string& what) const;
    /// Waits for a text in the output of the run.
    void wait_for_output(const std::string& text) const;

    /// Lets the model's server send the answer that it holds.
    void go_on() const { held_answer.open(); }

    test::TempFolder folder;
    eyehand::vlm::testing::ChatServer server;
    eyehand::vlm::testing::Gate held_answer;
    std::unique_ptr<eyehand::winio::Desktop> desktop = eyehand::winio::open_desktop();
    std::optional<x11_tests::TestWindow> window;
    std::string run_name = "run_0001";
    std::string endpoint;                         ///< empty: the server
    std::vector<std::string> prefix;              ///< of the command
    std::vector<std::string> arguments;           ///< further ones of agent-cli run
    std::map<std::string, std::string> variables; ///< of agent-cli
    /// A fault of eyehand-memory-agent, which then runs in place of agent-cli.
    std::string memory_fault;
    std::optional<ChildProcess> program;
    std::function<void()> repair = [] {}; ///< ends the fault for the rows that follow
};

/// The run after the fault.
enum class Kept {
    run,        ///< can be verified, shown and, unless completed, resumed
    incomplete, ///< the same, but the verification finds that files are missing
    nothing,    ///< there is no run directory
};

struct Row {
    std::string name;
    /// The answers of the model's server, in order.
    std::vector<Answer> answers{};
    std::function<void(Scene&)> before{}; ///< prepares the scene
    /// Called when the server has received `at_request` requests. The server holds its answer to the
    /// last of them until the function returns, or calls `Scene::go_on`.
    std::function<void(Scene&)> fault{};
    std::size_t at_request = 1;

    int exit_code = 0;
    std::string message{}; ///< a part of the output
    std::string outcome{}; ///< at the end of the journal; empty: the journal has no end
    Kept kept = Kept::run;
    std::function<void(Scene&)> then{}; ///< further checks
};

std::vector<Row> endpoint_rows();
std::vector<Row> desktop_rows();
std::vector<Row> file_rows();
std::vector<Row> process_rows();
std::vector<Row> clock_rows();

/// A variable that tests/x11/run sets.
std::string variable(const char* name);

/// Carries out a row and checks what must be true after each fault.
void carry_out(const Row& row);

// ---- answers ------------------------------------------------------------------------------------

/// The model calls a tool.
inline Answer calls(const std::string& tool, const std::string& arguments = "{}") {
    return {.body = completion("", tool, arguments)};
}
/// The model reports the task as done.
inline Answer is_done() { return {.body = completion("It is done.")}; }
inline Answer looks() { return calls("observe_screen"); }
/// In the center of the window of `Scene::open_window`.
inline Answer clicks() { return calls("click_element", R"({"label":"OK","box":[312,463]})"); }
inline Answer never() { return {.never = true}; }

} // namespace fault_tests
