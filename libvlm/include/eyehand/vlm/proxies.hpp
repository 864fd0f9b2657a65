// Proxy settings.
#pragma once

#include <string>

namespace eyehand::vlm {

/// Proxies in the syntax of the variables http_proxy, https_proxy and no_proxy. Empty: none.
/// Requests to this computer never use a proxy.
struct Proxies {
    std::string http{};  ///< "http://user:password@host:port"; only the host is required
    std::string https{}; ///< the same, for https endpoints; the proxy itself must use http
    /// Hosts to connect to directly, separated by commas: "host", ".domain" or "*.domain" (all
    /// three match the name and every name below it), each with an optional ":port"; "*" means all
    /// hosts.
    std::string none{};
};

} // namespace eyehand::vlm
