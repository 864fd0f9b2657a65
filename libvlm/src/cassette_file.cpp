#include "cassette_file.hpp"

#include "eyehand/vlm/cassette.hpp"
#include "eyehand/vlm/digest.hpp"

#include <array>
#include <cerrno>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

namespace eyehand::vlm::cassette {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& path, std::string_view why,
                         const std::error_code& reason) {
    throw CassetteError((text_of(path) + " ").append(why) + ": " + reason.message());
}

std::error_code last_error() { return {errno, std::generic_category()}; }

/// The reason of an attempt to open a file that failed.
[[noreturn]] void refuse(const std::filesystem::path& path, std::string_view why,
                         const base::FolderFile& file) {
    if (file.reason().empty()) refuse(path, why, file.error());
    throw CassetteError((text_of(path) + " ").append(why) + ": " + file.reason());
}

bool has_bytes(const std::filesystem::path& file, std::span<const std::uint8_t> bytes,
               const std::string& sha256) {
    const auto there = base::read_in_folder(file.parent_path(), file.filename(), bytes.size());
    return there && there->size() == bytes.size() && sha256_hex(*there) == sha256;
}

} // namespace

std::string text_of(const std::filesystem::path& path) {
    const std::u8string text = path.generic_u8string();
    return {text.begin(), text.end()};
}

std::string read_file(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) refuse(path, "cannot be opened", last_error());
    std::ostringstream bytes;
    bytes << in.rdbuf();
    // An empty file sets the failbit of `bytes`, so only badbit counts.
    if (in.bad() || bytes.bad()) refuse(path, "cannot be read", last_error());
    return std::move(bytes).str();
}

GrowingFile::GrowingFile(std::filesystem::path path)
    : path_(std::move(path)),
      file_(path_.parent_path(), path_.filename(), base::FileAccess::create) {
    if (!file_.is_open()) refuse(path_, "cannot be created", file_);
}

void GrowingFile::append(std::string_view text) {
    errno = 0;
    if (!file_.write(text) || !file_.sync()) refuse(path_, "cannot be written", last_error());
}

std::filesystem::path image_folder(const std::filesystem::path& cassette) {
    std::filesystem::path folder = cassette;
    folder += ".images";
    return folder;
}

std::string image_name(const std::string& sha256, std::string_view media_type) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 4> endings{
        {{"image/png", ".png"},
         {"image/jpeg", ".jpg"},
         {"image/webp", ".webp"},
         {"image/gif", ".gif"}}};
    for (const auto& [type, ending] : endings)
        if (type == media_type) return sha256 + std::string(ending);
    return sha256 + ".bin";
}

void store_image(const std::filesystem::path& file, std::span<const std::uint8_t> bytes,
                 const std::string& sha256) {
    if (has_bytes(file, bytes, sha256)) return;
    std::error_code error;
    base::create_private_folder(file.parent_path(), error);
    if (error) refuse(file.parent_path(), "cannot be created", error);
    std::filesystem::path unfinished = file;
    unfinished += ".new";
    std::filesystem::remove(unfinished, error); // left by a program that crashed
    GrowingFile(unfinished).append({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    std::filesystem::rename(unfinished, file, error);
    if (error) refuse(file, "cannot be written", error);
}

} // namespace eyehand::vlm::cassette
