// Rows are compared by memcmp first, because nearly all rows of a desktop are equal. Only rows that
// differ are compared pixel by pixel, because a difference in alpha does not count.
#include "eyehand/winio/frame_diff.hpp"

#include "same_bytes.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <tuple>

namespace eyehand::winio {
namespace {

constexpr auto color_mask =
    std::bit_cast<std::uint32_t>(std::array<std::uint8_t, 4>{255, 255, 255, 0});

bool same_colors(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b) {
    std::uint32_t difference = 0;
    for (std::size_t at = 0; at < a.size(); at += 4) {
        std::uint32_t one = 0;
        std::uint32_t other = 0;
        std::memcpy(&one, &a[at], sizeof one);
        std::memcpy(&other, &b[at], sizeof other);
        difference |= one ^ other;
    }
    return (difference & color_mask) == 0;
}

// The rows of a band in which a column of tiles differs.
struct DirtyRows {
    int first = 0;
    int last = -1;
    [[nodiscard]] bool any() const { return last >= first; }
    void add(int row) {
        if (!any()) first = row;
        last = row;
    }
};

class Band {
public:
    Band(int width, int tile)
        : tile_(tile), width_(width), columns_(static_cast<std::size_t>((width - 1) / tile + 1)) {}

    void compare(std::span<const std::uint8_t> before, std::span<const std::uint8_t> after, int y) {
        if (same_bytes(before, after)) return;
        const auto tile_bytes = static_cast<std::size_t>(tile_) * 4;
        for (std::size_t column = 0; column < columns_.size(); ++column) {
            const std::size_t left = column * tile_bytes;
            const std::size_t length = std::min(tile_bytes, before.size() - left);
            const auto a = before.subspan(left, length);
            const auto b = after.subspan(left, length);
            if (!same_bytes(a, b) && !same_colors(a, b)) columns_[column].add(y);
        }
    }

    // Merge adjacent dirty tiles into one rectangle, and reset the band.
    void flush(std::vector<Rect>& into) {
        const auto before = static_cast<std::ptrdiff_t>(into.size());
        for (std::size_t column = 0; column < columns_.size();) {
            if (!columns_[column].any()) {
                ++column;
                continue;
            }
            const std::size_t begin = column;
            DirtyRows rows = columns_[column];
            while (++column < columns_.size() && columns_[column].any()) {
                rows.first = std::min(rows.first, columns_[column].first);
                rows.last = std::max(rows.last, columns_[column].last);
            }
            const int left = static_cast<int>(begin) * tile_;
            const auto right =
                std::min<std::int64_t>(static_cast<std::int64_t>(column) * tile_, width_);
            into.push_back(
                {left, rows.first, static_cast<int>(right) - left, rows.last - rows.first + 1});
        }
        std::sort(into.begin() + before, into.end(), [](const Rect& a, const Rect& b) {
            return std::tie(a.y, a.x) < std::tie(b.y, b.x);
        });
        std::ranges::fill(columns_, DirtyRows{});
    }

private:
    int tile_;
    int width_;
    std::vector<DirtyRows> columns_;
};

std::vector<Rect> everything(Size size, int tile) {
    std::vector<Rect> rects;
    for (int y = 0; y < size.height; y += tile) {
        const int rows = std::min(tile, size.height - y);
        rects.push_back({0, y, size.width, rows});
        if (rows < tile) break; // y + tile might overflow
    }
    return rects;
}

constexpr std::uint64_t hash_factor =
    0x9E3779B97F4A7C15; // from the golden ratio, as in hash tables

std::uint64_t mixed(std::uint64_t hash, std::uint64_t with) {
    hash = (hash ^ with) * hash_factor;
    return hash ^ (hash >> 32U);
}

/// Of a row's colors.
std::uint64_t hash_of(std::span<const std::uint8_t> row) {
    constexpr std::uint64_t colors = std::bit_cast<std::uint64_t>(
        std::array<std::uint8_t, 8>{255, 255, 255, 0, 255, 255, 255, 0});
    // Several sums, so that the processor need not wait for each multiplication.
    std::array<std::uint64_t, 4> sums{hash_factor, 1, 2, ~hash_factor};
    std::size_t lane = 0;
    for (std::size_t at = 0; at < row.size(); at += sizeof(std::uint64_t)) {
        std::uint64_t pixels = 0;
        std::memcpy(&pixels, &row[at], std::min(sizeof pixels, row.size() - at));
        std::uint64_t& sum = sums[lane++ % sums.size()];
        sum = mixed(sum, pixels & colors);
    }
    std::uint64_t hash = hash_factor;
    for (const std::uint64_t sum : sums) hash = mixed(hash, sum);
    return hash;
}

std::uint64_t hash_of(Size size, const std::vector<std::uint64_t>& rows) {
    std::uint64_t hash = mixed(mixed(hash_factor, static_cast<std::uint64_t>(size.width)),
                               static_cast<std::uint64_t>(size.height));
    for (const std::uint64_t row : rows) hash = mixed(hash, row);
    return hash;
}

std::vector<Rect> changed_rects_in(const RowRange& rows, const ImageView& before,
                                   const ImageView& after, int tile) {
    if (tile < 1) throw std::invalid_argument("tiles need at least one row");
    if (before.size() != after.size())
        return everything(after.empty() ? before.size() : after.size(), tile);
    if (after.empty()) return {};

    std::vector<Rect> rects;
    Band band(after.width(), std::min(tile, std::max(after.width(), after.height())));
    const int band_rows = std::min(tile, after.height());
    for (int y = rows.first; y < rows.end(); ++y) {
        band.compare(before.row(y), after.row(y), y);
        if ((y + 1) % band_rows == 0) band.flush(rects);
    }
    band.flush(rects);
    return rects;
}

bool same_pixels_in(const RowRange& rows, const ImageView& before, const ImageView& after) {
    if (before.size() != after.size()) return false;
    for (int y = rows.first; y < rows.end(); ++y) {
        const auto a = before.row(y);
        const auto b = after.row(y);
        if (!same_bytes(a, b) && !same_colors(a, b)) return false;
    }
    return true;
}

} // namespace

std::vector<Rect> changed_rects(const ImageView& before, const ImageView& after, int tile) {
    return changed_rects_in({0, after.height()}, before, after, tile);
}

std::vector<Rect> changed_rects(const Image& before, const Image& after, int tile) {
    return changed_rects_in(after.rows_that_may_differ(before), before.view(), after.view(), tile);
}

bool same_pixels(const ImageView& before, const ImageView& after) {
    return same_pixels_in({0, before.height()}, before, after);
}

bool same_pixels(const Image& before, const Image& after) {
    return same_pixels_in(before.rows_that_may_differ(after), before.view(), after.view());
}

std::uint64_t fingerprint(const ImageView& image) {
    std::vector<std::uint64_t> rows;
    rows.reserve(static_cast<std::size_t>(image.height()));
    for (int y = 0; y < image.height(); ++y) rows.push_back(hash_of(image.row(y)));
    return hash_of(image.size(), rows);
}

std::uint64_t Fingerprints::of(const Image& image) {
    RowRange stale = image.rows_that_may_differ(latest_);
    if (rows_.size() != static_cast<std::size_t>(image.height())) {
        rows_.assign(static_cast<std::size_t>(image.height()), 0);
        stale = {0, image.height()};
    }
    for (int y = stale.first; y < stale.end(); ++y)
        rows_[static_cast<std::size_t>(y)] = hash_of(image.row(y));
    latest_ = image.stamp();
    return hash_of(image.size(), rows_);
}

} // namespace eyehand::winio
