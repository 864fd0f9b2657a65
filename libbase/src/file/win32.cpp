// Links are reparse points. Other kinds of them are refused, too.
#include "file/parent_folder.hpp"

#include <windows.h>

#include <fcntl.h>
#include <io.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

namespace eyehand::base {
namespace {

std::error_code last_error() { return {static_cast<int>(GetLastError()), std::system_category()}; }

/// The security of a new file or folder: only the current user has access, whatever the folder
/// above it allows; files in a new folder inherit this.
class OwnerOnly {
public:
    OwnerOnly() {
        HANDLE token = nullptr;
        if (OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token) == 0) return;
        DWORD size = 0;
        GetTokenInformation(token, TokenUser, nullptr, 0, &size);
        user_.resize(size);
        const bool known = GetTokenInformation(token, TokenUser, user_.data(), size, &size) != 0;
        CloseHandle(token);
        if (!known) return;
        PSID user = reinterpret_cast<const TOKEN_USER*>(user_.data())->User.Sid;
        list_.resize(sizeof(ACL) + sizeof(ACCESS_ALLOWED_ACE) + GetLengthSid(user));
        auto* const list = reinterpret_cast<ACL*>(list_.data());
        made_ =
            InitializeAcl(list, static_cast<DWORD>(list_.size()), ACL_REVISION) != 0 &&
            AddAccessAllowedAceEx(list, ACL_REVISION, CONTAINER_INHERIT_ACE | OBJECT_INHERIT_ACE,
                                  FILE_ALL_ACCESS, user) != 0 &&
            InitializeSecurityDescriptor(&descriptor_, SECURITY_DESCRIPTOR_REVISION) != 0 &&
            SetSecurityDescriptorDacl(&descriptor_, TRUE, list, FALSE) != 0 &&
            SetSecurityDescriptorControl(&descriptor_, SE_DACL_PROTECTED, SE_DACL_PROTECTED) != 0;
    }
    OwnerOnly(const OwnerOnly&) = delete;
    OwnerOnly& operator=(const OwnerOnly&) = delete;

