// A file that only grows, by whole entries.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>

namespace eyehand::agent {

/// Unbuffered: what `append` was given is with the system when it returns. (A stream would keep
/// what it could not write and write it again later, behind the half that made it.)
class AppendFile {
public:
    AppendFile() = default;
    enum class Writers {
        any,   ///< others may write to the file, too
        alone, ///< while it is open, a second attempt to open it so fails, in any process
    };
    /// Creates or continues `file`; see `is_open`.
    explicit AppendFile(const std::filesystem::path& file, Writers writers = Writers::any);
    ~AppendFile();
    AppendFile(AppendFile&&) noexcept;
    AppendFile& operator=(AppendFile&&) noexcept;

    [[nodiscard]] bool is_open() const { return handle_ != nullptr; }
    /// Why it is not open: another one has it as `Writers::alone`. (On Windows a reader can prevent
    /// writing, too; then it is not open, and not taken.)
    [[nodiscard]] bool is_taken() const { return taken_; }
    /// `file` is open as `Writers::alone` now, in any process.
    [[nodiscard]] static bool is_locked(const std::filesystem::path& file);
    /// Cuts the file to its first `size` bytes; false when the system refuses.
    [[nodiscard]] bool cut(std::uintmax_t size);
    /// False when the entry could not be written whole; then what was written of it is taken back
    /// where the system allows.
    [[nodiscard]] bool append(std::string_view entry);

private:
    struct Handle;
    std::unique_ptr<Handle> handle_;
    bool taken_ = false;
};

} // namespace eyehand::agent
