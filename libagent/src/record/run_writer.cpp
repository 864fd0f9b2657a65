#include "record/run_writer.hpp"

#include "base/text.hpp"
#include "eyehand/agent/error.hpp"
#include "record/run_file.hpp"
#include "record/timestamp.hpp"

#include <fmt/format.h>

#include <array>

namespace eyehand::agent {
std::string RunWriter::screenshot_name(int number, int again, ScreenshotKind kind) const {
    const std::string more = again > 1 ? fmt::format("_{}", again) : "";
    const std::string turn = fmt::format("{}{:04}", names_.prefix, number + names_.offset);
    const bool raw = kind == ScreenshotKind::raw;
    switch (log_.layout) {
    case LogLayout::flat:
        return fmt::format("{}_{}{}.png", turn, raw ? "raw" : "annotated", more);
    case LogLayout::turn_dirs:
        return fmt::format("{}/screenshot_{}{}.png", turn, raw ? "raw" : "annotated", more);
    case LogLayout::screenshots:
        break;
    }
    return fmt::format("screenshots/{}{}{}.png", turn, raw ? "_raw" : "", more);
}

std::string RunWriter::save_screenshot(int number, std::span<const std::uint8_t> png,
                                       ScreenshotKind kind) {
    // Several screenshots in one turn must not overwrite each other.
    int again = 1;
    while (store_.contains(screenshot_name(number, again, kind))) ++again;
    std::string name = screenshot_name(number, again, kind);
    store_.create(name, {reinterpret_cast<const char*>(png.data()), png.size()});
    return name;
}

void RunWriter::append(const std::string& name, std::string_view text) {
    store_.open_append(name)->append(text);
}

std::vector<std::uint8_t> RunWriter::read(const std::string& name) const {
    const auto in = store_.open_read(name);
    if (!in)
        throw Error(errc::bad_run,
                    fmt::format("{} is not a readable file of the run directory: restore it",
                                shorten(to_valid_utf8(name), 200)));
    std::vector<std::uint8_t> bytes;
    std::array<char, 65536> some{};
    while (in->read(some.data(), some.size()) || in->gcount() > 0) {
        bytes.insert(bytes.end(), some.data(), some.data() + in->gcount());
        if (bytes.size() > max_screenshot_file_bytes)
            throw Error(errc::bad_run, fmt::format("{} is larger than 64 MB: restore it", name));
    }
    return bytes;
}

void RunWriter::log_event(const Event& event, const LogEntry& entry) {
    if (!entry.text.empty()) log_note(entry.text + entry.details);
    if (!log_.to_file) return;
    const std::string line = main_log_line(event, entry, log_.level);
    if (!line.empty()) append("main.log", fmt::format("{} {}\n", timestamp(), line));
}

void RunWriter::log_note(std::string_view text) {
    append("execution_log.txt", fmt::format("[{}] {}\n", timestamp(), text));
}

} // namespace eyehand::agent
