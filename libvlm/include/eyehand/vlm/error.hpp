// What can go wrong between a program and a model server.
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

/// Why a model did not answer.
enum class errc {       // journals of version 0.1 hold the values: append, never reorder
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
    bad_cassette,       ///< a cassette cannot be written or read; `what()` names file and line
    cassette_mismatch,  ///< the request differs from the recorded one
};

[[nodiscard]] EYEHAND_VLM_API const std::error_category& error_category() noexcept;
[[nodiscard]] EYEHAND_VLM_API std::error_code make_error_code(errc code) noexcept;
/// The enumerator's name, which files and logs store: "unreachable". "unknown" for any other value.
[[nodiscard]] EYEHAND_VLM_API std::string_view to_string(errc code) noexcept;
/// Writes the enumerator's name.
EYEHAND_VLM_API std::ostream& operator<<(std::ostream& out, errc code);
/// The enumerator's name. fmt 10 and later find this function: `fmt::format("{}", code)`.
[[nodiscard]] inline std::string_view format_as(errc code) noexcept { return to_string(code); }

/// Whether asking the same again can help.
enum class Retry {
    never,        ///< the same request fails in the same way
    once,         ///< an accident of this one attempt: what the model happened to say, a crash
    later,        ///< after a pause
    while_loading ///< the server still loads the model: again and again, until it is there
};

/// What is known of a failure besides its code; what is not known is not set.
struct ErrorDetails {
    std::optional<int> status{};  ///< of the HTTP answer
    std::string server_message{}; ///< what the server itself said
    std::optional<Retry> retry{}; ///< not set: what `Error::retry` says for the code and status
    std::optional<std::chrono::milliseconds> retry_after{}; ///< as the server asks for
    std::optional<int> prompt_tokens{};  ///< of `context_overflow`: how long the request is
    std::optional<int> context_tokens{}; ///< of `context_overflow`: how long it may be
};

/// Thrown when a model could not be asked or did not answer properly. `what()` names the cause and
/// the remedy in plain words and never contains an API key (of eight
/// or more characters; shorter ones are placeholders that local servers ignore).
class EYEHAND_VLM_API Error : public std::system_error {
public:
    Error(errc code, const std::string& what, ErrorDetails details = {});

    /// `what` as it was given: std::system_error would add the code's general words behind the
    /// remedy.
    [[nodiscard]] const char* what() const noexcept override;
    /// The HTTP status, where a server answered with one.
    [[nodiscard]] std::optional<int> status() const noexcept { return shared_->details.status; }
    /// What the server itself said, or empty.
    [[nodiscard]] const std::string& server_message() const noexcept {
        return shared_->details.server_message;
    }
    /// Whether to ask again. A request that was not answered has done nothing on the desktop.
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
