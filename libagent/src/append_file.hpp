// A file that only grows, by whole entries.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

namespace agent {

/// Unbuffered: what `append` was given is with the system when it returns. (A stream would keep
/// what it could not write and write it again later, behind the half that made it.)
class AppendFile {
public:
    AppendFile() = default;
    /// Creates or continues `file`; see `is_open`.
    explicit AppendFile(const std::filesystem::path& file);
    ~AppendFile();
    AppendFile(AppendFile&&) noexcept;
    AppendFile& operator=(AppendFile&&) noexcept;

    [[nodiscard]] bool is_open() const { return handle_ != nullptr; }
    /// False when the entry could not be written whole; then what was written of it is taken back
    /// where the system allows.
    [[nodiscard]] bool append(std::string_view entry);

private:
    struct Handle;
    std::unique_ptr<Handle> handle_;
};

} // namespace agent
