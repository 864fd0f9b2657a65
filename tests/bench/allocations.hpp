// How much memory something takes while it runs: eyehand-bench replaces operator new.
#pragma once

#include <cstddef>

namespace allocations {

/// Counts what is allocated between its making and its end, by all threads. One at a time.
class Watch {
public:
    Watch();
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

    /// The most that was held at a time of what was allocated since, in bytes.
    [[nodiscard]] std::size_t peak() const;
};

} // namespace allocations
