// Access control of the panel. A client can control the desktop through the agent, so every request
// is checked:
//   Host    must be the address on which the panel listens; prevents DNS rebinding
//   Origin  if present, must be the panel's own or the allowed one
//   token   in an Authorization header, or a cookie of the panel's own page. Browsers send cookies to
//           all ports of a host, so another local server may receive the cookie. The cookie is
//           therefore a separate secret that is invalid as a bearer token or in a URL
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace eyehand::panel {

/// 128 bits of the system's random generator, as 32 hexadecimal digits.
[[nodiscard]] std::string random_token();
/// Compares in constant time.
[[nodiscard]] bool is_same_secret(std::string_view a, std::string_view b);

/// The fields of a request that identify its sender; empty if absent.
struct Caller {
    std::string_view method{};
    std::string_view host{};
    std::string_view origin{};
    std::string_view fetch_site{}; ///< Sec-Fetch-Site
    std::string_view cookies{};
    std::string_view authorization{};
};

/// Immutable, thread-safe.
class Access {
public:
    struct Options {
        std::string host{}; ///< the configured address or name on which the panel listens
        std::uint16_t port = 0;
        std::string token{}; ///< empty: no token is required
        std::optional<std::string> cors_origin{};
    };
    explicit Access(Options options);

    /// Why Host, Origin or Sec-Fetch-Site is not acceptable; empty if the request passes.
    /// Independent of the token.
    [[nodiscard]] std::string_view refusal(const Caller& caller) const;
    /// Whether `origin` is the additional allowed origin.
    [[nodiscard]] bool is_allowed_origin(std::string_view origin) const;
    [[nodiscard]] bool has_token(const Caller& caller) const;
    [[nodiscard]] bool is_token(std::string_view given) const;
    /// The value of a Set-Cookie field.
    [[nodiscard]] std::string cookie() const;
    /// "http://127.0.0.1:8080/?token=..."
    [[nodiscard]] std::string url() const;

private:
    [[nodiscard]] bool is_own_host(std::string_view host) const;
    [[nodiscard]] std::string cookie_name() const;
    Options options_;
    std::string cookie_;      ///< the value of the cookie
    bool loopback_ = true;    ///< listens on a loopback address
    bool everywhere_ = false; ///< listens on all addresses of the computer
};

} // namespace eyehand::panel
