// Pixels in memory.
#pragma once

#include "eyehand/export.hpp"
#include "eyehand/winio/geometry.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace eyehand::winio {

/// A read-only view of pixels that it does not own: 4 bytes per pixel in the order blue, green,
/// red, alpha; rows top-down, `stride` bytes apart. Must not outlive the pixels.
class EYEHAND_WINIO_API ImageView {
public:
    ImageView() = default;
    /// Throws std::invalid_argument if `size` is empty or `stride` is shorter than a row.
    ImageView(const std::uint8_t* data, Size size, std::size_t stride);

    [[nodiscard]] Size size() const { return size_; }
    [[nodiscard]] int width() const { return size_.width; }
    [[nodiscard]] int height() const { return size_.height; }
    [[nodiscard]] std::size_t stride() const { return stride_; }
    [[nodiscard]] bool empty() const { return size_.empty(); }
    /// The `width() * 4` bytes of row `y`, 0 <= y < height().
    [[nodiscard]] std::span<const std::uint8_t> row(int y) const {
        return {data_ + static_cast<std::size_t>(y) * stride_,
                static_cast<std::size_t>(size_.width) * 4};
    }
    /// The part of this image inside `part` (coordinates within the image); clipped to it.
    [[nodiscard]] ImageView crop(const Rect& part) const;

private:
    const std::uint8_t* data_ = nullptr;
    Size size_;
    std::size_t stride_ = 0;
};

/// One BGRA color.
struct Color {
    std::uint8_t blue = 0;
    std::uint8_t green = 0;
    std::uint8_t red = 0;
    std::uint8_t alpha = 255;
    friend bool operator==(const Color&, const Color&) = default;
};

class LatestCapture;
struct PixelVersion;

/// What an image knows about the origin of its pixels, without the pixels.
class EYEHAND_WINIO_API PixelStamp {
private:
    friend class Image;
    friend class LatestCapture;
    std::shared_ptr<const PixelVersion>
        version_; // that the pixels equal, outside of `edited_`; or null
    RowRange edited_;
};

/// Owns pixels in ImageView's layout without padding between rows. Copies copy the pixels.
///
/// An image that a capturer has filled records in which rows it can differ from the capturer's other
/// images (`rows_that_may_differ`), so that captures, copies and comparisons of a screen that hardly
/// changes touch few rows.
class EYEHAND_WINIO_API Image {
public:
    Image() = default;
    ~Image() = default;
    Image(const Image&) = default;
    Image(Image&& other) noexcept;
    /// Copies only rows that may differ.
    Image& operator=(const Image& other);
    Image& operator=(Image&& other) noexcept;
    /// Black, opaque pixels. Throws std::invalid_argument if `size` is negative or its number of
    /// bytes does not fit into std::size_t.
    explicit Image(Size size);
    explicit Image(const ImageView& source);

    [[nodiscard]] Size size() const { return size_; }
    [[nodiscard]] int width() const { return size_.width; }
    [[nodiscard]] int height() const { return size_.height; }
    [[nodiscard]] std::size_t stride() const { return static_cast<std::size_t>(size_.width) * 4; }
    [[nodiscard]] bool empty() const { return size_.empty(); }
    /// All rows. Valid until the image is resized, assigned to, captured into or destroyed.
    [[nodiscard]] std::uint8_t* data() {
        edit({0, size_.height});
        return bytes_.data();
    }
    [[nodiscard]] const std::uint8_t* data() const { return bytes_.data(); }
    /// The `width() * 4` bytes of row `y`, 0 <= y < height(). Valid until the image is resized,
    /// assigned to, captured into or destroyed.
    [[nodiscard]] std::span<std::uint8_t> row(int y) {
        edit({y, 1});
        return {bytes_.data() + static_cast<std::size_t>(y) * stride(), stride()};
    }
    [[nodiscard]] std::span<const std::uint8_t> row(int y) const {
        return {bytes_.data() + static_cast<std::size_t>(y) * stride(), stride()};
    }
    [[nodiscard]] ImageView view() const;

    /// The rows outside of which this image and one of the same size have equal pixels. All rows,
    /// unless a capturer has filled both, or images that they are copies of; no rows if both are
    /// captures between which nothing has changed.
    [[nodiscard]] RowRange rows_that_may_differ(const Image& other) const {
        return rows_that_may_differ(other.stamp_);
    }
    /// The same for an image that had this stamp.
    [[nodiscard]] RowRange rows_that_may_differ(const PixelStamp& other) const;
    /// Remembers the origin of the pixels for `rows_that_may_differ`, after the image has changed.
    [[nodiscard]] const PixelStamp& stamp() const { return stamp_; }

    /// Changes the size. The old pixels are lost; the memory is reused if it suffices.
    void resize(Size size);
    /// The pixel at (x, y), which must be inside.
    [[nodiscard]] Color at(int x, int y) const;
    /// Paints `area`, clipped to the image.
    void fill(const Rect& area, Color color);
    /// Copies the pixels of `source` to the place with the upper left corner `at`, clipped to the
    /// image. `source` must not be a part of this image.
    void copy_from(const ImageView& source, Point at = {});

private:
    friend class LatestCapture;
    void edit(const RowRange& rows) {
        if (stamp_.version_) stamp_.edited_ = bounding_rows(stamp_.edited_, rows);
    }

    Size size_;
    std::vector<std::uint8_t> bytes_;
    PixelStamp stamp_;
};

/// Limits for reading an image file, so that a small file cannot cause a large allocation.
struct ImageLimits {
    Size size{16384, 16384};
    std::int64_t pixels = std::int64_t{1} << 26; ///< maximum number of pixels: 256 MB of memory
};

} // namespace eyehand::winio
