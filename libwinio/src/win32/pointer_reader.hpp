// What the pointer looks like and where it is.
#pragma once

#include "win32/system_calls.hpp"
#include "winio/frame.hpp"

#include <optional>

namespace winio::win32 {

/// Reads the pointer. Remembers the last shape, because the same cursor mostly stays for long.
class PointerReader {
public:
    /// Nothing while the pointer is hidden or suppressed by touch, or cannot be read. Call it
    /// within a DpiScope.
    [[nodiscard]] std::optional<PointerShape> read(const SystemCalls& system);

private:
    HCURSOR cursor_ = nullptr;
    std::optional<PointerShape> shape_; ///< of `cursor_`; nothing when it could not be read
};

} // namespace winio::win32
