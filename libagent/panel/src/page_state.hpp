// The state of a run for the page: a RunView and additional data. It uses neither threads nor
// files, so that the events of a stored journal give the same state as the events of a live run.
#pragma once

#include "eyehand/agent/control.hpp"
#include "eyehand/agent/event.hpp"
#include "eyehand/agent/mode.hpp"
#include "eyehand/agent/profile.hpp"
#include "eyehand/agent/run_view.hpp"
#include "eyehand/vlm/model.hpp"
#include "json/json.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace eyehand::panel {

namespace json = boost::json;

/// A value: snapshots share the turns, which never change once they are in one.
class PageState {
public:
    static constexpr std::size_t max_turns = 50;  ///< keeps the last turns
    static constexpr std::size_t max_items = 250; ///< keeps the first items of a turn

    /// A state without a run.
    PageState() : PageState({}, agent::Profile()) {}
    PageState(std::string run, const agent::Profile& profile);
    PageState(PageState&&) = default;
    PageState& operator=(PageState&&) = default;
    ~PageState() = default;

    /// An immutable copy of the current state, for any thread. Shares the turns; a later change of
    /// a turn copies that turn once.
    [[nodiscard]] PageState snapshot();

    // ---- input from the run ---------------------------------------------------------------------

    void apply(const agent::Event& event);
    void apply(const agent::ModeState& state);
    void apply(const vlm::Delta& delta);
    void apply(const agent::ToolProgress& progress);
    void apply(const agent::RunStatus& status);
    /// The run can no longer be controlled.
    void close() { over_ = true; }

    // ---- the state ------------------------------------------------------------------------------

    [[nodiscard]] const std::string& run() const { return run_; }
    [[nodiscard]] const agent::RunView& view() const { return view_; }
    /// Whether the user can control the run.
    [[nodiscard]] bool live() const { return controlled_ && !over_; }
    void set_controlled() { controlled_ = true; }
    /// Another process works on the run, and its journal grows.
    void set_followed() { followed_ = true; }
    /// The turn of the streamed reply.
    [[nodiscard]] int words_turn() const { return words_turn_; }
    /// The screenshot that waits for its annotation.
    [[nodiscard]] const std::optional<agent::AnnotationRequest>& wanted() const {
        return status_.annotation_request;
    }

    /// Everything except the turns and the raw screenshot.
    [[nodiscard]] json::object to_json() const;
    [[nodiscard]] json::object to_json(const agent::TurnView& turn) const;

    std::uint64_t seq = 0; ///< grows with each change except those of the streamed reply

private:
    PageState(PageState& other); ///< takes a snapshot
    [[nodiscard]] std::string phase() const;
    [[nodiscard]] json::value screenshot_json(const agent::ScreenshotView* screenshot) const;
    [[nodiscard]] json::value latest_screenshot_json() const;
    [[nodiscard]] json::array targets() const;

    std::string run_;
    agent::RunView view_;
    bool begins_with_reply_ = false;
    bool controlled_ = false;
    bool over_ = false;
    bool followed_ = false;
    bool memory_is_known_ = false; ///< older journals do not contain it
    std::string profile_;
    int annotated_ = 0; ///< the turn of the latest annotated screenshot
    std::shared_ptr<const agent::VisualReply> reply_;
    std::optional<agent::Annotation> annotation_; ///< of the screenshot in progress
    agent::RunStatus status_;
    int words_turn_ = 0;
    std::string progress_; ///< of the call that runs
};

} // namespace eyehand::panel
