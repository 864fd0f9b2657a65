#include "proxy.hpp"

#include "eyehand/base/base64.hpp"
#include "eyehand/vlm/error.hpp"
#include "host.hpp"

#include "../wire/utf8.hpp"

#include <algorithm>
#include <charconv>

namespace eyehand::vlm::http {
namespace {

// Does not quote the setting, which may contain a password.
[[noreturn]] void refuse(errc code, const std::string& problem) {
    throw Error(code, "the proxy setting " + problem +
                          "; it should look like http://host:port or "
                          "http://user:password@host:port");
}

/// Decodes "%40" to "@". Invalid triples stay unchanged, because users forget to encode passwords.
std::string percent_decoded(std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        unsigned char byte = 0;
        const char* const digits = text.data() + i + 1;
        if (text[i] == '%' && i + 2 < text.size() &&
            std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
            result += static_cast<char>(byte);
            i += 2;
        } else {
            result += text[i];
        }
    }
    return result;
}

Url parse_address(const std::string& authority) {
    try {
        return parse_url("http://" + authority);
    } catch (const Error&) { // its message is about the endpoint
        refuse(errc::bad_url, "has no valid host and port");
    }
}

/// One entry of the list of exemptions.
struct Exemption {
    std::string_view name;
    std::string_view port; ///< empty: every port
};

Exemption parse_exemption(std::string_view entry) {
    Exemption result{entry, {}};
    if (entry.starts_with('[')) {
        const std::size_t bracket = std::min(entry.find(']'), entry.size() - 1);
        result.name = entry.substr(1, bracket - 1);
        if (entry.substr(bracket).starts_with("]:")) result.port = entry.substr(bracket + 2);
        return result;
    }
    const std::size_t colon = entry.find(':');
    if (colon != std::string_view::npos && colon == entry.rfind(':')) { // several: an IPv6 address
        result.name = entry.substr(0, colon);
        result.port = entry.substr(colon + 1);
    }
    if (result.name.starts_with("*.")) result.name.remove_prefix(1);
    if (result.name.starts_with('.')) result.name.remove_prefix(1);
    return result;
}

bool covers(const Exemption& exemption, const Url& url) {
    if (!exemption.port.empty() && exemption.port != std::to_string(url.port)) return false;
    if (exemption.name == "*") return true;
    if (exemption.name.empty() || !url.host.ends_with(exemption.name)) return false;
    const std::size_t before = url.host.size() - exemption.name.size();
    return before == 0 || (!is_address(url.host) && url.host[before - 1] == '.');
}

} // namespace

std::string Proxy::shown() const {
    const std::string name = host.find(':') == std::string::npos ? host : '[' + host + ']';
    return name + ':' + std::to_string(port);
}

Proxy parse_proxy(std::string_view text) {
    text = wire::trimmed(text);
    const std::size_t separator = text.find("://");
    if (separator != std::string_view::npos) {
        if (wire::ascii_lower(text.substr(0, separator)) != "http")
            refuse(errc::not_supported,
                   "names a kind of proxy other than http, which is not supported");
        text.remove_prefix(separator + 3);
    }
    Proxy proxy;
    // The last "@": an unencoded password may contain one, a host cannot.
    const std::size_t at = text.rfind('@');
    if (at != std::string_view::npos) {
        const std::string_view user = text.substr(0, at);
        const std::size_t colon = std::min(user.find(':'), user.size());
        const std::string_view password = user.substr(std::min(colon + 1, user.size()));
        proxy.authorization = "Basic " + base::to_base64(percent_decoded(user.substr(0, colon)) +
                                                         ':' + percent_decoded(password));
        text.remove_prefix(at + 1);
    }
    const Url address = parse_address(std::string(text));
    proxy.host = address.host;
    proxy.port = address.port;
    return proxy;
}

bool is_exempt(const Url& url, std::string_view none) {
    const std::string list = wire::ascii_lower(none);
    std::string_view rest = list;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find_first_of(", \t"), rest.size());
        const std::string_view entry = rest.substr(0, end);
        if (!entry.empty() && covers(parse_exemption(entry), url)) return true;
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return false;
}

std::optional<Proxy> proxy_for(const Url& url, const Proxies& settings) {
    const std::string& setting = url.scheme == "https" ? settings.https : settings.http;
    if (wire::trimmed(setting).empty()) return std::nullopt;
    if (is_loopback(url.host) || is_exempt(url, settings.none)) return std::nullopt;
    return parse_proxy(setting);
}

} // namespace eyehand::vlm::http
