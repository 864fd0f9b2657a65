// A file that grows by complete entries.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace eyehand::agent {

/// Unbuffered: the system has the entry when `append` returns. (A stream would keep data that it
/// could not write, and write it again after the part that was written.)
class AppendFile {
public:
    AppendFile() = default;
    enum class Writers {
        any,   ///< other writers may open the file, too
        alone, ///< while it is open, opening it again as `alone` fails, in any process
    };
    /// Creates or continues the file `name` in `folder`, which must be a regular file without other
    /// names, not a link; makes it private. See `is_open`.
    AppendFile(const std::filesystem::path& folder, const std::filesystem::path& name,
               Writers writers = Writers::any);
    ~AppendFile();
    AppendFile(AppendFile&&) noexcept;
    AppendFile& operator=(AppendFile&&) noexcept;

    [[nodiscard]] bool is_open() const { return handle_ != nullptr; }
    /// Whether it is not open because another writer has it as `Writers::alone`. (On Windows, a
    /// reader can also prevent writing; then the file is neither open nor taken.)
    [[nodiscard]] bool is_taken() const { return taken_; }
    /// Why it is not open, as a clause such as "it is a link"; empty: any reason of the system.
    [[nodiscard]] const std::string& reason() const { return reason_; }
    /// Whether the file is open as `Writers::alone` now, in any process.
    [[nodiscard]] static bool is_locked(const std::filesystem::path& folder,
                                        const std::filesystem::path& name);
    /// Shortens the file to its first `size` bytes; returns false if the system refuses.
    [[nodiscard]] bool cut(std::uintmax_t size);
    /// Returns false if the entry could not be written completely; then the written part is removed
    /// if the system allows it.
    [[nodiscard]] bool append(std::string_view entry);
    /// Returns when the disk has all entries, so that they survive a power failure; false if it does
    /// not accept them. The first call also stores the name of the file.
    [[nodiscard]] bool sync();

private:
    struct Handle;
    std::unique_ptr<Handle> handle_;
    bool taken_ = false;
    std::string reason_;
};

} // namespace eyehand::agent
