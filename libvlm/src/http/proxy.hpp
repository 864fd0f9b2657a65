// Which proxy, if any, a request goes through.
#pragma once

#include "url.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace vlm::http {

/// As users put it into http_proxy, https_proxy and no_proxy. Empty: none.
struct ProxySettings {
    std::string http{};  ///< "http://user:password@host:port"; all but the host may be left out
    std::string https{}; ///< the same, for https endpoints; the proxy itself is spoken to in http
    /// Hosts that are asked directly, separated by commas: "host", ".domain" or "*.domain" (all
    /// three match the name and everything below it), each with an optional ":port"; "*" is all.
    std::string none{};
};

struct Proxy {
    std::string host; ///< an IPv6 address without its brackets
    std::uint16_t port = 0;
    std::string authorization; ///< the value of Proxy-Authorization, or empty; a secret

    /// For messages and logs: host and port.
    [[nodiscard]] std::string shown() const;
};

/// Reads the value of a proxy setting. Throws Error: `bad_url`, or `not_supported` for a proxy that
/// is spoken to in anything but http. Neither repeats the user name or the password.
[[nodiscard]] Proxy parse_proxy(std::string_view text);

/// Whether `settings.none` exempts this host and port.
[[nodiscard]] bool is_exempt(const Url& url, std::string_view none);

/// The proxy for requests to `url`. This machine is never asked through one. Throws as parse_proxy.
[[nodiscard]] std::optional<Proxy> proxy_for(const Url& url, const ProxySettings& settings);

} // namespace vlm::http
