// Records which keys programs with this library have bound to characters, so that the keys of a
// killed program can be cleared.
#pragma once

#include "x11/connection.hpp"
#include "x11/native_input.hpp"

#include <vector>

namespace eyehand::winio::x11 {

/// A list in a property of the root window, which all programs with this library share. Each entry
/// names its owner by a window of its connection and a unique number, because a server reuses the
/// window ids of programs that have ended.
class SpareKeyRegister {
public:
    /// Refers to the connection, which must outlive it.
    explicit SpareKeyRegister(Connection& connection);

    /// Entries of programs that have ended. Their keys may have another meaning now.
    [[nodiscard]] std::vector<Binding> orphans() const;
    /// Adds the bindings that this object has not added before. Call it before keys are bound.
    void add(const std::vector<Binding>& bindings);
    /// Removes the entries that this object added, and the orphans.
    void clear();

private:
    struct Entry {
        Binding binding;
        xcb_window_t window;
        std::uint32_t number;
    };
    [[nodiscard]] std::vector<Entry> entries() const;
    [[nodiscard]] bool is_own(const Entry& entry) const;
    [[nodiscard]] bool is_of_living(const Entry& entry) const;

    Connection& connection_;
    xcb_atom_t property_;
    std::uint32_t number_;
    std::vector<Binding> added_;
};

} // namespace eyehand::winio::x11
