#include "eyehand/agent/lmstudio_log.hpp"

#include "base/path_text.hpp"
#include "record/append_file.hpp"
#include "json/json_layout.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>

namespace eyehand::agent {
namespace {

constexpr const char* raw_name = "lmstudio_raw.log";
constexpr const char* clean_name = "lmstudio_clean.log";
/// Logs begin with the time in seconds and the first message, which distinguishes them.
constexpr std::size_t beginning_bytes = 512;
/// Hashes and ids are shorter, images are longer.
constexpr std::size_t max_word = 256;
constexpr std::size_t shown_of_base64 = 16;
/// Shorter objects read well on one line.
constexpr std::size_t shortest_layout = 60;
/// The maximum size of the readable log; the raw log is complete.
constexpr std::size_t largest_clean = std::size_t{64} << 20;

std::string read_beginning(const std::filesystem::path& file, std::uintmax_t max) {
    std::string bytes(static_cast<std::size_t>(std::min<std::uintmax_t>(max, beginning_bytes)),
                      '\0');
    std::ifstream in(file, std::ios::binary);
    in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    bytes.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
    return bytes;
}

/// All logs below `folders`, sorted by name; LM Studio's names contain the date.
std::vector<std::filesystem::path> logs_in(const std::vector<std::filesystem::path>& folders) {
    std::vector<std::filesystem::path> files;
    for (const std::filesystem::path& folder : folders) {
        std::error_code error;
        std::filesystem::recursive_directory_iterator it(
            folder, std::filesystem::directory_options::skip_permission_denied, error);
        for (const std::filesystem::recursive_directory_iterator end; !error && it != end;
             it.increment(error)) {
            std::error_code gone; // it may have been removed since
            if (it->path().extension() == ".log" && it->is_regular_file(gone))
                files.push_back(it->path());
        }
    }
    std::sort(files.begin(), files.end());
    files.erase(std::unique(files.begin(), files.end()), files.end());
    return files;
}

bool is_base64(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' ||
           c == '/' || c == '=';
}

/// Copies text in pieces and shortens long base64.
class Base64Cutter {
public:
    explicit Base64Cutter(std::string& into) : into_(into) {}
    void add(std::string_view piece) {
        for (const char c : piece) {
            if (!is_base64(c)) {
                end_word();
                into_ += c;
            } else if (++length_ <= max_word) {
                word_ += c;
            }
        }
    }
    void end_word() {
        if (length_ <= max_word)
            into_ += word_;
        else
            into_ += fmt::format("{}...[{} characters of base64]",
                                 std::string_view(word_).substr(0, shown_of_base64), length_);
        word_.clear();
        length_ = 0;
    }

private:
    std::string& into_;
    std::string word_;
    std::size_t length_ = 0;
};

/// The length of the JSON object at the start of `text`; nothing if it is incomplete.
std::optional<std::size_t> object_length(std::string_view text, std::size_t& looked_at) {
    int depth = 0;
    bool in_string = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        looked_at = i + 1;
        const char c = text[i];
        if (in_string) {
            if (c == '\\')
                ++i;
            else if (c == '"')
                in_string = false;
        } else if (c == '"') {
            in_string = true;
        } else if (c == '{' || c == '[') {
            ++depth;
        } else if ((c == '}' || c == ']') && --depth == 0) {
            return i + 1;
        }
    }
    return std::nullopt;
}

std::string with_json_laid_out(std::string_view text) {
    std::string all;
    // The search for the end of an unclosed brace reads to the end of the log; the budget limits
    // the total work.
    std::size_t budget = 8 * text.size() + 4096;
    while (!text.empty()) {
        const std::size_t open = std::min(text.find('{'), text.size());
        all += text.substr(0, open);
        text.remove_prefix(open);
        if (text.empty()) break;
        std::size_t looked_at = 0;
        const auto length = object_length(text.substr(0, budget), looked_at);
        budget -= std::min(budget, looked_at);
        const auto value = length ? parse_json(text.substr(0, *length)) : std::nullopt;
        if (value && *length >= shortest_layout) {
            all += laid_out(*value);
            text.remove_prefix(*length);
        } else if (value) {
            all += text.substr(0, *length);
            text.remove_prefix(*length);
        } else {
            all += '{';
            text.remove_prefix(1);
        }
    }
    return all;
}

} // namespace

