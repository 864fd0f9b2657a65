// agent-cli do, on a real desktop and with a real program: Notepad on Windows, xterm on X11.
#include "process.hpp"

#include "eyehand/vlm/testing/chat_server.hpp"
#include "eyehand/winio/desktop.hpp"

#include <boost/json.hpp>

#include "catch.hpp"
#include "eventually.hpp"
#include "temp_folder.hpp"

#include <cstdlib>
#include <fstream>
#include <sstream>

using namespace eyehand;

namespace {

using test::agent_cli;
using test::eventually;
namespace json = boost::json;

/// The output of `do ... --json`, which must succeed.
json::object done(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "do");
    arguments.emplace_back("--json");
    const auto result = agent_cli(arguments);
    INFO(result.out << result.err);
    REQUIRE(result.status == 0);
    return json::parse(result.out).as_object();
}

std::vector<json::object> windows() {
    const auto result = agent_cli({"do", "windows", "--json"});
    INFO(result.out << result.err);
    REQUIRE(result.status == 0);
    std::istringstream lines(result.out);
    std::vector<json::object> all;
    for (std::string line; std::getline(lines, line);) all.push_back(json::parse(line).as_object());
    return all;
}

bool is_there(const std::string& title) {
    const auto all = windows();
    return std::any_of(all.begin(), all.end(), [&](const json::object& window) {
        return window.at("title").as_string().find(title) != json::string::npos;
    });
}

/// A program that writes its input to a file when `save` is pressed.
struct Program {
    test::TempFolder folder;
    std::filesystem::path file = folder / "typed.txt";
    std::string title = file.parent_path().filename().string();
#ifdef _WIN32
    std::string save = "ctrl+s";
    std::string quit = "alt+f4";
    std::string paste = "paste";
    Program() {
        title = "typed"; // Notepad's caption contains the file name
        std::ofstream(file).close();
        done({"launch", "notepad.exe \"" + file.string() + "\""});
    }
#else
    std::string save = "ctrl+d";
    std::string quit = "ctrl+c";
    std::string paste = "type"; // a terminal does not paste on Ctrl+V
    Program() {
        done({"launch", "xterm -T " + title + " -e sh -c 'stty -echo; cat > " + file.string() +
                            ".new; mv " + file.string() + ".new " + file.string() + "'"});
    }
#endif
    ~Program() {
        if (!is_there(title)) return;
        (void)agent_cli({"do", "focus", title});
        (void)agent_cli({"do", "press", quit});
        (void)eventually([&] { return !is_there(title); });
    }
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    /// Empty also while the program is writing the file: on Windows, it cannot be opened then.
    [[nodiscard]] std::string text() const {
        std::ifstream in(file, std::ios::binary);
        std::ostringstream text;
        text << in.rdbuf();
        return std::move(text).str();
    }
};

} // namespace

TEST_CASE("a program is launched, focused, clicked, typed and pasted into, and saves") {
    const Program program;
    const json::object focus = done({"focus", program.title, "--wait", "60"});
    CHECK(focus.at("effect").as_string() != "refused");
    const json::object click = done({"click", "500", "500", "--window", program.title});
    CHECK(click.at("pointer_arrived").as_bool());
    CHECK(click.at("events").as_int64() == 3);
    done({"type", "typed by hand"});
    CHECK(done({"press", "enter"}).at("events").as_int64() == 2);
    done({program.paste, "and a second line"});
    done({"press", "enter"});
    done({"press", program.save});
    std::string text;
    CHECK(eventually([&] {
        text = program.text();
        return text.find("second line") != std::string::npos;
    }));
    INFO(text);
    CHECK(text.starts_with("typed by hand"));
}

TEST_CASE("the windows are listed, with the state of each") {
    const Program program;
    done({"focus", program.title, "--wait", "60"});
    const auto all = windows();
    REQUIRE_FALSE(all.empty());
    const auto ours = std::find_if(all.begin(), all.end(), [&](const json::object& window) {
        return window.at("title").as_string().find(program.title) != json::string::npos;
    });
    REQUIRE(ours != all.end());
    CHECK(ours->at("foreground").as_bool());
    CHECK(ours->at("state").as_string() == "normal");
    CHECK(ours->at("process_id").to_number<std::int64_t>() > 0);
    CHECK(ours->at("bounds").as_array().size() == 4);
    CHECK(is_there(program.title));
}

TEST_CASE("a click without a visible change is reported and is exit code 0") {
    // The desktop may still be drawing the place of a window that was closed before.
    test::ProcessResult result;
    const bool unchanged = eventually([&] {
        result = agent_cli({"do", "click", "999", "1"});
        return result.status != 0 ||
               result.out.find("no_visible_change: click") != std::string::npos;
    });
    INFO(result.out << result.err);
    CHECK(result.status == 0);
    CHECK(unchanged);
}

