#include "scene.hpp"

#include "eyehand/agent/journal_reader.hpp"
#include "eyehand/agent/run.hpp"
#include "x11/connection.hpp"

#include "catch.hpp"
#include "eventually.hpp"
#include "program.hpp"
#include "source_folder.hpp"

#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace fault_tests {

using namespace eyehand;
namespace fs = std::filesystem;

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    if (value == nullptr) throw std::runtime_error("start this program with tests/x11/run");
    return value;
}

// ---- the scene ----------------------------------------------------------------------------------

Scene::Scene() {
    for (const fs::path& path : {runs(), temporary(), work(), user(), folder / "faults"})
        fs::create_directory(path);
    variables = {{"TMPDIR", temporary().string()},
                 {"HOME", user().string()},
                 {"XDG_CONFIG_HOME", user().string()},
                 // No waits but those that a row is about.
                 {"EYEHAND_SETTLE_MINIMUM", "0"},
                 {"EYEHAND_SETTLE_QUIET", "0"},
                 {"EYEHAND_REACTION_TIMEOUT", "0"},
                 {"EYEHAND_BUSY_TIMEOUT", "0"}};
}

Scene::~Scene() {
    try {
        repair();
    } catch (...) { // NOLINT(bugprone-empty-catch): Catch2 has noted the failed assertion
    }
}

bool Scene::journal_contains(const std::string& text) const {
    return test::read_file(run() / "events.jsonl").find(text) != std::string::npos;
}

void Scene::load_library_faults() {
    variables["LD_PRELOAD"] = (test::program_folder() / "libeyehand-faults.so").string();
    variables["EYEHAND_TEST_FAULTS"] = (folder / "faults").string();
    // AddressSanitizer wants to be the first library.
    const char* options = std::getenv("ASAN_OPTIONS");
    variables["ASAN_OPTIONS"] =
        (options != nullptr ? std::string(options) + ":" : "") + "verify_asan_link_order=0";
}

void Scene::set_fault(const std::string& name, long value) const {
    const fs::path file = folder / "faults" / name;
    std::ofstream(file.string() + ".new") << value;
    fs::rename(file.string() + ".new", file); // a reader finds the complete number
}

std::map<std::uintmax_t, std::uintmax_t> Scene::synced() const {
    std::map<std::uintmax_t, std::uintmax_t> sizes;
    std::istringstream in(test::read_file(folder / "faults/synced"));
    std::uintmax_t inode = 0;
    std::uintmax_t size = 0;
    while (in >> inode >> size) sizes[inode] = size;
    return sizes;
}

void Scene::use_own_x_server() {
    // The window manager does not give the focus to each new window. A failed test shows the commands (set -x).
    prefix = {(test::source_folder() / "tests/x11/run").string(),
              "sh",
              "-c",
              R"(set -x
                 echo $EYEHAND_TEST_X_SERVER >"$1/x_server"
                 "$2" "$1/window_log" Fault 800 600 3366cc &
                 "$3" do focus Fault --wait 60
                 until grep -qs "focus in" "$1/window_log"; do sleep 0.05; done
                 shift 3; exec "$@")",
              "sh",
              (folder / "faults").string(),
              test::program_file("eyehand-x11-window").string(),
              test::program_file("agent-cli").string()};
}

pid_t Scene::x_server() const {
    const std::string process = prefix.empty() ? variable("EYEHAND_TEST_X_SERVER")
                                               : test::read_file(folder / "faults/x_server");
    return static_cast<pid_t>(std::stol(process));
}

void Scene::open_window(const winio::Rect& place) {
    window.emplace(*desktop, "Fault");
    desktop->windows()->apply({window->info().id, winio::WindowAction::move, place});
    REQUIRE(test::eventually([&] { return window->info().bounds == place; }));
}

