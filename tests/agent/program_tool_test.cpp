// Programs as tools: their files, their calls, and how they end.
#include "eyehand/agent/agent.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/agent/program_tool.hpp"
#include "eyehand/vlm/testing/scripted_model.hpp"
#include "eyehand/winio/error.hpp"
#include "eyehand/winio/testing/memory_desktop.hpp"
#include "tools/program/run_program.hpp"
#include "json/json.hpp"

#include "catch.hpp"
#include "program.hpp"
#include "temp_folder.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <thread>

#ifndef _WIN32
#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#endif

using namespace eyehand;

namespace {

using namespace agent;
using How = ProgramEnd::How;

const std::string minimal =
    R"({"name":"weather","description":"Tells it.","command":["weather"],"effect":"reads"})";

std::string problem_with(const std::string& text) {
    try {
        (void)parse_program_tool(text, "tool.json");
        return "none";
    } catch (const Error& error) {
        CHECK(error.code() == errc::bad_tool);
        return error.what();
    }
}

/// The minimal file with one more member.
std::string with(const std::string& member) {
    return minimal.substr(0, minimal.size() - 1) + "," + member + "}";
}

ProgramCall call_of(std::vector<std::string> arguments) {
    ProgramCall call;
    call.command = {test::program_file("eyehand-test-tool").string()};
    call.command.insert(call.command.end(), arguments.begin(), arguments.end());
    return call;
}

ProgramTool tool_of(std::vector<std::string> arguments) {
    ProgramTool tool;
    tool.name = "mine";
    tool.description = "Mine.";
    tool.parameters_json = R"({"type":"object","properties":{"city":{"type":"string"}},
                               "required":["city"]})";
    tool.command = call_of(std::move(arguments)).command;
    return tool;
}

/// A toolbox with one tool, and the results of calls.
struct Bench {
    winio::testing::MemoryDesktop desktop{winio::Size{100, 100}};
    std::stop_source now;
    std::stop_source safe;
    int asked = 0;
    bool permitted = true;
    Toolbox tools;

    explicit Bench(ProgramTool tool) { add_program_tool(tools, std::move(tool)); }
    ToolResult call(const std::string& arguments = R"({"city":"Łódź"})") {
        ToolContext context{desktop, winio::WorkArea(winio::Rect{0, 0, 100, 100}), now.get_token(),
                            safe.get_token()};
        context.permit = [this](const GuardedEffect& effect) -> std::optional<ToolResult> {
            ++asked;
            CHECK(effect.kind == EffectKind::program);
            CHECK_THAT(effect.details, ContainsSubstring("\"mine\""));
            if (permitted) return std::nullopt;
            return fail("denied", "The user said no.");
        };
        return tools.call({"id", "mine", arguments, {}}, context);
    }
};

} // namespace

// ---- files --------------------------------------------------------------------------------------

TEST_CASE("a tool file sets all members of a tool") {
    const ProgramTool tool = parse_program_tool(
        R"({"name":"weather","description":"Tells it.",
            "parameters":{"type":"object","properties":{"city":{"type":"string"}}},
            "command":["python3","weather.py","-v"],"timeout":2.5,"effect":"acts"})",
        "tool.json");
    CHECK(tool.name == "weather");
    CHECK(tool.description == "Tells it.");
    CHECK_THAT(tool.parameters_json, ContainsSubstring(R"("city")"));
    CHECK(tool.command == std::vector<std::string>{"python3", "weather.py", "-v"});
    CHECK(tool.timeout == std::chrono::milliseconds(2500));
    CHECK(tool.effect == ProgramEffect::acts);

    const ProgramTool min = parse_program_tool(minimal, "tool.json");
    CHECK(min.parameters_json == R"({"type":"object","properties":{}})");
    CHECK(min.timeout == std::chrono::seconds(30));
    CHECK(min.effect == ProgramEffect::reads);
}

