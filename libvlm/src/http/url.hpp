// Parses, checks and completes endpoint URLs.
//
// Not with Boost.URL: version 1.81, that of Debian 12, reads "http://a:b:c/" as the host "a" with the path "b:c/",
// rejects addresses with a zone ("[fe80::1%eth0]") and characters that servers do send in a Location header, and its
// errors do not tell which part of the URL is wrong.
#pragma once

#include "eyehand/vlm/chat.hpp"

#include <cstdint>
#include <optional>
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

/// The end of the path of an API: "/chat/completions", "/responses".
[[nodiscard]] std::string_view path_of(Api api);

/// The URL of an API for an endpoint: "http://host:1234" is completed with "/v1" and `path_of(api)`,
/// and a path that ends in a version ("/v1", "/v1/") or in "/openai" with `path_of(api)`. A path that
/// ends as that of the other API is changed to this one; any other path is already complete. Throws
/// Error{bad_url}.
[[nodiscard]] Url parse_endpoint(std::string_view text, Api api = Api::chat_completions);

/// The path of `url` without the end that one of the APIs gives it, such as "/v1"; nothing for another
/// path.
[[nodiscard]] std::optional<std::string> base_path(const Url& url);

/// The URL of the list of models that belongs to the URL of an API. Throws Error{not_supported} if the
/// path does not end as that of an API.
[[nodiscard]] Url models_url(const Url& url);

} // namespace eyehand::vlm::http
