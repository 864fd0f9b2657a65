#include "cassette_file.hpp"

#include "eyehand/vlm/cassette.hpp"
#include "eyehand/vlm/digest.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <limits>
#include <sstream>
#include <system_error>
#include <utility>

#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#include <sys/stat.h>
#else
#include <fcntl.h>
#include <unistd.h>
#endif

namespace eyehand::vlm::cassette {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& path, std::string_view why,
                         const std::error_code& reason) {
    throw CassetteError((text_of(path) + " ").append(why) + ": " + reason.message());
}

std::error_code last_error() { return {errno, std::generic_category()}; }

// The same calls on both systems. They return -1 on failure; `last_error` has the reason.
#ifdef _WIN32
int create(const std::filesystem::path& path) {
    return _wopen(path.c_str(), _O_WRONLY | _O_CREAT | _O_EXCL | _O_BINARY | _O_NOINHERIT,
                  _S_IREAD | _S_IWRITE);
}
int write_some(int file, std::string_view text) {
    constexpr std::size_t max = std::numeric_limits<int>::max();
    return _write(file, text.data(), static_cast<unsigned>(std::min(text.size(), max)));
}
int flush(int file) { return _commit(file); }
void close_file(int file) { _close(file); }
#else
int create(const std::filesystem::path& path) {
    return ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}
ssize_t write_some(int file, std::string_view text) {
    ssize_t written = 0;
    do written = ::write(file, text.data(), text.size());
    while (written < 0 && errno == EINTR);
    return written;
}
int flush(int file) { return ::fsync(file); }
void close_file(int file) { ::close(file); }
#endif

bool has_bytes(const std::filesystem::path& file, std::span<const std::uint8_t> bytes,
               const std::string& sha256) {
    std::error_code error;
    return std::filesystem::file_size(file, error) == bytes.size() && !error &&
           sha256_hex(read_file(file)) == sha256;
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
    : path_(std::move(path)), descriptor_(create(path_)) {
    if (descriptor_ < 0) refuse(path_, "cannot be created", last_error());
}

GrowingFile::~GrowingFile() { close_file(descriptor_); }

void GrowingFile::append(std::string_view text) {
    while (!text.empty()) {
        const auto written = write_some(descriptor_, text);
        if (written <= 0) refuse(path_, "cannot be written", last_error());
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    if (flush(descriptor_) != 0) refuse(path_, "cannot be written", last_error());
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
    std::filesystem::create_directory(file.parent_path(), error);
    if (error) refuse(file.parent_path(), "cannot be created", error);
    std::filesystem::path unfinished = file;
    unfinished += ".new";
    std::filesystem::remove(unfinished, error); // left by a program that crashed
    GrowingFile(unfinished).append({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    std::filesystem::rename(unfinished, file, error);
    if (error) refuse(file, "cannot be written", error);
}

} // namespace eyehand::vlm::cassette