TEST_CASE("errors in a tool file name file, member and reason") {
    struct Row {
        std::string text;
        const char* words;
    };
    const auto without = [](const std::string& member) {
        json::object object = parse_json(minimal)->as_object();
        object.erase(member);
        return to_text(object);
    };
    const Row row = GENERATE_COPY(
        Row{"", "tool.json is not JSON"}, Row{"[]", "tool.json must contain an object"},
        Row{without("name"), R"(tool.json: "name" is missing)"},
        Row{without("description"), R"("description" is missing)"},
        Row{without("command"), R"("command" is missing)"},
        Row{without("effect"), R"("effect" is missing)"},
        Row{with(R"("name":"a b")"), R"("name" must be 1 to 64 letters)"},
        Row{with(R"("name":7)"), R"("name" must be a string)"},
        Row{with(R"("command":[])"), R"("command" is missing)"},
        Row{with(R"("command":"ls")"), R"("command" must be an array of strings)"},
        Row{with(R"("command":["a","b\u0000c"])"),
            R"("command" must contain only non-empty strings)"},
        Row{with(R"("timeout":0)"), R"("timeout" must be from 0.1 to 3600)"},
        Row{with(R"("timeout":"1")"), R"("timeout" must be a number)"},
        Row{with(R"("effect":"red")"), R"("effect" is "red"; allowed values: reads, acts)"},
        Row{with(R"("timout":1)"),
            R"("timout" is not a member of a tool; did you mean "timeout"?)"},
        Row{with(R"("parameters":[])"), R"("parameters" must be a schema)"},
        Row{with(R"("parameters":{"type":"string"})"), R"(must be a schema of "type": "object")"},
        Row{with(R"("parameters":{"type":"object","pattern":"x"})"),
            R"("parameters" uses "pattern", which is not supported)"});
    INFO(row.text);
    CHECK_THAT(problem_with(row.text), ContainsSubstring(row.words));
}

TEST_CASE("a program runs in the folder of its tool file, to which its path is relative") {
    const test::TempFolder folder;
    const std::filesystem::path program = test::program_file("eyehand-test-tool");
    std::filesystem::create_directory(folder / "tools");
    std::filesystem::copy_file(program, folder / "tools" / program.filename());
    std::ofstream(folder / "tools/mine.json", std::ios::binary)
        << R"({"name":"mine","description":"d","effect":"reads","command":["./)"
        << program.filename().string() << R"(","folder"]})";
    Bench bench(load_program_tool(folder / "tools/mine.json"));
    CHECK(bench.call("{}").json() == R"({"ok":true,"untrusted":"program","output":"tools"})");
    CHECK_THROWS_AS(load_program_tool(folder / "no.json"), Error);
    CHECK_THROWS_AS(load_program_tool(folder / "tools"), Error);
}

// ---- programs -----------------------------------------------------------------------------------

TEST_CASE("a program receives its arguments and its input unchanged") {
    const std::vector<std::string> words{"zażółć",     "a b",    "\"",   "\\",
                                         "a\\\\\"b\\", "%PATH%", "$HOME"};
    std::vector<std::string> arguments{"say"};
    arguments.insert(arguments.end(), words.begin(), words.end());
    const ProgramEnd said = run_program(call_of(arguments));
    REQUIRE(said.how == How::exited);
#ifdef _WIN32
    // The program's argv has the encoding of the code page; the argument is unchanged.
    CHECK_THAT(said.out, ContainsSubstring("a b\n\"\n\\\na\\\\\"b\\\n%PATH%\n$HOME\n"));
#else
    CHECK(said.out == "zażółć\na b\n\"\n\\\na\\\\\"b\\\n%PATH%\n$HOME\n");
#endif
    ProgramCall call = call_of({"echo"});
    call.input = std::string(200000, 'z') + std::string(1, '\0') + "end";
    call.max_output = call.input.size();
    CHECK(run_program(call).out == call.input);
}

TEST_CASE("a program's output is kept up to a limit, and further output does not block it") {
    ProgramCall call = call_of({"much", "3000000"});
    call.input = std::string(300000, 'z'); // the program never reads it
    const ProgramEnd end = run_program(call);
    CHECK(end.how == How::exited);
    CHECK(end.status == 0);
    CHECK(end.out == std::string(call.max_output, 'x'));
    CHECK(end.out_bytes == 3000000);

    const ProgramEnd failed = run_program(call_of({"fail", "3"}));
    CHECK(failed.status == 3);
    CHECK(failed.error_end.size() == 2000);
    CHECK(failed.error_end.ends_with(".the disk is full\n"));
}

TEST_CASE("the reason why a program cannot be started is reported") {
    ProgramCall call;
    call.command = {"eyehand-no-such-program"};
    const ProgramEnd end = run_program(call);
    CHECK(end.how == How::not_started);
    CHECK_FALSE(end.problem.empty());
    call = call_of({"echo"});
    call.folder = "no/such/folder";
    CHECK(run_program(call).how == How::not_started);
}

