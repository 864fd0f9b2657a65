// Messages from a client of the Model Context Protocol, one on each line: the server neither crashes nor
// answers with anything that is not a message, and its sessions end.
#include "core.hpp"
#include "eyehand/vlm/digest.hpp"
#include "session.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

using namespace eyehand;
using namespace eyehand::mcp;

namespace {

class CheckedOutlet final : public Outlet {
public:
    bool send(std::string message) override {
        const RpcMessage read = parse_message(message, std::size_t{1} << 30U);
        if (std::holds_alternative<RpcMistake>(read)) std::abort();
        if (message.find('\n') != std::string::npos) std::abort();
        return true;
    }
    void finish(std::string message, unsigned /*http_status*/) override {
        if (message.find('\n') != std::string::npos) std::abort();
        const json::value read = json::parse(message); // an error may have no id
        if (!read.as_object().contains("result") && !read.as_object().contains("error"))
            std::abort();
    }
    void drop() override {}
};

Server& server() {
    // OpenSSL, which the server uses on its threads, must be cleaned up after them.
    static const std::string first_use = vlm::hmac_sha256_hex("key", "text");
    static Server server({.name = "fuzz", .version = "1", .max_calls = 1});
    static const bool filled = [] {
        server.add(Tool{.name = "echo",
                        .input_schema_json =
                            R"({"type":"object","properties":{"text":{"type":"string"},
                                "list":{"type":"array","items":{"type":"integer"}}}})",
                        .call = [](agent::JsonView arguments, Exchange& exchange) {
                            exchange.progress(1, 2, arguments.text());
                            exchange.log(LogLevel::error, "fuzz", arguments.text());
                            return text_result(arguments.text());
                        }});
        server.add(Tool{.name = "ask", .call = [](agent::JsonView, Exchange& exchange) {
                            // A client with a session would have to answer while this waits.
                            if (!exchange.can_elicit() || !exchange.session().empty())
                                return text_result("no");
                            exchange.set_request_state("state");
                            return text_result(
                                exchange.elicit("q", "?", R"({"type":"object"})").content_json);
                        }});
        server.add(ResourceTemplate{
            .uri_template = "a://{one}/{two}",
            .name = "a",
            .read = [](std::string_view uri, Exchange&) {
                return std::vector<ResourceContents>{{std::string(uri), "", std::string(uri)}};
            }});
        server.add(Prompt{.name = "p", .get = [](agent::JsonView arguments, Exchange&) {
                              return std::vector<PromptMessage>{
                                  {.content = Text{arguments.text()}}};
                          }});
        return true;
    }();
    (void)filled;
    return server;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto outlet = std::make_shared<CheckedOutlet>();
    const bool has_session = !text.starts_with('-');
    const auto session = server().core().open(has_session ? "session" : "", outlet);
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        session->receive(parse_message(text.substr(0, end), 100'000), outlet);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    session->close();
    session->wait();
    return 0;
}
