// The errors of eyehand::mcp.
#pragma once

#include "eyehand/export.hpp"

#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>

namespace eyehand::mcp {

enum class errc {
    cannot_listen = 1,  ///< the port is taken, or the host is not an address of this computer
    unreachable,        ///< a server cannot be started or connected to
    connection_lost,    ///< it ended or disconnected during a request
    timeout,            ///< it did not answer in time
    cancelled,          ///< the request was stopped
    bad_message,        ///< the peer broke the protocol, or sent invalid JSON or UTF-8
    message_too_large,  ///< longer than the limit
    remote_error,       ///< the peer answered with a JSON-RPC error
    not_supported,      ///< the peer lacks the capability, or speaks no common revision
    invalid_params,     ///< for handlers: the request is malformed
    resource_not_found, ///< for handlers: no resource has this URI
    bad_config,         ///< a setting of a server is missing, of the wrong type or out of range
};

[[nodiscard]] EYEHAND_MCP_API const std::error_category& error_category() noexcept;
[[nodiscard]] EYEHAND_MCP_API std::error_code make_error_code(errc code) noexcept;
/// The enumerator's name: "connection_lost"; "unknown" for any other value.
[[nodiscard]] EYEHAND_MCP_API std::string_view to_string(errc code) noexcept;
/// Writes the enumerator's name.
EYEHAND_MCP_API std::ostream& operator<<(std::ostream& out, errc code);
/// The enumerator's name. fmt 10 and later find this function: `fmt::format("{}", code)`.
[[nodiscard]] inline std::string_view format_as(errc code) noexcept { return to_string(code); }

class EYEHAND_MCP_API Error : public std::system_error {
public:
    Error(errc code, const std::string& what);
    [[nodiscard]] const char* what() const noexcept override;

private:
    std::shared_ptr<const std::string> what_; // copying an exception must not throw
};

} // namespace eyehand::mcp

template <>
struct std::is_error_code_enum<eyehand::mcp::errc> : std::true_type {};