TEST_CASE("a program is not looked for in the working directory") {
    const test::TempFolder folder;
    const std::filesystem::path tool = test::program_file("eyehand-test-tool");
    std::filesystem::path only_here = folder / "eyehand-only-here";
    only_here += tool.extension();
    std::filesystem::copy_file(tool, only_here);
    std::ofstream(folder / "eyehand-only-batch.cmd") << "@exit /b 0\r\n";
    const std::filesystem::path before = std::filesystem::current_path();
    std::filesystem::current_path(folder.path());
    for (const char* name : {"eyehand-only-here", "eyehand-only-batch", "eyehand-only-batch.cmd"}) {
        CAPTURE(name);
        ProgramCall call;
        call.command = {name, "say"};
        CHECK(run_program(call).how == How::not_started);
    }
    std::filesystem::current_path(before);
}

TEST_CASE("a program is killed on a timeout and on a stop") {
    ProgramCall call = call_of({"hang"});
    call.timeout = std::chrono::milliseconds(100);
    CHECK(run_program(call).how == How::timed_out);
    call.timeout = std::chrono::hours(1);
    call.stop = [] { return true; };
    CHECK(run_program(call).how == How::stopped);
}

#ifndef _WIN32
TEST_CASE("the processes that a program has started are killed with it") {
    const test::TempFolder folder;
    const std::string lock = (folder / "lock").string();
    ProgramCall call = call_of({"hang2", lock});
    call.timeout = std::chrono::hours(1);
    call.stop = [&] { return std::filesystem::exists(lock + ".ready"); };
    CHECK(run_program(call).how == How::stopped);
    // This would wait while either of the two processes lived.
    const int file = open(lock.c_str(), O_RDWR | O_CLOEXEC);
    REQUIRE(file >= 0);
    CHECK(flock(file, LOCK_EX) == 0);
    close(file);
    // And no zombie is left.
    CHECK(waitpid(-1, nullptr, WNOHANG) == -1);
    CHECK(errno == ECHILD);
}

TEST_CASE("a program that has left its group is also killed") {
    const test::TempFolder folder;
    const std::string file = (folder / "left").string();
    ProgramCall call = call_of({"leave", file});
    call.timeout = std::chrono::hours(1);
    call.stop = [&] { return std::filesystem::exists(file + ".ready"); };
    CHECK(run_program(call).how == How::stopped);
}

TEST_CASE("a program inherits three open files and leaves none") {
    const test::TempFolder folder;
    const int inherited = open((folder / "file").c_str(), O_RDWR | O_CREAT, 0600); // not CLOEXEC
    const auto open_ones = [] {
        int count = 0;
        for (int descriptor = 0; descriptor < 1024; ++descriptor)
            count += fcntl(descriptor, F_GETFD) >= 0 ? 1 : 0;
        return count;
    };
    const int before = open_ones();
    CHECK(run_program(call_of({"count"})).out == "3");
    ProgramCall call;
    call.command = {"eyehand-no-such-program"};
    (void)run_program(call);
    CHECK(open_ones() == before);
    close(inherited);
}

TEST_CASE("the signal that killed a program is reported") {
    const ProgramEnd end = run_program(call_of({"crash"}));
    CHECK(end.how == How::killed);
    CHECK(end.status == SIGABRT);
}
#endif

// ---- calls --------------------------------------------------------------------------------------

TEST_CASE("a call's arguments reach the program as JSON, and its output is the result") {
    Bench bench(tool_of({"echo"}));
    const ToolResult result = bench.call();
    CHECK(result.json() == R"({"ok":true,"untrusted":"program","output":"{\"city\":\"Łódź\"}"})");
    CHECK(bench.asked == 1);
    CHECK(result.has_acted());
    CHECK(result.subject() == R"({"city":"Łódź"})");

    ProgramTool reader = tool_of({"echo"});
    reader.effect = ProgramEffect::reads;
    CHECK_FALSE(Bench(reader).call().has_acted());
    CHECK(result.has_read());
    CHECK(Bench(reader).call().has_read());
}

