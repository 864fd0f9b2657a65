// Recovers tool calls that a model wrote into its text, because its chat template or the server's
// parser does not support them.
//
// Five forms are tried in this order; only the first one that yields a call is used:
//   1. <tool_call>{"name":"click","arguments":{...}}</tool_call>, also without the closing tag
//   2. <tool_call><function=click><parameter=x>\n5\n</parameter></function></tool_call>, also
//      without the outer tags
//   3. [TOOL_REQUEST]{...}[END_TOOL_REQUEST], also without the closing tag
//   4. a text that is one JSON object and nothing else
//   5. Action: click(start_box='(10,20)')                     (UI-TARS; several calls may follow)
// Forms 1 to 3 may be mixed.
//
// Recovered calls are executed, so ambiguous text is not a call:
// - The calls must end the text: only white space may follow them or separate them.
// - A call in a quotation (quotation.hpp) or in a think block (thinking.hpp) is not a call, and a call
//   across a think block cannot be used.
// - The tool must be offered.
// - JSON is repaired (repair_json.hpp). In forms 1 and 3, the object has "name" or "function" (a
//   string) and "arguments" or "parameters": an object, text that contains one, "" or null. Without
//   arguments, it may have no other members than "id" and "type". Form 4 has no marks, so there the
//   object must have exactly one member of each pair.
// - If a marked call (1, 2, 3, 5) cannot be used, none is, because later calls depend on it.
// - If the output limit cut off the text, only complete calls count.
//
// Values of forms 2 and 5 are text. If the tool's schema requires a string, they stay text;
// otherwise they become the number, boolean, list or object that they represent as JSON. (In form
// 5, a parameter that is not in the schema stays text if it is in quotes.) Points of form 5,
// '(x,y)', '<|box_start|>(x,y)<|box_end|>' and '<point>x y</point>', become [x,y] unless the schema
// requires a string.
//
// UI-TARS's finished(content='...') is a call if a tool of that name was offered. Otherwise it
// stays text: the agent, not this layer, decides whether a task is finished.
#pragma once

#include "eyehand/vlm/chat.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace eyehand::vlm::wire {

enum class Ending {
    as_the_model_ended, ///< the model ended the text, and may have forgotten closing marks
    cut_off             ///< the output limit ended the text
};

struct Rescue {
    std::vector<ToolCall> calls{};    ///< without ids; arguments are JSON objects; from the text
    std::string text{};               ///< without the calls, trimmed; unchanged without calls
    std::vector<std::string> notes{}; ///< for ChatReply::notes; empty if there are no calls
    bool cut_call = false;            ///< the output limit cut off a marked call
    /// Without calls: `unclear` or `quoted` if the text contains one that is not used.
    IgnoredCall ignored_call = IgnoredCall::none;
};

/// Finds no calls in a text that is not UTF-8 or longer than 256 KiB, and at most 100 calls.
[[nodiscard]] Rescue rescue_calls(std::string_view text, const std::vector<ToolSpec>& offered,
                                  Ending ending = Ending::as_the_model_ended);

} // namespace eyehand::vlm::wire
