// Any body gives a reply that can be sent back, or a vlm::Error.
#include "wire/decode_reply.hpp"
#include "wire/encode_request.hpp"
#include "wire/json.hpp"

#include <cstdint>
#include <cstdlib>
#include <string_view>

using namespace eyehand;

namespace {

void require(bool condition) {
    if (!condition) std::abort();
}

vlm::ChatRequest next_request(const vlm::ChatReply& reply) {
    vlm::ChatRequest request;
    request.messages = {vlm::Message::user("u"),
                        vlm::Message::assistant(reply.text, reply.tool_calls)};
    return request;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view body(reinterpret_cast<const char*>(data), size);
    const vlm::wire::Where where{"http://h/", "m", "sk-0123456789"};
    try {
        const vlm::ChatReply reply = vlm::wire::decode_reply(body, where);
        for (const vlm::ToolCall& call : reply.tool_calls)
            require(!call.id.empty() && !call.name.empty() && !call.arguments_json.empty());
        require(vlm::wire::parse_json(vlm::wire::encode_request(next_request(reply))).has_value());
    } catch (const vlm::Error& error) {
        require(std::string_view(error.what()).size() < 4096);
    }
    try {
        (void)vlm::wire::decode_models(body, where);
    } catch (const vlm::Error&) {
        return 0;
    }
    return 0;
}
