#include "allocations.hpp"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <malloc.h>
#include <new>

namespace {

std::atomic<bool> watching{false};
std::atomic<std::int64_t> held{0};
std::atomic<std::int64_t> max_held{0};

} // namespace

// Aligned versions are not replaced: no measured code uses them.
void* operator new(std::size_t size) {
    void* const memory = std::malloc(size == 0 ? 1 : size);
    if (!memory) throw std::bad_alloc();
    if (watching.load(std::memory_order_relaxed)) {
        const std::int64_t now = held += static_cast<std::int64_t>(malloc_usable_size(memory));
        std::int64_t max = max_held;
        while (now > max && !max_held.compare_exchange_weak(max, now)) {
        }
    }
    return memory;
}

void operator delete(void* memory) noexcept {
    if (watching.load(std::memory_order_relaxed))
        held -= static_cast<std::int64_t>(malloc_usable_size(memory));
    std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }

namespace allocations {

Watch::Watch() {
    held = 0;
    max_held = 0;
    watching = true;
}

Watch::~Watch() { watching = false; }

std::size_t Watch::peak() const { return static_cast<std::size_t>(max_held.load()); }

} // namespace allocations
