// The folder that contains a file, for several operations on it.
#pragma once

#include "eyehand/base/folder_file.hpp"

#include <filesystem>
#include <string>
#include <system_error>

namespace eyehand::base {

class ParentFolder {
public:
    /// The folder of `folder`/`name`; see `is_open`.
    ParentFolder(const std::filesystem::path& folder, const std::filesystem::path& name,
                 Folders folders);
    ~ParentFolder();
    ParentFolder(const ParentFolder&) = delete;
    ParentFolder& operator=(const ParentFolder&) = delete;

    [[nodiscard]] bool is_open() const { return is_open_; }
    /// Why it is not open; empty: any reason of the system.
    [[nodiscard]] const std::string& reason() const { return reason_; }
    [[nodiscard]] const std::error_code& error() const { return error_; }

    // `name` is the last part of a name.
    [[nodiscard]] FolderFile open(const std::filesystem::path& name, FileAccess access) const;
    /// Removes a file, if it exists and this is possible; does not follow a link.
    void remove(const std::filesystem::path& name) const;
    [[nodiscard]] std::error_code rename(const std::filesystem::path& from,
                                         const std::filesystem::path& to) const;

private:
    bool is_open_ = false;
    std::string reason_;
    std::error_code error_;
#ifdef _WIN32
    std::filesystem::path path_;
#else
    int descriptor_ = -1;
#endif
};

// The reasons of refusals.
inline constexpr const char* leads_out = "its name leads out of the folder";
inline constexpr const char* is_link =
    "it is a link, but only regular files of the folder are used; put the file itself there";
inline constexpr const char* has_link =
    "one of its folders is a link, but only files of the folder itself are used";
inline constexpr const char* is_not_regular = "it is not a regular file";
inline constexpr const char* has_second_name =
    "it has a second name (a hard link), whose file would change, too; copy the file";

} // namespace eyehand::base