TEST_CASE("a program does not get the user's keys, nor the variables that its tool hides") {
    const auto set = [](const char* name, const char* value) {
#ifdef _WIN32
        _putenv_s(name, value);
#else
        setenv(name, value, 1);
#endif
    };
    for (const char* name : {"LMSTUDIO_API_KEY", "EYEHAND_TEST_HIDDEN", "EYEHAND_TEST_SHOWN"})
        set(name, "told");
    const auto output = [](const char* name) {
        ProgramTool tool = tool_of({"variable", name});
        tool.hidden_variables = {"EYEHAND_TEST_HIDDEN"};
        return Bench(std::move(tool)).call().json();
    };
    const std::string none = R"-({"ok":true,"untrusted":"program","output":"(none)"})-";
    CHECK(output("LMSTUDIO_API_KEY") == none);
    CHECK(output("EYEHAND_TEST_HIDDEN") == none);
    CHECK(output("EYEHAND_TEST_SHOWN") == R"({"ok":true,"untrusted":"program","output":"told"})");
    const auto keys = key_variables();
    for (const char* name : {"EYEHAND_API_KEY", "OPENAI_API_KEY"})
        CHECK(std::find(keys.begin(), keys.end(), name) != keys.end());
}

TEST_CASE("wrong arguments go back to the model before the user is asked") {
    Bench bench(tool_of({"echo"}));
    CHECK(bench.call("{}").json() ==
          R"({"ok":false,"error":{"type":"invalid_args","message":"Wrong arguments: )"
          R"(\"city\" must be present."}})");
    CHECK(bench.call(R"({"city":7})").error_type() == "invalid_args");
    CHECK(bench.call("not JSON").error_type() == "invalid_json");
    CHECK(bench.asked == 0);
}

TEST_CASE("without permission, nothing runs, and the model is told") {
    const test::TempFolder folder;
    ProgramTool tool = tool_of({"hang"}); // it would never return
    Bench bench(tool);
    bench.permitted = false;
    const ToolResult result = bench.call();
    CHECK(result.error_type() == "denied");
    CHECK(result.message() == "The user said no.");
    CHECK_FALSE(result.has_acted());

    ToolContext outside_of_a_run{
        bench.desktop, winio::WorkArea(winio::Rect{0, 0, 100, 100}), {}, {}};
    const vlm::ToolCall call{"id", "mine", R"({"city":"Rome"})", {}};
    CHECK(bench.tools.call(call, outside_of_a_run).error_type() == "denied");
}

TEST_CASE("failures of a program are results") {
    const ToolResult failed = Bench(tool_of({"fail", "3"})).call();
    CHECK(failed.error_type() == "program_failed");
    CHECK_THAT(failed.message(), ContainsSubstring("exit code 3") &&
                                     ContainsSubstring("standard error: ...") &&
                                     ContainsSubstring("the disk is full"));
    ProgramTool slow = tool_of({"hang"});
    slow.timeout = std::chrono::milliseconds(100);
    CHECK(Bench(slow).call().error_type() == "timed_out");
    ProgramTool none = tool_of({});
    none.command = {"eyehand-no-such-program"};
    const ToolResult not_started = Bench(none).call();
    CHECK_THAT(not_started.message(), ContainsSubstring("cannot be started"));
    CHECK_FALSE(not_started.has_acted());
    CHECK(failed.has_acted());
}

TEST_CASE("output is cut between characters, and invalid UTF-8 is replaced") {
    const ToolResult result = Bench(tool_of({"much", "20000"})).call();
    CHECK_THAT(result.json(), ContainsSubstring(R"(x","bytes_left_out":4000})"));
    // U+FFFD takes three bytes: 5333 of them are 15999.
    CHECK_THAT(Bench(tool_of({"noise", "6000"})).call().json(),
               ContainsSubstring(R"(,"bytes_left_out":667})"));
    CHECK_THAT(Bench(tool_of({"noise", "20000"})).call().json(),
               ContainsSubstring(R"(,"bytes_left_out":14667})"));
    CHECK_THAT(Bench(tool_of({"noise", "5333"})).call().json(),
               !ContainsSubstring("bytes_left_out"));
#ifndef _WIN32
    CHECK_THAT(Bench(tool_of({"say", "a\xFFz"})).call().json(),
               ContainsSubstring("a\xEF\xBF\xBDz"));
#endif
}

TEST_CASE("a call is interrupted with the run, and not started when the run ends") {
    const auto code_of = [](Bench& bench) {
        try {
            (void)bench.call();
            return std::error_code();
        } catch (const winio::Error& error) {
            return error.code();
        }
    };
    Bench broken_off(tool_of({"hang"}));
    broken_off.now.request_stop();
    CHECK(code_of(broken_off) == winio::errc::cancelled);
    Bench not_begun(tool_of({"hang"})); // although the user agrees
    not_begun.safe.request_stop();
    const ToolResult result = not_begun.call();
    CHECK(result.error_type() == "not_begun");
    CHECK_FALSE(result.has_acted());
    CHECK(result.subject() == R"({"city":"Łódź"})");
}