    /// nullptr if the system does not tell the current user.
    SECURITY_ATTRIBUTES* attributes() { return made_ ? &attributes_ : nullptr; }

private:
    std::vector<unsigned char> user_;
    std::vector<unsigned char> list_;
    SECURITY_DESCRIPTOR descriptor_{};
    SECURITY_ATTRIBUTES attributes_{sizeof(SECURITY_ATTRIBUTES), &descriptor_, FALSE};
    bool made_ = false;
};

bool is_reparse_point(const std::filesystem::path& path) {
    const DWORD attributes = GetFileAttributesW(path.c_str());
    return attributes != INVALID_FILE_ATTRIBUTES &&
           (attributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0;
}

bool is_folder(const std::filesystem::path& path) {
    const DWORD attributes = GetFileAttributesW(path.c_str());
    return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
}

HANDLE open_handle(const std::filesystem::path& path, FileAccess access) {
    // Does not open the target of a link, but the link itself.
    constexpr DWORD flags = FILE_ATTRIBUTE_NORMAL | FILE_FLAG_OPEN_REPARSE_POINT;
    if (access == FileAccess::read)
        return CreateFileW(path.c_str(), GENERIC_READ,
                           FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
                           OPEN_EXISTING, flags, nullptr);
    OwnerOnly security;
    if (security.attributes() == nullptr) return INVALID_HANDLE_VALUE;
    return CreateFileW(path.c_str(), GENERIC_READ | GENERIC_WRITE,
                       FILE_SHARE_READ | FILE_SHARE_WRITE, security.attributes(),
                       access == FileAccess::create ? CREATE_NEW : OPEN_ALWAYS, flags, nullptr);
}

/// Why an open file must not be used; empty if it may.
const char* refusal(HANDLE file, FileAccess access) {
    BY_HANDLE_FILE_INFORMATION information{};
    if (GetFileType(file) != FILE_TYPE_DISK ||
        GetFileInformationByHandle(file, &information) == 0 ||
        (information.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0)
        return is_not_regular;
    if ((information.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0) return is_link;
    if (access != FileAccess::read && information.nNumberOfLinks > 1) return has_second_name;
    return "";
}

HANDLE handle_of(int descriptor) { return reinterpret_cast<HANDLE>(_get_osfhandle(descriptor)); }

} // namespace

bool create_private_folder(const std::filesystem::path& folder, std::error_code& error) {
    error.clear();
    OwnerOnly security;
    if (security.attributes() != nullptr &&
        CreateDirectoryW(folder.c_str(), security.attributes()) != 0)
        return true;
    if (GetLastError() != ERROR_ALREADY_EXISTS) error = last_error();
    return false;
}

void make_private(const std::filesystem::path& /*folder*/) noexcept {}

void sync_folder(const std::filesystem::path& /*folder*/) noexcept {}

// ---- the folder of a file -----------------------------------------------------------------------

ParentFolder::ParentFolder(const std::filesystem::path& folder, const std::filesystem::path& name,
                           Folders folders) {
    if (!is_name_in_folder(name)) {
        reason_ = leads_out;
        return;
    }
    path_ = folder;
    for (const std::filesystem::path& part : name.parent_path()) {
        path_ /= part;
        std::error_code error;
        if (folders == Folders::create) create_private_folder(path_, error);
        if (is_reparse_point(path_)) {
            reason_ = has_link;
            return;
        }
    }
    is_open_ = is_folder(path_.empty() ? std::filesystem::path(".") : path_);
    if (!is_open_) error_ = std::make_error_code(std::errc::no_such_file_or_directory);
}

ParentFolder::~ParentFolder() = default;

FolderFile ParentFolder::open(const std::filesystem::path& name, FileAccess access) const {
    const std::filesystem::path path = path_ / name;
    HANDLE const handle = open_handle(path, access);
    if (handle == INVALID_HANDLE_VALUE) {
        const std::error_code error = last_error();
        if (access != FileAccess::create && is_reparse_point(path))
            return FolderFile(std::string(is_link));
        return FolderFile(error);
    }
    if (const char* const refused = refusal(handle, access); *refused != '\0') {
        CloseHandle(handle);
        return FolderFile(std::string(refused));
    }
    const int flags = access == FileAccess::read ? _O_RDONLY : _O_APPEND;
    const int opened = _open_osfhandle(reinterpret_cast<std::intptr_t>(handle), flags);
    if (opened >= 0) return FolderFile(opened);
    CloseHandle(handle);
    return FolderFile(std::make_error_code(std::errc::too_many_files_open));
}

void ParentFolder::remove(const std::filesystem::path& name) const {
    DeleteFileW((path_ / name).c_str());
}

std::error_code ParentFolder::rename(const std::filesystem::path& from,
                                     const std::filesystem::path& to) const {
    if (MoveFileExW((path_ / from).c_str(), (path_ / to).c_str(),
                    MOVEFILE_REPLACE_EXISTING | MOVEFILE_COPY_ALLOWED) != 0)
        return {};
    return last_error();
}

// ---- an open file -------------------------------------------------------------------------------

std::optional<std::uintmax_t> FolderFile::size() const {
    const std::int64_t size = _filelengthi64(descriptor_);
    if (size < 0) return std::nullopt;
    return static_cast<std::uintmax_t>(size);
}

std::size_t FolderFile::read(std::uintmax_t offset, char* bytes, std::size_t size) const {
    constexpr std::size_t max = std::numeric_limits<int>::max();
    if (_lseeki64(descriptor_, static_cast<std::int64_t>(offset), SEEK_SET) < 0) return 0;
    const int count = _read(descriptor_, bytes, static_cast<unsigned>(std::min(size, max)));
    return count < 0 ? 0 : static_cast<std::size_t>(count);
}

bool FolderFile::write(std::string_view bytes) const {
    constexpr std::size_t max = std::numeric_limits<int>::max();
    while (!bytes.empty()) {
        const int count =
            _write(descriptor_, bytes.data(), static_cast<unsigned>(std::min(bytes.size(), max)));
        if (count <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
}

bool FolderFile::cut(std::uintmax_t size) const {
    return _chsize_s(descriptor_, static_cast<std::int64_t>(size)) == 0;
}

bool FolderFile::sync() const {
    if (FlushFileBuffers(handle_of(descriptor_)) != 0) return true;
    const DWORD error = GetLastError();
    return error == ERROR_INVALID_FUNCTION || error == ERROR_NOT_SUPPORTED; // some network drives
}

void FolderFile::close() {
    if (descriptor_ >= 0) _close(std::exchange(descriptor_, -1));
}

} // namespace eyehand::base
