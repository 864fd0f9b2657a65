// Any lines of a server, in any order, are handled or refused with mcp::Error; answers to its requests are messages. The same for
// any tools, and for any description of servers.
#include "eyehand/mcp/client.hpp"

#include "client/conversation.hpp"
#include "client/tool_headers.hpp"
#include "content_json.hpp"
#include "json/json.hpp"

#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

using namespace eyehand;
using namespace eyehand::mcp;

namespace {

constexpr std::size_t max_message = 100000;

void take_lines(std::string_view bytes) {
    Conversation conversation("the server \"fuzz\"", {}, max_message);
    Conversation::Waiting first(conversation, conversation.next_id());
    Conversation::Waiting second(conversation, conversation.next_id());
    ProgressDeadline deadline(std::chrono::milliseconds(1));
    const auto send = [](const std::string& message) {
        const RpcMessage read = parse_message(message, 2 * max_message);
        if (!std::holds_alternative<RpcResponse>(read)) std::abort();
    };
    while (!bytes.empty()) {
        const std::string_view line = bytes.substr(0, bytes.find('\n'));
        bytes.remove_prefix(std::min(line.size() + 1, bytes.size()));
        try {
            conversation.receive(line, send);
            (void)first.is_answered(deadline, {});
            if (const auto response = first.take())
                if (const auto* result = std::get_if<json::object>(&response->outcome))
                    (void)read_call_result(*result);
            (void)second.is_answered(deadline, {});
        } catch (const Error& error) {
            if (error.code() != errc::bad_message && error.code() != errc::message_too_large)
                std::abort();
            conversation.fail(error);
            return;
        }
    }
}

void take_schema(std::string_view text) {
    const auto schema = agent::parse_json(text);
    if (!schema || !schema->is_object()) return;
    try {
        const auto headers = read_tool_headers(schema->get_object());
        for (const auto& [name, value] : headers_of_call(headers, schema->get_object()))
            for (const char c : name + value)
                if (c == '\r' || c == '\n' || c == '\0') std::abort();
    } catch (const std::invalid_argument&) {
        return;
    }
}

void take_servers(std::string_view text) {
    try {
        for (const ClientOptions& options : parse_servers(text, "fuzz.json"))
            if (options.command.empty() == options.url.empty()) std::abort();
    } catch (const Error& error) {
        if (error.code() != errc::bad_config) std::abort();
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    take_lines(bytes);
    take_schema(bytes);
    take_servers(bytes);
    return 0;
}
