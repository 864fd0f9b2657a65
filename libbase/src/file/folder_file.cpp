#include "eyehand/base/folder_file.hpp"

#include "file/parent_folder.hpp"

#include <algorithm>
#include <array>
#include <streambuf>
#include <utility>
#include <vector>

namespace eyehand::base {
namespace {

/// The parts of a name that Windows resolves to another one.
bool is_ambiguous([[maybe_unused]] const std::filesystem::path& part) {
#ifdef _WIN32
    // "a:b" is a stream of the file "a"; dots and spaces at the end are ignored.
    const std::wstring& text = part.native();
    return text.find(L':') != std::wstring::npos || text.back() == L'.' || text.back() == L' ';
#else
    return false;
#endif
}

/// Reads a file in blocks, up to a limit.
class FileBuffer final : public std::streambuf {
public:
    FileBuffer(FolderFile file, std::uintmax_t max_bytes)
        : file_(std::move(file)), max_bytes_(max_bytes), block_(block_bytes) {}

protected:
    int_type underflow() override {
        const auto left =
            static_cast<std::size_t>(std::min<std::uintmax_t>(max_bytes_ - next_, block_.size()));
        const std::size_t read = file_.read(next_, block_.data(), left);
        next_ += read;
        setg(block_.data(), block_.data(), block_.data() + read);
        return read == 0 ? traits_type::eof() : traits_type::to_int_type(block_.front());
    }
    pos_type seekoff(off_type offset, std::ios_base::seekdir from,
                     std::ios_base::openmode which) override {
        const auto here = static_cast<off_type>(next_) - (egptr() - gptr());
        if (from == std::ios_base::cur) offset += here;
        if (from == std::ios_base::end) return pos_type(off_type(-1)); // the end may move
        return seekpos(pos_type(offset), which);
    }
    pos_type seekpos(pos_type position, std::ios_base::openmode /*which*/) override {
        const off_type offset = position;
        if (offset < 0 || static_cast<std::uintmax_t>(offset) > max_bytes_)
            return pos_type(off_type(-1));
        next_ = static_cast<std::uintmax_t>(offset);
        setg(block_.data(), block_.data(), block_.data());
        return position;
    }

private:
    static constexpr std::size_t block_bytes = 65536;
    FolderFile file_;
    std::uintmax_t max_bytes_;
    std::uintmax_t next_ = 0; ///< the offset of the byte after the block
    std::vector<char> block_;
};

/// Constructed before the stream that uses it.
struct OwnedBuffer {
    FileBuffer buffer;
};

class FileStream final : private OwnedBuffer, public std::istream {
public:
    FileStream(FolderFile file, std::uintmax_t max_bytes)
        : OwnedBuffer{FileBuffer(std::move(file), max_bytes)}, std::istream(&buffer) {}
};

bool set_problem(FileProblem& problem, std::filesystem::path file, std::string reason) {
    problem = {std::move(file), std::move(reason)};
    return false;
}

/// Writes a new file; on failure, removes its part.
bool write_new(const ParentFolder& parent, const std::filesystem::path& name,
               std::string_view bytes, std::string& reason,
               Durability durability = Durability::eventual) {
    FolderFile file = parent.open(name, FileAccess::create);
    reason = file.reason();
    if (!file.is_open()) return false;
    const bool written = file.write(bytes) && (durability == Durability::eventual || file.sync());
    file.close();
    if (!written) parent.remove(name);
    return written;
}

} // namespace

bool is_name_in_folder(const std::filesystem::path& name) {
    if (name.empty() || !name.is_relative() || name.has_root_name() || name.has_root_directory())
        return false;
    return std::none_of(name.begin(), name.end(), [](const std::filesystem::path& part) {
        return part.empty() || part == "." || part == ".." || is_ambiguous(part);
    });
}

FolderFile::FolderFile(FolderFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), reason_(std::move(other.reason_)),
      error_(other.error_) {}

FolderFile& FolderFile::operator=(FolderFile&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    std::swap(reason_, other.reason_);
    std::swap(error_, other.error_);
    return *this;
}

FolderFile::FolderFile(const std::filesystem::path& folder, const std::filesystem::path& name,
                       FileAccess access, Folders folders) {
    const ParentFolder parent(folder, name, folders);
    if (parent.is_open()) {
        *this = parent.open(name.filename(), access);
    } else {
        reason_ = parent.reason();
        error_ = parent.error();
    }
}

std::optional<std::uintmax_t> size_in_folder(const std::filesystem::path& folder,
                                             const std::filesystem::path& name,
                                             std::uintmax_t max_bytes) {
    const FolderFile file(folder, name, FileAccess::read);
    auto size = file.is_open() ? file.size() : std::nullopt;
    if (size && *size > max_bytes) size.reset();
    return size;
}

std::optional<std::string> read_in_folder(const std::filesystem::path& folder,
                                          const std::filesystem::path& name,
                                          std::uintmax_t max_bytes) {
    const FolderFile file(folder, name, FileAccess::read);
    const auto size = file.is_open() ? file.size() : std::nullopt;
    if (!size || *size > max_bytes) return std::nullopt;
    std::string bytes;
    bytes.reserve(static_cast<std::size_t>(*size));
    std::array<char, 65536> some{};
    while (const std::size_t read = file.read(bytes.size(), some.data(), some.size())) {
        bytes.append(some.data(), read);
        if (bytes.size() > max_bytes) return std::nullopt; // it grows
    }
    return bytes;
}

std::unique_ptr<std::istream> open_in_folder(const std::filesystem::path& folder,
                                             const std::filesystem::path& name,
                                             std::uintmax_t max_bytes) {
    FolderFile file(folder, name, FileAccess::read);
    const auto size = file.is_open() ? file.size() : std::nullopt;
    if (!size || *size > max_bytes) return nullptr;
    return std::make_unique<FileStream>(std::move(file), max_bytes);
}

bool create_in_folder(const std::filesystem::path& folder, const std::filesystem::path& name,
                      std::string_view bytes, Folders folders, FileProblem& problem) {
    const ParentFolder parent(folder, name, folders);
    if (!parent.is_open()) return set_problem(problem, folder / name, parent.reason());
    std::string reason;
    if (write_new(parent, name.filename(), bytes, reason)) return true;
    return set_problem(problem, folder / name, reason);
}

bool replace_in_folder(const std::filesystem::path& folder, const std::filesystem::path& name,
                       const std::filesystem::path& temporary, std::string_view bytes,
                       Folders folders, FileProblem& problem, Durability durability) {
    const ParentFolder parent(folder, name, folders);
    const std::filesystem::path next = folder / name.parent_path() / temporary;
    if (!parent.is_open()) return set_problem(problem, next, parent.reason());
    parent.remove(temporary); // left by a process that was killed
    std::string reason;
    if (!write_new(parent, temporary, bytes, reason, durability))
        return set_problem(problem, next, reason);
    const std::error_code error = parent.rename(temporary, name.filename());
    if (!error) return true;
    parent.remove(temporary);
    return set_problem(problem, folder / name, error.message());
}

} // namespace eyehand::base