TEST_CASE("if the run ends while the user is asked, nothing has started, and the result says so") {
    const test::TempFolder folder;
    winio::testing::MemoryDesktop desktop{winio::Size{100, 100}};
    vlm::testing::ScriptedModel model;
    model.call("mine", R"({"city":"Rome"})");
    RunControl control;
    Toolbox tools = built_in_tools();
    add_program_tool(tools, tool_of({"hang"}));
    AgentOptions options;
    options.approvals = Approvals::user;
    options.with = {"mine"};
    // Another thread: a callback of `on_change` must not stop the run itself.
    const std::jthread user([&](const std::stop_token& stop) {
        while (!stop.stop_requested() && control.status().approval_requests.empty())
            std::this_thread::yield();
        control.stop("enough");
    });
    options.settle.minimum = options.settle.quiet = std::chrono::milliseconds(0);
    options.reaction = winio::no_reaction_wait;
    RunDirectory directory = RunDirectory::create(folder.path());
    Agent agent(desktop, model, load_profile("observer"), tools, options);
    CHECK(agent.run("do it", directory, control).outcome == Outcome::cancelled);
    const auto invoked = parse_json(test::lines_of(directory.journal_file()).at(7));
    REQUIRE(invoked);
    REQUIRE(invoked->at("type").as_string() == "invoked");
    const json::object& entry = invoked->as_object();
    const auto is_true = [](const json::value* value) { return value && value->as_bool(); };
    CHECK_FALSE(is_true(entry.if_contains("interrupted")));
    CHECK_FALSE(is_true(entry.at("action").as_object().if_contains("acts")));
    CHECK_THAT(to_text(*invoked), ContainsSubstring("not_begun"));
}

TEST_CASE("an invalid or duplicate tool is an error of the caller") {
    Toolbox tools;
    ProgramTool tool = tool_of({"echo"});
    tool.parameters_json = "[]";
    CHECK_THROWS_AS(add_program_tool(tools, tool), Error);
    tool = tool_of({"echo"});
    add_program_tool(tools, tool);
    CHECK_THROWS_AS(add_program_tool(tools, tool), Error);
}

TEST_CASE("a profile may rename a program tool, but not change its arguments") {
    Toolbox tools;
    add_program_tool(tools, tool_of({"echo"}));
    ToolPresentation presentation{.tool = "mine", .name = "theirs"};
    const Toolbox present = tools.present(std::vector{presentation});
    CHECK(present.specs().front().name == "theirs");
    CHECK_THAT(present.specs().front().parameters_json, ContainsSubstring("city"));
    presentation.arguments.emplace();
    CHECK_THROWS_AS(tools.present(std::vector{presentation}), Error);
}

TEST_CASE("a run offers a program tool, asks the guard, and records the result in its journal") {
    const test::TempFolder folder;
    winio::testing::MemoryDesktop desktop{winio::Size{100, 100}};
    vlm::testing::ScriptedModel model;
    model.call("mine", R"({"city":"Rome"})").say("Done.");
    Toolbox tools = built_in_tools();
    add_program_tool(tools, tool_of({"echo"}));
    AgentOptions options;
    options.with = {"mine"};
    const bool permitted = GENERATE(true, false);
    if (permitted) options.guard.add({permit_program_tool("mine")}, RuleOrigin::user);
    options.settle.minimum = options.settle.quiet = std::chrono::milliseconds(0);
    options.reaction = winio::no_reaction_wait;
    RunDirectory directory = RunDirectory::create(folder.path());
    RunControl control;
    Agent agent(desktop, model, load_profile("observer"), tools, options);
    CHECK(agent.run("do it", directory, control).outcome == Outcome::completed);
    const auto& offered = model.requests().front().tools;
    CHECK(offered.back().name == "mine");
    const auto lines = test::lines_of(directory.journal_file());
    CHECK_THAT(lines.at(6), ContainsSubstring(R"("type":"judged")"));
    const auto invoked = parse_json(lines.at(7));
    REQUIRE(invoked);
    CHECK(invoked->at("type").as_string() == "invoked");
    CHECK(invoked->at("ok").as_bool() == permitted);
    CHECK(invoked->at("action").as_object().contains("acts") == permitted);
    CHECK(invoked->at("policy_ms").is_number());
    CHECK(invoked->at("guard").at("rule").as_string() ==
          (permitted ? "user: the tool mine" : "built_in: program"));
    CHECK_THAT(test::read_file(directory.path() / "run.json"),
               ContainsSubstring(R"("name":"mine")"));
}