std::vector<std::filesystem::path> lmstudio_log_folders(const std::filesystem::path& home) {
    return {home / ".lmstudio" / "server-logs", home / ".cache" / "lm-studio" / "server-logs"};
}

std::string clean_lmstudio_log(std::string_view raw) {
    std::string cut;
    Base64Cutter cutter(cut);
    cutter.add(raw);
    cutter.end_word();
    return with_json_laid_out(cut);
}

LmStudioLog::LmStudioLog(std::vector<std::filesystem::path> folders)
    : folders_(std::move(folders)) {
    for (const std::filesystem::path& file : logs_in(folders_)) {
        std::error_code error;
        const std::uintmax_t size = std::filesystem::file_size(file, error);
        if (!error) known_.push_back({file, size, read_beginning(file, size)});
    }
}

std::vector<LmStudioLog::Slice> LmStudioLog::slices() const {
    std::vector<Slice> all;
    for (const std::filesystem::path& file : logs_in(folders_)) {
        std::error_code error;
        const std::uintmax_t size = std::filesystem::file_size(file, error);
        if (error) continue;
        const auto continues = [&](const Known& known) {
            return !known.beginning.empty() && size >= known.size &&
                   read_beginning(file, known.beginning.size()) == known.beginning;
        };
        // The file with the same name, unless another file replaced it; otherwise a renamed one.
        const auto same = std::find_if(known_.begin(), known_.end(), [&](const Known& known) {
            return known.file == file && continues(known);
        });
        const auto renamed =
            same != known_.end() ? same : std::find_if(known_.begin(), known_.end(), continues);
        const std::uintmax_t from = renamed == known_.end() ? 0 : renamed->size;
        if (size > from) all.push_back({file, from});
    }
    return all;
}

LmStudioLog::Saved LmStudioLog::save(const std::filesystem::path& folder) const {
    Saved saved;
    const bool any_folder =
        std::any_of(folders_.begin(), folders_.end(), [](const std::filesystem::path& one) {
            std::error_code error;
            return std::filesystem::is_directory(one, error);
        });
    if (!any_folder) {
        std::vector<std::string> names;
        for (const std::filesystem::path& one : folders_) names.push_back(text_of(one));
        saved.note =
            fmt::format("LM Studio's logs are not at {}; name their folder with --lmstudio-logs",
                        fmt::join(names, ", "));
        return saved;
    }
    const std::vector<Slice> all = slices();
    if (all.empty()) {
        saved.note = "LM Studio logged nothing during the run";
        return saved;
    }
    // A resumed run appends to the logs of its first part.
    AppendFile raw(folder, raw_name);
    bool written = raw.is_open();
    std::string clean;
    Base64Cutter cutter(clean);
    std::array<char, 65536> piece{};
    for (const Slice& slice : all) {
        std::ifstream in(slice.file, std::ios::binary);
        in.seekg(static_cast<std::streamoff>(slice.from));
        if (!in) {
            saved.note = fmt::format("{} cannot be read", text_of(slice.file));
            continue;
        }
        while (in.read(piece.data(), piece.size()), in.gcount() > 0) {
            const std::string_view bytes(piece.data(), static_cast<std::size_t>(in.gcount()));
            written = written && raw.append(bytes);
            saved.bytes += bytes.size();
            if (clean.size() <= largest_clean) cutter.add(bytes);
        }
    }
    cutter.end_word();
    written = AppendFile(folder, clean_name).append(with_json_laid_out(clean)) && written;
    if (!written)
        saved.note = fmt::format("LM Studio's log cannot be written to {}", text_of(folder));
    else if (clean.size() > largest_clean)
        saved.note = fmt::format("{} has only the first {} MB", clean_name, largest_clean >> 20);
    return saved;
}

} // namespace eyehand::agent
