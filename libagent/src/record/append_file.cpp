#include "record/append_file.hpp"

#include <cerrno>
#include <cstdio>
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

// Not inherited by programs that the agent starts: they may outlive it, and would keep the file.
#ifdef _WIN32

/// A byte far beyond any end, so that the lock keeps nobody from reading or writing; who else wants
/// to be alone asks for the same one.
constexpr DWORD lock_offset_high = 0x40000000;

File open(const std::filesystem::path& path, AppendFile::Writers writers, bool& taken) {
    File file(_wfsopen(path.c_str(), L"abN", _SH_DENYNO));
    if (!file || writers == AppendFile::Writers::any) return file;
    const auto handle = reinterpret_cast<HANDLE>(_get_osfhandle(_fileno(file.get())));
    OVERLAPPED where{};
    where.OffsetHigh = lock_offset_high;
    // Some file systems know no locks; a run must be possible there, too.
    taken = LockFileEx(handle, LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0,
                       &where) == 0 &&
            GetLastError() == ERROR_LOCK_VIOLATION;
    if (taken) file.reset();
    return file;
}

bool cut_to(std::FILE* file, std::uintmax_t size) {
    return _chsize_s(_fileno(file), static_cast<std::int64_t>(size)) == 0;
}

#else

File open(const std::filesystem::path& path, AppendFile::Writers writers, bool& taken) {
    File file(std::fopen(path.c_str(), "abe"));
    if (!file || writers == AppendFile::Writers::any) return file;
    // Some file systems know no locks; a run must be possible there, too.
    taken = flock(fileno(file.get()), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (taken) file.reset();
    return file;
}

bool cut_to(std::FILE* file, std::uintmax_t size) {
    return ftruncate(fileno(file), static_cast<off_t>(size)) == 0;
}

#endif

} // namespace

struct AppendFile::Handle {
    std::filesystem::path path;
    File file;
};

AppendFile::AppendFile(const std::filesystem::path& file, Writers writers) {
    File opened = open(file, writers, taken_);
    if (opened && std::setvbuf(opened.get(), nullptr, _IONBF, 0) == 0)
        handle_ = std::make_unique<Handle>(Handle{file, std::move(opened)});
}

AppendFile::~AppendFile() = default;
AppendFile::AppendFile(AppendFile&&) noexcept = default;
AppendFile& AppendFile::operator=(AppendFile&&) noexcept = default;

bool AppendFile::append(std::string_view entry) {
    if (!handle_) return false;
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(handle_->path, error);
    if (error) return false; // the file is gone: what is written would be lost with the handle
    if (std::fwrite(entry.data(), 1, entry.size(), handle_->file.get()) == entry.size())
        return true;
    (void)cut(size); // best effort, see the header
    return false;
}

// Through the handle, which has the lock.
bool AppendFile::cut(std::uintmax_t size) { return handle_ && cut_to(handle_->file.get(), size); }

} // namespace eyehand::agent
