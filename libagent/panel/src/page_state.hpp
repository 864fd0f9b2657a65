// What the page shows of a run: a RunView, and what only a page has to know. Nothing here has a thread or a
// file, so that a run of yesterday, event by event from its journal, comes to the same as one that goes on.
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
    static constexpr std::size_t max_turns = 50;  ///< the last ones
    static constexpr std::size_t max_items = 250; ///< of a turn the first ones

    /// No run.
    PageState() : PageState({}, agent::Profile()) {}
    PageState(std::string run, const agent::Profile& profile);
    PageState(PageState&&) = default;
    PageState& operator=(PageState&&) = default;
    ~PageState() = default;

    /// What is shown now, for any thread. Only the first change of a turn after it copies that turn.
    [[nodiscard]] PageState snapshot();

    // ---- what a run tells -----------------------------------------------------------------------

    void apply(const agent::Event& event);
    void apply(const agent::ModeState& state);
    void apply(const vlm::Delta& delta);
    void apply(const agent::RunStatus& waiting);
    /// The run is not controlled any more.
    void close() { over_ = true; }

    // ---- what is shown --------------------------------------------------------------------------

    [[nodiscard]] const std::string& run() const { return run_; }
    [[nodiscard]] const agent::RunView& view() const { return view_; }
    /// The user can pause it, send it messages and stop it.
    [[nodiscard]] bool live() const { return controlled_ && !over_; }
    void set_controlled() { controlled_ = true; }
    /// Another process works on it: its journal grows.
    void set_followed() { followed_ = true; }
    /// The turn to which the words under way belong.
    [[nodiscard]] int words_turn() const { return words_turn_; }
    /// The screenshot that waits for its annotation.
    [[nodiscard]] const std::optional<agent::AnnotationRequest>& wanted() const {
        return waiting_.picture;
    }

    /// Everything but the turns and the raw picture.
    [[nodiscard]] json::object to_json() const;
    [[nodiscard]] json::object to_json(const agent::TurnView& turn) const;

    std::uint64_t seq = 0; ///< grows with each change but those of the words under way

private:
    PageState(PageState& other); ///< takes a snapshot
    [[nodiscard]] std::string phase() const;
    [[nodiscard]] json::value picture_json(const agent::ScreenshotView* picture) const;
    [[nodiscard]] json::value latest_picture_json() const;
    [[nodiscard]] json::array targets() const;

    std::string run_;
    agent::RunView view_;
    bool begins_with_reply_ = false;
    bool controlled_ = false;
    bool over_ = false;
    bool followed_ = false;
    bool memory_is_known_ = false; ///< journals of version 0.1 do not hold it
    std::string profile_;
    int annotated_ = 0; ///< the turn of the latest annotated screenshot
    std::shared_ptr<const agent::VisualReply> reply_;
    std::optional<agent::Annotation> annotation_; ///< of the screenshot that is being taken
    agent::RunStatus waiting_;
    int words_turn_ = 0;
};

} // namespace eyehand::panel
