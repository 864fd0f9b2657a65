// A run directory on the disk.
#include "base/path_text.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/agent/run.hpp"
#include "record/append_file.hpp"
#include "record/lock_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <utility>

namespace eyehand::agent {
namespace {

constexpr std::string_view prefix = "run_";
constexpr const char* screenshots = "screenshots";

[[noreturn]] void refuse(const std::filesystem::path& file, std::string_view what,
                         std::string_view reason) {
    throw Error(errc::journal_failed, fmt::format("{} {}: {}", text_of(file), what, reason));
}

/// The highest number of a run in `parent`, or 0.
int highest_run(const std::filesystem::path& parent) {
    int highest = 0;
    std::error_code error;
    for (std::filesystem::directory_iterator it(parent, error), end; !error && it != end;
         it.increment(error)) {
        const std::string name = text_of(it->path().filename());
        if (!name.starts_with(prefix)) continue;
        int number = 0;
        const char* last = name.data() + name.size();
        const auto [stopped, bad] = std::from_chars(name.data() + prefix.size(), last, number);
        if (bad == std::errc{} && stopped == last) highest = std::max(highest, number);
    }
    return highest;
}

/// Removes an incomplete file if writing fails.
void write_file(const std::filesystem::path& file, std::string_view bytes) {
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    const bool opened = out.is_open();
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    out.close();
    if (out) return;
    std::error_code ignored; // the failed write is the error to report
    if (opened) std::filesystem::remove(file, ignored);
    refuse(file, "cannot be written", "is the folder writable and the disk not full?");
}

class FileStream final : public AppendStream {
public:
    FileStream(std::filesystem::path path, AppendFile file)
        : path_(std::move(path)), file_(std::move(file)) {}
    void append(std::string_view bytes) override {
        if (!file_.append(bytes)) refuse(path_, "cannot be written", "is the disk full?");
    }
    void cut(std::uint64_t size) override {
        if (!file_.cut(size)) refuse(path_, "cannot be cut", "does another program use it?");
    }

private:
    std::filesystem::path path_;
    AppendFile file_;
};

} // namespace

std::unique_ptr<AppendStream> lock_file(const std::filesystem::path& file) {
    AppendFile out(file, AppendFile::Writers::alone);
    if (out.is_taken())
        throw Error(errc::run_locked,
                    fmt::format("the run is still in progress: another program is writing {}",
                                text_of(file)));
    if (!out.is_open())
        throw Error(errc::journal_failed,
                    fmt::format("{} cannot be written: is the folder writable, and does no other "
                                "program use the file?",
                                text_of(file)));
    return std::make_unique<FileStream>(file, std::move(out));
}

RunDirectory::RunDirectory(std::filesystem::path path) : path_(std::move(path)) {}

RunDirectory RunDirectory::create(const std::filesystem::path& parent) {
    std::error_code error;
    std::filesystem::create_directories(parent, error);
    if (error) refuse(parent, "cannot be created", error.message());
    // The process that creates the folder has the number; others take the next one.
    for (int number = highest_run(parent) + 1;; ++number) {
        const std::filesystem::path path = parent / fmt::format("{}{:04}", prefix, number);
        if (std::filesystem::create_directory(path, error)) {
            std::filesystem::create_directory(path / screenshots, error);
            if (error) refuse(path / screenshots, "cannot be created", error.message());
            return RunDirectory(path);
        }
        if (error) refuse(path, "cannot be created", error.message());
    }
}

RunDirectory RunDirectory::open(const std::filesystem::path& path) {
    if (!std::filesystem::is_directory(path / screenshots))
        throw Error(errc::bad_run, fmt::format("{} is not a run directory: it has no folder \"{}\"",
                                               text_of(path), screenshots));
    return RunDirectory(path);
}

std::unique_ptr<AppendStream> RunDirectory::lock_journal() { return lock_file(journal_file()); }

bool RunDirectory::journal_is_locked() const { return AppendFile::is_locked(journal_file()); }

std::unique_ptr<AppendStream> RunDirectory::open_append(const std::string& name) {
    const std::filesystem::path file = path_ / path_of(name);
    AppendFile out(file);
    if (!out.is_open()) refuse(file, "cannot be written", "is the folder writable?");
    return std::make_unique<FileStream>(file, std::move(out));
}

/// The path of a file; creates its folder. The folder of screenshots is not created again: if it is
/// missing, the run directory is damaged.
std::filesystem::path RunDirectory::place_for(const std::string& name) const {
    const std::filesystem::path file = path_ / path_of(name);
    std::error_code error;
    if (file.parent_path() != path_ && file.parent_path() != path_ / screenshots)
        std::filesystem::create_directories(file.parent_path(), error);
    if (error) refuse(file.parent_path(), "cannot be created", error.message());
    return file;
}

void RunDirectory::create(const std::string& name, std::string_view bytes) {
    write_file(place_for(name), bytes);
}

void RunDirectory::replace(const std::string& name, std::string_view bytes) {
    const std::filesystem::path file = place_for(name);
    std::filesystem::path next = file;
    next += ".new";
    write_file(next, bytes);
    std::error_code error;
    std::filesystem::rename(next, file, error);
    if (error) refuse(file, "cannot be written", error.message());
}

bool RunDirectory::contains(const std::string& name) const {
    std::error_code error;
    return std::filesystem::exists(path_ / path_of(name), error);
}

std::unique_ptr<std::istream> RunDirectory::open_read(const std::string& name) const {
    auto in = std::make_unique<std::ifstream>(path_ / path_of(name), std::ios::binary);
    if (!*in) return nullptr;
    return in;
}

} // namespace eyehand::agent
