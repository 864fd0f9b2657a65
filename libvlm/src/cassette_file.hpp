// Files of cassettes. They are private, and written data is on the disk when the call returns.
#pragma once

#include "eyehand/base/folder_file.hpp"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace eyehand::vlm::cassette {

/// A path in UTF-8, for messages: std::filesystem's own text uses the code page on Windows.
[[nodiscard]] std::string text_of(const std::filesystem::path& path);

/// Reads a whole file. Throws CassetteError.
[[nodiscard]] std::string read_file(const std::filesystem::path& path);

/// A new file that can only be appended to.
class GrowingFile {
public:
    /// Throws CassetteError if the file exists or cannot be created.
    explicit GrowingFile(std::filesystem::path path);
    GrowingFile(const GrowingFile&) = delete;
    GrowingFile& operator=(const GrowingFile&) = delete;

    /// Throws CassetteError; a part of the text may have been written then.
    void append(std::string_view text);

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
    base::FolderFile file_;
};

/// The folder of a cassette's images, next to the cassette.
[[nodiscard]] std::filesystem::path image_folder(const std::filesystem::path& cassette);
/// "SHA256.png" and the like.
[[nodiscard]] std::string image_name(const std::string& sha256, std::string_view media_type);

/// Writes an image under a temporary name and renames it, so that `file` is always complete. Does
/// nothing if `file` already has these bytes, whose hash is `sha256`. Throws CassetteError.
void store_image(const std::filesystem::path& file, std::span<const std::uint8_t> bytes,
                 const std::string& sha256);

} // namespace eyehand::vlm::cassette
