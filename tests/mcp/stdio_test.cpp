// A server over pipes.
#include "stdio/serve.hpp"
#include "test_client.hpp"

#include "eyehand/base/stoppable_wait.hpp"
#include "latch.hpp"

#include <array>
#include <atomic>
#include <stop_token>
#include <thread>

#ifdef _WIN32
#include <windows.h>
#else
#include <unistd.h>
#endif

using namespace eyehand;
using namespace eyehand::mcp;

namespace {

#ifdef _WIN32
struct Pipe {
    Pipe() { CreatePipe(&ends[0], &ends[1], nullptr, 0); }
    NativeFile reader() const { return reinterpret_cast<NativeFile>(ends[0]); }
    NativeFile writer() const { return reinterpret_cast<NativeFile>(ends[1]); }
    bool write(std::string_view text) {
        while (!text.empty()) {
            DWORD written = 0;
            if (!WriteFile(ends[1], text.data(), static_cast<DWORD>(text.size()), &written,
                           nullptr))
                return false;
            text.remove_prefix(written);
        }
        return true;
    }
    std::size_t read(char* buffer, std::size_t size) {
        DWORD bytes = 0;
        if (!ReadFile(ends[0], buffer, static_cast<DWORD>(size), &bytes, nullptr)) return 0;
        return bytes;
    }
    void close(std::size_t end) {
        if (ends[end] != nullptr) CloseHandle(ends[end]);
        ends[end] = nullptr;
    }
    std::array<HANDLE, 2> ends{};
#else
struct Pipe {
    Pipe() { REQUIRE(::pipe(ends.data()) == 0); }
    [[nodiscard]] NativeFile reader() const { return ends[0]; }
    [[nodiscard]] NativeFile writer() const { return ends[1]; }
    bool write(std::string_view text) {
        while (!text.empty()) {
            const ssize_t written = ::write(ends[1], text.data(), text.size());
            if (written < 0) return false;
            text.remove_prefix(static_cast<std::size_t>(written));
        }
        return true;
    }
    std::size_t read(char* buffer, std::size_t size) {
        const ssize_t bytes = ::read(ends[0], buffer, size);
        return bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
    }
    void close(std::size_t end) {
        if (ends[end] >= 0) ::close(ends[end]);
        ends[end] = -1;
    }
    std::array<int, 2> ends{};
#endif
    ~Pipe() {
        close(0);
        close(1);
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
};

/// A server on a thread of its own, and the client's ends of its pipes.
class Served {
public:
    explicit Served(Server& server)
        : streams_(make_streams(to_server.reader(), from_server.writer())),
          thread_([this, &server] { serve_streams(server, *streams_, stop.get_token()); }) {}
    ~Served() { finish(); }
    Served(const Served&) = delete;
    Served& operator=(const Served&) = delete;

    void finish() {
        to_server.close(1);
        if (thread_.joinable()) thread_.join();
    }
    /// Until the server ends by itself.
    void join() { thread_.join(); }
    void send(const std::string& line) { REQUIRE(to_server.write(line + "\n")); }
    json::object receive() {
        std::size_t end = 0;
        while ((end = rest_.find('\n')) == std::string::npos) {
            std::array<char, 4096> part{};
            const std::size_t bytes = from_server.read(part.data(), part.size());
            REQUIRE(bytes > 0);
            rest_.append(part.data(), bytes);
        }
        const std::string line = rest_.substr(0, end);
        rest_.erase(0, end + 1);
        return json::parse(line).as_object();
    }

    Pipe to_server;
    Pipe from_server;
    std::stop_source stop;

private:
    std::string rest_;
    std::unique_ptr<Streams> streams_;
    std::thread thread_;
};

constexpr const char* ping = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";

ServerOptions limited(std::size_t max_message_bytes) {
    return {.name = "tests", .version = "1", .max_message_bytes = max_message_bytes};
}

} // namespace

TEST_CASE("a server answers each line with a line until its input ends") {
    Server server(limited(1000));
    Served served(server);
    served.send(ping);
    CHECK(served.receive().at("result") == json::object{});
    served.send(std::string(ping) + "\r"); // as programs of Windows end lines
    served.send("");
    CHECK(served.receive().at("id") == 1);
    served.finish();
}

TEST_CASE("a line that is not a message does not end the connection") {
    Server server(limited(1000));
    Served served(server);
    for (const std::string& line :
         {std::string("hello"), std::string("{\"a\":\"\xFF\"}"), std::string("[]"),
          std::string(5000, 'x'), std::string(ping) + std::string(2000, ' ')}) {
        served.send(line);
        CHECK(served.receive().contains("error"));
    }
    served.send(ping);
    CHECK(served.receive().contains("result"));
}

TEST_CASE("a line of 100 MB is not kept") {
    Server server(limited(100'000));
    Served served(server);
    const std::string part(1'000'000, 'x');
    for (int i = 0; i < 100; ++i) REQUIRE(served.to_server.write(part));
    served.send("");
    CHECK(served.receive().at("error").at("code") == rpc_code::parse_error);
    served.send(ping);
    CHECK(served.receive().contains("result"));
}

TEST_CASE("the end of the input stops the requests that run") {
    Server server(limited(1000));
    test::Latch started(1);
    std::atomic<bool> stopped = false;
    server.add(simple_tool("wait", [&](agent::JsonView, Exchange& exchange) {
        started.count_down();
        (void)base::wait_for(std::chrono::milliseconds::max(), exchange.stop());
        stopped = true;
        return text_result("late");
    }));
    Served served(server);
    served.send(
        R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}})");
    served.send(R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"wait"}})");
    started.wait();
    SECTION("because the client closes it") { served.finish(); }
    SECTION("because of the stop token") {
        served.stop.request_stop();
        served.join();
    }
    CHECK(stopped);
}

TEST_CASE("a client that reads nothing does not keep the server from stopping") {
    Server server(limited(1'000'000));
    test::Latch flooding(1);
    server.add(simple_tool("flood", [&](agent::JsonView, Exchange& exchange) {
        const std::string text = agent::json_quote(std::string(100'000, 'x'));
        flooding.count_down();
        while (!exchange.stop().stop_requested()) exchange.log(LogLevel::error, {}, text);
        return text_result("done");
    }));
    Served served(server);
    served.send(
        R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}})");
    served.send(R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"flood"}})");
    flooding.wait();
    served.stop.request_stop();
    served.join();
}

TEST_CASE("a client that has closed its end does not end the program") {
    Server server(limited(1000));
    Served served(server);
    served.from_server.close(0);
    served.send(ping);
    served.send(ping);
    served.finish();
}
