// Faults in calls of the C and C++ libraries, for a program that loads this library with LD_PRELOAD.
// A fault begins when its file appears in the folder that EYEHAND_TEST_FAULTS names:
//   clock    the real-time clock differs from the system's by this number of seconds
//   memory   allocations of at least this number of bytes fail
//   deflate  zlib finds no memory to compress (any number)
// Each fsync and fdatasync adds a line "INODE SIZE" to the file "synced" there.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <new>
#include <optional>

namespace {

// Without C++ containers: these functions are called by the replaced operator new.

std::array<char, 4096> path_of(const char* name) {
    std::array<char, 4096> path{};
    const char* const folder = std::getenv("EYEHAND_TEST_FAULTS");
    if (folder != nullptr) std::snprintf(path.data(), path.size(), "%s/%s", folder, name);
    return path;
}

/// The number in this file; empty if the file does not exist.
std::optional<long> number_in(const char* name) {
    const int file = open(path_of(name).data(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return std::nullopt;
    std::array<char, 32> text{};
    const ssize_t read_bytes = read(file, text.data(), text.size() - 1);
    close(file);
    if (read_bytes <= 0) return std::nullopt;
    return std::strtol(text.data(), nullptr, 10);
}

void note_sync(int synced) {
    struct stat status {};
    if (fstat(synced, &status) != 0) return;
    const int file =
        open(path_of("synced").data(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0) return;
    std::array<char, 64> line{};
    const int size =
        std::snprintf(line.data(), line.size(), "%lu %ld\n",
                      static_cast<unsigned long>(status.st_ino), static_cast<long>(status.st_size));
    if (write(file, line.data(), static_cast<std::size_t>(size)) != size) std::abort();
    close(file);
}

/// Smaller allocations succeed, so that the program can report the fault.
constexpr std::size_t always_succeeds = 4096;

void* allocate(std::size_t size) noexcept {
    if (size >= always_succeeds) {
        const auto limit = number_in("memory");
        if (limit && size >= static_cast<std::size_t>(*limit)) return nullptr;
    }
    return std::malloc(size == 0 ? 1 : size);
}

void* allocate_or_throw(std::size_t size) {
    void* const memory = allocate(size);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

} // namespace

extern "C" {

int fsync(int file) {
    const auto result = static_cast<int>(syscall(SYS_fsync, file));
    if (result == 0) note_sync(file);
    return result;
}

int fdatasync(int file) {
    const auto result = static_cast<int>(syscall(SYS_fdatasync, file));
    if (result == 0) note_sync(file);
    return result;
}

int clock_gettime(clockid_t clock, timespec* time) noexcept {
    const auto result = static_cast<int>(syscall(SYS_clock_gettime, clock, time));
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        time->tv_sec += number_in("clock").value_or(0);
    return result;
}

time_t time(time_t* into) noexcept {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    if (into != nullptr) *into = now.tv_sec;
    return now.tv_sec;
}

int gettimeofday(timeval* into, void* /*zone*/) noexcept {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    *into = {now.tv_sec, now.tv_nsec / 1000};
    return 0;
}

// Of zlib's deflateInit and deflateInit2.
int deflateInit2_(z_streamp stream, int level, int method, int window_bits, int memory_level,
                  int strategy, const char* version, int stream_size) {
    if (number_in("deflate")) return Z_MEM_ERROR;
    const auto original = reinterpret_cast<decltype(&deflateInit2_)>(dlsym(RTLD_NEXT, __func__));
    return original(stream, level, method, window_bits, memory_level, strategy, version,
                    stream_size);
}
int deflateInit_(z_streamp stream, int level, const char* version, int stream_size) {
    constexpr int default_memory_level = 8;
    return deflateInit2_(stream, level, Z_DEFLATED, MAX_WBITS, default_memory_level,
                         Z_DEFAULT_STRATEGY, version, stream_size);
}

} // extern "C"

void* operator new(std::size_t size) { return allocate_or_throw(size); }
void* operator new[](std::size_t size) { return allocate_or_throw(size); }
void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
    return allocate(size);
}
void* operator new[](std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
    return allocate(size);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t /*size*/) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t& /*tag*/) noexcept { std::free(memory); }
void operator delete[](void* memory, const std::nothrow_t& /*tag*/) noexcept { std::free(memory); }
