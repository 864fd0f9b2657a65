// `agent-cli mcp` on a real X11 desktop, as a client starts it: every tool once, and a client that disappears during
// a drag.
#include "eyehand/winio/desktop.hpp"

#include "catch.hpp"
#include "eventually.hpp"
#include "program.hpp"
#include "temp_folder.hpp"

#include <boost/json.hpp>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xcb/xcb.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

extern char** environ; // NOLINT: of POSIX

namespace json = boost::json;
using namespace eyehand;

namespace {

/// A program that exchanges lines through its standard input and output.
class LineProgram {
public:
    explicit LineProgram(const std::vector<std::string>& command) {
        std::array<int, 2> in{};
        std::array<int, 2> out{};
        REQUIRE(pipe2(in.data(), O_CLOEXEC) == 0);
        REQUIRE(pipe2(out.data(), O_CLOEXEC) == 0);
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
        posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
        std::vector<char*> arguments;
        for (const std::string& text : command)
            arguments.push_back(const_cast<char*>(text.c_str()));
        arguments.push_back(nullptr);
        const int problem = posix_spawn(&process_, command[0].c_str(), &actions, nullptr,
                                        arguments.data(), environ);
        posix_spawn_file_actions_destroy(&actions);
        close(in[0]);
        close(out[1]);
        in_ = in[1];
        out_ = out[0];
        REQUIRE(problem == 0);
    }
    ~LineProgram() {
        (void)end();
        close(out_);
    }
    LineProgram(const LineProgram&) = delete;
    LineProgram& operator=(const LineProgram&) = delete;

