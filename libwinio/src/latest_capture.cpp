#include "latest_capture.hpp"

#include "same_bytes.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <utility>

namespace eyehand::winio {
namespace {

/// So many versions back, an image need not be copied or compared as a whole.
constexpr std::size_t longest_history = 16;

std::uint64_t next_id() {
    static std::atomic<std::uint64_t> latest{0};
    return ++latest;
}

} // namespace

void LatestCapture::begin(Size size) {
    if (pixels_.size() == size) return;
    version_.reset();
    changed_ = {};
    pixels_.resize(size);
}

void LatestCapture::take(const ImageView& rows, int y) {
    int first = 0;
    int end = rows.height();
    if (version_) {
        const auto is_same = [&](int row) {
            return same_bytes(rows.row(row), std::as_const(pixels_).row(y + row));
        };
        while (first < end && is_same(first)) ++first;
        while (end > first && is_same(end - 1)) --end;
    }
    pixels_.copy_from(rows.crop({0, first, rows.width(), end - first}), {0, y + first});
    changed_ = bounding_rows(changed_, {y + first, end - first});
}

void LatestCapture::give(Image& into) {
    if (!version_ || changed_.count > 0) {
        auto next = std::make_shared<PixelVersion>();
        next->id = next_id();
        if (version_) {
            const std::vector<PixelVersion::Step>& known = version_->history;
            const std::size_t kept = std::min(known.size(), longest_history - 1);
            next->history.reserve(kept + 1);
            next->history.assign(known.end() - static_cast<std::ptrdiff_t>(kept), known.end());
            next->history.push_back({version_->id, changed_});
        }
        version_ = std::move(next);
        changed_ = {};
    }
    pixels_.stamp_.version_ = version_;
    pixels_.stamp_.edited_ = {};
    into = pixels_;
}

} // namespace eyehand::winio
