// Errors of desktop operations.
#pragma once

#include "eyehand/export.hpp"

#include <iosfwd>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace eyehand::winio {

/// Why an operation on a desktop failed. `temporary(code)` returns whether a retry may help.
enum class errc {        // older journals contain the values: append, never reorder
    no_display = 1,      ///< the session has no display
    display_not_found,   ///< the named display is not among `Desktop::displays()`
    capture_unavailable, ///< the screen cannot be read at the moment: locked, secure desktop,
                         ///< disconnected
    capture_failed,      ///< the system refused to copy the screen; a retry does not help
    input_refused,       ///< the system did not accept all events, or refused a window command
    input_not_permitted, ///< the window that would receive the input has higher rights than this
                         ///< program
    outside_work_area,   ///< an effect aims at a point that its work area does not contain
    window_not_found,    ///< no window has this id or matches the query
    launch_failed,       ///< the program could not be started
    clipboard_failed,    ///< the clipboard could not be read or written, usually because another
                         ///< program holds it
    encode_failed,       ///< zlib ran out of memory
    cancelled,           ///< the stop token was triggered while waiting
    not_supported,       ///< the back-end lacks this feature, or the program lacks this back-end
    decode_failed,       ///< an image file is damaged, of another format, or too large
    raced,               ///< the caller of `InputExecutor::execute` withheld a batch of input
    interrupted, ///< the program did not continue while it held keys, buttons or the clipboard, so its
                 ///< watchdog released them
};

[[nodiscard]] EYEHAND_WINIO_API const std::error_category& error_category() noexcept;
[[nodiscard]] EYEHAND_WINIO_API std::error_code make_error_code(errc code) noexcept;
/// The enumerator's name, which files and logs store: "capture_failed". "unknown" for any other value.
[[nodiscard]] EYEHAND_WINIO_API std::string_view to_string(errc code) noexcept;
/// Writes the enumerator's name.
EYEHAND_WINIO_API std::ostream& operator<<(std::ostream& out, errc code);
/// The enumerator's name. fmt 10 and later find this function: `fmt::format("{}", code)`.
[[nodiscard]] inline std::string_view format_as(errc code) noexcept { return to_string(code); }

/// True for errors that may go away by themselves (`capture_unavailable`, `clipboard_failed`).
[[nodiscard]] EYEHAND_WINIO_API bool temporary(const std::error_code& code) noexcept;

/// Thrown by libwinio if the system refuses an operation. Branch on `code()`; show `what()` to the
/// user. It names the cause and, if there is one, the remedy.
class EYEHAND_WINIO_API Error : public std::system_error {
public:
    Error(errc code, const std::string& text);
    Error(std::error_code code, const std::string& text);
    /// The text alone: std::system_error would append the code's message after the remedy.
    [[nodiscard]] const char* what() const noexcept override;

private:
    std::runtime_error text_; // unlike std::string, copies without throwing
};

} // namespace eyehand::winio

template <>
struct std::is_error_code_enum<eyehand::winio::errc> : std::true_type {};
