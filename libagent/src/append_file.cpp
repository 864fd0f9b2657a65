#include "append_file.hpp"

#include <cerrno>
#include <cstdio>
#include <utility>

#ifdef _WIN32
#include <io.h>
#include <share.h>
#include <stdlib.h>
#else
#include <sys/file.h>
#include <unistd.h>
#endif

namespace agent {
namespace {

struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

// Not inherited by programs that the agent starts: they may outlive it, and would keep the file.
#ifdef _WIN32

constexpr unsigned long sharing_violation = 32; // ERROR_SHARING_VIOLATION

File open(const std::filesystem::path& path, AppendFile::Writers writers, bool& taken) {
    const bool alone = writers == AppendFile::Writers::alone;
    File file(_wfsopen(path.c_str(), L"abN", alone ? _SH_DENYWR : _SH_DENYNO));
    taken = !file && _doserrno == sharing_violation;
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

// Through the handle: where nobody else may write, opening the file once more is refused.
bool AppendFile::cut(std::uintmax_t size) { return handle_ && cut_to(handle_->file.get(), size); }

} // namespace agent
