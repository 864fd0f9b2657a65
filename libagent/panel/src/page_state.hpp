// What the page shows of a run, folded from what a run tells: the journal's entries, the mode's state,
// the model's words as they come, what the run is held up by. Nothing here has a thread or a file, so
// that a run of yesterday, entry by entry from its journal, comes to the same as one that goes on.
#pragma once

#include "eyehand/agent/control.hpp"
#include "eyehand/agent/event.hpp"
#include "eyehand/agent/mode.hpp"
#include "eyehand/agent/profile.hpp"
#include "eyehand/vlm/model.hpp"
#include "json/json.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace eyehand::panel {

namespace json = boost::json;

/// A picture of the run, as the journal tells of it.
struct ShownPicture {
    std::size_t number = 0; ///< from 1, in the order in which the run saw them; 0: there is none
    int turn = 0;
    winio::Size size{};
    std::string file{};     ///< within the run's directory
    std::string raw_file{}; ///< without its annotation; empty: the same
    json::value annotation{};
    json::array changed{};
    json::array area{};
    json::value pointer{}; ///< where it was, where that is known
};

struct ShownCall {
    std::string id{};
    std::string tool{};
    std::string arguments{};
    std::optional<bool> ok{}; ///< nothing: it is under way
    std::string result{};
    json::value act_ms{};
    json::value policy_ms{};
    json::array points{};
};

struct ShownTurn {
    int turn = 0;
    std::string role{};
    std::string phase{};
    std::vector<ShownCall> calls{};
    std::string words{};
    std::string reasoning{};
    json::object figures{}; ///< tokens and milliseconds by their names in the journal
    json::array notes{};
    ShownPicture picture{};
};

/// A value: snapshots share the turns, which never change once they are in one.
class PageState {
public:
    static constexpr std::size_t max_turns = 50;  ///< the last ones
    static constexpr std::size_t max_calls = 200; ///< of a turn the first ones

    PageState() = default;
    PageState(std::string run, const agent::Profile& profile);
    PageState(PageState&&) = default;
    PageState& operator=(PageState&&) = default;
    ~PageState() = default;

    /// What is shown now, for any thread. Only the first change of a turn after it copies that turn.
    [[nodiscard]] PageState snapshot();

    // ---- what a run tells -----------------------------------------------------------------------

    /// An entry of the journal; what is missing or of the wrong type is left out.
    void apply(const agent::Event& event);
    void apply(const agent::ModeState& state);
    void apply(const vlm::Delta& delta);
    void apply(const agent::RunStatus& waiting);
    /// Nobody controls the run any more.
    void close() { over_ = true; }

    // ---- what is shown --------------------------------------------------------------------------

    [[nodiscard]] const std::string& run() const { return run_; }
    /// Somebody can pause it, tell it something, stop it.
    [[nodiscard]] bool live() const { return controlled_ && !over_; }
    void set_controlled() { controlled_ = true; }
    /// Somebody else works on it: its journal grows.
    void set_followed() { followed_ = true; }
    [[nodiscard]] const std::vector<std::shared_ptr<const ShownTurn>>& turns() const {
        return turns_;
    }
    [[nodiscard]] const std::string& text() const { return text_; }
    [[nodiscard]] const std::string& reasoning() const { return reasoning_; }
    /// The turn to which the words under way belong.
    [[nodiscard]] int words_turn() const { return words_turn_; }
    /// The latest one that the run has seen.
    [[nodiscard]] const ShownPicture& picture() const { return picture_; }
    /// The one that waits for its annotation.
    [[nodiscard]] const std::optional<agent::AnnotationRequest>& wanted() const {
        return waiting_.picture;
    }

    /// Everything but the turns and the raw picture.
    [[nodiscard]] json::object to_json() const;
    [[nodiscard]] json::object to_json(const ShownTurn& turn) const;

    std::uint64_t seq = 0; ///< grows with each change but those of the words under way

private:
    PageState(const PageState&) = default;
    PageState& operator=(const PageState&) = default;
    [[nodiscard]] std::string phase() const;
    [[nodiscard]] int turn_of_reply(int turn) const;
    [[nodiscard]] json::value picture_json(const ShownPicture& picture) const;
    [[nodiscard]] json::value latest_picture_json() const;
    /// One that is in no snapshot: a copy takes the place of one that is.
    ShownTurn& change(int turn);
    void note(int turn, std::string kind, const std::string& text);
    void begin_reply(int turn);
    void apply_entry(const json::object& entry);
    void show_state(const agent::ModeState& state);
    void show_memory(const agent::ModeState& state);
    void on_started(const json::object& entry);
    void on_asked(const json::object& entry, int turn);
    void on_replied(const json::object& entry, int turn);
    void on_invoke(const json::object& entry, int turn);
    void on_invoked(const json::object& entry, int turn);
    void on_observed(const json::object& entry, int turn);
    void on_told(const json::object& entry, int turn);
    void on_finished(const json::object& entry);

    std::string run_;
    std::string profile_;
    agent::Profile settings_; ///< of the run
    agent::ModeTraits traits_;
    agent::ModeState derived_; ///< from the events, where no state is told
    bool controlled_ = false;
    bool over_ = false;
    bool followed_ = false;

    std::string task_;
    std::string model_;
    int turn_ = 0;
    int screenshot_ = 0; ///< the number of the one that is being taken
    std::string doing_ = "idle";
    std::string error_;
    int annotated_ = 0;
    std::string role_;
    std::string mode_phase_;
    std::string plan_;
    std::string brief_;
    json::value active_;
    json::value archived_;
    std::shared_ptr<const agent::VisualReply> reply_;
    std::shared_ptr<const agent::VisualReply> reply_to_come_; ///< with which the next turn begins
    json::value outcome_;
    json::value prompt_tokens_; ///< of all replies; null: none told
    json::value completion_tokens_;
    json::array targets_;
    json::value annotation_; ///< of the picture that is being taken
    ShownPicture picture_;
    agent::RunStatus waiting_;
    std::string text_;
    std::string reasoning_;
    int words_turn_ = 0;
    std::vector<std::shared_ptr<const ShownTurn>> turns_;
    std::map<int, std::shared_ptr<ShownTurn>> own_; ///< those of them that are in no snapshot
};

} // namespace eyehand::panel
