// Writes `Sampling::reasoning_effort` and `thinking_tokens` in the form of the server.
#pragma once

#include "eyehand/vlm/chat.hpp"
#include "eyehand/vlm/openai_client.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace eyehand::vlm::wire {

/// The options of a request that a server may not support.
enum class Option { reasoning_effort, thinking_tokens, response_format, image_detail };

/// "reasoning_effort", "thinking_tokens", "response_format", "image_detail".
[[nodiscard]] std::string_view name_of(Option option);

/// A member of the request's body.
struct OptionMember {
    std::string_view name;
    std::string json;
    std::vector<Option> options; ///< that cause it
};

struct UnsentOption {
    Option option;
    std::string_view reason;
};

inline constexpr std::string_view not_supported_by_server = "the server does not support it";

struct ReasoningOptions {
    std::vector<OptionMember> members{};
    std::vector<UnsentOption> unsent{};
};

/// Throws std::invalid_argument for a negative number of thinking tokens.
[[nodiscard]] ReasoningOptions reasoning_options(const Sampling& sampling, const Quirks& quirks,
                                                 Api api = Api::chat_completions);

} // namespace eyehand::vlm::wire
