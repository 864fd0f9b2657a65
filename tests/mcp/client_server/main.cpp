// A scripted server of the Model Context Protocol on standard input and output, for tests of the client.
//   eyehand-test-mcp-server REVISION [HABIT...]
// REVISION is the newest revision that it speaks; before 2026-07-28, it requires `initialize`. Habits:
//   mute       does not answer server/discover
//   banner     writes text that is not a message before anything else
//   pages      sends its tools in pages; "loop": the same page forever
//   tasks      also offers a tool that requires tasks
//   images     also offers tools that return images
//   similar    also offers tools with similar and long names
//   stay       does not end at the end of its input
//   note FILE  appends what it receives besides calls to FILE: methods, and ids of canceled requests
// Its tools do what their names say; see `call`.
#include <boost/json.hpp>

#include <cstdlib>
#include <fstream>
#include <future>
#include <iostream>
#include <string>
#include <vector>

#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#else
#include <csignal>
#endif

namespace {

namespace json = boost::json;

std::string revision;
std::vector<std::string> habits;
std::string note_file;
bool has_grown = false;

bool has(const std::string& habit) {
    for (const std::string& it : habits)
        if (it == habit) return true;
    return false;
}

bool is_stateless() { return revision >= "2026"; }

void note(const std::string& text) {
    if (!note_file.empty()) std::ofstream(note_file, std::ios::app) << text << '\n';
}

void write_line(const std::string& line) { std::cout << line << '\n' << std::flush; }

void send(json::object message) {
    message["jsonrpc"] = "2.0";
    write_line(json::serialize(message));
}

void answer(const json::value& id, json::object result) {
    if (is_stateless() && !result.contains("resultType")) result["resultType"] = "complete";
    send({{"id", id}, {"result", std::move(result)}});
}

void refuse(const json::value& id, int code, const std::string& text, json::object data = {}) {
    json::object error{{"code", code}, {"message", text}};
    if (!data.empty()) error["data"] = std::move(data);
    send({{"id", id}, {"error", std::move(error)}});
}

json::object text_result(const std::string& text) {
    return {{"content", json::array{json::object{{"type", "text"}, {"text", text}}}}};
}

json::object tool(const std::string& name) {
    return {{"name", name},
            {"description", "Does " + name + "."},
            {"inputSchema", json::object{{"type", "object"}}}};
}

std::string read_line() {
    std::string line;
    if (!std::getline(std::cin, line)) std::exit(0);
    return line;
}

[[noreturn]] void wait_forever() {
    std::promise<void> never;
    const std::future<void> end = never.get_future();
    while (true) end.wait();
}

void list(const json::value& id, const json::object& params) {
    const json::value* cursor = params.if_contains("cursor");
    const std::string page = cursor != nullptr ? std::string(cursor->as_string()) : "1";
    if (has("loop")) {
        answer(id, {{"tools", json::array{tool("echo")}}, {"nextCursor", "again"}});
    } else if (has("pages")) {
        json::object result{{"tools", json::array{tool("tool" + page)}}};
        if (page != "3") result["nextCursor"] = std::to_string(std::stoi(page) + 1);
        answer(id, std::move(result));
    } else {
        json::array all;
        for (const char* name : {"echo", "exit", "hang", "progress"}) all.push_back(tool(name));
        if (has("images"))
            for (const char* name : {"image", "picture"}) all.push_back(tool(name));
        all.push_back(json::object{{"name", "read"},
                                   {"inputSchema", json::object{{"type", "object"}}},
                                   {"annotations", json::object{{"readOnlyHint", true}}}});
        if (has_grown) all.push_back(tool("grown"));
        if (has("similar"))
            for (const std::string& name : {std::string("read.file"), std::string("read_file"),
                                            std::string(80, 'x') + "1", std::string(80, 'x') + "2"})
                all.push_back(tool(name));
        if (has("tasks")) {
            json::object long_running = tool("research");
            long_running["execution"] = json::object{{"taskSupport", "required"}};
            all.push_back(std::move(long_running));
        }
        answer(id, {{"tools", std::move(all)}});
    }
}

json::object question() {
    return {
        {"message", "Which color?"},
        {"mode", "form"},
        {"requestedSchema",
         json::object{{"type", "object"},
                      {"properties", json::object{{"color", json::object{{"type", "string"}}},
                                                  {"shade", json::object{{"type", "string"},
                                                                         {"default", "dark"}}}}}}}};
}

void call(const json::value& id, const json::object& params) {
    const std::string name(params.at("name").as_string());
    const json::object& arguments = params.at("arguments").as_object();
    if (name == "echo") {
        answer(id, text_result(json::serialize(arguments)));
    } else if (name == "fail") {
        json::object result = text_result("It does not work.");
        result["isError"] = true;
        answer(id, std::move(result));
    } else if (name == "exit") {
        std::exit(3);
    } else if (name == "hang") {
        note("hang");
    } else if (name == "progress") {
        const json::value token = params.at("_meta").at("progressToken");
        for (int i = 1; i <= 3; ++i)
            send({{"method", "notifications/progress"},
                  {"params", json::object{{"progressToken", token},
                                          {"progress", i},
                                          {"total", 3},
                                          {"message", "step " + std::to_string(i)}}}});
        answer(id, text_result("done"));
    } else if (name == "progress_forever") {
        const json::value token = params.at("_meta").at("progressToken");
        while (std::cout)
            send({{"method", "notifications/progress"},
                  {"params", json::object{{"progressToken", token}, {"progress", 1}}}});
    } else if (name == "flood") {
        while (std::cout)
            send({{"method", "notifications/message"},
                  {"params", json::object{{"level", "info"}, {"data", "noise"}}}});
    } else if (name == "endless_line") {
        const std::string block(65536, 'x');
        std::cout << R"({"jsonrpc":"2.0","id":)";
        while (std::cout << block) {
        }
    } else if (name == "endless_banner") {
        while (std::cout) write_line("This is no message.");
    } else if (name == "ping_forever") {
        // Never reads the answers.
        for (long i = 1; std::cout; ++i)
            send({{"id", std::string(1000, 'p') + std::to_string(i)}, {"method", "ping"}});
    } else if (name == "bad_utf8") {
        write_line("{\"jsonrpc\":\"2.0\",\"method\":\"\xff\xfe\"}");
    } else if (name == "bad_json") {
        write_line("{\"jsonrpc\":\"2.0\",");
    } else if (name == "big") {
        answer(id, text_result(std::string(arguments.at("bytes").to_number<std::size_t>(), 'b')));
    } else if (name == "variable") {
        const char* value = std::getenv(std::string(arguments.at("name").as_string()).c_str());
        answer(id, text_result(value == nullptr ? "not set" : value));
    } else if (name == "complain") {
        std::cerr << "first line\nsecond line\n" << std::flush;
        answer(id, text_result("done"));
    } else if (name == "image") {
        answer(id,
               {{"content", json::array{json::object{
                                {"type", "image"}, {"data", "AAEC"}, {"mimeType", "image/png"}}}}});
    } else if (name == "picture") { // a PNG of one pixel
        const char* png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+"
                          "M9QDwADhgGAWjR9awAAAABJRU5"
                          "ErkJggg==";
        json::array content{json::object{{"type", "text"}, {"text", "one pixel"}}};
        for (int i = 0; i < 5; ++i)
            content.push_back(
                json::object{{"type", "image"}, {"data", png}, {"mimeType", "image/png"}});
        answer(id, {{"content", std::move(content)}});
    } else if (name == "grow") {
        has_grown = true;
        send({{"method", "notifications/tools/list_changed"}});
        answer(id, text_result("done"));
    } else if (name == "requests") {
        // Asks the client in several ways, and returns the answers.
        std::string answers;
        for (const char* method : {"ping", "roots/list", "sampling/createMessage"}) {
            send({{"id", method}, {"method", method}, {"params", json::object()}});
            answers += read_line() + "\n";
        }
        answer(id, text_result(answers));
    } else if (name == "ask" && !is_stateless()) {
        send({{"id", "question"}, {"method", "elicitation/create"}, {"params", question()}});
        const json::value reply = json::parse(read_line());
        answer(id, text_result(json::serialize(reply.at("result"))));
    } else if (name == "ask" && params.contains("inputResponses")) {
        answer(id, text_result(json::serialize(params.at("inputResponses")) +
                               json::serialize(params.at("requestState"))));
    } else if (name == "ask") {
        answer(id, {{"resultType", "input_required"},
                    {"requestState", "opaque"},
                    {"inputRequests",
                     json::object{{"color", json::object{{"method", "elicitation/create"},
                                                         {"params", question()}}}}}});
    } else if (name == "ask_forever") {
        answer(id, {{"resultType", "input_required"}, {"requestState", "opaque"}});
    } else {
        refuse(id, -32602, "Unknown tool: " + name);
    }
}

void take(const json::object& message) {
    const json::value* id = message.if_contains("id");
    const json::value* method_member = message.if_contains("method");
    if (method_member == nullptr) return;
    const std::string method(method_member->as_string());
    static const json::value none = json::object();
    const json::value* given = message.if_contains("params");
    const json::object& params = (given != nullptr ? *given : none).as_object();
    if (method == "notifications/cancelled") {
        note("cancelled " + json::serialize(params.at("requestId")));
        return;
    }
    if (method != "tools/call" && method != "tools/list") note(method);
    if (id == nullptr) return;
    if (is_stateless() && !params.contains("_meta")) {
        refuse(*id, -32602, "no _meta");
    } else if (is_stateless() && params.at("_meta").at("io.modelcontextprotocol/protocolVersion") !=
                                     json::value(revision)) {
        refuse(*id, -32022, "Unsupported protocol version", {{"supported", json::array{revision}}});
    } else if (method == "server/discover") {
        if (has("mute")) return;
        if (is_stateless())
            answer(*id, {{"supportedVersions", json::array{revision}},
                         {"capabilities", json::object{{"tools", json::object()}}}});
        else
            refuse(*id, -32601, "Method not found");
    } else if (method == "initialize" && !is_stateless()) {
        answer(*id, {{"protocolVersion", revision},
                     {"capabilities", json::object{{"tools", json::object()}}},
                     {"serverInfo", json::object{{"name", "test"}, {"version", "1"}}}});
    } else if (method == "tools/list") {
        list(*id, params);
    } else if (method == "tools/call") {
        call(*id, params);
    } else {
        refuse(*id, -32601, "Method not found");
    }
}

} // namespace

int main(int argc, char** argv) {
#ifdef _WIN32
    _setmode(_fileno(stdin), _O_BINARY);
    _setmode(_fileno(stdout), _O_BINARY);
#else
    // Writes to a client that has gone must fail.
    std::signal(SIGPIPE, SIG_IGN);
#endif
    if (argc < 2) return 2;
    revision = argv[1];
    habits.assign(argv + 2, argv + argc);
    for (std::size_t i = 0; i + 1 < habits.size(); ++i)
        if (habits[i] == "note") note_file = habits[i + 1];
    note("start");
    if (has("banner")) write_line("Server running on stdio");
    std::string line;
    while (std::getline(std::cin, line)) take(json::parse(line).as_object());
    note("end of input");
    if (has("stay")) wait_forever();
    return 0;
}
