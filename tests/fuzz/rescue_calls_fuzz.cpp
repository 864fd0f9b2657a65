// For any text of a model, recovered calls are calls of offered tools with JSON objects as
// arguments, none of them from a think block, from a quotation or in front of other text. Without
// calls, the text stays unchanged.
#include "wire/json.hpp"
#include "wire/rescue_calls.hpp"
#include "wire/thinking.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

using namespace eyehand;

namespace {

void require(bool condition) {
    if (!condition) std::abort();
}

const std::vector<vlm::ToolSpec>& offered() {
    static const std::vector<vlm::ToolSpec> tools{
        {"click", "",
         R"({"type":"object","properties":{"x":{"type":"integer"},"text":{"type":"string"}}})"},
        {"wait", "", "{}"}};
    return tools;
}

/// The text without its think blocks.
std::string visible(std::string_view text) {
    std::string rest;
    std::size_t at = 0;
    for (const vlm::wire::Span& span : vlm::wire::thinking(text)) {
        require(at <= span.begin && span.begin < span.end && span.end <= text.size());
        rest += text.substr(at, span.begin - at);
        at = span.end;
    }
    return rest += text.substr(at);
}

/// Text behind the calls, or a fence around them, makes them text.
void require_dependence_on_place(std::string_view text, vlm::wire::Ending ending) {
    constexpr std::string_view fence = "````````\n";
    if (!vlm::wire::thinking(text).empty()) return; // the other text could become a thought
    const auto is_text = [&](const std::string& changed) {
        return vlm::wire::rescue_calls(changed, offered(), ending).calls.empty();
    };
    // Behind a call that is not closed, it would be a part of the call; a text that was cut off has no
    // such calls.
    if (ending == vlm::wire::Ending::cut_off)
        require(is_text(std::string(text) + "\n\nThat is all."));
    if (text.find(fence.substr(0, 3)) == std::string_view::npos)
        require(is_text(std::string(fence) + std::string(text)));
}

void check(std::string_view text, vlm::wire::Ending ending) {
    const vlm::wire::Rescue rescue = vlm::wire::rescue_calls(text, offered(), ending);
    const std::string shown = visible(text);
    for (const vlm::ToolCall& call : rescue.calls) {
        require(std::any_of(offered().begin(), offered().end(),
                            [&](const vlm::ToolSpec& tool) { return tool.name == call.name; }));
        const auto arguments = vlm::wire::parse_json(call.arguments_json);
        require(arguments && arguments->is_object());
        require(call.provenance == vlm::Provenance::text);
        // The name must be in the text, possibly with escapes.
        require(shown.find(call.name) != std::string::npos ||
                shown.find("\\u") != std::string::npos);
    }
    require(rescue.calls.empty() == rescue.notes.empty());
    if (rescue.calls.empty()) {
        require(rescue.text == text);
    } else {
        require(rescue.text.size() < text.size());
        require(rescue.ignored_call == vlm::IgnoredCall::none);
        require_dependence_on_place(text, ending);
    }
    require(!rescue.cut_call || ending == vlm::wire::Ending::cut_off);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    check(text, vlm::wire::Ending::as_the_model_ended);
    check(text, vlm::wire::Ending::cut_off);
    return 0;
}
