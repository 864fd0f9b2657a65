// Selects the proxy for a request.
#pragma once

#include "eyehand/vlm/proxies.hpp"

#include "url.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace eyehand::vlm::http {

struct Proxy {
    std::string host; ///< an IPv6 address has no brackets
    std::uint16_t port = 0;
    std::string authorization; ///< the value of Proxy-Authorization, or empty; a secret

    /// For messages and logs: host and port.
    [[nodiscard]] std::string shown() const;
};

/// Parses a proxy setting. Throws Error: `bad_url`, or `not_supported` for a proxy that does not
/// use http. The messages do not contain the user name or the password.
[[nodiscard]] Proxy parse_proxy(std::string_view text);

/// Whether `settings.none` exempts this host and port.
[[nodiscard]] bool is_exempt(const Url& url, std::string_view none);

/// The proxy for requests to `url`; nothing for this computer. Throws as parse_proxy.
[[nodiscard]] std::optional<Proxy> proxy_for(const Url& url, const Proxies& settings);

} // namespace eyehand::vlm::http
