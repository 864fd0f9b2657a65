// Files in a folder that may come from another user: a file may be a link out of the folder, a pipe
// without a writer, or infinite. New files and folders are private, because they may contain
// screenshots and typed passwords.
//
//     if (const auto bytes = read_in_folder(run_directory, "run.json", max_bytes)) ...
//     FileProblem problem;
//     if (!replace_in_folder(run_directory, "run.json", "run.json.new", text, {}, problem)) ...
//
// All functions follow links in the path of `folder`, which the user has named, but none in `name`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <istream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace eyehand::base {

/// Whether `name` is the name of a file below a folder: relative, and without parts such as "..".
[[nodiscard]] bool is_name_in_folder(const std::filesystem::path& name);

/// Creates a folder that only the current user can access, whatever the umask; on Windows, with an
/// access control list that its files inherit. Returns false if it exists, and sets `error` if it
/// cannot be created.
bool create_private_folder(const std::filesystem::path& folder, std::error_code& error);
/// Removes the access of other users to an existing folder, if this is possible. Does nothing on
/// Windows.
void make_private(const std::filesystem::path& folder) noexcept;

enum class FileAccess {
    read,
    append, ///< to an existing or a new file
    create, ///< a new file
};
/// Whether missing folders in the name of a new file are created.
enum class Folders { existing, create };

/// Why a file cannot be used.
struct FileProblem {
    std::filesystem::path file{};
    std::string reason{}; ///< a clause, such as "it is a link"; empty: any reason of the system
};

/// An open regular file. A new file is private. An existing one becomes private when it is opened
/// to append to it; it must not have a second name (a hard link), whose file would change, too.
class FolderFile {
public:
    FolderFile() = default;
    /// See `is_open`.
    FolderFile(const std::filesystem::path& folder, const std::filesystem::path& name,
               FileAccess access, Folders folders = Folders::existing);
    ~FolderFile() { close(); }
    FolderFile(FolderFile&& other) noexcept;
    FolderFile& operator=(FolderFile&& other) noexcept;

    [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }
    /// Why it is not open; empty: see `error`.
    [[nodiscard]] const std::string& reason() const { return reason_; }
    /// The system's reason why it is not open, if `reason` is empty.
    [[nodiscard]] const std::error_code& error() const { return error_; }
    /// A descriptor of the C runtime. Programs that this process starts do not inherit it.
    [[nodiscard]] int descriptor() const { return descriptor_; }
    /// The current size; nothing if the system cannot tell it.
    [[nodiscard]] std::optional<std::uintmax_t> size() const;
    /// Reads at most `size` bytes from `offset` on; returns 0 at the end and on errors.
    [[nodiscard]] std::size_t read(std::uintmax_t offset, char* bytes, std::size_t size) const;
    /// Returns false if not all bytes could be written.
    [[nodiscard]] bool write(std::string_view bytes) const;
    /// Shortens the file to its first `size` bytes.
    [[nodiscard]] bool cut(std::uintmax_t size) const;
    /// Returns when the disk has all written bytes; false if it does not accept them. A file system
    /// that cannot do this counts as a disk that has them.
    [[nodiscard]] bool sync() const;
    void close();

private:
    friend class ParentFolder;
    explicit FolderFile(int descriptor) : descriptor_(descriptor) {}
    explicit FolderFile(std::string reason) : reason_(std::move(reason)) {}
    explicit FolderFile(std::error_code error) : error_(error) {}

    int descriptor_ = -1;
    std::string reason_{};
    std::error_code error_{};
};

/// Writes the names of the files in a folder to the disk, if the system supports it: otherwise, a
/// new file may be missing after a power failure.
void sync_folder(const std::filesystem::path& folder) noexcept;

/// The size of a file; nothing if it cannot be read or exceeds `max_bytes`.
[[nodiscard]] std::optional<std::uintmax_t> size_in_folder(const std::filesystem::path& folder,
                                                           const std::filesystem::path& name,
                                                           std::uintmax_t max_bytes);
/// The content of a file; nothing if it cannot be read or exceeds `max_bytes`.
[[nodiscard]] std::optional<std::string> read_in_folder(const std::filesystem::path& folder,
                                                        const std::filesystem::path& name,
                                                        std::uintmax_t max_bytes);
/// A stream of a file that may grow, with its first `max_bytes` bytes; nullptr if the file cannot be
/// read or is larger already.
[[nodiscard]] std::unique_ptr<std::istream> open_in_folder(const std::filesystem::path& folder,
                                                           const std::filesystem::path& name,
                                                           std::uintmax_t max_bytes);

/// Writes a file that does not exist yet. On failure, returns false, sets `problem`, and leaves no
/// part of the file.
[[nodiscard]] bool create_in_folder(const std::filesystem::path& folder,
                                    const std::filesystem::path& name, std::string_view bytes,
                                    Folders folders, FileProblem& problem);
/// When the disk has a file that was replaced.
enum class Durability {
    eventual,  ///< when the system writes it; after a power failure before that, it may be empty
    immediate, ///< before it has its name
};

/// Writes a file under the name `temporary`, which is in the folder of `name`, and renames it, so
/// that readers see either the old or the new file. On failure, returns false, sets `problem`, and
/// leaves the old file.
[[nodiscard]] bool replace_in_folder(const std::filesystem::path& folder,
                                     const std::filesystem::path& name,
                                     const std::filesystem::path& temporary, std::string_view bytes,
                                     Folders folders, FileProblem& problem,
                                     Durability durability = Durability::eventual);

} // namespace eyehand::base
