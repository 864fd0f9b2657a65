// A run directory on the disk.
#include "base/path_text.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/agent/run.hpp"
#include "eyehand/base/folder_file.hpp"
#include "record/append_file.hpp"
#include "record/lock_file.hpp"
#include "record/run_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <functional>
#include <mutex>
#include <utility>

namespace eyehand::agent {
namespace {

constexpr std::string_view prefix = "run_";
constexpr const char* screenshots = "screenshots";

[[noreturn]] void refuse(const std::filesystem::path& file, std::string_view what,
                         std::string_view reason) {
    throw Error(errc::journal_failed, fmt::format("{} {}: {}", text_of(file), what, reason));
}

constexpr std::size_t max_digits = 9; // numbers below 2^31

/// The reason of a failed write.
std::string reason_of(const base::FileProblem& problem) {
    return problem.reason.empty() ? "is the folder writable and the disk not full?"
                                  : problem.reason;
}

/// The size of a file in bytes; 0 if it cannot be read.
std::int64_t size_of(const std::filesystem::path& file) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(std::filesystem::symlink_status(file, error))) return 0;
    const std::uintmax_t size = std::filesystem::file_size(file, error);
    return error ? 0 : static_cast<std::int64_t>(size);
}

std::int64_t size_of_files_in(const std::filesystem::path& folder) {
    std::int64_t sum = 0;
    std::error_code error;
    for (std::filesystem::recursive_directory_iterator it(folder, error), end; !error && it != end;
         it.increment(error))
        sum += size_of(it->path());
    return sum;
}

} // namespace

/// The bytes in the files of a run directory. Thread-safe.
class RunDirectory::Size {
public:
    void add(std::int64_t bytes) { written_ += bytes; }
    /// The first call reads the sizes of the files.
    [[nodiscard]] std::uint64_t in(const std::filesystem::path& folder) {
        std::call_once(once_, [&] {
            const std::int64_t written = written_;
            existed_ = size_of_files_in(folder) - written;
        });
        return static_cast<std::uint64_t>(std::max<std::int64_t>(0, existed_ + written_));
    }

private:
    std::atomic<std::int64_t> written_ = 0; ///< through this directory; less what was removed
    std::once_flag once_;
    std::int64_t existed_ = 0;
};

namespace {

class FileStream final : public AppendStream {
public:
    /// `grown` receives the number of bytes by which the file has grown.
    FileStream(std::filesystem::path path, AppendFile file,
               std::function<void(std::int64_t)> grown = {})
        : path_(std::move(path)), file_(std::move(file)), grown_(std::move(grown)) {}
    void append(std::string_view bytes) override {
        if (!file_.append(bytes)) refuse(path_, "cannot be written", "is the disk full?");
        if (grown_) grown_(static_cast<std::int64_t>(bytes.size()));
    }
    void cut(std::uint64_t size) override {
        const std::int64_t before = size_of(path_);
        if (!file_.cut(size)) refuse(path_, "cannot be cut", "does another program use it?");
        if (grown_) grown_(size_of(path_) - before);
    }
    void sync() override {
        if (!file_.sync())
            refuse(path_, "cannot be written to the disk",
                   "is the disk full, damaged or disconnected?");
    }

private:
    std::filesystem::path path_;
    AppendFile file_;
    std::function<void(std::int64_t)> grown_;
};

} // namespace

namespace {

std::unique_ptr<AppendStream> lock_file(const std::filesystem::path& file,
                                        std::function<void(std::int64_t)> grown) {
    AppendFile out(file.parent_path(), file.filename(), AppendFile::Writers::alone);
    if (out.is_taken())
        throw Error(errc::run_locked,
                    fmt::format("the run is still in progress: another program is writing {}",
                                text_of(file)));
    if (!out.is_open())
        refuse(file, "cannot be written",
               out.reason().empty()
                   ? "is the folder writable, and does no other program use the file?"
                   : out.reason());
    return std::make_unique<FileStream>(file, std::move(out), std::move(grown));
}

} // namespace

std::unique_ptr<AppendStream> lock_file(const std::filesystem::path& file) {
    return lock_file(file, {});
}

std::optional<int> run_number(std::string_view folder) {
    if (!folder.starts_with(prefix)) return std::nullopt;
    const std::string_view digits = folder.substr(prefix.size());
    const bool is_number =
        !digits.empty() && digits.size() <= max_digits &&
        std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (!is_number) return std::nullopt;
    int number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number;
}

namespace {

/// The highest number of a run in `parent`, or 0.
int highest_run(const std::filesystem::path& parent) {
    int highest = 0;
    std::error_code error;
    for (std::filesystem::directory_iterator it(parent, error), end; !error && it != end;
         it.increment(error))
        highest = std::max(highest, run_number(text_of(it->path().filename())).value_or(0));
    return highest;
}

} // namespace

