#include "measure.hpp"

#include <malloc.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define EYEHAND_SANITIZED 1
extern "C" std::size_t
__sanitizer_get_current_allocated_bytes(); // GCC 12 does not install its header
#endif

namespace soak {
namespace {

int entries(const char* folder) {
    return static_cast<int>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

} // namespace

std::size_t resident_bytes() {
    std::ifstream statm("/proc/self/statm");
    std::size_t total = 0;
    std::size_t resident = 0;
    if (!(statm >> total >> resident)) throw std::runtime_error("/proc/self/statm is unreadable");
    return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

std::size_t allocated_bytes() {
#ifdef EYEHAND_SANITIZED
    return __sanitizer_get_current_allocated_bytes();
#else
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd; // large blocks are mapped separately
#endif
}

int handles() { return entries("/proc/self/fd") - 1; } // without the one that reads the folder
int threads() { return entries("/proc/self/task"); }

} // namespace soak
