// The world that `make_desktop_world` returns.
#pragma once

#include "eyehand/agent/desktop_world.hpp"
#include "eyehand/agent/run_port.hpp"
#include "eyehand/winio/frame_pipeline.hpp"
#include "eyehand/winio/input_executor.hpp"
#include "eyehand/winio/reaction_times.hpp"
#include "eyehand/winio/screen_watch.hpp"
#include "eyehand/winio/settle.hpp"
#include "record/run_writer.hpp"
#include "replay/desktop_tape.hpp"
#include "replay/taped_desktop.hpp"
#include "run/gate.hpp"
#include "run/novelty.hpp"
#include "run/reply_times.hpp"
#include "run/target_guard.hpp"
#include "run/timeline.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace eyehand::agent {

/// The problem of a recovery that was interrupted because the user took over.
inline constexpr const char* recovery_interrupted = "the user used the mouse or the keyboard";

class DesktopWorld final : public World {
public:
    using Clock = std::chrono::steady_clock;

    explicit DesktopWorld(DesktopWorldParts parts, Timeline& timeline = Timeline::real());
    /// Replays: `parts.desktop` is `desktop`, which answers from `tape`.
    DesktopWorld(DesktopWorldParts parts, Timeline& timeline, DesktopTape* tape,
                 TapedDesktop* desktop);
    ~DesktopWorld() override;

    std::optional<Fact> news(Next next) override;
    void on_state(const ModeState& state) override;
    Fact execute(const Command& command) override;
    /// Asks whether the user has taken over; the first question of each command.
    void note_takeover();
    /// Keeps only the file's name: the store has the bytes.
    void remember(const Observed& seen) override;
    void remember(const Invoked& call) override;
    /// In a replay: the mode has received `seen` as the latest screenshot.
    void adopt(const Observed& seen) {
        if (!seen.refines()) seen_sha256_ = seen.sha256;
    }

private:
    class Tapes;

    Fact on(const Observe& command);
    Fact on(const Ask& command);
    Fact on(const Invoke& command);
    Fact on(const Recover& command);
    Fact on(const Await& command);
    Fact on(const Finish& command);
    [[nodiscard]] winio::WorkArea choose_area();
    [[nodiscard]] vlm::ChatRequest with_images(vlm::ChatRequest request, bool refines);
    [[nodiscard]] std::optional<vlm::Image>
    annotated(const Observe& command, const winio::Screenshot& screenshot, Observed& fact);
    [[nodiscard]] Fact cut_from_latest(const Observe& command);
    void show_part(const Zoom& zoom, Observed& fact, vlm::Image& image);
    void set_reference(const Observed& seen);
    [[nodiscard]] ResultImage keep(const vlm::Image& given);
    [[nodiscard]] const vlm::Image& image_of(const std::string& sha256);
    [[nodiscard]] bool wait_for_step();
    void act_out(const winio::Plan& plan, Invoked& fact);
    [[nodiscard]] bool checks_are_approved(const Invoke& command, Invoked& fact);
    [[nodiscard]] bool is_allowed(const Invoke& command, const winio::Plan& plan, Invoked& fact);
    [[nodiscard]] bool recovery_is_allowed(const std::string& step, const winio::Plan& plan,
                                           Recovered& fact);
    [[nodiscard]] std::optional<ToolResult> permitted(const Invoke& command,
                                                      const GuardedEffect& effect, Invoked& fact);
    [[nodiscard]] Gate::Answer ask_gate(const Invoke& command, Invoked& fact,
                                        const std::function<std::vector<GuardedEffect>()>& effects,
                                        const std::string& details = {});
    [[nodiscard]] Gate::Answer ask_gate(Judged decision,
                                        const std::function<GuardedAction()>& action,
                                        ApprovalRequest request, std::chrono::microseconds& policy);
    [[nodiscard]] GuardedAction guarded(const Invoke& command, const Invoked& fact) const;
    [[nodiscard]] GuardSurroundings surroundings();
    [[nodiscard]] RevealedText revealed(std::string_view text);
    [[nodiscard]] winio::CheckBatch batch_check();
    [[nodiscard]] std::optional<std::string> objection(const winio::Batch& batch);
    [[nodiscard]] winio::ExecutionReport carry_out(const winio::Plan& plan,
                                                   const std::stop_token& stop,
                                                   const winio::CheckBatch& check = {});
    [[nodiscard]] winio::InputExecutor& executor();
    [[nodiscard]] TapedCapturer& capturer();
    [[nodiscard]] winio::Redaction redaction() const;
    [[nodiscard]] bool prepare_reaction(const winio::Plan& plan);
    [[nodiscard]] std::optional<StaleCall> stale_target(const winio::Plan& plan, bool captured);
    void refuse_as_stale(StaleCall stale, Invoked& fact);
    void keep_seen(const Observed& fact, std::vector<winio::Rect> toggling);
    [[nodiscard]] Fact ask(const Ask& command);
    [[nodiscard]] Replied watched_reply(const Ask& command, const vlm::ChatRequest& request,
                                        bool shows_seen, std::optional<Superseded>& superseded);
    [[nodiscard]] winio::ReactionOptions reaction_limits() const;
    [[nodiscard]] std::optional<winio::Size> model_size(winio::Size screenshot) const;
    void learn_late_reaction();
    [[nodiscard]] bool reveals_secret(const std::string& body, const vlm::ChatReply& reply) const;
    void record_response(vlm::ChatReply& reply);
    [[nodiscard]] bool look_while_thinking(std::chrono::microseconds& cost);
    [[nodiscard]] std::vector<winio::Rect> differing_now();
    [[nodiscard]] std::vector<winio::Rect> ambient();
    [[nodiscard]] Clock::time_point time_of_guard();
    [[nodiscard]] Superseded superseded_after(std::chrono::milliseconds time,
                                              std::vector<winio::Rect> changed) const;
    [[nodiscard]] RecordedScreen settled_screen(winio::Capturer& capturer);
    [[nodiscard]] RecordedScreen wait_for_screen(winio::Capturer& capturer, bool reaction);
    [[nodiscard]] Fact broken_off() const {
        return Stopped{control_.stop_reason(), control_.at_limit()};
    }

