// Parses, checks and completes endpoint URLs.
//
// Not with Boost.URL: version 1.81, that of Debian 12, reads "http://a:b:c/" as the host "a" with the path "b:c/",
// rejects addresses with a zone ("[fe80::1%eth0]") and characters that servers do send in a Location header, and its
// errors do not tell which part of the URL is wrong.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace eyehand::vlm::http {

struct Url {
    std::string scheme; ///< "http" or "https"
    std::string host;   ///< lower case; an IPv6 address has no brackets
    std::uint16_t port = 0;
    std::string path;  ///< begins with "/"
    std::string query; ///< with its "?", or empty

    /// The target in the request line.
    [[nodiscard]] std::string target() const { return path + query; }
    /// Host and, if it is not the scheme's default, port: the value of the Host header.
    [[nodiscard]] std::string authority() const;
    [[nodiscard]] std::string text() const;
    /// For messages and logs: without the query, because some services expect the API key there.
    [[nodiscard]] std::string shown() const;
};

/// Throws Error{bad_url}, whose text names the fault and the expected form, but never a password.
[[nodiscard]] Url parse_url(std::string_view text);

/// Resolves a Location header in an answer from `base`; the value may be absolute or relative.
/// Drops a fragment. Throws Error{bad_url}.
[[nodiscard]] Url resolve_reference(const Url& base, std::string_view location);

/// The URL of chat completions for an endpoint: "http://host:1234" is completed with
/// "/v1/chat/completions", and a path that ends in a version ("/v1", "/v1/") or in "/openai" with
/// "/chat/completions"; any other path is already complete. Throws Error{bad_url}.
[[nodiscard]] Url parse_endpoint(std::string_view text);

/// The URL of the list of models that belongs to a chat-completions URL. Throws
/// Error{not_supported} if the path does not end in "/chat/completions".
[[nodiscard]] Url models_url(const Url& chat_completions);

} // namespace eyehand::vlm::http
