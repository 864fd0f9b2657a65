// The client with the reference servers of the protocol, server-everything and server-filesystem, which run in Node.js.
// `conformance/run reference` starts this program, and names the servers in environment variables.
#include "eyehand/mcp/client.hpp"

#include "catch.hpp"
#include "client_stage.hpp"
#include "eventually.hpp"
#include "temp_folder.hpp"
#include "tool_bench.hpp"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

using namespace eyehand;

namespace {

/// A variable that `conformance/run` sets.
std::string given(const std::string& name) {
    const char* const value = std::getenv(name.c_str());
    if (value == nullptr)
        throw std::runtime_error(name + " is not set: start tests/mcp/conformance/run");
    return value;
}

mcp::ClientOptions options_of(std::string name) {
    mcp::ClientOptions options{.name = std::move(name)};
    options.connect_timeout = options.call_timeout = test::patience;
    return options;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
    return std::ranges::find(names, name) != names.end();
}

/// server-everything with a client whose user gives each name as "Ada".
struct Everything {
    test::Lines log;
    mcp::Client client;

    explicit Everything(bool over_http) : client(options(over_http)) {}

    mcp::ClientOptions options(bool over_http) {
        mcp::ClientOptions options = options_of("everything");
        if (over_http)
            options.url = given("EYEHAND_EVERYTHING_URL");
        else
            options.command = {given("EYEHAND_NODE"), given("EYEHAND_EVERYTHING"), "stdio"};
        options.on_log = log.writer();
        options.on_elicit = [](const std::string& message, const std::string&) {
            return message == "Please provide inputs for the following fields:"
                       ? mcp::ElicitResult{mcp::ElicitResult::Action::accept, R"({"name":"Ada"})"}
                       : mcp::ElicitResult{};
        };
        return options;
    }
    std::string text_of(const std::string& tool, const std::string& arguments = "{}") {
        return test::text_in(client.call(tool, arguments));
    }
};

mcp::ClientOptions filesystem(const std::vector<std::string>& folders) {
    mcp::ClientOptions options = options_of("files");
    options.command = {given("EYEHAND_NODE"), given("EYEHAND_FILESYSTEM")};
    options.command.insert(options.command.end(), folders.begin(), folders.end());
    return options;
}

/// An object with the members "path" and, if it is not empty, "content".
std::string file_arguments(const std::filesystem::path& file, const std::string& content = {}) {
    std::string json = R"({"path":")" + file.string() + '"';
    if (!content.empty()) json += R"(,"content":")" + content + '"';
    return json + '}';
}

} // namespace

