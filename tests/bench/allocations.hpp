// Measures memory use: eyehand-bench replaces operator new.
#pragma once

#include <cstddef>

namespace allocations {

/// Counts the allocations of all threads during its lifetime. Only one may exist at a time.
class Watch {
public:
    Watch();
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

    /// The peak size of the memory allocated since its construction, in bytes.
    [[nodiscard]] std::size_t peak() const;
};

} // namespace allocations
