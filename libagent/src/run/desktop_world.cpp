#include "run/desktop_world.hpp"

#include "base/latest_image.hpp"
#include "base/text.hpp"
#include "coordinates/zoomed_view.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/agent/journal.hpp"
#include "eyehand/winio/error.hpp"
#include "eyehand/winio/gesture.hpp"
#include "eyehand/winio/png.hpp"
#include "eyehand/winio/system.hpp"
#include "guard/own_windows.hpp"
#include "replay/tape_recorder.hpp"
#include "run/element_size.hpp"
#include "json/json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <set>
#include <sstream>
#include <utility>

namespace eyehand::agent {
namespace {

using Clock = DesktopWorld::Clock;

/// Why replies must not act before the next screenshot (`StaleCall::reason`).
constexpr std::string_view by_resumption = "resumed";
constexpr std::string_view by_takeover = "taken_over";

std::chrono::microseconds since(Clock::time_point start) {
    return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start);
}

/// Whether an error concerns only this call, so that the model can react to it.
bool model_can_help(const std::error_code& code) {
    return code == winio::errc::outside_work_area || code == winio::errc::window_not_found ||
           code == winio::errc::launch_failed || code == winio::errc::clipboard_failed ||
           code == winio::errc::input_not_permitted || code == winio::errc::not_supported ||
           code == winio::errc::raced;
}

/// Marks a call as failed: interrupted by the user, failed for the model, or fatal for the run.
void not_done(Invoked& fact, const std::error_code& code, const std::string& reason) {
    fact.ok = false;
    if (code == winio::errc::cancelled) {
        fact.interrupted = true;
        fact.result_json = fail("interrupted", "The user interrupted the action.").json();
        return;
    }
    if (code == winio::errc::raced) {
        fact.wants_screenshot = true;
        fact.result_json =
            fail("raced", "The action was broken off: " + reason + ". Look at the screen.").json();
        return;
    }
    fact.result_json = fail("desktop_failed", reason).json();
    if (!model_can_help(code)) fact.desktop_failure = fact.tool + ": " + reason;
}

/// Whether a plan acts on the desktop; a plan that only waits does not.
bool acts(const winio::Plan& plan) {
    return std::any_of(plan.steps.begin(), plan.steps.end(), [](const winio::Step& step) {
        const auto* batch = std::get_if<winio::Batch>(&step.effect);
        return batch == nullptr || !batch->empty();
    });
}

/// Measures the latest capture.
class TimedCapturer final : public winio::Capturer {
public:
    explicit TimedCapturer(winio::Capturer& inner) : inner_(inner) {}
    void capture(const winio::Rect& area, winio::Frame& into) override {
        const auto start = Clock::now();
        inner_.capture(area, into);
        latest_ = since(start);
    }
    [[nodiscard]] std::chrono::microseconds latest() const { return latest_; }

private:
    winio::Capturer& inner_;
    std::chrono::microseconds latest_{};
};

std::optional<winio::NormPoint> pointer_in(const winio::Frame& frame, const winio::WorkArea& area) {
    if (!frame.pointer || !area.contains(frame.pointer->position)) return std::nullopt;
    return area.to_norm(frame.pointer->position);
}

/// The highest DPI of the displays that an area touches.
int dpi_of(winio::Desktop& desktop, const winio::Rect& area) {
    int dpi = 96;
    for (const winio::Display& display : desktop.displays())
        if (!winio::intersection(display.bounds, area).empty()) dpi = std::max(dpi, display.dpi);
    return dpi;
}

winio::ScreenshotOptions screenshot_options(const Profile& profile) {
    winio::ScreenshotOptions options;
    options.size = profile.image;
    options.format = profile.image_format;
    return options;
}

vlm::Image model_image(std::shared_ptr<const std::vector<std::uint8_t>> file) {
    // Tests and clients that annotate pass files of no known format.
    const std::string_view media_type = vlm::media_type_of(*file);
    return media_type.empty() ? vlm::make_image(std::move(file))
                              : vlm::make_image(std::move(file), std::string(media_type));
}

/// An annotated screenshot of the client, which is PNG, in the format of the run.
std::vector<std::uint8_t> in_format(std::vector<std::uint8_t> png,
                                    const winio::ImageFormat& format) {
    if (std::holds_alternative<winio::PngOptions>(format)) return png;
    return winio::encode_image(winio::decode_png(png).view(), format);
}

/// All values have been read: an earlier part of the run may have typed them.
Secrets read(Secrets secrets) {
    secrets.read_all();
    return secrets;
}

} // namespace

/// The tape of a run, and the desktop that uses it.
class DesktopWorld::Tapes {
public:
    Tapes(const DesktopWorldParts& parts, const Secrets& secrets, DesktopTape* tape,
          TapedDesktop* desktop)
        : replayed_(tape), desktop_(desktop) {
        if (replayed_ != nullptr || !parts.options.record_desktop) return;
        recorder_.emplace(parts.store, parts.options, secrets);
        recorded_.emplace(*recorder_, parts.desktop);
        desktop_ = &*recorded_;
        recorder_->begin_part(desktop_->parts());
    }
    [[nodiscard]] DesktopTape& tape() {
        if (replayed_ != nullptr) return *replayed_;
        return recorder_ ? static_cast<DesktopTape&>(*recorder_) : none_;
    }
    /// nullptr: neither recorded nor replayed.
    [[nodiscard]] TapedDesktop* desktop() { return desktop_; }

private:
    DesktopTape none_;
    DesktopTape* replayed_;
    std::optional<TapeRecorder> recorder_;
    std::optional<TapedDesktop> recorded_;
    TapedDesktop* desktop_;
};

DesktopWorld::DesktopWorld(DesktopWorldParts parts, Timeline& timeline)
    : DesktopWorld(std::move(parts), timeline, nullptr, nullptr) {}

DesktopWorld::DesktopWorld(DesktopWorldParts parts, Timeline& timeline, DesktopTape* tape,
                           TapedDesktop* desktop)
    : timeline_(timeline), secrets_(read(parts.options.secrets)),
      tapes_(std::make_unique<Tapes>(parts, secrets_, tape, desktop)), tape_(tapes_->tape()),
      taped_desktop_(tapes_->desktop()),
      desktop_(taped_desktop_ == nullptr ? parts.desktop
                                         : static_cast<winio::Desktop&>(*taped_desktop_)),
      model_(parts.model), tools_(parts.tools), profile_(parts.profile),
      numbers_(coordinate_converter(parts.profile)), options_(parts.options),
      writer_(parts.store, parts.options.screenshot_names, parts.profile.log),
      control_(parts.control), gate_(parts.options.guard, parts.options.approvals, control_, tape_),
      own_processes_(tape_.own_processes()), journal_(parts.journal),
      on_delta_(std::move(parts.on_delta)), on_state_(std::move(parts.on_state)),
      on_progress_(std::move(parts.on_progress)), began_(timeline.now()),
      pipeline_(screenshot_options(parts.profile)) {}

