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
        alone, ///< nobody else may open it so, in this process or another one, while it is open
    };
    /// Creates or continues `file`; see `is_open`.
    explicit AppendFile(const std::filesystem::path& file, Writers writers = Writers::any);
    ~AppendFile();
    AppendFile(AppendFile&&) noexcept;
    AppendFile& operator=(AppendFile&&) noexcept;

    [[nodiscard]] bool is_open() const { return handle_ != nullptr; }
    /// Why it is not open: somebody has it alone. (On Windows a reader, too, may keep others from
    /// writing; then it is merely not open.)
    [[nodiscard]] bool is_taken() const { return taken_; }
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
