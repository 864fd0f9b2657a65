// Who may talk to the panel. Whoever does can work the desktop through the agent, so that every request
// is checked, whatever it is for:
//   Host    names the address it listens at: else a foreign name was made to point here (DNS rebinding)
//   Origin  where a browser sends it, is the panel's own or the one that was allowed
//   token   in an Authorization header; or, from the panel's own page, a cookie that stands for it. Cookies
//           know no ports: another server of this machine, open in the same browser, gets it, too. So it is a
//           secret of its own, which opens nothing as a bearer or in an address
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace eyehand::panel {

/// 128 random bits of the system's generator as 32 hexadecimal digits.
[[nodiscard]] std::string random_token();
/// Takes as long whatever they differ in.
[[nodiscard]] bool is_same_secret(std::string_view a, std::string_view b);

/// What of a request says who sends it. Empty: there is no such field.
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
        std::string host{}; ///< where it listens: an address, or the name that was given
        std::uint16_t port = 0;
        std::string token{}; ///< empty: none is needed
        std::optional<std::string> cors_origin{};
    };
    explicit Access(Options options);

    /// Why the request is refused, whoever sends it; empty: it is not.
    [[nodiscard]] std::string_view refusal(const Caller& caller) const;
    /// Whether it comes from the one other origin that is allowed.
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
    std::string cookie_;      ///< its value
    bool loopback_ = true;    ///< it listens only to this machine
    bool everywhere_ = false; ///< it listens at all of the machine's addresses
};

} // namespace eyehand::panel