TEST_CASE("a pointer that reached its target is confirmed") {
    const json::object moved = done({"move", "250", "250"});
    CHECK(moved.at("effect").as_string() == "confirmed");
    CHECK(moved.at("pointer_arrived").as_bool());
}

TEST_CASE("scrolling and dragging report their targets") {
    CHECK(done({"scroll", "500", "500", "-3"}).at("targets").as_array().size() == 1);
    const json::object drag = done({"drag", "990", "10", "995", "10", "995", "20"});
    CHECK(drag.at("targets").as_array().size() == 3);
    CHECK(drag.at("released").as_int64() == 0);
}

TEST_CASE("a window that does not appear is exit code 5 and named") {
    const auto result = agent_cli({"do", "focus", "no such window anywhere"});
    CHECK(result.status == 5);
    CHECK_THAT(result.err, ContainsSubstring("no such window anywhere"));
    const auto area = agent_cli({"do", "click", "1", "1", "--window", "no such window"});
    CHECK(area.status == 5);
}

TEST_CASE("pasting presses Ctrl+V and succeeds") {
    const json::object pasted = done({"paste", "zażółć"});
    CHECK(pasted.at("events").as_int64() == 4);
    CHECK(pasted.at("problem").as_string().empty());
}

TEST_CASE("Ctrl+C during a drag releases the button and is exit code 130") {
    done({"move", "10", "10"});
    // Under Wine, a program may read an old position of the pointer for a while.
    const auto is_left = [] {
        const auto at = winio::open_desktop()->pointer();
        return at && at->x < 500;
    };
    REQUIRE(eventually(is_left));
    std::vector<std::string> drag{"do", "drag", "--json"};
    for (int i = 0; i < 500; ++i) { // long enough to be interrupted: 10 ms per point
        drag.emplace_back(i % 2 == 0 ? "990" : "995");
        drag.emplace_back("500");
    }
    const auto result = agent_cli(drag, {}, [](const std::function<void()>& interrupt) {
        // The button is pressed at the first point; the second one is further right.
        const auto desktop = winio::open_desktop();
        const winio::WorkArea area = winio::choose_area(*desktop, {});
        eventually([&] {
            const auto at = desktop->pointer();
            return at && at->x >= area.to_pixel({994, 0}).x;
        });
        interrupt();
    });
    INFO(result.err);
    CHECK(result.status == 130);
    const json::object report = json::parse(result.out).as_object();
    CHECK(report.at("effect").as_string() == "refused");
    CHECK(report.at("released").as_int64() == 1);
}

TEST_CASE("a program that does not exist is exit code 5") {
    const auto result = agent_cli({"do", "launch", "no-such-program-anywhere"});
    CHECK(result.status == 5);
    CHECK_THAT(result.out + result.err, ContainsSubstring("no-such-program-anywhere"));
}

#ifndef _WIN32
TEST_CASE("the exported script of a run repeats it in a real program") {
    const test::TempFolder folder;
    vlm::testing::ChatServer server;
    const std::string text = R"(it's $HOME; \"echo\")"; // in JSON
    server.enqueue(
        {.body = vlm::testing::completion("", "type_text", R"({"text":")" + text + R"("})")});
    server.enqueue({.body = vlm::testing::completion("", "press_key", R"({"key":"enter"})")});
    server.enqueue({.body = vlm::testing::completion("", "press_key", R"({"key":"ctrl+d"})")});
    server.enqueue({.body = vlm::testing::completion("done")});
    const std::string expected = "it's $HOME; \"echo\"\n";
    {
        const Program program;
        done({"focus", program.title, "--wait", "60"});
        REQUIRE(agent_cli({"run", "type it", "--guard", "off", "--no-probe", "--endpoint",
                           server.url(), "--run-dir", folder.path().string()})
                    .status == 0);
        CHECK(eventually([&] { return program.text() == expected; }));
    }
    const auto exported = agent_cli({"export", (folder / "run_0001").string(), "--as", "script"});
    REQUIRE(exported.status == 0);
    std::ofstream(folder / "repeat.sh") << exported.out;
    const Program program;
    done({"focus", program.title, "--wait", "60"});
    const std::string command =
        "PATH=" + test::program_folder().string() + ":$PATH sh " + (folder / "repeat.sh").string();
    CHECK(std::system(command.c_str()) == 0); // NOLINT(concurrency-mt-unsafe): one thread
    CHECK(eventually([&] { return program.text() == expected; }));
}
#endif

TEST_CASE("export needs a run and a form") {
    const test::TempFolder folder;
    CHECK(agent_cli({"export", folder.path().string()}).status == 2);
    const auto result = agent_cli({"export", folder.path().string(), "--as", "script"});
    CHECK(result.status == 2);
    CHECK_THAT(result.err, ContainsSubstring("is not a run directory"));
}