    void send(const std::string& line) const {
        const std::string text = line + "\n";
        std::size_t sent = 0;
        while (sent < text.size()) {
            const ssize_t more = write(in_, text.data() + sent, text.size() - sent);
            REQUIRE(more > 0);
            sent += static_cast<std::size_t>(more);
        }
    }
    std::string receive() {
        for (;;) {
            if (const std::size_t end = buffer_.find('\n'); end != std::string::npos) {
                std::string line = buffer_.substr(0, end);
                buffer_.erase(0, end + 1);
                return line;
            }
            std::array<char, 65536> some{};
            const ssize_t more = read(out_, some.data(), some.size());
            if (more <= 0) throw std::runtime_error("the program has ended: " + buffer_);
            buffer_.append(some.data(), static_cast<std::size_t>(more));
        }
    }
    /// Closes its input, and returns its exit status.
    int end() {
        if (in_ >= 0) close(std::exchange(in_, -1));
        if (process_ > 0) waitpid(std::exchange(process_, -1), &status_, 0);
        return WIFEXITED(status_) ? WEXITSTATUS(status_) : -1;
    }

private:
    pid_t process_ = -1;
    int status_ = -1;
    int in_ = -1;
    int out_ = -1;
    std::string buffer_;
};

/// A client of `agent-cli mcp`.
class Peer {
public:
    explicit Peer(const test::TempFolder& folder, std::vector<std::string> more = {})
        : program_(command(folder, std::move(more))) {
        const json::object result = request(
            "initialize", {{"protocolVersion", "2025-11-25"},
                           {"capabilities", json::object()},
                           {"clientInfo", json::object{{"name", "test"}, {"version", "1"}}}});
        CHECK(result.at("serverInfo").at("name") == "eyehand");
        program_.send(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
    }

    json::object request(const std::string& method, json::object params) {
        const int id = ask(method, std::move(params));
        for (;;) {
            json::object message = json::parse(program_.receive()).as_object();
            const json::value* answered = message.if_contains("id");
            if (answered == nullptr || *answered != id) continue;
            INFO(json::serialize(message));
            REQUIRE(message.contains("result"));
            return message.at("result").as_object();
        }
    }
    int ask(const std::string& method, json::object params) {
        const int id = ++latest_;
        program_.send(json::serialize(json::object{
            {"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", std::move(params)}}));
        return id;
    }
    json::object call(const std::string& tool, json::object arguments = {}) {
        called_.insert(tool);
        return request("tools/call", {{"name", tool}, {"arguments", std::move(arguments)}});
    }
    /// The structured result of a call that must succeed.
    json::object succeed(const std::string& tool, json::object arguments = {}) {
        const json::object result = call(tool, std::move(arguments));
        INFO(tool << ": " << json::serialize(result.at("structuredContent")));
        const json::value* error = result.if_contains("isError");
        REQUIRE((error == nullptr || *error == false));
        return result.at("structuredContent").as_object();
    }
    [[nodiscard]] const std::set<std::string>& called() const { return called_; }
    int end() { return program_.end(); }

private:
    static std::vector<std::string> command(const test::TempFolder& folder,
                                            std::vector<std::string> more) {
        std::vector<std::string> all{test::program_file("agent-cli").string(), "mcp", "--run-dir",
                                     (folder / "runs").string()};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }

    LineProgram program_;
    int latest_ = 0;
    std::set<std::string> called_;
};

/// A window that becomes dark where it is clicked.
class Window {
public:
    Window(const test::TempFolder& folder, const std::string& title)
        : log_(folder / (title + ".log")), title_(title) {
        command_ = {test::program_file("eyehand-x11-window").string(),
                    log_.string(),
                    title,
                    "400",
                    "300",
                    "3366cc",
                    "-1"};
    }
    [[nodiscard]] std::string launch_command() const {
        std::string text;
        for (const std::string& word : command_) text += (text.empty() ? "" : " ") + word;
        return text;
    }
    [[nodiscard]] std::string log() const {
        std::ifstream in(log_);
        return {std::istreambuf_iterator<char>(in), {}};
    }

private:
    std::filesystem::path log_;
    std::string title_;
    std::vector<std::string> command_;
};

json::array center_of(const json::object& window) {
    const auto middle = [&](const char* axis) {
        return (window.at("top_left").at(axis).to_number<double>() +
                window.at("bottom_right").at(axis).to_number<double>()) /
               2;
    };
    return {middle("x"), middle("y")};
}

std::optional<json::object> window_of(const json::object& told, std::string_view title) {
    for (const json::value& one : told.at("windows").as_array())
        if (std::string_view(one.at("title").as_string()) == title) return one.as_object();
    return std::nullopt;
}

/// The windows of this X server's root.
std::set<xcb_window_t> windows_of(xcb_connection_t* server) {
    const xcb_window_t root = xcb_setup_roots_iterator(xcb_get_setup(server)).data->root;
    const std::unique_ptr<xcb_query_tree_reply_t, void (*)(void*)> tree(
        xcb_query_tree_reply(server, xcb_query_tree(server, root), nullptr), std::free);
    REQUIRE(tree);
    const xcb_window_t* const first = xcb_query_tree_children(tree.get());
    return {first, first + xcb_query_tree_children_length(tree.get())};
}

} // namespace

TEST_CASE("agent-cli mcp: a client calls every tool on X11") {
    const test::TempFolder folder;
    Window program(folder, "mcp-window");
    Peer peer(folder, {"--guard", "off"});
    const json::object listed = peer.request("tools/list", {});
    const json::object seen = peer.succeed("look");
    CHECK(seen.at("screenshot").at("width") == 1568);
    CHECK(seen.at("displays").as_array().size() == 1);

    const json::object launched = peer.succeed("launch", {{"command", program.launch_command()}});
    CHECK(launched.at("effect") == "confirmed");
    (void)peer.succeed("focus_window", {{"title", "mcp-window"}});
    const json::object windows = peer.succeed("windows");
    const auto window = window_of(windows, "mcp-window");
    REQUIRE(window);
    const json::array center = center_of(*window);

    const json::object click = peer.call("click", {{"position", center}, {"element", "window"}});
    CHECK(click.at("structuredContent").at("effect") == "confirmed");
    CHECK_FALSE(click.at("structuredContent").at("changed").as_array().empty());
    REQUIRE(click.at("content").as_array().size() == 2);
    CHECK(click.at("content").at(1).at("type") == "image");
    CHECK(program.log().find("button 1") != std::string::npos);

    (void)peer.succeed("double_click", {{"position", center}});
    (void)peer.succeed("right_click", {{"position", center}});
    CHECK(program.log().find("button 3") != std::string::npos);
    CHECK(peer.succeed("move", {{"position", json::array{100, 100}}}).at("effect") == "confirmed");
    (void)peer.succeed("drag", {{"start", center}, {"end", json::array{200, 200}}});
    (void)peer.succeed("scroll", {{"direction", "down"}, {"position", center}});
    (void)peer.succeed("type", {{"text", "ab"}});
    CHECK(program.log().find("key 61") != std::string::npos);
    (void)peer.succeed("press", {{"key", "enter"}});
    (void)peer.succeed("hold", {{"key", "shift"}, {"seconds", 0.1}});
    (void)peer.succeed("clipboard_write", {{"text", "from the client"}});
    CHECK(peer.succeed("clipboard_read").at("text") == "from the client");
    (void)peer.succeed("paste", {{"text", "pasted"}, {"screenshot", false}});
    (void)peer.succeed("wait_for_change", {{"seconds", 0.2}});

    for (const json::value& tool : listed.at("tools").as_array()) {
        INFO(tool.at("name"));
        CHECK(peer.called().contains(std::string(tool.at("name").as_string().c_str())));
    }
    CHECK(peer.end() == 0);
    CHECK(std::filesystem::exists(folder / "runs" / "run_0001" / "report.html"));
}

TEST_CASE("agent-cli mcp: a client that disappears during a drag leaves nothing pressed") {
    const test::TempFolder folder;
    Window program(folder, "drag-window");
    Peer peer(folder, {"--guard", "off"});
    (void)peer.succeed("look");
    (void)peer.succeed("launch", {{"command", program.launch_command()}});
    (void)peer.succeed("focus_window", {{"title", "drag-window"}});
    const auto window = window_of(peer.succeed("windows"), "drag-window");
    REQUIRE(window);
    const json::array center = center_of(*window);
    json::array corners;
    for (int i = 0; i < 60; ++i) corners.push_back(json::array{300 + i % 2 * 200, 300});
    (void)peer.ask(
        "tools/call",
        {{"name", "drag"},
         {"arguments", json::object{{"start", center}, {"end", center}, {"via", corners}}}});
    REQUIRE(test::eventually([&] { return program.log().find("button 1") != std::string::npos; }));
    (void)peer.end();
    CHECK(program.log().find("button-up 1") != std::string::npos);
}

TEST_CASE("agent-cli mcp: the end of the watch of the mouse and the keyboard is reported") {
    const test::TempFolder folder;
    const std::unique_ptr<xcb_connection_t, void (*)(xcb_connection_t*)> server(
        xcb_connect(nullptr, nullptr), xcb_disconnect);
    REQUIRE(xcb_connection_has_error(server.get()) == 0);
    const std::set<xcb_window_t> others = windows_of(server.get());
    const auto err = folder / "err";
    (void)test::run_program(
        test::program_file("agent-cli"),
        {"mcp", "--http", "0", "--run-dir", folder.path().string()},
        {.err = err, .while_running = [&](const std::function<void()>& interrupt) {
             const auto says = [&](const std::string& text) {
                 return test::read_file(err).find(text) != std::string::npos;
             };
             REQUIRE(test::eventually([&] { return says("MCP endpoint: "); }));
             std::vector<xcb_window_t> own;
             std::ranges::set_difference(windows_of(server.get()), others, std::back_inserter(own));
             CHECK_FALSE(own.empty());
             for (const xcb_window_t window : own) xcb_kill_client(server.get(), window);
             xcb_flush(server.get());
             CHECK(test::eventually(
                 [&] { return says("the mouse and the keyboard no longer stop sessions"); }));
             interrupt();
         }});
}
