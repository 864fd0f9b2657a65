#include "record/run_file.hpp"

#include <array>

namespace eyehand::agent {

bool is_screenshot_name(std::string_view name) {
    // The extensions of `winio::file_extension`, and of images in results.
    return name.ends_with(".png") || name.ends_with(".jpg") || name.ends_with(".webp") ||
           name.ends_with(".gif");
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