DesktopWorld::~DesktopWorld() = default;

std::unique_ptr<World> make_desktop_world(DesktopWorldParts parts) {
    return std::make_unique<DesktopWorld>(std::move(parts));
}

std::optional<Fact> DesktopWorld::news(Next next) {
    // The end of a run is not held, but an earlier message can postpone it.
    if (auto told =
            control_.next_message(next == Next::finish ? RunPort::Hold::no : RunPort::Hold::yes))
        return *std::move(told);
    if (control_.stopping()) return broken_off();
    return std::nullopt;
}

void DesktopWorld::on_state(const ModeState& state) {
    turn_ = state.turn;
    if (on_state_) on_state_(state);
}

Fact DesktopWorld::execute(const Command& command) {
    tape_.begin(command, turn_);
    note_takeover();
    return std::visit([this](const auto& it) { return on(it); }, command);
}

void DesktopWorld::note_takeover() {
    if (tape_.answer(answers::taken_over, [&] { return control_.was_taken_over(); }))
        outdated_ = by_takeover;
}

/// A window is chosen once: another window that adopts its title later is another window.
winio::WorkArea DesktopWorld::choose_area() {
    if (!options_.area.window || desktop_.windows() == nullptr)
        return winio::choose_area(desktop_, options_.area);
    std::vector<winio::WindowInfo> windows = desktop_.windows()->list();
    if (!chosen_window_) chosen_window_ = winio::find_window(windows, *options_.area.window);
    std::erase_if(windows, [&](const winio::WindowInfo& window) {
        return !chosen_window_ || window.id != chosen_window_->id ||
               window.process_id != chosen_window_->process_id;
    });
    winio::AreaChoice chosen = options_.area;
    if (!windows.empty()) chosen.window = winio::WindowQuery{}; // its title may have changed
    return winio::choose_area(desktop_.displays(), chosen, windows);
}

/// Waits `step_delay` before the screenshot of a turn, or before its request if the turn has no
/// screenshot, except before the first request. Returns false if the run stops.
bool DesktopWorld::wait_for_step() {
    if (!asked_ || std::exchange(step_waited_, true)) return true;
    return timeline_.wait(profile_.step_delay, control_.at_safe_point());
}

Fact DesktopWorld::on(const Observe& command) {
    if (command.zoom && command.zoom->use == ZoomUse::refine) return cut_from_latest(command);
    acted_ = false;
    if (!wait_for_step()) return broken_off();
    if (!timeline_.wait(profile_.pace.capture_delay, control_.at_safe_point())) return broken_off();
    try {
        area_ = choose_area(); // displays come and go
        dpi_ = dpi_of(desktop_, area_->bounds());
        TimedCapturer timed(capturer());
        RecordedScreen screen = settled_screen(timed);
        Observed fact;
        fact.settle = screen.settle;
        fact.end = std::move(screen.end);
        fact.reacted_after = screen.reacted_after;
        fact.redacted = std::move(screen.redacted);
        std::vector<winio::Rect> toggling = std::move(screen.toggling);
        winio::Frame frame = std::move(screen.frame);
        const auto pointer = pointer_in(frame, *area_);
        std::swap(previous_, seen_.frame);
        seen_.frame = frame;
        seen_.windows =
            options_.watch == Watch::off ? std::nullopt : winio::listed_windows(desktop_);
        seen_at_ = timeline_.now();
        seen_sha256_.clear();
        const auto before = std::exchange(stored_, {});
        const winio::Screenshot screenshot = pipeline_.process(std::move(frame));
        // `process` leaves memory in it. NOLINTNEXTLINE(bugprone-use-after-move)
        settler_.reuse(std::move(frame));
        vlm::Image image = model_image(screenshot.file);
        fact.sha256 = image.sha256;
        fact.size = screenshot.size;
        fact.area = screenshot.area;
        fact.model_size = model_size(screenshot.size);
        fact.changed = screenshot.changed;
        fact.pointer = pointer;
        for (const winio::Rect& region : ambient()) toggling.push_back(region);
        fact.still = novelty_.is_still(previous_, seen_.frame, toggling, image.sha256, dpi_);
        fact.returned = novelty_.has_returned();
        fact.capture = timed.latest();
        fact.scale = screenshot.scale_time;
        fact.encode = screenshot.encode_time;
        if (command.zoom) {
            show_part(*command.zoom, fact, image);
        } else if (command.annotation) {
            fact.raw_sha256 = image.sha256;
            fact.raw_file =
                writer_.save_screenshot(command.screenshot, *screenshot.file, ScreenshotKind::raw);
            auto drawn = annotated(command, screenshot, fact);
            if (!drawn) return broken_off();
            image = *std::move(drawn);
            fact.sha256 = image.sha256;
        }
        const bool is_stored = image.sha256 == before.sha256 &&
                               mode_of(profile_).traits().equal_screenshots_share_file;
        fact.file =
            is_stored ? before.file : writer_.save_screenshot(command.screenshot, *image.bytes);
        images_.insert_or_assign(fact.sha256, std::move(image));
        keep_seen(fact, std::move(toggling));
        set_reference(fact);
        return fact;
    } catch (const winio::Error& error) {
        // Also if another error is the consequence of what the user stops, such as a server that does not answer.
        if (control_.stopping()) return broken_off();
        capturer_.reset(); // its resources may be gone with the display
        return ObserveFailed{error_name(error.code()), error.what()};
    }
}

/// A crop of the latest screenshot at full resolution, without the pointer, which may be on the target.
Fact DesktopWorld::cut_from_latest(const Observe& command) {
    if (!area_ || seen_.frame.pixels.size() != area_->bounds().size())
        return ObserveFailed{error_name(winio::errc::not_supported),
                             "the latest screenshot was taken before the run was resumed"};
    try {
        Observed fact;
        vlm::Image image;
        show_part(*command.zoom, fact, image);
        fact.file = writer_.save_screenshot(command.screenshot, *image.bytes);
        files_.insert_or_assign(fact.sha256, fact.file);
        images_.insert_or_assign(fact.sha256, std::move(image));
        return fact;
    } catch (const winio::Error& error) {
        return ObserveFailed{error_name(error.code()), error.what()};
    }
}

