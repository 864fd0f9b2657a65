// Tool calls and their results as the model reads them in a memory or a note.
#pragma once

#include "eyehand/agent/tool.hpp"
#include "eyehand/vlm/chat.hpp"
#include "eyehand/winio/confirm.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace eyehand::agent {

/// The arguments of typed tools as a profile offers them, by the tool's offered name.
using ArgumentsByTool = std::map<std::string, std::vector<ArgumentInfo>, std::less<>>;

struct CallWords {
    std::string call;   ///< `click "Save" at (512,300)`
    std::string reason; ///< the values of arguments that the tool ignores, such as a justification
};
/// The call in words, on one line. `arguments` are those of the tool; null: all arguments that the
/// model supplied count as used, such as those of a program. Positions are in the numbers of the call:
/// those of `numbers`, or 0 to 1000.
[[nodiscard]] CallWords call_in_words(const vlm::ToolCall& call,
                                      const std::vector<ArgumentInfo>* arguments,
                                      const CoordinateConverter* numbers = nullptr);

struct ResultWords {
    std::string result;     ///< `ok`, `refused (invalid_key): no key "foo"`
    std::string error_type; ///< empty on success
};
/// A result in words. Members that only repeat an argument of the call are left out; without
/// arguments, the words contain all members. Each line of a text with several lines is indented, so
/// that its end is visible.
[[nodiscard]] ResultWords result_in_words(const std::string& result_json,
                                          const std::string& arguments_json = {});

/// The result with the effect on the screen as its last member:
/// {"ok":true,"effect":"no_visible_change"}. Unchanged if the effect is unknown or the call failed.
[[nodiscard]] std::string with_effect(const std::string& result_json,
                                      std::optional<winio::ActionEffect> effect);

} // namespace eyehand::agent
