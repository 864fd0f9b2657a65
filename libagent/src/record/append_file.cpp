#include "record/append_file.hpp"

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <thread>
#include <utility>

#ifdef _WIN32
#include <windows.h>

#include <io.h>
#include <share.h>
#else
#include <sys/file.h>
#include <unistd.h>
#endif

namespace eyehand::agent {
namespace {

struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

enum class Lock { shared, exclusive };

/// `AppendFile::is_locked` holds a shared lock for a moment. A writer that finds it tries again.
constexpr int attempts = 20;
constexpr std::chrono::milliseconds between_attempts{10};

// Programs that the agent starts must not inherit the file: they may outlive the agent and would
// keep the lock.
#ifdef _WIN32

/// A byte far beyond the end of the file, so that the lock does not prevent reading and writing.
constexpr DWORD lock_offset_high = 0x40000000;

File open_to_append(const std::filesystem::path& path) {
    return File(_wfsopen(path.c_str(), L"abN", _SH_DENYNO));
}

File open_to_read(const std::filesystem::path& path) {
    return File(_wfsopen(path.c_str(), L"rbN", _SH_DENYNO));
}

bool is_refused(std::FILE* file, Lock lock) {
    OVERLAPPED where{};
    where.OffsetHigh = lock_offset_high;
    const DWORD flags = lock == Lock::exclusive ? LOCKFILE_EXCLUSIVE_LOCK : 0;
    return LockFileEx(reinterpret_cast<HANDLE>(_get_osfhandle(_fileno(file))),
                      flags | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &where) == 0 &&
           GetLastError() == ERROR_LOCK_VIOLATION;
}

bool cut_to(std::FILE* file, std::uintmax_t size) {
    return _chsize_s(_fileno(file), static_cast<std::int64_t>(size)) == 0;
}

#else

File open_to_append(const std::filesystem::path& path) {
    return File(std::fopen(path.c_str(), "abe"));
}

File open_to_read(const std::filesystem::path& path) {
    return File(std::fopen(path.c_str(), "rbe"));
}

bool is_refused(std::FILE* file, Lock lock) {
    return flock(fileno(file), (lock == Lock::exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB) != 0 &&
           errno == EWOULDBLOCK;
}

bool cut_to(std::FILE* file, std::uintmax_t size) {
    return ftruncate(fileno(file), static_cast<off_t>(size)) == 0;
}

#endif

// `is_refused` takes the lock, if possible, until the file is closed. It returns false if the file
// system does not support locks: runs must be possible there, too.
bool is_taken_by_another(std::FILE* file) {
    for (int attempt = 1; is_refused(file, Lock::exclusive); ++attempt) {
        if (attempt == attempts) return true;
        std::this_thread::sleep_for(between_attempts);
    }
    return false;
}

} // namespace

struct AppendFile::Handle {
    std::filesystem::path path;
    File file;
};

AppendFile::AppendFile(const std::filesystem::path& file, Writers writers) {
    File opened = open_to_append(file);
    taken_ = opened && writers == Writers::alone && is_taken_by_another(opened.get());
    if (opened && !taken_ && std::setvbuf(opened.get(), nullptr, _IONBF, 0) == 0)
        handle_ = std::make_unique<Handle>(Handle{file, std::move(opened)});
}

AppendFile::~AppendFile() = default;
AppendFile::AppendFile(AppendFile&&) noexcept = default;
AppendFile& AppendFile::operator=(AppendFile&&) noexcept = default;

bool AppendFile::is_locked(const std::filesystem::path& file) {
    std::error_code error; // opening a pipe would wait for its writer
    if (!std::filesystem::is_regular_file(file, error)) return false;
    const File opened = open_to_read(file);
    return opened && is_refused(opened.get(), Lock::shared);
}

bool AppendFile::append(std::string_view entry) {
    if (!handle_) return false;
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(handle_->path, error);
    if (error) return false; // the file was removed: written data would be lost with the handle
    if (std::fwrite(entry.data(), 1, entry.size(), handle_->file.get()) == entry.size())
        return true;
    (void)cut(size); // if possible, see the header
    return false;
}

// Uses the handle that has the lock.
bool AppendFile::cut(std::uintmax_t size) { return handle_ && cut_to(handle_->file.get(), size); }

} // namespace eyehand::agent
