// Whom an error message is about, and what it must not repeat.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace eyehand::vlm::wire {

struct Where {
    std::string url;    ///< as it may be shown
    std::string model;  ///< as it was asked for, or empty
    std::string secret; ///< the API key, which some servers repeat in their errors; or empty

    /// The beginning of a stranger's words, on one line, valid UTF-8, without the secret and
    /// without image data.
    [[nodiscard]] std::string quote(std::string_view text, std::size_t at_most) const;
};

/// `text` with every occurrence of `secret` replaced. One of fewer than eight characters is a
/// placeholder such as "none" or "EMPTY", which local servers ignore: it stays, because replacing
/// it would only garble the text.
[[nodiscard]] std::string without_secret(std::string text, const std::string& secret);

/// `text` with the data of every base64 data URL replaced by its length and SHA-256: servers that
/// repeat a request in their error repeat the screenshot, which no log may hold.
[[nodiscard]] std::string without_data_urls(std::string_view text);

} // namespace eyehand::vlm::wire
