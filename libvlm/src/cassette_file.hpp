// Files of cassettes: what is written is on the disk when the call returns.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace eyehand::vlm::cassette {

/// For messages, in UTF-8: std::filesystem's own text is in the code page on Windows.
[[nodiscard]] std::string text_of(const std::filesystem::path& path);

/// All of a file. Throws CassetteError.
[[nodiscard]] std::string read_file(const std::filesystem::path& path);

/// A new file that only grows.
class GrowingFile {
public:
    /// Throws CassetteError if it is there already.
    explicit GrowingFile(std::filesystem::path path);
    ~GrowingFile();
    GrowingFile(const GrowingFile&) = delete;
    GrowingFile& operator=(const GrowingFile&) = delete;

    /// Throws CassetteError; then a part may have been written.
    void append(std::string_view text);

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
    int descriptor_;
};

/// The folder beside a cassette.
[[nodiscard]] std::filesystem::path image_folder(const std::filesystem::path& cassette);
/// "SHA256.png" and the like.
[[nodiscard]] std::string image_name(const std::string& sha256, std::string_view media_type);

/// Writes a file under another name first, so that under its own it is always whole; leaves it
/// alone if it is there already with these bytes, which have the hash `sha256`. Throws
/// CassetteError.
void store_image(const std::filesystem::path& file, std::span<const std::uint8_t> bytes,
                 const std::string& sha256);

} // namespace eyehand::vlm::cassette
