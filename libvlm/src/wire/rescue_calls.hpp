// Tool calls that a model wrote into its text, because its chat template or the server's parser does
// not know better.
//
// Five forms are known, tried in this order; the first that yields a call is the only one used:
//   1. <tool_call>{"name":"click","arguments":{...}}</tool_call>, also without the closing tag
//   2. <tool_call><function=click><parameter=x>\n5\n</parameter></function></tool_call>, also
//      without the outer tags
//   3. [TOOL_REQUEST]{...}[END_TOOL_REQUEST], also without the closing tag
//   4. ```json fences, or a text that is one JSON object and nothing else
//   5. Action: click(start_box='(10,20)')                     (UI-TARS; several calls may follow)
// 1 to 3 may be mixed.
//
// What is recovered is carried out, so doubt means no:
// - Only names of offered tools count, and nothing inside or across a think block (thinking.hpp).
// - JSON is repaired (repair_json.hpp). Behind 1 and 3 stands an object with "name" or "function" (a
//   string) and "arguments" or "parameters": an object, text that holds one, "" or null; without
//   these it may have no other members than "id" and "type". Form 4 is also how examples are shown:
//   there the object has exactly one of each pair of members.
// - At the first marked call (1, 2, 3, 5) that cannot be used, recovering stops: the calls behind it
//   were meant to come after it. A fence that is no call is a fence.
// - Where the output limit cut the text off, only what is complete counts.
//
// Values of 2 and 5 are text. Where the tool's schema asks for a string they stay one; else they
// become the number, boolean, list or object that they are as JSON. (A parameter that the schema
// does not have counts as a string if it stands in quotes in 5.) Points of 5, '(x,y)',
// '<|box_start|>(x,y)<|box_end|>' and '<point>x y</point>', become [x,y] unless the schema asks for
// a string.
//
// UI-TARS's finished(content='...') is a call if a tool of that name was offered. If not, it stays
// text: that a task is finished is for the conversation to say, not for the wire.
#pragma once

#include "eyehand/vlm/chat.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace eyehand::vlm::wire {

enum class Ending {
    as_the_model_ended, ///< what is missing at the end, the model forgot
    cut_off             ///< the output limit ended the text
};

struct Rescue {
    std::vector<ToolCall> calls{};    ///< without ids; arguments are JSON objects
    std::string text{};               ///< without the calls, trimmed; as given if there are none
    std::vector<std::string> notes{}; ///< for ChatReply::notes; empty if there are no calls
    bool cut_call = false;            ///< the output limit cut a marked call off
};

/// A text that is not UTF-8, or longer than any model writes (256 KiB), is left alone.
[[nodiscard]] Rescue rescue_calls(std::string_view text, const std::vector<ToolSpec>& offered,
                                  Ending ending = Ending::as_the_model_ended);

} // namespace eyehand::vlm::wire
