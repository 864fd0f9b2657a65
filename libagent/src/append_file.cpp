#include "append_file.hpp"

#include <cstdio>
#include <utility>

namespace agent {
namespace {

struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

File open_unbuffered(const std::filesystem::path& path) {
#ifdef _WIN32
    File file(_wfopen(path.c_str(), L"ab"));
#else
    File file(std::fopen(path.c_str(), "ab"));
#endif
    if (file && std::setvbuf(file.get(), nullptr, _IONBF, 0) != 0) file.reset();
    return file;
}

} // namespace

struct AppendFile::Handle {
    std::filesystem::path path;
    File file;
};

AppendFile::AppendFile(const std::filesystem::path& file) {
    if (File opened = open_unbuffered(file)) {
        handle_ = std::make_unique<Handle>(Handle{file, std::move(opened)});
    }
}

AppendFile::~AppendFile() = default;
AppendFile::AppendFile(AppendFile&&) noexcept = default;
AppendFile& AppendFile::operator=(AppendFile&&) noexcept = default;

bool AppendFile::append(std::string_view entry) {
    if (!handle_) return false;
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(handle_->path, error);
    if (error) return false; // the file is gone: what is written would be lost with the handle
    if (std::fwrite(entry.data(), 1, entry.size(), handle_->file.get()) == entry.size())
        return true;
    std::filesystem::resize_file(handle_->path, size, error); // best effort, see the header
    return false;
}

} // namespace agent
