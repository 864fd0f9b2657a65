// A model that decides from the screenshot that it receives, after a given time.
#pragma once

#include "../views.hpp"
#include "eyehand/vlm/model.hpp"
#include "eyehand/winio/geometry.hpp"
#include "eyehand/winio/image.hpp"

#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace reaction {

/// What a screenshot shows.
struct Sight {
    std::optional<View> view{};                        ///< empty: none of the views
    std::optional<eyehand::winio::NormPoint> button{}; ///< the center of its button
};
[[nodiscard]] Sight look_at(const eyehand::winio::Image& screenshot);

/// Clicks the button that it sees, looks again if it sees none, and says that it is done when it sees
/// View::done. Replies at once to the result of a click: it asks for a screenshot. (A model that thinks
/// in between would give the program more time to react.)
class LookingModel final : public eyehand::vlm::ChatModel {
public:
    using Time = std::chrono::steady_clock::time_point;
    enum class Decision { click, look, finish };
    /// A request with a new screenshot.
    struct Thought {
        std::string image_sha256;
        std::optional<View> seen{};
        Time begin{};
        /// Empty: the request was cancelled before.
        std::optional<Time> first_delta{};
        Decision decision = Decision::look;
        /// The durations of the latest replies before this one, with or without a new screenshot, oldest first.
        std::vector<std::chrono::steady_clock::duration> earlier_replies{};
    };

    /// `max_clicks`: the model then ends the run, because its clicks have no effect.
    LookingModel(std::chrono::milliseconds thinking_time, int max_clicks)
        : thinking_time_(thinking_time), max_clicks_(max_clicks) {}

    eyehand::vlm::ChatReply reply(const eyehand::vlm::ChatRequest& request,
                                  const eyehand::vlm::OnDelta& on_delta,
                                  std::stop_token stop) override;

    /// Thread-safe, in contrast to `thoughts`.
    [[nodiscard]] std::size_t latest_thought() const;
    [[nodiscard]] const std::vector<Thought>& thoughts() const { return thoughts_; }

    static constexpr const char* done = "The work is done.";
    static constexpr const char* no_effect = "The button has no effect.";

private:
    eyehand::vlm::ChatReply answer(Thought& thought, const Sight& sight);

    std::chrono::milliseconds thinking_time_;
    int max_clicks_;
    int clicks_ = 0;
    int calls_ = 0;
    mutable std::mutex mutex_;
    std::vector<Thought> thoughts_;
    std::vector<std::chrono::steady_clock::duration> reply_times_;
};

} // namespace reaction
