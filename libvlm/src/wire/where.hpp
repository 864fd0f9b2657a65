// The subject of an error message, and the secrets that the message must not contain.
#pragma once

#include "eyehand/vlm/chat.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace eyehand::vlm::wire {

struct Where {
    std::string url;    ///< as shown in messages
    std::string model;  ///< as in the request, or empty
    std::string secret; ///< the API key, which some servers repeat in their errors; or empty
    /// The end of a URL of the API, for remedies.
    std::string_view path = "/v1/chat/completions";

    /// The beginning of a server's text, on one line, in valid UTF-8, without the secret and
    /// without image data.
    [[nodiscard]] std::string quote(std::string_view text, std::size_t max_bytes) const;
};

/// The value of `Where::path`: "/v1/chat/completions", "/v1/responses".
[[nodiscard]] constexpr std::string_view url_end(Api api) {
    return api == Api::responses ? "/v1/responses" : "/v1/chat/completions";
}

/// Replaces every occurrence of `secret` in `text`. A secret of fewer than eight characters is a
/// placeholder such as "none" or "EMPTY", which local servers ignore; it is kept, because replacing
/// it would only garble the text.
[[nodiscard]] std::string without_secret(std::string text, const std::string& secret);

/// Replaces the data of every base64 data URL in `text` by its length and SHA-256: some servers
/// repeat the request in their errors, and logs must not contain screenshots.
[[nodiscard]] std::string without_data_urls(std::string_view text);

} // namespace eyehand::vlm::wire