/// Replaces the screenshot by one that shows only a part of the latest frame.
void DesktopWorld::show_part(const Zoom& zoom, Observed& fact, vlm::Image& image) {
    const auto start = Clock::now();
    const winio::Rect& all = area_->bounds();
    const ZoomedView view = zoomed_view(*area_, zoom, profile_);
    std::optional<winio::PointerShape> pointer;
    // The pointer may be on the target.
    if (zoom.use == ZoomUse::refine) std::swap(pointer, seen_.frame.pointer);
    const winio::Image pixels = zoomed_image(seen_.frame, view);
    if (zoom.use == ZoomUse::refine) std::swap(pointer, seen_.frame.pointer);
    const auto scaled = Clock::now();
    image = vlm::make_image(winio::encode_image(pixels.view(), pipeline_.options().format),
                            std::string(winio::media_type(pipeline_.options().format)));
    fact.sha256 = image.sha256;
    fact.size = view.image;
    fact.area = view.area;
    fact.zoomed = Zoomed{all, zoom.use, {}};
    if (zoom.target) {
        const winio::Point at = area_->to_pixel(*zoom.target);
        fact.zoomed->element =
            element_size(seen_.frame.pixels.view(), {at.x - all.x, at.y - all.y});
    }
    fact.model_size = model_size(view.image);
    fact.scale += std::chrono::duration_cast<std::chrono::microseconds>(scaled - start);
    fact.encode += since(scaled);
}

/// What positions in the next calls refer to.
void DesktopWorld::set_reference(const Observed& seen) {
    if (seen.refines()) return;
    reference_.reset();
    if (!seen.zoomed || seen.zoomed->use != ZoomUse::positions) return;
    reference_ = Reference{winio::WorkArea(seen.area), numbers_};
    if (numbers_) reference_->numbers = numbers_->with_image(seen.size);
}

/// The size after the resizing by the model's processor.
std::optional<winio::Size> DesktopWorld::model_size(winio::Size screenshot) const {
    const auto processor = image_processor(profile_);
    if (!processor) return std::nullopt;
    try {
        return model_image_size(screenshot, *processor);
    } catch (const std::invalid_argument&) { // so narrow that the processor refuses it
        return std::nullopt;
    }
}

/// Waits for the reaction to the latest action, or only for a stable screen if nothing has acted
/// since the latest screenshot, or only the pointer has moved.
RecordedScreen DesktopWorld::settled_screen(winio::Capturer& capturer) {
    const winio::Rect& area = area_->bounds();
    late_reaction_.reset();
    const bool reaction = std::exchange(awaits_reaction_, false) &&
                          before_.expectation != winio::Expectation::nothing &&
                          before_.frame.origin == area.origin() &&
                          before_.frame.pixels.size() == area.size();
    return tape_.answer(answers::screen, [&] {
        RecordedScreen screen = wait_for_screen(capturer, reaction);
        screen.redacted = capturer_->redacted();
        return screen;
    });
}

RecordedScreen DesktopWorld::wait_for_screen(winio::Capturer& capturer, bool reaction) {
    winio::SettleOptions settle = options_.settle;
    for (const winio::Rect& region : watch_.ambient()) settle.ambient.push_back(region);
    RecordedScreen screen;
    if (reaction) {
        winio::Reacted reacted = settler_.wait_for_reaction(
            desktop_, capturer, before_, reaction_limits(), settle, control_.at_safe_point());
        if (reacted.reacted_after)
            reaction_times_.add(before_.process, before_.expectation, *reacted.reacted_after);
        else if (reacted.end == winio::ReactionEnd::no_reaction ||
                 reacted.end == winio::ReactionEnd::local_only)
            late_reaction_ = LateReaction{before_.process, before_.expectation, acted_at_};
        screen.settle = reacted.waited;
        screen.end = to_string(reacted.end);
        screen.reacted_after = reacted.reacted_after;
        screen.toggling = std::move(reacted.toggling);
        screen.frame = std::move(reacted.frame);
        return screen;
    }
    winio::Settled settled =
        settler_.wait(capturer, area_->bounds(), settle, control_.at_safe_point());
    screen.settle = settled.waited;
    screen.end = settled.end == winio::SettleEnd::stable ? "stable" : "timeout";
    screen.toggling = std::move(settled.toggling);
    screen.frame = std::move(settled.frame);
    return screen;
}

/// The regions that change by themselves.
std::vector<winio::Rect> DesktopWorld::ambient() {
    return tape_.answer(answers::ambient, [&] { return watch_.ambient(); });
}

/// Programs that have always reacted quickly are not waited for as long as others.
winio::ReactionOptions DesktopWorld::reaction_limits() const {
    return reaction_times_.limits(before_.process, before_.expectation, options_.reaction);
}

TapedCapturer& DesktopWorld::capturer() {
    if (capturer_) return *capturer_;
    std::unique_ptr<winio::RedactingCapturer> inner;
    if (!tape_.replays())
        inner = std::make_unique<winio::RedactingCapturer>(desktop_.open_capturer(options_.capture),
                                                           desktop_.windows(), redaction());
    capturer_ = std::make_unique<TapedCapturer>(tape_, std::move(inner));
    return *capturer_;
}

/// What the user wants to hide, and the windows of the agent itself.
winio::Redaction DesktopWorld::redaction() const {
    winio::Redaction all = options_.redaction;
    if (!options_.redact_own_windows || desktop_.windows() == nullptr) return all;
    all.more_windows =
        [this, more = options_.redaction.more_windows](std::span<const winio::WindowInfo> windows) {
            std::vector<winio::WindowId> chosen;
            if (more) chosen = more(windows);
            const OwnWindows own(windows, own_processes_);
            for (const winio::WindowInfo& window : windows)
                if (own.contains(window)) chosen.push_back(window.id);
            return chosen;
        };
    return all;
}

/// Returns whether the next screenshot waits for the reaction to this plan: not without a capture.
bool DesktopWorld::prepare_reaction(const winio::Plan& plan) {
    awaits_reaction_ = false;
    try {
        winio::prepare_reaction(desktop_, capturer(), area_->bounds(), plan, before_);
        awaits_reaction_ = true;
    } catch (const winio::Error&) {
        capturer_.reset(); // the next screenshot reports a failure that lasts
    }
    return awaits_reaction_;
}

