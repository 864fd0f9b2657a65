#include "eyehand/vlm/chat.hpp"

#include <stdexcept>

namespace eyehand::vlm {

std::string_view to_string(Api api) {
    switch (api) {
    case Api::chat_completions:
        return "chat";
    case Api::responses:
        return "responses";
    }
    throw std::invalid_argument("not a vlm::Api");
}

std::optional<Api> parse_api(std::string_view word) {
    for (const Api api : {Api::chat_completions, Api::responses})
        if (to_string(api) == word) return api;
    return std::nullopt;
}

} // namespace eyehand::vlm
