#include "record/run_file.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <system_error>

namespace eyehand::agent {

bool is_within(const std::filesystem::path& directory, const std::filesystem::path& name) {
    if (name.empty() || !name.is_relative() || name.has_root_name() || name.has_root_directory())
        return false;
    if (std::any_of(name.begin(), name.end(),
                    [](const std::filesystem::path& part) { return part == ".."; }))
        return false;
    std::error_code error;
    const auto home = std::filesystem::canonical(directory, error);
    if (error) return false;
    const auto file = std::filesystem::canonical(directory / name, error); // follows links
    if (error) return false;
    const auto [at, rest] = std::mismatch(home.begin(), home.end(), file.begin(), file.end());
    return at == home.end();
}

std::optional<std::uintmax_t> run_file_size(const std::filesystem::path& file,
                                            std::uintmax_t max_bytes) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(file, error) || error) return std::nullopt;
    const std::uintmax_t bytes = std::filesystem::file_size(file, error);
    if (error || bytes > max_bytes) return std::nullopt;
    return bytes;
}

std::optional<std::string> read_run_file(const std::filesystem::path& file,
                                         std::uintmax_t max_bytes) {
    const auto size = run_file_size(file, max_bytes);
    if (!size) return std::nullopt;
    std::ifstream in(file, std::ios::binary);
    if (!in) return std::nullopt;
    std::string bytes;
    bytes.reserve(static_cast<std::size_t>(*size));
    std::array<char, 65536> some{};
    while (in.read(some.data(), some.size()) || in.gcount() > 0) {
        bytes.append(some.data(), static_cast<std::size_t>(in.gcount()));
        if (bytes.size() > max_bytes) return std::nullopt;
    }
    if (in.bad()) return std::nullopt;
    return bytes;
}

JournalLine next_line(std::istream& in, std::string& line, std::uintmax_t& bytes) {
    line.clear();
    bytes = 0;
    bool too_long = false;
    std::array<char, 4096> some{};
    for (;;) {
        in.getline(some.data(), some.size());
        const bool full = in.fail() && !in.eof() && !in.bad() && in.gcount() > 0;
        if (in.bad() || in.gcount() == 0) break;
        const auto read = static_cast<std::size_t>(in.gcount());
        bytes += read;
        // The count includes the line break, which is not stored.
        const std::size_t text = full || in.eof() ? read : read - 1;
        too_long = too_long || line.size() + text > max_entry_bytes;
        if (too_long)
            line.clear();
        else
            line.append(some.data(), text);
        if (full) {
            in.clear(in.rdstate() & ~std::ios::failbit);
            continue;
        }
        if (in.eof()) break;
        return too_long ? JournalLine::too_long : JournalLine::whole;
    }
    return bytes == 0 ? JournalLine::none : JournalLine::torn;
}

} // namespace eyehand::agent
