#include "file/parent_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

namespace eyehand::base {
namespace {

constexpr mode_t private_file = 0600;
constexpr mode_t private_folder = 0700;

std::error_code last_error() { return {errno, std::generic_category()}; }

// O_PATH needs no right to read the folder.
constexpr int folder_flags = O_PATH | O_DIRECTORY | O_CLOEXEC;

bool is_link_in(int folder, const char* name) {
    struct stat status {};
    return fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(status.st_mode);
}

/// Opens the folder `name` in `folder`, without following a link; returns -1 on failure.
int open_folder_in(int folder, const char* name, Folders folders) {
    const int opened = openat(folder, name, folder_flags | O_NOFOLLOW);
    if (opened >= 0 || errno != ENOENT || folders == Folders::existing) return opened;
    // The umask may have removed rights of the owner.
    if (mkdirat(folder, name, private_folder) == 0) (void)fchmodat(folder, name, private_folder, 0);
    return openat(folder, name, folder_flags | O_NOFOLLOW);
}

int flags_of(FileAccess access) {
    // O_NONBLOCK: a pipe without another end must not block; it does not affect regular files.
    constexpr int always = O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    switch (access) {
    case FileAccess::read:
        return always | O_RDONLY;
    case FileAccess::append:
        return always | O_WRONLY | O_APPEND | O_CREAT;
    case FileAccess::create:
        break;
    }
    return always | O_WRONLY | O_CREAT | O_EXCL;
}

/// Why an open file must not be used; empty if it may.
const char* refusal(int file, FileAccess access) {
    struct stat status {};
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) return is_not_regular;
    if (access == FileAccess::read) return "";
    if (status.st_nlink > 1) return has_second_name;
    constexpr mode_t all = 07777;
    // File systems without rights refuse it.
    if ((status.st_mode & all) != private_file) (void)fchmod(file, private_file);
    return "";
}

} // namespace

bool create_private_folder(const std::filesystem::path& folder, std::error_code& error) {
    error.clear();
    if (mkdir(folder.c_str(), private_folder) != 0) {
        if (errno != EEXIST) error = last_error();
        return false;
    }
    (void)chmod(folder.c_str(), private_folder); // the umask may have removed rights of the owner
    return true;
}

void make_private(const std::filesystem::path& folder) noexcept {
    struct stat status {};
    constexpr mode_t of_others = 077;
    if (stat(folder.c_str(), &status) == 0 && (status.st_mode & of_others) != 0)
        (void)chmod(folder.c_str(), private_folder);
}

// ---- the folder of a file -----------------------------------------------------------------------

ParentFolder::ParentFolder(const std::filesystem::path& folder, const std::filesystem::path& name,
                           Folders folders) {
    if (!is_name_in_folder(name)) {
        reason_ = leads_out;
        return;
    }
    descriptor_ = ::open(folder.empty() ? "." : folder.c_str(), folder_flags);
    if (descriptor_ < 0) error_ = last_error();
    for (const std::filesystem::path& part : name.parent_path()) {
        if (descriptor_ < 0) break;
        const int next = open_folder_in(descriptor_, part.c_str(), folders);
        if (next < 0) error_ = last_error();
        if (next < 0 && is_link_in(descriptor_, part.c_str())) reason_ = has_link;
        ::close(std::exchange(descriptor_, next));
    }
    is_open_ = descriptor_ >= 0;
}

ParentFolder::~ParentFolder() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

FolderFile ParentFolder::open(const std::filesystem::path& name, FileAccess access) const {
    const int opened = openat(descriptor_, name.c_str(), flags_of(access), private_file);
    if (opened < 0) {
        const std::error_code error = last_error();
        if (access != FileAccess::create && is_link_in(descriptor_, name.c_str()))
            return FolderFile(std::string(is_link));
        if (error.value() == ENXIO) return FolderFile(std::string(is_not_regular));
        return FolderFile(error);
    }
    const char* const refused = refusal(opened, access);
    if (*refused == '\0') return FolderFile(opened);
    ::close(opened);
    return FolderFile(std::string(refused));
}

void ParentFolder::remove(const std::filesystem::path& name) const {
    (void)unlinkat(descriptor_, name.c_str(), 0);
}

std::error_code ParentFolder::rename(const std::filesystem::path& from,
                                     const std::filesystem::path& to) const {
    if (renameat(descriptor_, from.c_str(), descriptor_, to.c_str()) == 0) return {};
    return last_error();
}

// ---- an open file -------------------------------------------------------------------------------

std::optional<std::uintmax_t> FolderFile::size() const {
    struct stat status {};
    if (fstat(descriptor_, &status) != 0) return std::nullopt;
    return static_cast<std::uintmax_t>(status.st_size);
}

std::size_t FolderFile::read(std::uintmax_t offset, char* bytes, std::size_t size) const {
    ssize_t count = 0;
    do count = pread(descriptor_, bytes, size, static_cast<off_t>(offset));
    while (count < 0 && errno == EINTR);
    return count < 0 ? 0 : static_cast<std::size_t>(count);
}

bool FolderFile::write(std::string_view bytes) const {
    while (!bytes.empty()) {
        const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
}

bool FolderFile::cut(std::uintmax_t size) const {
    return ftruncate(descriptor_, static_cast<off_t>(size)) == 0;
}

bool FolderFile::sync() const {
    int result = 0;
    do result = fdatasync(descriptor_);
    while (result != 0 && errno == EINTR);
    return result == 0 || errno == EINVAL || errno == ENOTSUP; // these file systems cannot do it
}

void FolderFile::close() {
    if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

void sync_folder(const std::filesystem::path& folder) noexcept {
    const int opened =
        ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (opened < 0) return;
    (void)fsync(opened);
    ::close(opened);
}

} // namespace eyehand::base
