#include "eyehand/winio/error.hpp"

#include "eyehand/base/error_category.hpp"

#include <array>
#include <ostream>
#include <string>
#include <string_view>

namespace eyehand::winio {
namespace {

using Entry = base::ErrorEntry;

// In the order of the enumerators, so that a code's value finds its entry.
constexpr std::array entries{
    Entry{errc::no_display, "no_display", "no display is attached"},
    Entry{errc::display_not_found, "display_not_found", "the display does not exist"},
    Entry{errc::capture_unavailable, "capture_unavailable",
          "the screen cannot be read at the moment"},
    Entry{errc::capture_failed, "capture_failed", "the screen cannot be read"},
    Entry{errc::input_refused, "input_refused", "the system did not accept the input"},
    Entry{errc::input_not_permitted, "input_not_permitted", "the target runs with higher rights"},
    Entry{errc::outside_work_area, "outside_work_area", "the point is outside the work area"},
    Entry{errc::window_not_found, "window_not_found", "the window does not exist"},
    Entry{errc::launch_failed, "launch_failed", "the program could not be started"},
    Entry{errc::clipboard_failed, "clipboard_failed", "the clipboard is not available"},
    Entry{errc::encode_failed, "encode_failed", "the image could not be encoded"},
    Entry{errc::cancelled, "cancelled", "cancelled"},
    Entry{errc::not_supported, "not_supported", "not supported by this desktop"},
    Entry{errc::decode_failed, "decode_failed", "the image could not be read"},
    Entry{errc::raced, "raced", "the screen changed before the input"},
    Entry{errc::interrupted, "interrupted", "the watchdog released the input"}};

static_assert(base::is_numbered(entries));

const base::ErrorCategory& category() noexcept {
    static const base::ErrorCategory category("winio", entries);
    return category;
}

} // namespace

const std::error_category& error_category() noexcept { return category(); }

std::string_view to_string(errc code) noexcept {
    return category().name_of(static_cast<int>(code));
}

std::ostream& operator<<(std::ostream& out, errc code) { return out << to_string(code); }

std::error_code make_error_code(errc code) noexcept {
    return {static_cast<int>(code), error_category()};
}

Error::Error(errc code, const std::string& text) : Error(make_error_code(code), text) {}

Error::Error(std::error_code code, const std::string& text)
    : std::system_error(code), text_(text) {}

bool temporary(const std::error_code& code) noexcept {
    return code == errc::capture_unavailable || code == errc::clipboard_failed;
}

const char* Error::what() const noexcept { return text_.what(); }

} // namespace eyehand::winio
