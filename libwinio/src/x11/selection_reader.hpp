// Requests the clipboard's content from its owner.
#pragma once

#include "x11/connection.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace eyehand::winio::x11 {

class SelectionReader {
public:
    /// Refers to the connection, which must outlive it.
    explicit SelectionReader(Connection& connection) : connection_(connection) {}

    /// The clipboard's content as `target`, such as UTF8_STRING or image/bmp; empty if the
    /// clipboard is empty or its owner does not offer this target. Throws Error{clipboard_failed}
    /// if the owner does not answer within 3 s or sends more than 256 MiB.
    [[nodiscard]] std::optional<std::string> read(const std::string& target);

    /// The window that owns the clipboard, or XCB_WINDOW_NONE.
    [[nodiscard]] xcb_window_t owner();
    /// Empties the clipboard, regardless of its owner.
    void disown();

private:
    /// The next event of that type that matches; throws if it does not arrive in time.
    template <typename Event, typename Fits>
    [[nodiscard]] Event wait_for(std::uint8_t type, Fits fits);
    [[nodiscard]] std::string take_property(xcb_atom_t& type);
    [[nodiscard]] std::string read_in_parts();

    Connection& connection_;
};

} // namespace eyehand::winio::x11
