#include "eyehand/mcp/error.hpp"

#include "eyehand/base/error_category.hpp"

#include <array>
#include <ostream>

namespace eyehand::mcp {
namespace {

using Entry = base::ErrorEntry;

// In the order of the enumerators, so that a code's value finds its entry.
constexpr std::array entries{
    Entry{errc::cannot_listen, "cannot_listen", "the server cannot listen"},
    Entry{errc::unreachable, "unreachable", "the server cannot be reached"},
    Entry{errc::connection_lost, "connection_lost", "the connection was lost"},
    Entry{errc::timeout, "timeout", "the answer took too long"},
    Entry{errc::cancelled, "cancelled", "the request was canceled"},
    Entry{errc::bad_message, "bad_message", "a message breaks the protocol"},
    Entry{errc::message_too_large, "message_too_large", "a message is too large"},
    Entry{errc::remote_error, "remote_error", "the request failed"},
    Entry{errc::not_supported, "not_supported", "the other side does not support this"},
    Entry{errc::invalid_params, "invalid_params", "the parameters are not valid"},
    Entry{errc::resource_not_found, "resource_not_found", "the resource does not exist"},
    Entry{errc::bad_config, "bad_config", "a setting is not valid"}};

static_assert(base::is_numbered(entries));

const base::ErrorCategory& category() noexcept {
    static const base::ErrorCategory category("mcp", entries);
    return category;
}

} // namespace

const std::error_category& error_category() noexcept { return category(); }

std::error_code make_error_code(errc code) noexcept {
    return {static_cast<int>(code), error_category()};
}

std::string_view to_string(errc code) noexcept {
    return category().name_of(static_cast<int>(code));
}

std::ostream& operator<<(std::ostream& out, errc code) { return out << to_string(code); }

Error::Error(errc code, const std::string& what)
    : std::system_error(make_error_code(code), what),
      what_(std::make_shared<const std::string>(what)) {}

const char* Error::what() const noexcept { return what_->c_str(); }

} // namespace eyehand::mcp
