// Through which proxies a server is reached.
#pragma once

#include <string>

namespace eyehand::vlm {

/// As users put them into http_proxy, https_proxy and no_proxy. Empty: none. This machine is never
/// asked through a proxy.
struct Proxies {
    std::string http{};  ///< "http://user:password@host:port"; all but the host may be left out
    std::string https{}; ///< the same, for https endpoints; the proxy itself is spoken to in http
    /// Hosts that are asked directly, separated by commas: "host", ".domain" or "*.domain" (all
    /// three match the name and everything below it), each with an optional ":port"; "*" is all.
    std::string none{};
};

} // namespace eyehand::vlm