    Timeline& timeline_;
    Secrets secrets_;
    std::unique_ptr<Tapes> tapes_;
    DesktopTape& tape_;
    TapedDesktop* taped_desktop_; ///< nullptr: neither recorded nor replayed
    winio::Desktop& desktop_;
    vlm::ChatModel& model_;
    const ToolsByRole& tools_;
    const Profile& profile_;
    const std::optional<CoordinateConverter> numbers_; ///< of the model
    const AgentOptions& options_;
    RunWriter writer_;
    RunPort control_;
    Gate gate_;
    std::set<std::string> approved_checks_; ///< of the latest reply; as `key_of` names them
    std::vector<std::string> revealed_;     ///< names of the secrets that the present plan types
    std::vector<std::uint32_t> own_processes_;
    std::optional<winio::WindowInfo> chosen_window_; ///< at the first screenshot
    Journal* journal_; ///< nullptr: decisions are not written, and nothing is synced
    vlm::OnDelta on_delta_;
    std::function<void(const ModeState&)> on_state_;
    std::function<void(const ToolProgress&)> on_progress_;
    int turn_ = 0;                        ///< of the mode
    Clock::time_point began_{};           ///< this part of the run; on the timeline
    std::optional<winio::WorkArea> area_; ///< of the latest screenshot
    /// What the latest screenshot shows of it, if that is only a part.
    struct Reference {
        winio::WorkArea area;
        std::optional<CoordinateConverter> numbers; ///< as `numbers_`
    };
    std::optional<Reference> reference_;
    std::optional<winio::InputExecutor> executor_; ///< limited to the area of the latest action
    std::unique_ptr<TapedCapturer> capturer_;
    winio::Settler settler_;
    winio::BeforeAction before_;   ///< the latest action that acted
    winio::BeforeAction earlier_;  ///< the one before it, in case it is refused
    bool awaits_reaction_ = false; ///< to the latest action
    Clock::time_point acted_at_{}; ///< the same, on the timeline
    winio::ReactionTimes reaction_times_;
    /// An action without a reaction until the latest screenshot.
    struct LateReaction {
        std::string process;
        winio::Expectation expectation{};
        Clock::time_point acted{};
    };
    std::optional<LateReaction> late_reaction_;
    winio::FramePipeline pipeline_;
    /// The screenshots in the conversation, by hash.
    std::map<std::string, vlm::Image> images_;
    std::map<std::string, std::string> files_; ///< names of the files of all screenshots, by hash
    bool asked_ = false;
    bool step_waited_ = false; ///< since the latest request
    bool acted_ = false;       ///< since the latest screenshot
    Novelty novelty_;
    winio::Frame previous_; ///< of the screenshot before the latest one

    // What the model has seen, and what has happened since.
    winio::ScreenState seen_; ///< the latest screenshot
    std::string seen_sha256_; ///< of the latest screenshot, as the model receives it
    struct {
        std::string sha256;
        std::string file;
    } stored_;                    ///< the latest screenshot of this world, also in a replay
    int dpi_ = 96;                ///< of the displays that it shows
    Clock::time_point seen_at_{}; ///< when it was captured
    std::string_view outdated_{}; ///< why replies must not act before the next screenshot; or empty
    TargetGuard guard_;
    winio::ScreenWatch watch_;
    winio::ScreenState look_; ///< the latest look of the watch
    ReplyTimes reply_times_;
    std::optional<int> prompt_tokens_; ///< of the latest request
};

} // namespace eyehand::agent
