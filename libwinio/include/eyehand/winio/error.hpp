// What can go wrong between a program and a desktop.
#pragma once

#include "eyehand/export.hpp"

#include <iosfwd>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace eyehand::winio {

/// Why an operation on a desktop failed. `temporary(code)` tells whether trying again can help.
enum class errc {        // journals of version 0.1 hold the values: append, never reorder
    no_display = 1,      ///< the session has no display at all
    display_not_found,   ///< the named display is not among `Desktop::displays()`
    capture_unavailable, ///< the screen cannot be read just now: locked, secure desktop,
                         ///< disconnected
    capture_failed,      ///< the system refused to copy the screen, for good
    input_refused,       ///< the system took none or only some of the events sent to it, or
                         ///< refused a window command
    input_not_permitted, ///< the window under the input runs with higher rights than this program
    outside_work_area,   ///< an effect aims at a point that its work area does not contain
    window_not_found,    ///< no window has that id (any more)
    launch_failed,       ///< the program could not be started
    clipboard_failed,    ///< the clipboard could not be read or written: mostly another program
                         ///< holds it
    encode_failed,       ///< zlib refused: out of memory
    cancelled,           ///< the stop token was triggered while waiting
    not_supported,       ///< this back-end has no such part, or this program no such back-end
    decode_failed,       ///< a picture's file is damaged, of another kind, or too large
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

/// Thrown by everything in libwinio that the system refused. Callers branch on `code()`, people
/// read `what()`, which names the cause and, where there is one, the remedy.
class EYEHAND_WINIO_API Error : public std::system_error {
public:
    Error(errc code, const std::string& text);
    Error(std::error_code code, const std::string& text);
    /// The text alone: std::system_error would add the code's words after the remedy.
    [[nodiscard]] const char* what() const noexcept override;

private:
    std::runtime_error text_; // a text that copies without throwing
};

} // namespace eyehand::winio

template <>
struct std::is_error_code_enum<eyehand::winio::errc> : std::true_type {};
