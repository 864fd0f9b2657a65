#include "eyehand/winio/image.hpp"

#include "latest_capture.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>

namespace eyehand::winio {
namespace {

constexpr std::size_t bytes_per_pixel = 4;

std::size_t checked_bytes(Size size) {
    if (size.width < 0 || size.height < 0)
        throw std::invalid_argument("an image cannot have a negative size");
    // The maximum size of a vector; also keeps pointer differences defined.
    constexpr auto max = static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max());
    const auto row = static_cast<std::size_t>(size.width) * bytes_per_pixel;
    const auto height = static_cast<std::size_t>(size.height);
    if (height != 0 && row > max / height)
        throw std::invalid_argument("an image this large does not fit into memory");
    return row * height;
}

/// The rows that have changed from one version to a later one of the same capturer.
std::optional<RowRange> changed_between(const PixelVersion& earlier, const PixelVersion& later) {
    RowRange changed;
    if (earlier.id == later.id) return changed;
    for (auto step = later.history.rbegin(); step != later.history.rend(); ++step) {
        changed = bounding_rows(changed, step->changed);
        if (step->from == earlier.id) return changed;
    }
    return std::nullopt;
}

} // namespace

ImageView::ImageView(const std::uint8_t* data, Size size, std::size_t stride)
    : data_(data), size_(size), stride_(stride) {
    if (data == nullptr || size.empty()) throw std::invalid_argument("an image view needs pixels");
    if (stride < static_cast<std::size_t>(size.width) * bytes_per_pixel)
        throw std::invalid_argument("an image's stride must not be shorter than a row");
}

ImageView ImageView::crop(const Rect& part) const {
    const Rect inside = intersection(part, {0, 0, size_.width, size_.height});
    if (inside.empty()) return {};
    return {data_ + static_cast<std::size_t>(inside.y) * stride_ +
                static_cast<std::size_t>(inside.x) * bytes_per_pixel,
            inside.size(), stride_};
}

Image::Image(Size size) : size_(size), bytes_(checked_bytes(size)) {
    fill({0, 0, size.width, size.height}, Color{});
}

Image::Image(const ImageView& source) : size_(source.size()), bytes_(checked_bytes(source.size())) {
    copy_from(source);
}

Image::Image(Image&& other) noexcept
    : size_(std::exchange(other.size_, {})), bytes_(std::exchange(other.bytes_, {})),
      stamp_(std::exchange(other.stamp_, {})) {}

Image& Image::operator=(Image&& other) noexcept {
    if (this == &other) return *this;
    size_ = std::exchange(other.size_, {});
    bytes_ = std::exchange(other.bytes_, {});
    stamp_ = std::exchange(other.stamp_, {});
    return *this;
}

Image& Image::operator=(const Image& other) {
    if (this == &other) return *this;
    if (size_ != other.size_) {
        bytes_ = other.bytes_;
        size_ = other.size_;
    } else {
        const RowRange rows = rows_that_may_differ(other);
        const auto at =
            static_cast<std::ptrdiff_t>(static_cast<std::size_t>(rows.first) * stride());
        std::copy_n(other.bytes_.begin() + at, static_cast<std::size_t>(rows.count) * stride(),
                    bytes_.begin() + at);
    }
    stamp_ = other.stamp_;
    return *this;
}

RowRange Image::rows_that_may_differ(const PixelStamp& other) const {
    const RowRange all{0, size_.height};
    if (!stamp_.version_ || !other.version_) return all;
    std::optional<RowRange> changed = changed_between(*stamp_.version_, *other.version_);
    if (!changed) changed = changed_between(*other.version_, *stamp_.version_);
    if (!changed) return all;
    return bounding_rows(*changed, bounding_rows(stamp_.edited_, other.edited_));
}

ImageView Image::view() const {
    if (empty()) return {};
    return {bytes_.data(), size_, stride()};
}

void Image::resize(Size size) {
    if (size == size_) return;
    bytes_.resize(checked_bytes(size));
    size_ = size;
    stamp_ = {};
}

Color Image::at(int x, int y) const {
    const auto* pixel =
        bytes_.data() + static_cast<std::size_t>(y) * stride() + static_cast<std::size_t>(x) * 4;
    return {pixel[0], pixel[1], pixel[2], pixel[3]};
}

void Image::fill(const Rect& area, Color color) {
    const Rect inside = intersection(area, {0, 0, size_.width, size_.height});
    if (inside.empty()) return;
    const std::uint8_t pixel[] = {color.blue, color.green, color.red, color.alpha};
    const auto left = static_cast<std::size_t>(inside.x) * bytes_per_pixel;
    const auto length = static_cast<std::size_t>(inside.width) * bytes_per_pixel;
    const auto first = row(inside.y).subspan(left, length);
    for (std::size_t at = 0; at < length; at += bytes_per_pixel)
        std::memcpy(first.data() + at, pixel, sizeof pixel);
    for (int y = inside.y + 1; y < inside.bottom(); ++y)
        std::ranges::copy(first, row(y).subspan(left, length).begin());
}

void Image::copy_from(const ImageView& source, Point at) {
    const Rect inside = intersection({at.x, at.y, source.width(), source.height()},
                                     {0, 0, size_.width, size_.height});
    if (inside.empty()) return;
    const auto bytes = [](int pixels) {
        return static_cast<std::size_t>(pixels) * bytes_per_pixel;
    };
    // GCC 12's std::ranges::copy copies constant ranges byte by byte.
    for (int y = inside.y; y < inside.bottom(); ++y)
        std::memcpy(row(y).subspan(bytes(inside.x)).data(),
                    source.row(y - at.y).subspan(bytes(inside.x - at.x)).data(),
                    bytes(inside.width));
}

} // namespace eyehand::winio
