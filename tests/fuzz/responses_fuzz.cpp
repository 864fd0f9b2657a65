// Any document and any stream of the Responses API gives a reply that can be sent back, or a vlm::Error;
// a stream gives the same, however it is split.
#include "wire/encode_request.hpp"
#include "wire/json.hpp"
#include "wire/responses/assemble_reply.hpp"
#include "wire/responses/decode_reply.hpp"
#include "wire/sse.hpp"
#include "wire/utf8.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

using namespace eyehand;

namespace {

const vlm::wire::Where where{"http://h/", "m", "sk-0123456789", "/v1/responses"};

void require(bool condition) {
    if (!condition) std::abort();
}

struct Outcome {
    std::string deltas;
    std::optional<vlm::ChatReply> reply;
    std::string error;
};

Outcome streamed(std::string_view bytes, std::size_t piece) {
    Outcome outcome;
    vlm::wire::EventParser events(where.url, 4096);
    vlm::wire::responses::ReplyAssembler assembler(where);
    const auto take = [&](const vlm::wire::ServerEvent& event) {
        for (const vlm::Delta& delta : assembler.take(event)) {
            require(vlm::wire::valid_utf8(delta.text) == delta.text);
            outcome.deltas += std::to_string(static_cast<int>(delta.kind)) +
                              std::to_string(delta.call) + delta.tool + delta.text;
        }
    };
    try {
        for (std::size_t at = 0; at < bytes.size(); at += piece)
            events.feed(bytes.substr(at, piece), take);
        events.finish(take);
        outcome.reply = assembler.finish();
    } catch (const vlm::Error& error) {
        outcome.error = error.what();
        require(outcome.error.size() < 4096);
    }
    return outcome;
}

void require_same(const Outcome& a, const Outcome& b) {
    require(a.deltas == b.deltas && a.error == b.error);
    require(a.reply.has_value() == b.reply.has_value());
    if (!a.reply) return;
    require(a.reply->text == b.reply->text && a.reply->items_json == b.reply->items_json);
    require(a.reply->tool_calls == b.reply->tool_calls && a.reply->finish == b.reply->finish);
}

/// The next request contains each item, unless it is reasoning or a call that is not complete.
void send_back(const vlm::ChatReply& reply) {
    for (const vlm::ToolCall& call : reply.tool_calls)
        require(!call.id.empty() && !call.name.empty() && !call.arguments_json.empty());
    vlm::ChatRequest request;
    request.messages = {vlm::Message::user("u"), vlm::message_of(reply)};
    for (const vlm::ToolCall& call : reply.tool_calls)
        request.messages.push_back(vlm::Message::tool(call.id, "r"));
    for (const vlm::Api api : {vlm::Api::responses, vlm::Api::chat_completions})
        require(
            vlm::wire::parse_json(vlm::wire::encode_request(request, {.api = api})).has_value());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    try {
        send_back(vlm::wire::responses::decode_reply(bytes, where));
    } catch (const vlm::Error& error) {
        require(std::string_view(error.what()).size() < 4096);
    }
    const Outcome whole = streamed(bytes, std::max<std::size_t>(size, 1));
    require_same(whole, streamed(bytes, 1));
    require_same(whole, streamed(bytes, 7));
    if (whole.reply) send_back(*whole.reply);
    return 0;
}