/// Returns nothing if the run stops before the client has supplied the annotation.
std::optional<vlm::Image> DesktopWorld::annotated(const Observe& command,
                                                  const winio::Screenshot& screenshot,
                                                  Observed& fact) {
    const auto start = Clock::now();
    std::optional<vlm::Image> image;
    if (options_.annotation == Source::client) {
        auto drawn =
            tape_.answer(answers::annotation, [&]() -> std::optional<std::vector<std::uint8_t>> {
                const auto png = control_.wait_for_annotation({command.screenshot, screenshot.size,
                                                               screenshot.file,
                                                               std::string(screenshot.media_type)});
                return png == nullptr ? std::nullopt : std::optional(*png);
            });
        if (drawn)
            image = model_image(std::make_shared<const std::vector<std::uint8_t>>(
                in_format(*std::move(drawn), profile_.image_format)));
    } else {
        const auto overlay =
            make_overlay(*command.annotation, profile_.executed_heat, profile_.bbox_heat,
                         screenshot.size, numbers_ ? &*numbers_ : nullptr);
        image = model_image(pipeline_.annotate(*overlay));
    }
    fact.annotate = since(start);
    return image;
}

Fact DesktopWorld::on(const Await&) {
    if (auto reply = control_.wait_for_reply()) return *std::move(reply);
    return broken_off();
}

Fact DesktopWorld::on(const Ask& command) {
    if (!command.refines) {
        if (!wait_for_step()) return broken_off();
        asked_ = true;
        step_waited_ = false;
        approved_checks_.clear();
    }
    try {
        Fact fact = ask(command);
        if (auto* replied = std::get_if<Replied>(&fact)) record_response(replied->reply);
        // Without the watch, the screenshot of a resumed run may be old, but its replies are new.
        if ((options_.watch == Watch::off || options_.annotation != Source::library) &&
            outdated_ == by_resumption && std::holds_alternative<Replied>(fact))
            outdated_ = {};
        return fact;
    } catch (const vlm::Error& error) {
        // Without a stop request, a model that reports this error has failed.
        if (error.code() == vlm::errc::cancelled && control_.stopping()) return broken_off();
        const bool refused = error.code() == vlm::errc::http_status ||
                             error.code() == vlm::errc::not_supported ||
                             error.code() == vlm::errc::server_error;
        return AskFailed{error_name(error.code()), error.what(),
                         error.code() == vlm::errc::context_overflow, refused};
    }
}

// ---- the screen while the model thinks ----------------------------------------------------------

namespace {

/// A run that was held for longer looks again before it asks.
constexpr std::chrono::seconds max_hold{1};

} // namespace

Fact DesktopWorld::ask(const Ask& command) {
    const vlm::Image* latest = latest_image(command.request.messages);
    const std::string image = latest == nullptr ? std::string() : latest->sha256;
    if (!outdated_.empty() && options_.watch != Watch::off && command.may_be_superseded &&
        !image.empty() && options_.annotation == Source::library) {
        step_waited_ = true;
        return Superseded{image, {}, {}, {}};
    }
    const bool watched = options_.watch != Watch::off && !image.empty() && !seen_sha256_.empty();
    if (!watched)
        return Replied{model_.reply(with_images(command.request, command.refines), on_delta_,
                                    control_.at_safe_point())};
    // An image that the client annotates cannot be replaced without the client.
    const bool shows_seen =
        image == seen_sha256_ && !guard_.has_acted() && options_.annotation == Source::library;
    if (shows_seen && command.may_be_superseded &&
        tape_.answer(answers::outdated, [&] { return timeline_.now() - seen_at_ > max_hold; })) {
        if (auto differing = differing_now(); !differing.empty()) {
            step_waited_ = true;
            return superseded_after({}, std::move(differing));
        }
    }
    const vlm::ChatRequest request = with_images(command.request, command.refines);
    std::optional<Superseded> superseded;
    Replied fact = watched_reply(command, request, shows_seen, superseded);
    if (superseded) {
        step_waited_ = true;
        return *std::move(superseded);
    }
    if (!command.refines) prompt_tokens_ = fact.reply.usage.prompt_tokens;
    fact.screen_changed = shows_seen && fact.reply.tool_calls.empty() &&
                          (!request.tools.empty() || command.calls_in_text) &&
                          !differing_now().empty();
    return fact;
}

/// Returns the reply, unless it sets `superseded`.
Replied DesktopWorld::watched_reply(const Ask& command, const vlm::ChatRequest& request,
                                    bool shows_seen, std::optional<Superseded>& superseded) {
    const auto sent = timeline_.now();
    const auto time = [&] {
        return std::chrono::duration_cast<std::chrono::milliseconds>(timeline_.now() - sent);
    };
    const auto pending = timeline_.send(model_, request, control_.at_safe_point());
    watch_.start(seen_, sent, dpi_);
    const bool resends = options_.watch == Watch::resend && shows_seen && command.may_be_superseded;
    superseded = tape_.answer(answers::watch, [&] {
        std::optional<Superseded> found;
        std::chrono::microseconds cost{};
        bool watches = true;
        while (!pending->wait_until(watches ? timeline_.now() + winio::watch_interval(cost)
                                            : Timeline::Time::max(),
                                    on_delta_)) {
            // After a failed capture, the next one is tried.
            (void)look_while_thinking(cost);
            if (!resends || found || watch_.changed().empty() || pending->is_answered() ||
                !reply_times_.is_early(time()))
                continue;
            found =
                superseded_after(std::max(time(), std::chrono::milliseconds{1}), watch_.changed());
            watches = false;
            pending->cancel();
        }
        return found;
    });
    learn_late_reaction();
    try {
        Replied fact{pending->take(on_delta_)};
        superseded.reset();                       // the reply was complete before it was cancelled
        if (shows_seen) reply_times_.add(time()); // the result of a call is answered faster
        return fact;
    } catch (const vlm::Error&) {
        // Whatever ends a canceled request: a problem that lasts ends the next one, too.
        if (control_.stopping()) superseded.reset();
        if (!superseded) throw;
        return {};
    }
}

/// Whether a secret is in what the server sent: as it is, escaped as JSON, or spread over several events
/// of a stream.
bool DesktopWorld::reveals_secret(const std::string& body, const vlm::ChatReply& reply) const {
    if (secrets_.empty()) return false;
    const auto in_text = [&](const std::string& text) { return secrets_.redact(text) != text; };
    const auto in_json = [&](const std::string& text) {
        return in_text(text) || (parse_json(text) && secrets_.redact_json(text) != text);
    };
    const auto in_event = [&](std::string_view line) {
        constexpr std::string_view field = "data:";
        return line.starts_with(field) && in_json(std::string(trim(line.substr(field.size()))));
    };
    std::istringstream lines(body);
    for (std::string line; std::getline(lines, line);)
        if (in_event(line)) return true;
    return in_json(body) || in_text(reply.text) || in_text(reply.reasoning) ||
           std::ranges::any_of(reply.tool_calls, in_json, &vlm::ToolCall::arguments_json);
}

