// What the model reads after a reply with a tool call that was not executed because it was text.
#pragma once

#include "eyehand/vlm/chat.hpp"

#include <string_view>

namespace eyehand::agent {

/// Does not ask for the call itself: the model may have quoted a text that it has read.
[[nodiscard]] inline std::string_view reminder_of_text_call(vlm::IgnoredCall ignored) {
    switch (ignored) {
    case vlm::IgnoredCall::unclear:
        return "Your reply contains a tool call as text, which was not carried out: it was "
               "malformed, of a tool that you do not have, or followed by other text. If you want "
               "to act, end your reply with one well-formed call. If you only quoted it, put the "
               "quotation in a code block.";
    case vlm::IgnoredCall::quoted:
        return "Your reply ends with a tool call in quotation marks or a code block, which was not "
               "carried out. If you want to act, end your reply with the call itself, without "
               "quotation marks or a code block. If you only quoted it, repeat your reply.";
    case vlm::IgnoredCall::not_accepted:
    case vlm::IgnoredCall::none:
        break;
    }
    return "Your reply ends with a tool call that is written as text, which was not carried out. "
           "If "
           "you want to act, call the tool itself. If you only quoted it, put the quotation in a "
           "code block.";
}

} // namespace eyehand::agent
