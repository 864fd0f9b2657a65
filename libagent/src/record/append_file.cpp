#include "record/append_file.hpp"

#include "eyehand/base/folder_file.hpp"

#include <chrono>
#include <thread>
#include <utility>

#ifdef _WIN32
#include <windows.h>

#include <io.h>
#else
#include <sys/file.h>

#include <cerrno>
#endif

namespace eyehand::agent {
namespace {

using base::FileAccess;
using base::FolderFile;

enum class Lock { shared, exclusive };

/// `AppendFile::is_locked` holds a shared lock for a moment. A writer that finds it tries again.
constexpr int attempts = 20;
constexpr std::chrono::milliseconds between_attempts{10};

// Programs that the agent starts must not inherit the file: they may outlive the agent and would
// keep the lock.
#ifdef _WIN32

/// A byte far beyond the end of the file, so that the lock does not prevent reading and writing.
constexpr DWORD lock_offset_high = 0x40000000;

bool is_refused(const FolderFile& file, Lock lock) {
    OVERLAPPED where{};
    where.OffsetHigh = lock_offset_high;
    const DWORD flags = lock == Lock::exclusive ? LOCKFILE_EXCLUSIVE_LOCK : 0;
    return LockFileEx(reinterpret_cast<HANDLE>(_get_osfhandle(file.descriptor())),
                      flags | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &where) == 0 &&
           GetLastError() == ERROR_LOCK_VIOLATION;
}

#else

bool is_refused(const FolderFile& file, Lock lock) {
    return flock(file.descriptor(), (lock == Lock::exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB) != 0 &&
           errno == EWOULDBLOCK;
}

#endif

// `is_refused` takes the lock, if possible, until the file is closed. It returns false if the file
// system does not support locks: runs must be possible there, too.
bool is_taken_by_another(const FolderFile& file) {
    for (int attempt = 1; is_refused(file, Lock::exclusive); ++attempt) {
        if (attempt == attempts) return true;
        std::this_thread::sleep_for(between_attempts);
    }
    return false;
}

} // namespace

struct AppendFile::Handle {
    std::filesystem::path path;
    FolderFile file;
    bool has_name = false; ///< on the disk
};

AppendFile::AppendFile(const std::filesystem::path& folder, const std::filesystem::path& name,
                       Writers writers) {
    FolderFile opened(folder, name, FileAccess::append);
    reason_ = opened.reason();
    taken_ = opened.is_open() && writers == Writers::alone && is_taken_by_another(opened);
    if (opened.is_open() && !taken_)
        handle_ = std::make_unique<Handle>(Handle{folder / name, std::move(opened)});
}

AppendFile::~AppendFile() = default;
AppendFile::AppendFile(AppendFile&&) noexcept = default;
AppendFile& AppendFile::operator=(AppendFile&&) noexcept = default;

bool AppendFile::is_locked(const std::filesystem::path& folder, const std::filesystem::path& name) {
    const FolderFile opened(folder, name, FileAccess::read);
    return opened.is_open() && is_refused(opened, Lock::shared);
}

bool AppendFile::append(std::string_view entry) {
    if (!handle_) return false;
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(handle_->path, error);
    if (error) return false; // the file was removed: written data would be lost with the handle
    if (handle_->file.write(entry)) return true;
    (void)cut(size); // if possible, see the header
    return false;
}

// Uses the handle that has the lock.
bool AppendFile::cut(std::uintmax_t size) { return handle_ && handle_->file.cut(size); }

bool AppendFile::sync() {
    if (!handle_ || !handle_->file.sync()) return false;
    if (!std::exchange(handle_->has_name, true)) base::sync_folder(handle_->path.parent_path());
    return true;
}

} // namespace eyehand::agent
