#include "frame_set.hpp"

#include "eyehand/winio/scale.hpp"
#include "read_png.hpp"
#include "source_folder.hpp"

#include <algorithm>
#include <filesystem>
#include <stdexcept>

using namespace eyehand;

namespace frame_set {
namespace {

using winio::Image;
using winio::Rect;
using winio::Size;

// The screenshots are named "01-..." to "12-..."; the folder also has other images.
bool is_screenshot(const std::filesystem::path& file) {
    const std::string name = file.filename().string();
    return name.size() > 3 && name[0] >= '0' && name[0] <= '9' && name[2] == '-';
}

Images read_screenshots() {
    std::vector<std::filesystem::path> files;
    for (const auto& entry :
         std::filesystem::directory_iterator(test::source_folder() / "tests/data/frames"))
        if (is_screenshot(entry.path())) files.push_back(entry.path());
    std::ranges::sort(files);
    Images images;
    for (const auto& file : files) images.push_back(read_png(file));
    if (images.size() != 12) throw std::runtime_error("there should be twelve screenshots");
    return images;
}

// Copies into `part` of the image the pixels of `donor` in the same columns, `lower` rows further
// down.
void paste(const Image& donor, int lower, const Rect& part, Image& into) {
    const auto left = static_cast<std::ptrdiff_t>(part.x) * 4;
    const auto length = static_cast<std::ptrdiff_t>(part.width) * 4;
    for (int y = part.y; y < part.bottom(); ++y) {
        const auto from = donor.view().row((y + lower) % donor.height());
        std::copy_n(from.begin() + left, length, into.row(y).begin() + left);
    }
}

Rect edited_part(Size size, Edit edit) {
    switch (edit) {
    case Edit::tenth:
        return {0, size.height / 3, size.width, size.height / 10};
    case Edit::one_line:
        return {16, size.height / 3, size.width / 3, 18};
    case Edit::scroll:
        break;
    }
    return {0, 0, size.width, size.height};
}

} // namespace

const Images& screenshots() {
    static const Images images = read_screenshots();
    return images;
}

const Images& captured_frames() {
    static const Images images = [] {
        Images scaled;
        for (const Image& source : screenshots())
            winio::scale(source.view(), {1536, 864}, scaled.emplace_back());
        return scaled;
    }();
    return images;
}

Images edited(const Images& frames, Edit edit) {
    const Image& text = frames.at(frames.size() - 2);
    const Image& photo = frames.back();
    Images result;
    for (const Image& frame : frames) {
        const bool own_pixels = edit == Edit::scroll || &frame == &photo;
        const int lower = edit == Edit::scroll ? 40 : 100;
        paste(own_pixels ? frame : text, lower, edited_part(frame.size(), edit),
              result.emplace_back(frame));
    }
    return result;
}

} // namespace frame_set