/// Records what the server sent, unless it contains a secret, and frees it.
void DesktopWorld::record_response(vlm::ChatReply& reply) {
    const auto response = std::exchange(reply.response, nullptr);
    if (response == nullptr) return;
    if (reveals_secret(response->body, reply)) return;
    (void)tape_.answer(answers::response, [&] { return *response; });
}

/// A reaction that was seen only while the model thought: the wait was too short.
void DesktopWorld::learn_late_reaction() {
    if (!late_reaction_ || !watch_.first_change()) return;
    const auto late = std::exchange(late_reaction_, std::nullopt);
    const auto time =
        std::chrono::duration_cast<std::chrono::milliseconds>(*watch_.first_change() - late->acted);
    reaction_times_.add(late->process, late->expectation, time);
}

/// Returns false if the screen cannot be captured: the next screenshot reports the problem.
bool DesktopWorld::look_while_thinking(std::chrono::microseconds& cost) {
    constexpr std::chrono::microseconds assumed_cost{10'000}; // of a failed capture
    const auto start = timeline_.now();
    try {
        winio::capture_state(desktop_, capturer(), area_->bounds(), look_);
        watch_.note(look_, timeline_.now());
        cost = std::chrono::duration_cast<std::chrono::microseconds>(timeline_.now() - start);
        return true;
    } catch (const winio::Error&) {
        capturer_.reset();
        cost = std::max(cost, assumed_cost);
        return false;
    }
}

/// Where the screen differs from the screenshot now, without a wait until nothing changes: the next
/// screenshot waits.
std::vector<winio::Rect> DesktopWorld::differing_now() {
    return tape_.answer(answers::differing, [&] {
        std::chrono::microseconds cost{};
        watch_.start(seen_, timeline_.now(), dpi_);
        return look_while_thinking(cost) ? watch_.differing() : std::vector<winio::Rect>();
    });
}

Superseded DesktopWorld::superseded_after(std::chrono::milliseconds time,
                                          std::vector<winio::Rect> changed) const {
    return {seen_sha256_, std::move(changed), time, prompt_tokens_};
}

void DesktopWorld::keep_seen(const Observed& fact, std::vector<winio::Rect> toggling) {
    seen_sha256_ = fact.sha256;
    stored_ = {fact.sha256, fact.file};
    files_.insert_or_assign(fact.sha256, fact.file);
    outdated_ = {};
    guard_.on_screenshot(std::move(toggling));
}

/// Fills in the bytes of images, and frees images that the conversation no longer contains. A request
/// that refines a position says nothing about the conversation.
vlm::ChatRequest DesktopWorld::with_images(vlm::ChatRequest request, bool refines) {
    if (tape_.replays()) return request; // no model receives them
    request.keep_response = tape_.records();
    std::set<std::string> held;
    for (vlm::Message& message : request.messages) {
        for (vlm::Part& part : message.parts) {
            auto* image = std::get_if<vlm::Image>(&part);
            if (image == nullptr) continue;
            held.insert(image->sha256);
            *image = image_of(image->sha256);
        }
    }
    if (!refines)
        std::erase_if(images_, [&](const auto& entry) { return !held.contains(entry.first); });
    return request;
}

void DesktopWorld::remember(const Observed& seen) {
    files_.insert_or_assign(seen.sha256, seen.file);
    if (seen.refines()) return;
    novelty_.remember(seen.raw_sha256.empty() ? seen.sha256 : seen.raw_sha256);
    set_reference(seen);
    outdated_ = by_resumption;
}

void DesktopWorld::remember(const Invoked& call) {
    for (const ResultImage& image : call.images) files_.insert_or_assign(image.sha256, image.file);
}

/// Stores an image of a result, for the requests to the model.
ResultImage DesktopWorld::keep(const vlm::Image& given) {
    if (!given.bytes) throw std::invalid_argument("an image of a result without its bytes");
    vlm::Image image = model_image(given.bytes);
    ResultImage kept{image.sha256, writer_.save_image(image)};
    files_.insert_or_assign(kept.sha256, kept.file);
    images_.insert_or_assign(kept.sha256, std::move(image));
    return kept;
}

const vlm::Image& DesktopWorld::image_of(const std::string& sha256) {
    const auto known = images_.find(sha256);
    if (known != images_.end()) return known->second;
    const std::string& file = files_.at(sha256);
    vlm::Image image =
        model_image(std::make_shared<const std::vector<std::uint8_t>>(writer_.read(file)));
    if (image.sha256 != sha256)
        throw Error(errc::bad_run, file + " is not the image that the journal names: restore it");
    return images_.insert_or_assign(sha256, std::move(image)).first->second;
}

Fact DesktopWorld::on(const Invoke& command) {
    Invoked fact;
    fact.call_id = command.call.id;
    fact.tool = command.call.name;
    if (std::exchange(acted_, true) &&
        !timeline_.wait(profile_.pace.action_delay, control_.at_safe_point()))
        return broken_off();
    const auto start = Clock::now();
    try {
        // Calls refer to the area of the latest screenshot, even if displays have changed since.
        if (!area_) area_ = choose_area();
        ToolContext context{
            desktop_,
            reference_ ? reference_->area : *area_,
            control_.at_once(),
            control_.at_safe_point(),
            {.steps = profile_.pace.drag_steps, .step_wait = profile_.pace.drag_step_delay},
            profile_.pace.type_delay,
            options_.hidden_variables,
            [&](const GuardedEffect& effect) { return permitted(command, effect, fact); }};
        if (reference_) {
            context.whole = *area_;
            if (reference_->numbers) context.coordinates = &*reference_->numbers;
        }
        revealed_.clear();
        if (!secrets_.empty()) {
            std::ranges::copy(secrets_.variables(), std::back_inserter(context.hidden_variables));
            context.reveal = [this](std::string_view text) { return revealed(text); };
            context.redact = [this](std::string_view text) { return secrets_.redact(text); };
        }
        if (on_progress_)
            context.progress = [&](double done, std::optional<double> total,
                                   std::string_view message) {
                on_progress_(
                    {command.call.name, done, total, to_valid_utf8(secrets_.redact(message))});
            };
        const Toolbox& tools = tools_.at(command.role);
        const bool may_act_itself = tools.may_act_itself(command.call.name);
        if (may_act_itself && outdated_ == by_takeover) {
            refuse_as_stale({std::string(by_takeover), {}}, fact);
            return fact;
        }
        if (!checks_are_approved(command, fact)) return fact;
        if (journal_ != nullptr && may_act_itself) journal_->finish_sync();
        const ToolResult result = tools.call(command.call, context);
        fact.ok = result.succeeded();
        fact.result_json = result.json();
        fact.wants_screenshot = result.wants_screenshot();
        for (const vlm::Image& image : result.images()) fact.images.push_back(keep(image));
        if (const auto& part = result.zoom(); part && !part->empty()) {
            const winio::NormPoint first = area_->to_norm(part->origin());
            const winio::NormPoint last = area_->to_norm({part->right() - 1, part->bottom() - 1});
            fact.zoom = in_steps({first.x, first.y, last.x, last.y});
        }
        fact.signal = result.signal();
        fact.reads = result.has_read();
        fact.action = {tools.id_of(command.call.name),
                       {},
                       result.subject(),
                       result.has_acted() || (result.plan() && acts(*result.plan())),
                       result.plan() && !acts(*result.plan())};
        fact.policy += result.decided_in();
        if (result.plan()) {
            for (const winio::Point& point : result.plan()->targets)
                fact.action.points.push_back(area_->to_norm(point));
            if (acts(*result.plan()) && !outdated_.empty() && profile_.physical_execution)
                refuse_as_stale({std::string(outdated_), {}}, fact);
            else if (is_allowed(command, *result.plan(), fact))
                act_out(*result.plan(), fact);
        } else if (result.has_acted()) {
            guard_.on_unknown_action();
            novelty_.acted({}, std::nullopt);
        }
    } catch (const winio::Error& error) {
        not_done(fact, error.code(), error.what());
    }
    fact.result_json = secrets_.redact_json(std::move(fact.result_json));
    fact.act = since(start) - fact.policy;
    return fact;
}

/// Replaces the secrets in a text of the present call.
RevealedText DesktopWorld::revealed(std::string_view text) {
    RevealedText result = secrets_.reveal(text);
    std::ranges::copy(result.secrets, std::back_inserter(revealed_));
    return result;
}

// ---- the guard ----------------------------------------------------------------------------------

namespace {

/// The result for the model of a denied action.
ToolResult denied(const Gate::Answer& answer) {
    if (answer.record.decider == "user")
        return fail("denied", answer.reason.empty() ? "The user did not allow this action. Do not "
                                                      "repeat it as it is."
                                                    : answer.reason);
    const std::string why = answer.reason.empty() ? std::string() : " " + answer.reason;
    if (answer.record.decider == "unattended")
        return fail(
            "denied",
            fmt::format("This action needs the user's approval, and no user can be asked.{} "
                        "Continue without it, or finish and say what is missing.",
                        why));
    return fail("denied", fmt::format("This action is not permitted.{} Do not repeat it.", why));
}

/// All members, because an approval is for the words that the user has read: another check with the same
/// id is another one.
std::string key_of(const vlm::SafetyCheck& check) {
    return fmt::format("{} {} {}{}{}", check.id.size(), check.code.size(), check.id, check.code,
                       check.message);
}

/// What the model calls the target, under whatever name the profile offers this argument.
std::string label_of(const Toolbox& tools, const vlm::ToolCall& call) {
    const auto arguments = tools.arguments(call.name);
    if (!arguments) return {};
    const auto label = std::ranges::find(*arguments, "label", &ArgumentInfo::id);
    const auto value = parse_json(call.arguments_json);
    if (label == arguments->end() || !value || !value->is_object()) return {};
    const json::value* text = value->as_object().if_contains(label->name);
    return text != nullptr && text->is_string() ? std::string(text->as_string()) : std::string();
}

} // namespace

GuardedAction DesktopWorld::guarded(const Invoke& command, const Invoked& fact) const {
    GuardedAction action;
    action.tool = fact.action.tool;
    action.label = label_of(tools_.at(command.role), command.call);
    if (mode_of(profile_).traits().takes_replies)
        action.provenance = Provenance::reply;
    else if (command.call.provenance == vlm::Provenance::text)
        action.provenance = Provenance::text;
    return action;
}

/// Asks the user about the checks of the model's server, which always need an approval; once for all
/// actions of a call.
bool DesktopWorld::checks_are_approved(const Invoke& command, Invoked& fact) {
    const std::vector<vlm::SafetyCheck>& checks = command.call.safety_checks;
    // The words of the server in a question. A long message must not hide the next check.
    constexpr std::size_t max_code = 100;
    const std::size_t max_message = 1000 / std::max<std::size_t>(checks.size(), 1);
    std::vector<std::string> ids;
    std::string words;
    for (const vlm::SafetyCheck& check : checks) {
        ids.push_back(check.id);
        if (approved_checks_.contains(key_of(check))) continue;
        words += words.empty() ? "" : "\n";
        words += shorten(check.code.empty() ? "check " + check.id : check.code, max_code);
        if (!check.message.empty()) words += ": " + shorten(check.message, max_message);
    }
    if (!words.empty()) {
        const auto start = Clock::now();
        fact.action.tool = tools_.at(command.role).id_of(command.call.name);
        const Gate::Answer answer =
            gate_.confirm({.turn = turn_,
                           .tool = command.call.name,
                           .arguments_json = to_valid_utf8(command.call.arguments_json),
                           .text = to_valid_utf8(words),
                           .rule = "server: safety check",
                           .reason = "The model's server asks for the user's approval."});
        fact.guard = answer.record;
        Judged decision{.guard = answer.record,
                        .call_id = command.call.id,
                        .tool = command.call.name,
                        .policy = since(start)};
        fact.policy += decision.policy;
        if (journal_ != nullptr) journal_->append(Payload(std::move(decision)), turn_);
        if (!answer.record.allowed) {
            fact.interrupted = control_.stopping();
            fact.result_json = denied(answer).json();
            return false;
        }
        for (const vlm::SafetyCheck& check : checks) approved_checks_.insert(key_of(check));
    }
    fact.approved_checks = std::move(ids);
    return true;
}

/// Asks the guard, and the user if necessary.
bool DesktopWorld::is_allowed(const Invoke& command, const winio::Plan& plan, Invoked& fact) {
    if (!fact.action.acts || !profile_.physical_execution || gate_.is_open()) return true;
    const Gate::Answer answer =
        ask_gate(command, fact, [&] { return effects_of(plan, surroundings()); });
    if (answer.record.allowed) return true;
    fact.ok = false;
    fact.action.acts = false;
    fact.interrupted = control_.stopping();
    fact.result_json = denied(answer).json();
    return false;
}

Gate::Answer DesktopWorld::ask_gate(const Invoke& command, Invoked& fact,
                                    const std::function<std::vector<GuardedEffect>()>& effects,
                                    const std::string& details) {
    Gate::Answer answer = ask_gate(
        {.call_id = command.call.id, .tool = command.call.name},
        [&] {
            GuardedAction action = guarded(command, fact);
            action.effects = effects();
            return action;
        },
        {.turn = turn_,
         .tool = command.call.name,
         .arguments_json = to_valid_utf8(command.call.arguments_json),
         .text = details,
         .points = fact.action.points},
        fact.policy);
    fact.guard = answer.record;
    return answer;
}

/// Writes the decision to the journal, which the caller syncs before the action: if the process dies
/// in the action, the journal has no result, but the decision. Adds its time to `policy`.
Gate::Answer DesktopWorld::ask_gate(Judged decision, const std::function<GuardedAction()>& action,
                                    ApprovalRequest request, std::chrono::microseconds& policy) {
    const auto start = Clock::now();
    Gate::Answer answer =
        gate_.permit(action, std::move(request), [this] { return time_of_guard(); });
    decision.guard = answer.record;
    decision.policy = since(start);
    policy += decision.policy;
    if (journal_ != nullptr) journal_->append(Payload(std::move(decision)), turn_);
    return answer;
}

/// For tools that act or read without a plan: the result for the model if that is denied.
std::optional<ToolResult> DesktopWorld::permitted(const Invoke& command,
                                                  const GuardedEffect& effect, Invoked& fact) {
    if (gate_.is_open()) return std::nullopt;
    fact.action.tool = tools_.at(command.role).id_of(command.call.name);
    const Gate::Answer answer = ask_gate(
        command, fact, [&] { return std::vector{effect}; }, effect.details);
    if (answer.record.allowed) {
        gate_.carried_out(time_of_guard());
        // The sync before the call could not include this decision.
        if (journal_ != nullptr) journal_->finish_sync();
        return std::nullopt;
    }
    if (control_.stopping()) return fail("not_begun", "The run is ending: nothing was done.");
    return denied(answer);
}

/// What the guard needs to know about the desktop.
GuardSurroundings DesktopWorld::surroundings() {
    GuardSurroundings around;
    around.windows = desktop_.windows() == nullptr ? std::vector<winio::WindowInfo>()
                                                   : winio::listed_windows(desktop_);
    if (desktop_.windows() != nullptr)
        around.password_fields = desktop_.windows()->password_fields();
    around.pointer = desktop_.pointer();
    around.own_processes = own_processes_;
    around.chosen_window = chosen_window_;
    if (options_.area.crop && !options_.area.window && area_) around.crop = area_->bounds();
    return around;
}

/// Checks each batch of an action that has been permitted; empty if nothing can object.
winio::CheckBatch DesktopWorld::batch_check() {
    if (gate_.is_open() && revealed_.empty()) return {};
    return [this](const winio::Batch& batch) { return objection(batch); };
}

/// Why a batch of an action that has been permitted may not be sent now: it would reach another
/// window, or it would type a secret into a window that must not receive it.
std::optional<std::string> DesktopWorld::objection(const winio::Batch& batch) {
    const auto effects = effects_of({{winio::Step{batch}}, {}}, surroundings());
    if (!gate_.is_open() && !gate_.covers(effects))
        return "another window than before, or a password field, would receive the input";
    for (const GuardedEffect& effect : effects) {
        if (effect.kind != EffectKind::text && effect.kind != EffectKind::key) continue;
        const GuardedWindow window = effect.window.value_or(GuardedWindow{});
        for (const std::string& name : revealed_) {
            std::string refusal = secrets_.refusal(name, window.process, window.title);
            if (!refusal.empty()) return refusal;
        }
    }
    return std::nullopt;
}

void DesktopWorld::act_out(const winio::Plan& plan, Invoked& fact) {
    if (!profile_.physical_execution && acts(plan)) return;
    // Takes about as long as the following capture, which it does not delay.
    if (journal_ != nullptr && acts(plan)) journal_->start_sync();
    const std::stop_token stop = acts(plan) ? control_.begin_action() : control_.at_safe_point();
    // First, so that the target is compared directly before the press.
    if (acts(plan)) executor().keep_apart(plan, stop);
    // The reaction to an earlier action may still come while this one has none to expect.
    const bool prepares = acts(plan) && (!awaits_reaction_ || winio::expectation_of(plan) !=
                                                                  winio::Expectation::nothing);
    const bool earlier_awaited = awaits_reaction_;
    if (prepares) {
        if (earlier_awaited) guard_.before_another_action(before_);
        std::swap(before_, earlier_);
    }
    const bool awaited = prepares && prepare_reaction(plan);
    if (acts(plan)) {
        if (auto stale = stale_target(plan, awaited)) {
            if (prepares) std::swap(before_, earlier_);
            awaits_reaction_ = earlier_awaited;
            refuse_as_stale(*std::move(stale), fact);
            return;
        }
    }
    if (journal_ != nullptr && acts(plan)) journal_->finish_sync();
    // A plan that only waits can be interrupted at a safe point; an action completes first.
    const winio::ExecutionReport report = carry_out(plan, stop, batch_check());
    if (awaited) {
        before_.acted = Clock::now();
        acted_at_ = timeline_.now();
    }
    if (const auto expected = winio::expectation_of(plan); acts(plan)) {
        if (expected != winio::Expectation::nothing)
            novelty_.acted(plan.targets, awaited ? before_.windows : std::nullopt);
        guard_.on_action(plan, awaited ? before_.windows : std::nullopt);
        if (!gate_.is_open()) gate_.carried_out(time_of_guard());
    }
    if (report.complete()) return;
    not_done(fact, report.error, report.problem);
    if (!fact.interrupted || control_.stopping()) return;
    fact.wants_screenshot = true;
    fact.result_json = fail("interrupted", "The user has used the mouse or the keyboard, so this "
                                           "action was broken off. Look at the new screenshot and "
                                           "decide again.")
                           .json();
    fact.stale = StaleCall{std::string(by_takeover), {}};
}

// ---- the target of an action --------------------------------------------------------------------

/// A difference must last for this time.
constexpr std::chrono::milliseconds time_of_suspicion{120};

/// `captured`: `before_` shows the screen directly before the action; otherwise only windows are
/// compared.
std::optional<StaleCall> DesktopWorld::stale_target(const winio::Plan& plan, bool captured) {
    if (options_.watch == Watch::off || seen_sha256_.empty()) return std::nullopt;
    // Without an expected reaction, `before_` may belong to an earlier action: only windows count.
    const bool only_windows =
        !captured || winio::expectation_of(plan) == winio::Expectation::nothing;
    const auto compare = [&] {
        if (!only_windows) return guard_.compare(seen_, before_, plan, ambient(), before_.dpi);
        return guard_.compare(seen_, {{}, winio::listed_windows(desktop_)}, plan, {}, before_.dpi);
    };
    auto stale = compare();
    if (!stale) return std::nullopt;
    if (!timeline_.wait(time_of_suspicion, control_.at_once()))
        return std::nullopt; // the run stops
    // A suspicion that cannot be checked is not dropped.
    if (only_windows || prepare_reaction(plan)) stale = compare();
    if (!stale || !guard_.refuses(*stale, plan)) return std::nullopt;
    return StaleCall{std::string(to_string(stale->reason)), stale->rects};
}

namespace {

std::string_view words_on(const StaleCall& stale) {
    if (stale.reason == "foreground")
        return "Since your screenshot, the keyboard focus has moved to another window, or the "
               "program has opened a window. Nothing was pressed.";
    if (stale.reason == "window")
        return "Since your screenshot, another window has appeared at the target, or the window "
               "was closed. Nothing was done.";
    if (stale.reason == by_resumption)
        return "The run was interrupted before this action. It was not carried out.";
    if (stale.reason == by_takeover)
        return "Since your screenshot, the user has used the mouse or the keyboard. Nothing was "
               "done.";
    return "The screen at the target has changed since your screenshot. Nothing was done.";
}

} // namespace

void DesktopWorld::refuse_as_stale(StaleCall stale, Invoked& fact) {
    fact.ok = false;
    fact.action.acts = false;
    fact.wants_screenshot = true;
    fact.result_json =
        fail("stale_target",
             fmt::format("{} Look at the new screenshot and decide again.", words_on(stale)))
            .json();
    fact.stale = std::move(stale);
}

/// The time on the timeline, as the guard counts actions.
Clock::time_point DesktopWorld::time_of_guard() {
    return began_ + tape_.answer(answers::time, [&] {
        return std::chrono::duration_cast<std::chrono::microseconds>(timeline_.now() - began_);
    });
}

/// Executes a plan that has been permitted.
winio::ExecutionReport DesktopWorld::carry_out(const winio::Plan& plan, const std::stop_token& stop,
                                               const winio::CheckBatch& check) {
    if (taped_desktop_ == nullptr) return executor().execute(plan, stop, check);
    // Single characters would tell the secret, and their number its length.
    if (!revealed_.empty())
        return tape_.input(fmt::format("type a text with {}", fmt::join(revealed_, ", ")),
                           winio::ExecutionReport{},
                           [&] { return executor().execute(plan, stop, check); });
    winio::Plan now = plan;
    if (tape_.replays())
        for (winio::Step& step : now.steps) step.wait = std::chrono::milliseconds{0};
    const TapedDesktop::Execution execution(*taped_desktop_);
    return executor().execute(now, stop, check);
}

/// Keeps the executor as long as the area does not change: it remembers its latest input.
winio::InputExecutor& DesktopWorld::executor() {
    if (!executor_ || executor_->fence().bounds() != area_->bounds())
        executor_.emplace(desktop_, *area_);
    return *executor_;
}

namespace {

/// A step of a recovery, with its name for the journal and the user.
struct RecoveryStep {
    std::string name;
    winio::Plan plan;
};

/// Denials are stricter than approvals by the user, which are stricter than permissions of a rule.
int strictness(const GuardRecord& record) {
    if (!record.allowed) return 2;
    return record.decider == "user" ? 1 : 0;
}

} // namespace

/// Distance from the corner in pixels at which a click hits only the desktop or its taskbar.
constexpr int corner_margin = 20;

Fact DesktopWorld::on(const Recover&) {
    using namespace winio::gesture;
    Recovered fact;
    if (!profile_.physical_execution) return fact;
    revealed_.clear();
    awaits_reaction_ = false;
    const auto start = Clock::now();
    try {
        if (!area_) area_ = choose_area();
        const winio::Rect bounds = area_->bounds();
        const winio::Point center = area_->to_pixel({500, 500});
        const winio::Point corner{bounds.x + std::min(corner_margin, bounds.width - 1),
                                  bounds.y + bounds.height - 1 -
                                      std::min(corner_margin, bounds.height - 1)};
        std::vector<RecoveryStep> steps{
            {"press Escape", press({{winio::NamedKey::escape}})},
            {"move the pointer to the center", move(center)},
        };
        if (!options_.area.crop && !options_.area.window) {
            steps.push_back({"move the pointer to the corner", move(corner)});
            steps.push_back({"click in the corner", click(corner)});
            steps.push_back(
                {"press Ctrl+Escape", press({{winio::NamedKey::ctrl, winio::NamedKey::escape}})});
            steps.push_back({"press Escape to close the menu", press({{winio::NamedKey::escape}})});
        }
        for (const auto& [name, plan] : steps) {
            if (!recovery_is_allowed(name, plan, fact)) break;
            if (journal_ != nullptr) journal_->finish_sync(); // with the decision on this step
            const winio::ExecutionReport report =
                carry_out(plan, control_.begin_action(), batch_check());
            if (report.complete()) continue;
            fact.problem = report.problem;
            if (report.error == winio::errc::cancelled) {
                if (!control_.stopping()) fact.problem = recovery_interrupted;
                break;
            }
            if (!model_can_help(report.error)) fact.desktop_failure = "recovery: " + report.problem;
            break;
        }
    } catch (const winio::Error& error) {
        fact.problem = error.what();
        if (!model_can_help(error.code())) fact.desktop_failure = fact.problem;
    }
    fact.act = since(start) - fact.policy;
    return fact;
}

bool DesktopWorld::recovery_is_allowed(const std::string& step, const winio::Plan& plan,
                                       Recovered& fact) {
    if (gate_.is_open()) return true;
    const Gate::Answer answer = ask_gate(
        {.step = step},
        [&] {
            GuardedAction action;
            action.provenance = Provenance::recovery;
            action.effects = effects_of(plan, surroundings());
            return action;
        },
        {.turn = turn_,
         .tool = "recovery",
         .text = fmt::format("the agent's recovery from a loop: {}", step)},
        fact.policy);
    if (!fact.guard || strictness(answer.record) >= strictness(*fact.guard))
        fact.guard = answer.record;
    if (answer.record.allowed) {
        gate_.carried_out(time_of_guard());
        return true;
    }
    fact.problem = answer.record.decider == "user" ? "the user did not allow it"
                                                   : "the guard did not permit it";
    return false;
}

Fact DesktopWorld::on(const Finish&) {
    throw std::logic_error("Finish cannot be executed: it ends the run");
}

} // namespace eyehand::agent
