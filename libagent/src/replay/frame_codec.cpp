#include "replay/frame_codec.hpp"

#include "eyehand/base/base64.hpp"
#include "eyehand/winio/frame_diff.hpp"
#include "eyehand/winio/png.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <stdexcept>
#include <utility>

namespace eyehand::agent {
namespace {

constexpr int max_shape = 512;          // pixels of a side; the largest pointers have 256
constexpr std::size_t max_shapes = 256; // a run shows a few

json::array point_json(winio::Point point) { return {point.x, point.y}; }

winio::Point point_of(const json::value& value) {
    const json::array& xy = value.as_array();
    return {xy.at(0).to_number<int>(), xy.at(1).to_number<int>()};
}

winio::Size size_of(const json::value& value) {
    const winio::Point size = point_of(value);
    constexpr int max_side = 16384; // as winio::ImageLimits
    if (size.x <= 0 || size.y <= 0 || size.x > max_side || size.y > max_side)
        throw std::out_of_range("the size of a frame is out of range");
    return {size.x, size.y};
}

std::vector<std::uint8_t> bytes_of(const json::value& value) {
    const json::string& text = value.as_string();
    auto bytes = base::from_base64({text.data(), text.size()});
    if (!bytes) throw std::runtime_error("it is not base64");
    return *std::move(bytes);
}

bool is_same_shape(const winio::PointerShape& a, const winio::PointerShape& b) {
    const auto bytes = [](const winio::Image& image) {
        return std::span(image.data(), image.stride() * static_cast<std::size_t>(image.height()));
    };
    return a.hotspot == b.hotspot && a.pixels.size() == b.pixels.size() && a.invert == b.invert &&
           std::ranges::equal(bytes(a.pixels), bytes(b.pixels));
}

json::object shape_json(const winio::PointerShape& shape) {
    const winio::Image& pixels = shape.pixels;
    json::object all{{"hotspot", point_json(shape.hotspot)},
                     {"size", json::array{pixels.width(), pixels.height()}},
                     {"pixels", base::to_base64(std::span(
                                    pixels.data(),
                                    pixels.stride() * static_cast<std::size_t>(pixels.height())))}};
    if (!shape.invert.empty()) all["invert"] = base::to_base64(shape.invert);
    return all;
}

winio::PointerShape shape_of(const json::object& record) {
    winio::PointerShape shape;
    shape.hotspot = point_of(record.at("hotspot"));
    const winio::Point size = point_of(record.at("size"));
    if (size.x < 0 || size.y < 0 || size.x > max_shape || size.y > max_shape)
        throw std::out_of_range("the shape of the pointer is too large");
    shape.pixels = winio::Image({size.x, size.y});
    const std::vector<std::uint8_t> pixels = bytes_of(record.at("pixels"));
    const auto count = static_cast<std::size_t>(size.x) * static_cast<std::size_t>(size.y);
    if (pixels.size() != count * 4)
        throw std::runtime_error("the shape of the pointer has another size");
    std::ranges::copy(pixels, shape.pixels.data());
    if (const json::value* invert = record.if_contains("invert")) {
        shape.invert = bytes_of(*invert);
        if (shape.invert.size() != count)
            throw std::runtime_error("the shape of the pointer has another size");
    }
    return shape;
}

} // namespace

json::object FrameEncoder::encode(const winio::Frame& frame) {
    const winio::ImageView pixels = frame.pixels.view();
    json::object record{{"origin", point_json(frame.origin)},
                        {"size", json::array{pixels.width(), pixels.height()}}};
    winio::Rect changed{0, 0, pixels.width(), pixels.height()};
    if (before_.size() == frame.pixels.size()) {
        const std::vector<winio::Rect> rects = winio::changed_rects(before_.view(), pixels);
        changed = rects.empty() ? winio::Rect{}
                                : std::accumulate(rects.begin() + 1, rects.end(), rects.front(),
                                                  winio::bounding_rect);
    }
    if (!changed.empty()) {
        record["at"] = point_json(changed.origin());
        record["png"] = base::to_base64(winio::encode_png(pixels.crop(changed)));
        before_ = frame.pixels;
    }
    if (frame.pointer) {
        const auto known = std::ranges::find_if(shapes_, [&](const winio::PointerShape& shape) {
            return is_same_shape(shape, *frame.pointer);
        });
        json::object pointer{{"position", point_json(frame.pointer->position)}};
        if (known == shapes_.end() && shapes_.size() < max_shapes) {
            shapes_.push_back(*frame.pointer);
            pointer["shape"] = shape_json(*frame.pointer);
        } else if (known == shapes_.end()) { // an animation: the place counts
            pointer["known"] = 0;
        } else {
            pointer["known"] = known - shapes_.begin();
        }
        record["pointer"] = std::move(pointer);
    }
    return record;
}

const winio::Frame& FrameDecoder::decode(const json::object& record) {
    const winio::Size size = size_of(record.at("size"));
    frame_.origin = point_of(record.at("origin"));
    if (const json::value* png = record.if_contains("png")) {
        const winio::Image part = winio::decode_png(bytes_of(*png), {.size = size});
        const winio::Point at = point_of(record.at("at"));
        if (frame_.pixels.size() != size) {
            // The first frame of its size is complete.
            if (at != winio::Point{} || part.size() != size)
                throw std::runtime_error("a frame does not follow the frame before it");
            frame_.pixels = winio::Image(size);
        }
        if (at.x < 0 || at.y < 0 || at.x > size.width - part.width() ||
            at.y > size.height - part.height())
            throw std::runtime_error("a part of a frame is outside of it");
        frame_.pixels.copy_from(part.view(), at);
    } else if (frame_.pixels.size() != size) {
        throw std::runtime_error("a frame does not follow the frame before it");
    }
    frame_.pointer.reset();
    if (const json::value* value = record.if_contains("pointer")) {
        const json::object& pointer = value->as_object();
        if (const json::value* shape = pointer.if_contains("shape")) {
            if (shapes_.size() >= max_shapes) throw std::runtime_error("too many pointers");
            shapes_.push_back(shape_of(shape->as_object()));
            frame_.pointer = shapes_.back();
        } else {
            frame_.pointer = shapes_.at(pointer.at("known").to_number<std::size_t>());
        }
        frame_.pointer->position = point_of(pointer.at("position"));
    }
    return frame_;
}

} // namespace eyehand::agent
