// For any text of a model, recovered calls are calls of offered tools with JSON objects as
// arguments, none of them from a think block. Without calls, the text stays unchanged.
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

void check(std::string_view text, vlm::wire::Ending ending) {
    const vlm::wire::Rescue rescue = vlm::wire::rescue_calls(text, offered(), ending);
    const std::string shown = visible(text);
    for (const vlm::ToolCall& call : rescue.calls) {
        require(std::any_of(offered().begin(), offered().end(),
                            [&](const vlm::ToolSpec& tool) { return tool.name == call.name; }));
        const auto arguments = vlm::wire::parse_json(call.arguments_json);
        require(arguments && arguments->is_object());
        // The name must be in the text, possibly with escapes.
        require(shown.find(call.name) != std::string::npos ||
                shown.find("\\u") != std::string::npos);
    }
    require(rescue.calls.empty() == rescue.notes.empty());
    if (rescue.calls.empty())
        require(rescue.text == text);
    else
        require(rescue.text.size() < text.size());
    require(!rescue.cut_call || ending == vlm::wire::Ending::cut_off);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    check(text, vlm::wire::Ending::as_the_model_ended);
    check(text, vlm::wire::Ending::cut_off);
    return 0;
}