void Scene::wait_for(const std::string& what) const {
    const auto has_line = [&] {
        return window ? !window->lines(what).empty()
                      : test::read_file(folder / "faults/window_log").find("\n" + what + " ") !=
                            std::string::npos;
    };
    REQUIRE(test::eventually(has_line));
}

void Scene::wait_for_output(const std::string& text) const {
    REQUIRE(test::eventually(
        [&] { return test::read_file(output()).find(text) != std::string::npos; }));
}

// ---- after the fault ----------------------------------------------------------------------------

namespace {

std::vector<std::string> names_below(const fs::path& folder) {
    std::vector<std::string> names;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
        if (!entry.is_directory())
            names.push_back(entry.path().lexically_relative(folder).string());
    return names;
}

/// A watchdog releases what a program has held shortly after the end of the program.
bool nothing_is_held() {
    const winio::x11::Connection connection;
    const auto keys = connection.take(xcb_query_keymap_reply, xcb_query_keymap(connection.get()));
    REQUIRE(keys);
    int held = 0;
    for (const std::uint8_t byte : keys->keys) held += byte;
    const auto pointer = connection.take(xcb_query_pointer_reply,
                                         xcb_query_pointer(connection.get(), connection.root()));
    REQUIRE(pointer);
    constexpr int buttons = XCB_BUTTON_MASK_1 | XCB_BUTTON_MASK_2 | XCB_BUTTON_MASK_3 |
                            XCB_BUTTON_MASK_4 | XCB_BUTTON_MASK_5;
    return held == 0 && (pointer->mask & buttons) == 0;
}

/// All files have the names that docs/agent-cli.md lists, and nothing is left elsewhere.
void check_no_temporary_files(const Scene& scene) {
    for (const fs::path& folder : {scene.temporary(), scene.work(), scene.user()})
        CHECK(names_below(folder) == std::vector<std::string>());
    const std::regex known(R"(run\.json|events\.jsonl|execution_log\.txt|http\.log|seal\.json|)"
                           R"(report\.html|prompts/../[0-9a-f]{32}\.txt|)"
                           R"(screenshots/turn_[0-9]{4}(_[0-9]+)?\.png)");
    std::vector<std::string> unknown;
    if (fs::exists(scene.run()))
        for (const std::string& name : names_below(scene.run()))
            if (!std::regex_match(name, known)) unknown.push_back(name);
    CHECK(unknown == std::vector<std::string>());
}

struct Ended {
    int exit_code = 0;
    std::string output;
};

/// Another command of agent-cli, without the fault.
Ended agent_cli(const Scene& scene, const std::vector<std::string>& arguments) {
    std::vector<std::string> command{"env"};
    for (const auto& [name, value] : scene.variables)
        if (name != "LD_PRELOAD" && name != "XAUTHORITY") command.push_back(name + "=" + value);
    command.push_back(test::program_file("agent-cli").string());
    command.insert(command.end(), arguments.begin(), arguments.end());
    const fs::path output = scene.folder / "output_of_command";
    ChildProcess program({command, scene.work(), output});
    const int exit_code = program.wait();
    return {exit_code, test::read_file(output)};
}

/// The last outcome in the journal.
std::string outcome_in(const fs::path& journal) {
    std::string outcome;
    for (const agent::Event& event : agent::read_journal(journal))
        if (const auto* end = std::get_if<agent::RunFinished>(&event.payload))
            outcome = to_string(end->outcome);
        else if (std::holds_alternative<agent::RunResumed>(event.payload))
            outcome.clear();
    return outcome;
}

void check_verified(const Scene& scene, const Row& row) {
    const Ended verified = agent_cli(scene, {"verify", scene.run().string()});
    INFO(verified.output);
    const bool is_complete = row.kept == Kept::run;
    CHECK(verified.exit_code == (is_complete ? 0 : 1));
    CHECK_THAT(verified.output, ContainsSubstring(is_complete ? "no change found" : "is missing"));
    const bool has_end = verified.output.find("the run was interrupted") == std::string::npos;
    CHECK(has_end == !row.outcome.empty());
}

void check_run(const Scene& scene, const Row& row) {
    const std::string run = scene.run().string();
    CHECK(agent::load_run(scene.run()).summary.task == "do it");
    CHECK(outcome_in(scene.run() / "events.jsonl") == row.outcome);
    check_verified(scene, row);

    fs::remove(scene.run() / "report.html");
    const Ended shown = agent_cli(scene, {"report", run});
    INFO(shown.output);
    CHECK(shown.exit_code == 0);
    CHECK_THAT(test::read_file(scene.run() / "report.html"), ContainsSubstring("do it"));

    vlm::testing::ChatServer healthy;
    healthy.enqueue(is_done());
    const Ended resumed =
        agent_cli(scene, {"resume", run, "--no-probe", "--endpoint", healthy.url()});
    INFO(resumed.output);
    CHECK(resumed.exit_code == (row.outcome == "completed" ? 2 : 0));
    CHECK(outcome_in(scene.run() / "events.jsonl") == "completed");
    if (row.kept == Kept::run) CHECK(agent_cli(scene, {"verify", run}).exit_code == 0);
}

void check_after(const Scene& scene, const Row& row, const Ended& ended) {
    INFO(ended.output);
    CHECK(ended.exit_code == row.exit_code);
    CHECK_THAT(ended.output, ContainsSubstring(row.message));
    if (scene.memory_fault.empty())
        CHECK(test::eventually(nothing_is_held));
    else
        CHECK_THAT(ended.output, !ContainsSubstring("held"));
    check_no_temporary_files(scene);
    if (row.kept == Kept::nothing) {
        CHECK(names_below(scene.runs()) == std::vector<std::string>());
    } else {
        check_run(scene, row);
        check_no_temporary_files(scene); // of the commands that have read the run
    }
}

/// Sends the answer after the gate.
Answer held_by(const vlm::testing::Gate& gate, Answer answer) {
    if (answer.never) return answer;
    const std::string length = std::to_string(answer.body.size());
    answer.parts = {gate, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " +
                              length + "\r\n\r\n" + answer.body};
    return answer;
}

std::vector<std::string> command_of(const Scene& scene) {
    const std::string endpoint = scene.endpoint.empty() ? scene.server.url() : scene.endpoint;
    std::vector<std::string> command = scene.prefix;
    command.emplace_back("env");
    for (const auto& [name, value] : scene.variables) command.push_back(name + "=" + value);
    if (!scene.memory_fault.empty()) {
        command.insert(command.end(), {test::program_file("eyehand-memory-agent").string(),
                                       endpoint, scene.runs().string(), scene.memory_fault});
        return command;
    }
    command.insert(command.end(),
                   {test::program_file("agent-cli").string(), "run", "do it", "--no-probe",
                    "--endpoint", endpoint, "--run-dir", scene.runs().string()});
    command.insert(command.end(), scene.arguments.begin(), scene.arguments.end());
    return command;
}

} // namespace

void carry_out(const Row& row) {
    Scene scene;
    for (std::size_t i = 0; i < row.answers.size(); ++i)
        scene.server.enqueue(row.fault && i + 1 == row.at_request
                                 ? held_by(scene.held_answer, row.answers[i])
                                 : row.answers[i]);
    if (row.before) row.before(scene);
    const fs::path output = scene.output();
    scene.program.emplace(ChildOptions{command_of(scene), scene.work(), output});
    if (row.fault) {
        const bool asked = scene.server.wait_for_requests(row.at_request, test::patience);
        INFO(test::read_file(output));
        REQUIRE(asked);
        row.fault(scene);
        scene.go_on();
    }
    Ended ended;
    ended.exit_code = scene.program->wait();
    ended.output = test::read_file(output);
    check_after(scene, row, ended);
    if (row.then) row.then(scene);
}

} // namespace fault_tests
