#include "access.hpp"

#include "base/text.hpp"

#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <random>

namespace eyehand::panel {
namespace {

namespace asio = boost::asio;

std::string_view trim(std::string_view text) {
    const std::size_t from = text.find_first_not_of(" \t");
    if (from == std::string_view::npos) return {};
    return text.substr(from, text.find_last_not_of(" \t") - from + 1);
}

/// The address in the notation of URLs and Host fields.
std::string in_url(const std::string& host) {
    return host.find(':') == std::string::npos ? host : '[' + host + ']';
}

bool is_address(std::string_view host) {
    if (host.size() > 2 && host.front() == '[' && host.back() == ']')
        host = host.substr(1, host.size() - 2);
    boost::system::error_code error;
    (void)asio::ip::make_address(std::string(host), error);
    return !error;
}

} // namespace

std::string random_token() {
    // The system's generator: /dev/urandom or getentropy, rand_s on Windows.
    static_assert(std::random_device::max() - std::random_device::min() >= 0xFFFFFFFF);
    constexpr std::string_view digits = "0123456789abcdef";
    std::random_device random;
    std::string token;
    for (int word = 0; word < 4; ++word) {
        const auto bits = static_cast<std::uint32_t>(random());
        for (unsigned shift = 0; shift < 32; shift += 4) token += digits[(bits >> shift) & 0xFU];
    }
    return token;
}

bool is_same_secret(std::string_view a, std::string_view b) {
    unsigned difference = a.size() == b.size() ? 0 : 1;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const char other = i < b.size() ? b[i] : '\0';
        difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(other);
    }
    return difference == 0;
}

Access::Access(Options options) : options_(std::move(options)), cookie_(random_token()) {
    boost::system::error_code error;
    const auto address = asio::ip::make_address(options_.host, error);
    loopback_ = options_.host == "localhost" || (!error && address.is_loopback());
    everywhere_ = !error && address.is_unspecified();
}

bool Access::is_own_host(std::string_view host) const {
    const std::size_t colon = host.rfind(':');
    if (colon == std::string_view::npos || host.substr(colon + 1) != std::to_string(options_.port))
        return options_.port == 80 && !host.empty() && is_own_host(std::string(host) + ":80");
    const std::string_view name = host.substr(0, colon);
    // A server on all addresses does not know its names. DNS rebinding always uses a name, never an
    // address.
    if (everywhere_) return agent::equals_ignoring_case(name, "localhost") || is_address(name);
    if (agent::equals_ignoring_case(name, in_url(options_.host))) return true;
    constexpr std::array<std::string_view, 3> own{"localhost", "127.0.0.1", "[::1]"};
    return loopback_ && std::any_of(own.begin(), own.end(), [&](std::string_view one) {
               return agent::equals_ignoring_case(name, one);
           });
}

bool Access::is_allowed_origin(std::string_view origin) const {
    return options_.cors_origin && !origin.empty() && origin == *options_.cors_origin;
}

std::string_view Access::refusal(const Caller& caller) const {
    if (!is_own_host(caller.host)) return "the Host field is not the panel's address";
    if (is_allowed_origin(caller.origin)) return {};
    if (!caller.origin.empty() &&
        !agent::equals_ignoring_case(caller.origin, "http://" + std::string(caller.host)))
        return "requests of other pages are not allowed";
    // Browsers send some requests of other pages without an origin.
    if (caller.method != "GET" && caller.method != "HEAD" &&
        (caller.fetch_site == "cross-site" || caller.fetch_site == "same-site"))
        return "requests of other pages are not allowed";
    return {};
}

bool Access::is_token(std::string_view given) const {
    return options_.token.empty() || is_same_secret(options_.token, given);
}

bool Access::has_token(const Caller& caller) const {
    if (options_.token.empty()) return true;
    constexpr std::string_view scheme = "Bearer ";
    if (agent::equals_ignoring_case(caller.authorization.substr(0, scheme.size()), scheme) &&
        is_token(trim(caller.authorization.substr(scheme.size()))))
        return true;
    // Browsers send the cookie with requests of other pages, too.
    constexpr std::array<std::string_view, 2> own{"same-origin", "none"};
    if (!caller.fetch_site.empty() &&
        std::find(own.begin(), own.end(), caller.fetch_site) == own.end())
        return false;
    const std::string name = cookie_name();
    for (std::string_view rest = caller.cookies; !rest.empty();) {
        const std::size_t end = std::min(rest.find(';'), rest.size());
        const std::string_view one = trim(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
        const std::size_t equals = one.find('=');
        if (equals != std::string_view::npos && one.substr(0, equals) == name &&
            is_same_secret(cookie_, one.substr(equals + 1)))
            return true;
    }
    return false;
}

std::string Access::cookie_name() const {
    // With the port: a browser may have several panels open.
    return "eyehand_panel_" + std::to_string(options_.port);
}

std::string Access::cookie() const {
    return cookie_name() + "=" + cookie_ + "; HttpOnly; SameSite=Strict; Path=/";
}

std::string Access::url() const {
    std::string url = "http://" + in_url(everywhere_ ? "127.0.0.1" : options_.host) + ":" +
                      std::to_string(options_.port) + "/";
    return options_.token.empty() ? url : url + "?token=" + options_.token;
}

} // namespace eyehand::panel