TEST_CASE("server-everything works over stdio and Streamable HTTP") {
    const bool over_http = GENERATE(false, true);
    CAPTURE(over_http);
    Everything server(over_http);
    mcp::Client& client = server.client;

    const std::vector<std::string> names = test::names_of(client);
    CHECK(client.revision() == "2025-11-25");
    for (const char* name : {"echo", "get-sum", "get-tiny-image", "get-structured-content",
                             "trigger-long-running-operation", "trigger-elicitation-request"})
        CHECK(contains(names, name));
    // The server offers these only to clients with roots, sampling, and elicitation by URL.
    for (const char* name :
         {"get-roots-list", "trigger-sampling-request", "trigger-url-elicitation"})
        CHECK_FALSE(contains(names, name));
    // It requires tasks, which the client does not support.
    CHECK_FALSE(contains(names, "simulate-research-query"));

    // Texts, images, structured content and resources.
    CHECK(server.text_of("echo", R"({"message":"h\u00e9llo"})") == "Echo: h\u00e9llo");
    CHECK(server.text_of("get-sum", R"({"a":2,"b":3})") == "The sum of 2 and 3 is 5.");
    const mcp::CallResult image = client.call("get-tiny-image", "{}");
    REQUIRE(image.content.size() == 3);
    const auto& picture = std::get<mcp::Image>(image.content[1]);
    CHECK(picture.mime_type == "image/png");
    REQUIRE(picture.bytes.size() > 8);
    CHECK(std::string(picture.bytes.begin(), picture.bytes.begin() + 4) == "\x89PNG");
    CHECK_THAT(client.call("get-structured-content", R"({"location":"Chicago"})").structured_json,
               ContainsSubstring(R"("temperature":36)"));
    const mcp::CallResult resource =
        client.call("get-resource-reference", R"({"resourceType":"Text","resourceId":1})");
    REQUIRE(resource.content.size() == 3);
    const auto& contents = std::get<mcp::ResourceContents>(resource.content[1]);
    CHECK(contents.uri == "demo://resource/dynamic/text/1");
    CHECK_THAT(std::get<std::string>(contents.data), ContainsSubstring("Resource 1"));
    const mcp::CallResult links = client.call("get-resource-links", R"({"count":2})");
    REQUIRE(links.content.size() == 3);
    CHECK(std::get<mcp::ResourceLink>(links.content[2]).uri == "demo://resource/dynamic/text/2");

    // Failures are results.
    const mcp::CallResult failed = client.call("echo", "{}");
    CHECK(failed.is_error);
    CHECK_THAT(test::text_in(failed), ContainsSubstring("Input validation error"));
    CHECK(client.call("absent", "{}").is_error);

    // Progress.
    std::vector<double> steps;
    const mcp::CallResult done =
        client.call("trigger-long-running-operation", R"({"duration":0.1,"steps":4})", {},
                    [&](const mcp::Progress& progress) {
                        CHECK(progress.total == 4);
                        steps.push_back(progress.done);
                    });
    CHECK_THAT(test::text_in(done), ContainsSubstring("completed"));
    REQUIRE_FALSE(steps.empty()); // only the latest one counts if several arrive at once
    CHECK(std::ranges::is_sorted(steps));
    CHECK(steps.back() == 4);

    // A question to the user; the client adds the defaults of the schema to the answer.
    CHECK_THAT(server.text_of("trigger-elicitation-request"),
               ContainsSubstring("- Name: Ada") && ContainsSubstring("fish-1"));

    // Log messages. Over HTTP, the server may send the first one before the client's stream for them is open.
    if (!over_http) {
        CHECK_THAT(server.text_of("toggle-simulated-logging"), ContainsSubstring("Started"));
        CHECK(test::eventually([&] { // of a random level
            return server.log.contain("level message") || server.log.contain("level-message");
        }));
        CHECK_THAT(server.text_of("toggle-simulated-logging"), ContainsSubstring("Stopped"));
    }
}

TEST_CASE("server-filesystem writes and reads files in the folder of its arguments") {
    const test::TempFolder folder;
    test::Lines log;
    mcp::ClientOptions options = filesystem({folder.path().string()});
    options.on_log = log.writer();
    test::ToolBench bench(std::move(options));
    std::vector<std::string> names;
    for (const vlm::ToolSpec& spec : bench.tools.specs()) names.push_back(spec.name);
    for (const char* name : {"files__write_file", "files__read_text_file", "files__edit_file",
                             "files__list_directory"})
        CHECK(contains(names, name));
    // The client has no roots.
    CHECK(test::eventually([&] { return log.contain("Client does not support MCP Roots"); }));

    const std::filesystem::path file = folder / "note.txt";
    const agent::ToolResult written =
        bench.call("files__write_file", file_arguments(file, "first line\\nsecond line\\n"));
    CHECK(written.succeeded());
    CHECK(written.has_acted());
    CHECK(test::read_file(file) == "first line\nsecond line\n");
    const agent::ToolResult read = bench.call("files__read_text_file", file_arguments(file));
    CHECK(read.succeeded());
    CHECK(read.untrusted() == "mcp");
    CHECK_FALSE(read.has_acted()); // the server marks the tool as reading
    CHECK_THAT(read.json(), ContainsSubstring(R"(first line\nsecond line)"));
    CHECK_THAT(bench.call("files__list_directory", file_arguments(folder.path())).json(),
               ContainsSubstring("[FILE] note.txt"));
    CHECK(bench.asked.size() == 3);

    const agent::ToolResult outside =
        bench.call("files__read_text_file", file_arguments(folder.path().parent_path() / "x"));
    CHECK(outside.error_type() == "tool_failed");
    CHECK_THAT(outside.message(), ContainsSubstring("Access denied"));
}

TEST_CASE("server-filesystem without folders denies access, and the run goes on") {
    const test::TempFolder folder;
    mcp::Client client(filesystem({}));
    const mcp::CallResult denied =
        client.call("write_file", file_arguments(folder / "note.txt", "text"));
    CHECK(denied.is_error);
    CHECK_THAT(test::text_in(denied), ContainsSubstring("Access denied"));
    CHECK_FALSE(client.call("list_allowed_directories", "{}").is_error);
}
