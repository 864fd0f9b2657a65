// Decides whether a screenshot shows anything new, for loop detection.
#pragma once

#include "eyehand/winio/frame_diff.hpp"
#include "eyehand/winio/screen_state.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace eyehand::agent {

/// Compares frames without their pointers. A frame shows nothing new if it equals one of the latest
/// ones, or differs from the previous one only by carets, where the screen changes by itself, and by
/// small changes outside the windows in which the agent has acted (such as a clock). A change at the
/// target of an action, or under the pointer, is always new: a control that is clicked repeatedly
/// does not change by itself.
class Novelty {
public:
    /// Records an action since the previous frame. `windows`: directly before it.
    void acted(const std::vector<winio::Point>& targets,
               const std::optional<std::vector<winio::WindowInfo>>& windows);
    /// `previous` is the frame of the previous call; empty at first. `ambient`: regions that change by
    /// themselves; desktop pixels. `sha256` is the hash of the screenshot; `dpi`: of the displays that
    /// it shows.
    [[nodiscard]] bool is_still(const winio::Frame& previous, const winio::Frame& frame,
                                const std::vector<winio::Rect>& ambient, const std::string& sha256,
                                int dpi = 96);
    /// Whether the latest frame equals an earlier one, but differs from its previous one by more than
    /// what changes by itself.
    [[nodiscard]] bool has_returned() const { return returned_; }
    /// Records a screenshot of an earlier part of the run.
    void remember(const std::string& sha256);

private:
    struct Seen {
        std::string sha256;
        std::optional<std::uint64_t> fingerprint;
    };
    [[nodiscard]] bool is_at_target(const winio::Rect& region, const winio::Frame& frame,
                                    int dpi) const;
    [[nodiscard]] bool is_elsewhere(const winio::Rect& region, std::int64_t small) const;
    void keep(Seen seen);

    std::deque<Seen> seen_; ///< the latest ones
    winio::Fingerprints fingerprints_;
    std::vector<winio::Rect> latest_change_; ///< in the latest frame that was new
    std::vector<winio::Rect> toggles_;       ///< regions that have returned to an earlier look
    std::vector<winio::Point> targets_;      ///< since the previous frame
    std::vector<winio::Rect> acted_windows_; ///< the same
    bool returned_ = false;
    bool windows_known_ = true; ///< of all actions since the previous frame
};

} // namespace eyehand::agent
