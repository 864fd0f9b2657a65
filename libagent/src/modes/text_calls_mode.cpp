#include "modes/text_calls_mode.hpp"

#include <algorithm>
#include <utility>

namespace eyehand::agent {
namespace {

bool is_text(const vlm::ToolCall& call) { return call.provenance == vlm::Provenance::text; }

} // namespace

vlm::TextCalls TextCallsMode::accepted() const {
    if (called_natively_) return vlm::TextCalls::never;
    switch (rule_) {
    case TextToolCalls::if_not_native:
        return vlm::TextCalls::if_not_native;
    case TextToolCalls::until_native:
        return vlm::TextCalls::always;
    case TextToolCalls::never:
        break;
    }
    return vlm::TextCalls::never;
}

Command TextCallsMode::next() const {
    Command command = inner_->next();
    if (auto* ask = std::get_if<Ask>(&command)) ask->request.text_calls = accepted();
    return command;
}

void TextCallsMode::apply(const Fact& fact) {
    const auto* replied = std::get_if<Replied>(&fact);
    if (replied == nullptr) {
        pass_on(fact);
        return;
    }
    const std::vector<vlm::ToolCall>& calls = replied->reply.tool_calls;
    called_natively_ = called_natively_ || !std::all_of(calls.begin(), calls.end(), is_text);
    const bool refused = accepted() == vlm::TextCalls::never;
    if (!refused || std::none_of(calls.begin(), calls.end(), is_text)) {
        pass_on(fact);
        return;
    }
    Replied native = *replied;
    std::erase_if(native.reply.tool_calls, is_text);
    if (native.reply.tool_calls.empty()) native.reply.ignored_call = vlm::IgnoredCall::not_accepted;
    note("refused", "a tool call in the text of the reply was not executed");
    pass_on(native);
}

void TextCallsMode::revise(const Observed& seen) {
    inner_->revise(seen);
    pass_on_notes();
}

void TextCallsMode::pass_on(const Fact& fact) {
    inner_->apply(fact);
    pass_on_notes();
}

void TextCallsMode::pass_on_notes() {
    for (Noted& noted : inner_->take_notes()) note(std::move(noted.kind), std::move(noted.text));
}

} // namespace eyehand::agent
