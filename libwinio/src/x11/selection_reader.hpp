// Asks the owner of the clipboard for what it holds.
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

    /// The bytes of the clipboard as `target`, such as UTF8_STRING or image/bmp; nothing when it is
    /// empty or its owner does not have that. Throws Error{clipboard_failed} when the owner does
    /// not answer within a while or sends more than 256 MiB.
    [[nodiscard]] std::optional<std::string> read(const std::string& target);

    /// Whether anybody has something on the clipboard.
    [[nodiscard]] bool has_owner();
    /// Empties the clipboard, whoever owns it.
    void disown();

private:
    /// The next event of that type which fits; throws when it does not come in time.
    template <typename Event, typename Fits>
    [[nodiscard]] Event wait_for(std::uint8_t type, Fits fits);
    [[nodiscard]] std::string take_property(xcb_atom_t& type);
    [[nodiscard]] std::string read_in_parts();

    Connection& connection_;
};

} // namespace eyehand::winio::x11
