// What can go wrong between a program and a model server.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <system_error>

namespace vlm {

/// Why a model did not answer.
enum class errc {
    bad_url = 1,        ///< the endpoint is not an http or https URL
    unreachable,        ///< name not found, connection refused, network down
    timeout,            ///< no complete answer within the time limit
    connection_lost,    ///< the connection broke before the answer was complete
    http_status,        ///< an HTTP status that says failure; `Error::status()` has it
    not_found,          ///< 404: wrong path or unknown model
    unauthorized,       ///< 401 or 403: API key missing or wrong; 407: the same for the proxy
    overloaded,         ///< 408, 409, 429 or 503: worth another try later
    context_overflow,   ///< the request is longer than the model's context
    bad_response,       ///< not JSON, HTML, or JSON that is no chat completion
    server_error,       ///< the server reported an error in a successful HTTP response
    response_too_large, ///< the body is longer than the client's limit
    truncated,          ///< the output limit ended the reply inside a tool call
    not_supported,      ///< this build or this server cannot do that (for example a SOCKS proxy)
    cancelled,          ///< the stop token was triggered
    untrusted,          ///< the server's certificate is not acceptable; trying again will not help
};

[[nodiscard]] const std::error_category& error_category() noexcept;
[[nodiscard]] std::error_code make_error_code(errc code) noexcept;

/// Thrown when a model could not be asked or did not answer properly. `what()` names the cause and
/// the remedy in plain words and never contains an API key (of eight
/// or more characters; shorter ones are placeholders that local servers ignore).
class Error : public std::system_error {
public:
    Error(errc code, const std::string& what, std::optional<int> http_status = std::nullopt,
          std::string server_message = {});

    /// `what` as it was given: std::system_error would add the code's general words behind the
    /// remedy.
    [[nodiscard]] const char* what() const noexcept override { return what_->c_str(); }
    /// The HTTP status, where a server answered with one.
    [[nodiscard]] std::optional<int> status() const noexcept { return status_; }
    /// What the server itself said, or empty.
    [[nodiscard]] const std::string& server_message() const noexcept { return server_message_; }

private:
    std::shared_ptr<const std::string> what_; // copying an exception must not throw
    std::optional<int> status_;
    std::string server_message_;
};

} // namespace vlm

template <>
struct std::is_error_code_enum<vlm::errc> : std::true_type {};
