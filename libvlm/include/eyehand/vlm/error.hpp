// Errors of requests to a model server.
#pragma once

#include "eyehand/export.hpp"

#include <chrono>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace eyehand::vlm {

/// Why a request to a model failed.
enum class errc {       // older journals contain the values: append, never reorder
    bad_url = 1,        ///< the endpoint is not an http or https URL
    unreachable,        ///< name not found, connection refused, network down
    timeout,            ///< no complete answer within the time limit
    connection_lost,    ///< the connection broke before the answer was complete
    http_status,        ///< another HTTP status that means failure; see `Error::status()`
    not_found,          ///< 404: wrong path or unknown model
    unauthorized,       ///< 401 or 403: API key missing or wrong; 407: the same for the proxy
    overloaded,         ///< 408, 409, 429 or 503: a later retry may succeed
    context_overflow,   ///< the request is longer than the model's context
    bad_response,       ///< the answer is not a chat completion: HTML, other JSON, other data
    server_error,       ///< the server reported an error in a successful HTTP response
    response_too_large, ///< the body is longer than the client's limit
    truncated,          ///< the output limit ended the reply inside a tool call
    not_supported,      ///< the client or the server lacks a feature (for example a SOCKS proxy)
    cancelled,          ///< the stop token was triggered
    untrusted,          ///< the certificate or the CA file is not acceptable; a retry will not help
    bad_cassette,       ///< a cassette cannot be written or read; `what()` names file and line
    cassette_mismatch,  ///< the request differs from the recorded one
};

[[nodiscard]] EYEHAND_VLM_API const std::error_category& error_category() noexcept;
[[nodiscard]] EYEHAND_VLM_API std::error_code make_error_code(errc code) noexcept;
/// Returns the enumerator's name, as stored in files and logs, such as "unreachable"; "unknown" for
/// any other value.
[[nodiscard]] EYEHAND_VLM_API std::string_view to_string(errc code) noexcept;
/// Writes the enumerator's name.
EYEHAND_VLM_API std::ostream& operator<<(std::ostream& out, errc code);
/// Returns the enumerator's name. fmt 10 and later call it for `fmt::format("{}", code)`.
[[nodiscard]] inline std::string_view format_as(errc code) noexcept { return to_string(code); }

/// Whether the same request can succeed if it is sent again.
enum class Retry {
    never,        ///< the same request fails in the same way
    once,         ///< the failure is specific to this attempt: unlucky model output, a crash
    later,        ///< after a pause
    while_loading ///< the server is loading the model: repeat the request until it is loaded
};

/// Details of a failure besides its code. Unknown values are not set.
struct ErrorDetails {
    std::optional<int> status{};  ///< of the HTTP answer
    std::string server_message{}; ///< the server's own error text
    std::string server_code{}; ///< such as "previous_response_not_found"; recordings do not keep it
    std::optional<Retry> retry{}; ///< not set: `Error::retry` decides by code and status
    std::optional<std::chrono::milliseconds> retry_after{}; ///< requested by the server
    std::optional<int> prompt_tokens{};  ///< of `context_overflow`: the length of the request
    std::optional<int> context_tokens{}; ///< of `context_overflow`: the model's context
};

/// Thrown when a request to a model fails. `what()` names the cause and the remedy in plain words
/// and never contains an API key of eight or more characters (shorter ones are placeholders that
/// local servers ignore).
class EYEHAND_VLM_API Error : public std::system_error {
public:
    Error(errc code, const std::string& what, ErrorDetails details = {});

    /// The text passed to the constructor. (std::system_error would append the message of the
    /// code.)
    [[nodiscard]] const char* what() const noexcept override;
    /// The HTTP status, if the server sent one.
    [[nodiscard]] std::optional<int> status() const noexcept { return shared_->details.status; }
    /// The server's own error text, or empty.
    [[nodiscard]] const std::string& server_message() const noexcept {
        return shared_->details.server_message;
    }
    /// Whether to send the request again. A failed request never changes the desktop.
    [[nodiscard]] Retry retry() const noexcept;
    [[nodiscard]] const ErrorDetails& details() const noexcept { return shared_->details; }

private:
    struct Shared {
        std::string what;
        ErrorDetails details;
    };
    std::shared_ptr<const Shared> shared_; // copying an exception must not throw
};

} // namespace eyehand::vlm

template <>
struct std::is_error_code_enum<eyehand::vlm::errc> : std::true_type {};
