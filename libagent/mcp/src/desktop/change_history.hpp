// What has changed on the screen since an earlier screenshot of a session.
#pragma once

#include "eyehand/winio/geometry.hpp"

#include <cstddef>
#include <deque>
#include <optional>
#include <span>
#include <vector>

namespace eyehand::mcp {

/// Adds up the changes between screenshots, for the latest ones.
class ChangeHistory {
public:
    /// Records a screenshot; `changed`: where it differs from the one before, in desktop pixels.
    /// Numbers increase.
    void add(int screenshot, std::span<const winio::Rect> changed);
    /// Where the screen has changed since a screenshot. Nothing if the number is unknown or too old.
    [[nodiscard]] std::optional<std::vector<winio::Rect>> since(int screenshot) const;

private:
    static constexpr std::size_t max_screenshots = 64;
    struct Entry {
        int screenshot = 0;
        std::vector<winio::Rect> changed_later{};
    };
    std::deque<Entry> entries_; ///< oldest first
};

/// Joins rectangles that are close to each other, and then the closest ones, until at most `max_count`
/// are left.
[[nodiscard]] std::vector<winio::Rect> joined(std::vector<winio::Rect> rects,
                                              std::size_t max_count);

/// The parts of `view` to show for these changes, in desktop pixels. Nothing if they are so large that
/// the whole view is shorter; empty if nothing in the view has changed.
[[nodiscard]] std::optional<std::vector<winio::Rect>>
parts_to_show(std::span<const winio::Rect> changed, const winio::Rect& view);

} // namespace eyehand::mcp
