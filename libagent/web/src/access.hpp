// Access control of a server. A client can control the desktop through the agent, so every request
// is checked:
//   Host    must be the address on which the server listens; prevents DNS rebinding
//   Origin  if present, must be the server's own or an allowed one
//   token   in the Authorization field. The page knows it from the fragment of its address, which
//           browsers do not send. There is no cookie: browsers send cookies to all ports of a host,
//           so every other local server would receive it
// EventSource and links cannot send an Authorization field. The addresses of the event stream and of
// the screenshots may therefore contain a token that is valid for reading them only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::web {

/// 128 bits of the system's random generator, as 32 hexadecimal digits.
[[nodiscard]] std::string random_token();
/// Compares in a time that depends only on the lengths.
[[nodiscard]] bool is_same_secret(std::string_view a, std::string_view b);
/// Whether only programs of this computer reach a server that listens on `host`: a loopback address
/// or "localhost".
[[nodiscard]] bool is_loopback(const std::string& host);

/// What a client must have to use a path.
enum class Protection {
    none,     ///< nothing, to read it: a file of the page
    events,   ///< the token; to read it, the token for the event stream is sufficient
    pictures, ///< the token; to read it, the token for screenshots is sufficient
    token,    ///< the token
};

/// Independent secrets. All are empty if no token is required.
struct Tokens {
    std::string all{};      ///< for every request, in the Authorization field
    std::string events{};   ///< for addresses of the event stream
    std::string pictures{}; ///< for addresses of screenshots

    [[nodiscard]] static Tokens random();
};

/// The parts of a request that identify its sender; empty if absent.
struct Caller {
    std::string_view method{};
    std::string_view host{};
    std::string_view origin{};
    std::string_view fetch_site{}; ///< Sec-Fetch-Site
    std::string_view authorization{};
    std::string_view url_token{}; ///< of the address
};

/// Immutable, thread-safe.
class Access {
public:
    struct Options {
        std::string host{}; ///< the configured address or name on which the server listens
        std::uint16_t port = 0;
        Tokens tokens{};
        std::vector<std::string> allowed_origins{}; ///< besides the server's own
    };
    explicit Access(Options options);

    /// Why Host, Origin or Sec-Fetch-Site is not acceptable; empty if the request passes.
    /// Independent of the tokens.
    [[nodiscard]] std::string_view refusal(const Caller& caller, Protection protection) const;
    /// Whether `origin` is an additional allowed origin.
    [[nodiscard]] bool is_allowed_origin(std::string_view origin) const;
    /// Whether the caller has a token that permits the request, or needs none.
    [[nodiscard]] bool permits(const Caller& caller, Protection protection) const;
    /// "http://127.0.0.1:8080/#token=..."
    [[nodiscard]] std::string url() const;

private:
    [[nodiscard]] bool is_own_host(std::string_view host) const;
    Options options_;
    bool loopback_ = true;    ///< listens on a loopback address
    bool everywhere_ = false; ///< listens on all addresses of the computer
};

} // namespace eyehand::web
