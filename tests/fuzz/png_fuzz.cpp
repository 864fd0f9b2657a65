// For any sequence of screen changes, the pipeline's screenshot is a PNG that libpng reads back
// pixel for pixel, and is the same as without history. The input's first bytes choose the sizes;
// the others are edits of five bytes each.
#include "eyehand/winio/frame_pipeline.hpp"
#include "eyehand/winio/scale.hpp"

#include <png.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

using namespace eyehand;

namespace {

void require(bool condition) {
    if (!condition) std::abort();
}

winio::Image decoded(const std::vector<std::uint8_t>& file) {
    png_image reader{};
    reader.version = PNG_IMAGE_VERSION;
    require(png_image_begin_read_from_memory(&reader, file.data(), file.size()) != 0);
    reader.format = PNG_FORMAT_BGRA;
    winio::Image image({static_cast<int>(reader.width), static_cast<int>(reader.height)});
    require(png_image_finish_read(&reader, nullptr, image.data(), 0, nullptr) != 0);
    require(reader.warning_or_error == 0);
    return image;
}

bool equal(const winio::Image& a, const winio::Image& b) {
    return a.size() == b.size() &&
           std::memcmp(a.data(), b.data(), a.stride() * static_cast<std::size_t>(a.height())) == 0;
}

// Consumes up to five bytes: position, size and content of an edit.
void edit(winio::Image& screen, std::span<const std::uint8_t>& input) {
    std::uint8_t bytes[5] = {};
    const std::size_t count = std::min(input.size(), sizeof bytes);
    std::memcpy(bytes, input.data(), count);
    input = input.subspan(count);
    const winio::Rect part{bytes[0] % screen.width(), bytes[1] % screen.height(), 1 + bytes[2] % 64,
                           1 + bytes[2] / 16};
    const winio::Color color{bytes[3], bytes[4], static_cast<std::uint8_t>(bytes[3] ^ bytes[4]),
                             bytes[2]};
    if (bytes[3] % 2 == 0) {
        screen.fill(part, color);
        return;
    }
    std::uint32_t noise = bytes[4];
    for (int y = part.y; y < part.bottom(); ++y)
        for (int x = part.x; x < part.right(); ++x) {
            noise = noise * 1664525U + 1013904223U;
            screen.fill({x, y, 1, 1}, {static_cast<std::uint8_t>(noise >> 24U), color.green,
                                       static_cast<std::uint8_t>(noise >> 16U), color.alpha});
        }
}

void check(winio::FramePipeline& pipeline, const winio::Image& screen, winio::Size size) {
    winio::Frame frame;
    frame.pixels = screen;
    const winio::Screenshot screenshot = pipeline.process(winio::Frame(frame));
    const winio::Screenshot fresh =
        winio::FramePipeline(pipeline.options()).process(std::move(frame));
    require(*screenshot.file == *fresh.file);
    winio::Image scaled;
    winio::scale(screen.view(), size, scaled);
    require(equal(decoded(*screenshot.file), scaled));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 5) return 0;
    const winio::Size source{1 + data[0] % 80, 1 + data[1] % 120};
    const winio::Size target =
        data[2] % 2 == 0 ? source : winio::Size{1 + data[2] % 90, 1 + data[3] % 130};
    winio::FramePipeline pipeline({.size = winio::ExactSize{target},
                                   .format = winio::PngOptions{.level = data[4] % 10},
                                   .threads = 1 + data[4] / 128});
    winio::Image screen(source);
    std::span<const std::uint8_t> input(data + 5, size - 5);
    for (int edits = 0; edits < 12 && !input.empty(); ++edits) {
        edit(screen, input);
        check(pipeline, screen, target);
    }
    return 0;
}
