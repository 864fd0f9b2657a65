// Any stream, split in any way, gives the same deltas and the same reply, which can be sent back,
// or the same vlm::Error. Without a refusal, the deltas make up the reply.
#include "wire/assemble_reply.hpp"
#include "wire/decode_reply.hpp"
#include "wire/utf8.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

using namespace eyehand;

namespace {

void require(bool condition) {
    if (!condition) std::abort();
}

struct Outcome {
    std::string text;
    std::string reasoning;
    std::string call_pieces;
    std::optional<vlm::ChatReply> reply;
    std::string error;
};

Outcome outcome_of(std::string_view bytes, std::size_t piece) {
    const vlm::wire::Where where{"http://h/", "m", "sk-0123456789"};
    Outcome outcome;
    vlm::wire::EventParser events(where.url, 4096);
    vlm::wire::ReplyAssembler assembler(where);
    const auto take = [&](const vlm::wire::ServerEvent& event) {
        for (const vlm::Delta& delta : assembler.take(event)) {
            require(vlm::wire::valid_utf8(delta.text) == delta.text);
            if (delta.kind == vlm::Delta::Kind::text)
                outcome.text += delta.text;
            else if (delta.kind == vlm::Delta::Kind::reasoning)
                outcome.reasoning += delta.text;
            else
                outcome.call_pieces += std::to_string(delta.call) + delta.tool + delta.text;
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
    require(a.text == b.text && a.reasoning == b.reasoning && a.call_pieces == b.call_pieces);
    require(a.error == b.error && a.reply.has_value() == b.reply.has_value());
    if (!a.reply) return;
    require(a.reply->text == b.reply->text && a.reply->reasoning == b.reply->reasoning);
    require(a.reply->tool_calls == b.reply->tool_calls && a.reply->finish == b.reply->finish);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const Outcome whole = outcome_of(bytes, std::max<std::size_t>(size, 1));
    require_same(whole, outcome_of(bytes, 1));
    require_same(whole, outcome_of(bytes, 7));
    if (!whole.reply) return 0;
    require(whole.reply->reasoning.starts_with(whole.reasoning));
    if (bytes.find("refusal") == std::string_view::npos)
        require(whole.reply->text.starts_with(whole.text));
    for (const vlm::ToolCall& call : whole.reply->tool_calls)
        require(!call.id.empty() && !call.name.empty() && !call.arguments_json.empty());
    return 0;
}
