#include "record/run_writer.hpp"

#include "base/text.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/winio/image_file.hpp"
#include "record/run_file.hpp"
#include "record/timestamp.hpp"

#include <fmt/format.h>

#include <array>

namespace eyehand::agent {

namespace {

/// Other files come from a client that annotates and do not follow its contract.
std::string_view extension_of(std::span<const std::uint8_t> file) {
    return winio::file_extension(winio::image_format_of(file).value_or(winio::PngOptions{}));
}

} // namespace

std::string RunWriter::screenshot_name(int number, int again, ScreenshotKind kind,
                                       std::string_view extension) const {
    const std::string more = again > 1 ? fmt::format("_{}", again) : "";
    const std::string turn = fmt::format("{}{:04}", names_.prefix, number + names_.offset);
    const bool raw = kind == ScreenshotKind::raw;
    switch (log_.layout) {
    case LogLayout::flat:
        return fmt::format("{}_{}{}{}", turn, raw ? "raw" : "annotated", more, extension);
    case LogLayout::turn_dirs:
        return fmt::format("{}/screenshot_{}{}{}", turn, raw ? "raw" : "annotated", more,
                           extension);
    case LogLayout::screenshots:
        break;
    }
    return fmt::format("screenshots/{}{}{}{}", turn, raw ? "_raw" : "", more, extension);
}

std::string RunWriter::save_screenshot(int number, std::span<const std::uint8_t> file,
                                       ScreenshotKind kind) {
    const std::string_view extension = extension_of(file);
    // Several screenshots in one turn must not overwrite each other.
    int again = 1;
    while (store_.contains(screenshot_name(number, again, kind, extension))) ++again;
    std::string name = screenshot_name(number, again, kind, extension);
    store_.create(name, {reinterpret_cast<const char*>(file.data()), file.size()});
    return name;
}

std::string RunWriter::save_image(const vlm::Image& image) {
    const std::string_view type = image.media_type;
    const std::string_view extension = type == "image/jpeg"   ? ".jpg"
                                       : type == "image/webp" ? ".webp"
                                       : type == "image/gif"  ? ".gif"
                                                              : ".png";
    std::string name = fmt::format("images/{}{}", image.sha256.substr(0, 32), extension);
    if (!store_.contains(name))
        store_.create(name,
                      {reinterpret_cast<const char*>(image.bytes->data()), image.bytes->size()});
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
