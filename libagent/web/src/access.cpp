#include "access.hpp"

#include "base/text.hpp"

#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <random>
#include <utility>

namespace eyehand::web {
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

bool reads(const Caller& caller) { return caller.method == "GET" || caller.method == "HEAD"; }

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

bool is_loopback(const std::string& host) {
    boost::system::error_code error;
    const auto address = asio::ip::make_address(host, error);
    return host == "localhost" || (!error && address.is_loopback());
}

Tokens Tokens::random() { return {random_token(), random_token(), random_token()}; }

Access::Access(Options options)
    : options_(std::move(options)), loopback_(is_loopback(options_.host)) {
    boost::system::error_code error;
    const auto address = asio::ip::make_address(options_.host, error);
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
    const auto& allowed = options_.allowed_origins;
    return !origin.empty() && std::find(allowed.begin(), allowed.end(), origin) != allowed.end();
}

std::string_view Access::refusal(const Caller& caller, Protection protection) const {
    if (!is_own_host(caller.host)) return "the Host field is not the address of this server";
    if (is_allowed_origin(caller.origin)) return {};
    if (!caller.origin.empty() &&
        !agent::equals_ignoring_case(caller.origin, "http://" + std::string(caller.host)))
        return "requests of other pages are not allowed";
    // Browsers send some requests of other pages without an origin. A link to the page is harmless.
    const bool own = caller.fetch_site.empty() || caller.fetch_site == "same-origin" ||
                     caller.fetch_site == "none";
    if (!own && !(reads(caller) && protection == Protection::none))
        return "requests of other pages are not allowed";
    return {};
}

bool Access::permits(const Caller& caller, Protection protection) const {
    const Tokens& tokens = options_.tokens;
    if (tokens.all.empty()) return true;
    constexpr std::string_view scheme = "Bearer ";
    if (agent::equals_ignoring_case(caller.authorization.substr(0, scheme.size()), scheme) &&
        is_same_secret(tokens.all, trim(caller.authorization.substr(scheme.size()))))
        return true;
    if (!reads(caller)) return false;
    switch (protection) {
    case Protection::none:
        return true;
    case Protection::events:
        return is_same_secret(tokens.events, caller.url_token);
    case Protection::pictures:
        return is_same_secret(tokens.pictures, caller.url_token);
    case Protection::token:
        break;
    }
    return false;
}

std::string Access::url() const {
    std::string url = "http://" + in_url(everywhere_ ? "127.0.0.1" : options_.host) + ":" +
                      std::to_string(options_.port) + "/";
    return options_.tokens.all.empty() ? url : url + "#token=" + options_.tokens.all;
}

} // namespace eyehand::web
