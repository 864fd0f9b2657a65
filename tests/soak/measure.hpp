// What a process uses, from /proc.
#pragma once

#include <cstddef>

namespace soak {

/// Sanitizers keep freed memory on purpose, so that the resident memory says little.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool keeps_freed_memory = true;
#else
inline constexpr bool keeps_freed_memory = false;
#endif

/// Includes what the allocator keeps for later.
[[nodiscard]] std::size_t resident_bytes();
/// What the program has allocated and not freed.
[[nodiscard]] std::size_t allocated_bytes();
[[nodiscard]] int handles();
[[nodiscard]] int threads();

} // namespace soak
