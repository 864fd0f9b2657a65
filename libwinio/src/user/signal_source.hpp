// Watches the user in a helper process for another program. Only for back-ends that cannot do it in
// the program itself.
#pragma once

#include "eyehand/winio/desktop.hpp"

#include <optional>

namespace eyehand::winio {

/// Watches as long as it exists, and writes a byte for each signal (`helper::answer`).
class SignalSource {
public:
    virtual ~SignalSource() = default;
};

/// The first byte: the source watches now.
inline constexpr char watching = 'w';

[[nodiscard]] constexpr char byte_of(UserSignal signal) {
    switch (signal) {
    case UserSignal::stop_key:
        return 'k';
    case UserSignal::escape:
        return 'e';
    case UserSignal::corner:
        return 'c';
    case UserSignal::input:
        return 'i';
    case UserSignal::watch_ended: // the process that watches may not end with it
        return 'x';
    }
    return '?';
}

/// Empty for any other byte.
[[nodiscard]] constexpr std::optional<UserSignal> signal_of(char byte) {
    for (const UserSignal signal : {UserSignal::stop_key, UserSignal::escape, UserSignal::corner,
                                    UserSignal::input, UserSignal::watch_ended})
        if (byte_of(signal) == byte) return signal;
    return std::nullopt;
}

} // namespace eyehand::winio
