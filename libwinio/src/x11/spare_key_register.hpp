// Which keys programs of ours have lent to characters: so that a program that was killed, and could
// not give them back, does not use them up.
#pragma once

#include "x11/connection.hpp"
#include "x11/native_input.hpp"

#include <vector>

namespace eyehand::winio::x11 {

/// A list that all programs with this library share, in a property of the root window. Each entry
/// says whose it is: a window of its connection, and a number that nobody else has, because a server
/// gives the windows of those that are gone to others.
class SpareKeyRegister {
public:
    /// Refers to the connection, which must outlive it.
    explicit SpareKeyRegister(Connection& connection);

    /// Entries of programs that are gone. Their keys may have got another meaning since.
    [[nodiscard]] std::vector<Binding> orphans() const;
    /// Adds those that this has not added before. To be called before keys are bound.
    void add(const std::vector<Binding>& bindings);
    /// Takes out what this added, and the orphans.
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