RunDirectory::RunDirectory(std::filesystem::path path)
    : path_(std::move(path)), size_(std::make_shared<Size>()) {}

RunDirectory RunDirectory::create(const std::filesystem::path& parent) {
    std::error_code error;
    std::filesystem::create_directories(parent, error);
    if (error) refuse(parent, "cannot be created", error.message());
    // The process that creates the folder has the number; others take the next one.
    for (int number = highest_run(parent) + 1;; ++number) {
        const std::filesystem::path path = parent / fmt::format("{}{:04}", prefix, number);
        if (!run_number(text_of(path.filename())))
            refuse(parent, "cannot contain another run",
                   fmt::format("{}{} has the highest number of a run; remove it or rename it",
                               prefix, number - 1));
        if (base::create_private_folder(path, error)) {
            base::create_private_folder(path / screenshots, error);
            if (error) refuse(path / screenshots, "cannot be created", error.message());
            return RunDirectory(path);
        }
        if (error) refuse(path, "cannot be created", error.message());
    }
}

RunDirectory RunDirectory::open(const std::filesystem::path& path) {
    if (!std::filesystem::is_directory(std::filesystem::symlink_status(path / screenshots)))
        throw Error(errc::bad_run, fmt::format("{} is not a run directory: it has no folder \"{}\"",
                                               text_of(path), screenshots));
    return RunDirectory(path);
}

std::unique_ptr<AppendStream> RunDirectory::lock_journal() {
    auto journal =
        lock_file(journal_file(), [size = size_](std::int64_t bytes) { size->add(bytes); });
    base::make_private(path_); // an earlier version may have created it
    return journal;
}

bool RunDirectory::journal_is_locked() const { return AppendFile::is_locked(path_, journal_name); }

std::unique_ptr<AppendStream> RunDirectory::open_append(const std::string& name) {
    const std::filesystem::path file = path_ / path_of(name);
    AppendFile out(path_, path_of(name));
    if (!out.is_open())
        refuse(file, "cannot be written",
               out.reason().empty() ? "does the folder exist, and is it writable?" : out.reason());
    return std::make_unique<FileStream>(file, std::move(out),
                                        [size = size_](std::int64_t bytes) { size->add(bytes); });
}

namespace {

/// The folder of screenshots is not created again: if it is missing, the run directory is damaged.
base::Folders folders_for(const std::filesystem::path& name) {
    return name.parent_path() == screenshots ? base::Folders::existing : base::Folders::create;
}

/// Without run.json, a run can neither be shown nor resumed. The many files in folders, such as the texts
/// of requests, would cost time in each turn.
base::Durability durability_of(const std::filesystem::path& name) {
    return name.has_parent_path() ? base::Durability::eventual : base::Durability::immediate;
}

} // namespace

void RunDirectory::create(const std::string& name, std::string_view bytes) {
    const std::filesystem::path file = path_of(name);
    base::FileProblem problem;
    if (!base::create_in_folder(path_, file, bytes, folders_for(file), problem))
        refuse(problem.file, "cannot be written", reason_of(problem));
    size_->add(static_cast<std::int64_t>(bytes.size()));
}

void RunDirectory::replace(const std::string& name, std::string_view bytes) {
    const std::filesystem::path file = path_of(name);
    std::filesystem::path next = file.filename();
    next += ".new";
    base::FileProblem problem;
    const std::int64_t before = size_of(path_ / file);
    if (!base::replace_in_folder(path_, file, next, bytes, folders_for(file), problem,
                                 durability_of(file)))
        refuse(problem.file, "cannot be written", reason_of(problem));
    size_->add(static_cast<std::int64_t>(bytes.size()) - before);
}

std::uint64_t RunDirectory::size() const { return size_->in(path_); }

std::vector<std::string> RunDirectory::names() const {
    std::vector<std::string> names;
    std::error_code error;
    for (std::filesystem::recursive_directory_iterator it(path_, error), end; !error && it != end;
         it.increment(error)) {
        std::error_code unreadable; // the file has been removed meanwhile
        if (!std::filesystem::is_regular_file(it->symlink_status(unreadable))) continue;
        const std::u8string name = it->path().lexically_relative(path_).generic_u8string();
        names.emplace_back(name.begin(), name.end());
    }
    if (error) refuse(path_, "cannot be read", error.message());
    std::sort(names.begin(), names.end());
    return names;
}

bool RunDirectory::contains(const std::string& name) const {
    if (!base::is_name_in_folder(path_of(name))) return false;
    std::error_code error; // a link counts, wherever it leads
    return std::filesystem::exists(std::filesystem::symlink_status(path_ / path_of(name), error));
}

std::unique_ptr<std::istream> RunDirectory::open_read(const std::string& name) const {
    return base::open_in_folder(path_, path_of(name), max_journal_bytes);
}

} // namespace eyehand::agent
