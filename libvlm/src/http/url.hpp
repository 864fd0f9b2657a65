// The endpoint that a user typed, taken apart, checked and completed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace eyehand::vlm::http {

struct Url {
    std::string scheme; ///< "http" or "https"
    std::string host;   ///< lower case, an IPv6 address without its brackets
    std::uint16_t port = 0;
    std::string path;  ///< begins with "/"
    std::string query; ///< with its "?", or empty

    /// What the request line asks for.
    [[nodiscard]] std::string target() const { return path + query; }
    /// Host and, where it is not the scheme's own, port: the value of the Host header.
    [[nodiscard]] std::string authority() const;
    [[nodiscard]] std::string text() const;
    /// For messages and logs: without the query, where some services expect the API key.
    [[nodiscard]] std::string shown() const;
};

/// Throws Error{bad_url}, naming what is wrong and how it should look. Never repeats a password.
[[nodiscard]] Url parse_url(std::string_view text);

/// What a Location header means in an answer from `base`: an absolute URL, or one with its beginning
/// left out. A fragment is dropped. Throws Error{bad_url}.
[[nodiscard]] Url resolve_reference(const Url& base, std::string_view location);

/// The URL of chat completions from what a user gave as the endpoint: "http://host:1234" gets
/// "/v1/chat/completions", a path that ends in a version ("/v1", "/v1/") or in "/openai" gets
/// "/chat/completions", and any other path is taken for complete. Throws Error{bad_url}.
[[nodiscard]] Url parse_endpoint(std::string_view text);

/// The URL of the list of models that belongs to a chat-completions URL. Throws
/// Error{not_supported} if the path does not tell.
[[nodiscard]] Url models_url(const Url& chat_completions);

} // namespace eyehand::vlm::http
