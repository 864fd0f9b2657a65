#include "eyehand/winio/input_executor.hpp"

#include "eyehand/winio/error.hpp"

#include "eyehand/base/deadline.hpp"
#include "eyehand/base/stoppable_wait.hpp"
#include "overloaded.hpp"
#include "watchdog/hold.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <variant>
#include <vector>

namespace eyehand::winio {
namespace {

std::optional<Point> first_point_outside(const Plan& plan, const WorkArea& fence) {
    for (const Point target : plan.targets)
        if (!fence.contains(target)) return target;
    for (const Step& step : plan.steps) {
        const auto* batch = std::get_if<Batch>(&step.effect);
        if (batch == nullptr) continue;
        for (const InputEvent& event : *batch) {
            const auto* move = std::get_if<PointerMove>(&event);
            if (move != nullptr && !fence.contains(move->to)) return move->to;
        }
    }
    return std::nullopt;
}

std::string words(Point p) { return "(" + std::to_string(p.x) + ", " + std::to_string(p.y) + ")"; }

std::string outside(Point p, const Rect& fence) {
    return words(p) + " lies outside the work area, which goes from " + words(fence.origin()) +
           " to " + words({fence.right() - 1, fence.bottom() - 1});
}

// Whether a batch presses a button or turns the wheel without moving the pointer first. Releases
// are allowed anywhere.
bool acts_where_the_pointer_is(const Batch& batch) {
    for (const InputEvent& event : batch) {
        if (std::holds_alternative<PointerMove>(event)) return false;
        if (std::holds_alternative<WheelTurn>(event)) return true;
        const auto* button = std::get_if<ButtonChange>(&event);
        if (button != nullptr && button->press == Press::down) return true;
    }
    return false;
}

// The first failure is the cause; later ones are appended.
void fail(ExecutionReport& report, std::error_code error, const std::string& problem) {
    if (report.complete()) report.error = error;
    report.problem += (report.problem.empty() ? "" : "; ") + problem;
}

bool is_press(const InputEvent& event) {
    const auto* button = std::get_if<ButtonChange>(&event);
    const auto* key = std::get_if<KeyChange>(&event);
    return (button != nullptr && button->press == Press::down) ||
           (key != nullptr && key->press == Press::down);
}

/// Not for moves and releases.
bool starts_something(const InputEvent& event) {
    return is_press(event) || std::holds_alternative<WheelTurn>(event) ||
           std::holds_alternative<TypedScalar>(event);
}

InputEvent release_of(const std::variant<Button, Key>& held) {
    return std::visit(overloaded{
                          [](Button button) -> InputEvent {
                              return ButtonChange{button, Press::up};
                          },
                          [](const Key& key) -> InputEvent {
                              return KeyChange{key, Press::up};
                          },
                      },
                      held);
}

Windows& windows_of(Desktop& desktop) {
    if (auto* windows = desktop.windows()) return *windows;
    throw Error(errc::not_supported, "this desktop does not support window control");
}

Clipboard& clipboard_of(Desktop& desktop) {
    if (auto* clipboard = desktop.clipboard()) return *clipboard;
    throw Error(errc::not_supported, "this desktop has no clipboard");
}

// A plan's text comes from a model, so bad text is not a mistake of the caller of `execute`.
template <typename Action>
void reporting_bad_text(errc code, Action action) {
    try {
        action();
    } catch (const std::invalid_argument& error) {
        throw Error(code, error.what());
    }
}

std::string with_line_breaks(std::string_view text, std::string_view line_break) {
    std::string result;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != '\r' && text[at] != '\n') {
            result += text[at];
            continue;
        }
        result += line_break;
        if (text.substr(at, 2) == "\r\n") ++at;
    }
    return result;
}

// The clipboard while a plan uses it. Restores its content at the end of the scope at the latest.
class BorrowedClipboard {
public:
    explicit BorrowedClipboard(Desktop& desktop) : desktop_(desktop) {}
    ~BorrowedClipboard() {
        try {
            give_back();
        } catch (...) { // NOLINT(bugprone-empty-catch): another exception is propagating
        }
    }
    BorrowedClipboard(const BorrowedClipboard&) = delete;
    BorrowedClipboard& operator=(const BorrowedClipboard&) = delete;

    void borrow() {
        if (held_) return;
        Clipboard& clipboard = clipboard_of(desktop_);
        Content content{clipboard.text(), {}};
        if (content.text.empty()) content.image = clipboard.image();
        if (content.text.empty() && !content.image && clipboard.holds_other())
            throw Error(errc::clipboard_failed,
                        "the clipboard holds something that is neither text nor an image and would "
                        "be lost; nothing was written: type the text instead");
        held_ = std::move(content);
    }

    [[nodiscard]] bool is_borrowed() const { return held_.has_value(); }

    void write(const std::string& text) {
        Clipboard& clipboard = clipboard_of(desktop_);
        written_ = with_line_breaks(text, clipboard.line_break());
        if (held_ && !held_->image) clipboard.set_text_to_restore(held_->text);
        reporting_bad_text(errc::clipboard_failed, [&] { clipboard.set_text(written_); });
    }

    // Tries once: a clipboard itself waits until other programs release it.
    void give_back() {
        if (!held_) return;
        const Content content = *std::exchange(held_, std::nullopt);
        Clipboard& clipboard = clipboard_of(desktop_);
        const RestoredText restored(clipboard);
        try {
            if (clipboard.text() != written_) return; // another program has copied something
            if (content.image)
                clipboard.set_image(content.image->view());
            else if (content.text.empty())
                clipboard.clear();
            else
                reporting_bad_text(errc::clipboard_failed,
                                   [&] { clipboard.set_text(content.text); });
        } catch (const Error& error) {
            throw Error(error.code(),
                        std::string("the content of the clipboard could not be restored: ") +
                            error.what());
        }
    }

private:
    struct Content {
        std::string text;
        std::optional<Image> image;
    };
    // At the end of its scope, a watchdog has nothing to restore any more.
    class RestoredText {
    public:
        explicit RestoredText(Clipboard& clipboard) : clipboard_(clipboard) {}
        ~RestoredText() { clipboard_.set_text_to_restore(std::nullopt); }
        RestoredText(const RestoredText&) = delete;
        RestoredText& operator=(const RestoredText&) = delete;

    private:
        Clipboard& clipboard_;
    };
    Desktop& desktop_;
    std::optional<Content> held_;
    std::string written_;
};

// Without this wait, a program that received Ctrl+V shortly before a stop would paste the user's
// own content.
void let_programs_read(std::chrono::steady_clock::time_point read_by) {
    constexpr std::chrono::milliseconds at_most{80};
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(read_by - std::chrono::steady_clock::now());
    if (left.count() > 0) base::wait_for(std::min(left, at_most), {});
}

bool is_restore(const Step& step) { return std::holds_alternative<ClipboardRestore>(step.effect); }

// The names of pressed buttons and keys in reports.
std::string name_of(const std::variant<Button, Key>& held) {
    return std::visit(overloaded{
                          [](Button button) {
                              return std::string(button == Button::left    ? "left button"
                                                 : button == Button::right ? "right button"
                                                                           : "middle button");
                          },
                          [](const Key& key) { return to_string(key); },
                      },
                      held);
}

// Windows stamps input with a clock that ticks every 15.6 ms: two timestamps can be closer by that
// much than the events were.
constexpr std::chrono::milliseconds clock_tick{16};

// Maximum distance of two clicks that programs count as a double-click: Windows allows 2 pixels to
// each side (SM_CXDOUBLECLK), GTK and Qt 5.
constexpr int nearly_the_same_place = 8;

bool near(const std::optional<Point>& a, const std::optional<Point>& b) {
    if (!a || !b) return true; // unknown, so it may be the same place
    const auto close = [](int one, int other) {
        return std::abs(static_cast<std::int64_t>(one) - other) <= nearly_the_same_place;
    };
    return close(a->x, b->x) && close(a->y, b->y);
}

// Releases at the end of its scope, also after an exception.
template <class Executor>
class ReleaseGuard {
public:
    explicit ReleaseGuard(Executor& executor) : executor_(executor) {}
    ~ReleaseGuard() { executor_.release_all(); }
    ReleaseGuard(const ReleaseGuard&) = delete;
    ReleaseGuard& operator=(const ReleaseGuard&) = delete;

private:
    Executor& executor_;
};

} // namespace

class InputExecutor::Impl {
public:
    Impl(Desktop& desktop, WorkArea fence) : desktop_(desktop), fence_(fence) {}
    ~Impl() { release_all(); }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    [[nodiscard]] const WorkArea& fence() const { return fence_; }
    [[nodiscard]] Desktop& desktop() const { return desktop_; }
    [[nodiscard]] ExecutionReport execute(const Plan& plan, const std::stop_token& stop,
                                          const CheckBatch& check);
    void keep_apart(const Plan& plan, const std::stop_token& stop) const;
    std::size_t release_all() noexcept;

private:
    using Held = std::variant<Button, Key>;
    struct ButtonPress {
        Button button{};
        std::optional<Point> at{}; // empty: at the position of the pointer
    };
    struct Progress; // of the plan that is being executed

    void renew_hold(bool clipboard_is_borrowed) const;
    base::Waited wait_for(std::chrono::milliseconds time, const std::stop_token& stop,
                          bool clipboard_is_borrowed) const;
    void execute(const Step& step, Progress& progress);
    void send(const Batch& batch, Progress& progress);
    [[nodiscard]] SendReport give_to_system(const Batch& batch);
    void keep_clicks_apart(const ButtonPress& next, const std::stop_token& stop,
                           bool clipboard_is_borrowed) const;
    [[nodiscard]] std::optional<Point> pointer_outside(const Progress& progress) const;
    void clean_up(Progress& progress);
    [[nodiscard]] std::string still_held() const;
    [[nodiscard]] static std::vector<ButtonPress> presses_in(std::span<const InputEvent> events);
    void remember_presses(std::span<const InputEvent> events);
    void note(const InputEvent& event);

    Desktop& desktop_;
    WorkArea fence_;
    std::vector<Held> held_;
    std::optional<ButtonPress> latest_press_;
    std::chrono::steady_clock::time_point latest_press_time_{};
};

struct InputExecutor::Impl::Progress {
    std::span<const Step> left; // after the current step
    ExecutionReport& report;
    const std::stop_token& stop;
    const CheckBatch& check;
    BorrowedClipboard clipboard;
    bool has_pressed = false;
    std::chrono::steady_clock::time_point read_by{}; // when the last step's wait would have ended
};

ExecutionReport InputExecutor::Impl::execute(const Plan& plan, const std::stop_token& stop,
                                             const CheckBatch& check) {
    ExecutionReport report;
    if (const auto point = first_point_outside(plan, fence_)) {
        fail(report, errc::outside_work_area,
             outside(*point, fence_.bounds()) + "; nothing was sent");
        return report;
    }

    Progress progress{plan.steps, report, stop, check, BorrowedClipboard(desktop_)};
    const ReleaseGuard whatever_happens(*this);
    try {
        for (const Step& step : plan.steps) {
            progress.left = progress.left.subspan(1);
            if (stop.stop_requested()) throw Error(errc::cancelled, "stopped before the next step");
            execute(step, progress);
            if (!report.complete()) break;
            progress.read_by = base::deadline_after(std::chrono::steady_clock::now(), step.wait);
            if (step.wait.count() > 0 &&
                wait_for(step.wait, stop, progress.clipboard.is_borrowed()) ==
                    base::Waited::stopped)
                throw Error(errc::cancelled, "stopped while waiting");
        }
    } catch (const Error& error) {
        fail(report, error.code(), error.what());
    }
    clean_up(progress);
    return report;
}

void InputExecutor::Impl::renew_hold(bool clipboard_is_borrowed) const {
    if (!held_.empty() || clipboard_is_borrowed) desktop_.renew_hold();
}

base::Waited InputExecutor::Impl::wait_for(std::chrono::milliseconds time,
                                           const std::stop_token& stop,
                                           bool clipboard_is_borrowed) const {
    const auto end = base::deadline_after(std::chrono::steady_clock::now(), time);
    while (!held_.empty() || clipboard_is_borrowed) {
        renew_hold(clipboard_is_borrowed);
        const auto next = std::chrono::steady_clock::now() + renewal_interval;
        if (next >= end) break;
        if (base::wait_until(next, stop) == base::Waited::stopped) return base::Waited::stopped;
    }
    return base::wait_until(end, stop);
}

void InputExecutor::Impl::execute(const Step& step, Progress& progress) {
    std::visit(overloaded{
                   [&](const Batch& batch) { send(batch, progress); },
                   [&](const ClipboardWrite& write) {
                       if (std::ranges::any_of(progress.left, is_restore))
                           progress.clipboard.borrow();
                       progress.clipboard.write(write.text);
                   },
                   [&](const ClipboardRestore&) { progress.clipboard.give_back(); },
                   [&](const WindowCommand& command) { windows_of(desktop_).apply(command); },
                   [&](const LaunchCommand& command) {
                       reporting_bad_text(errc::launch_failed, [&] { desktop_.launch(command); });
                   },
               },
               step.effect);
}

void InputExecutor::Impl::clean_up(Progress& progress) {
    progress.report.released = release_all();
    if (!held_.empty())
        fail(progress.report, errc::input_refused,
             "the system did not release these keys and buttons: " + still_held());
    try {
        if (progress.clipboard.is_borrowed()) let_programs_read(progress.read_by);
        progress.clipboard.give_back();
    } catch (const Error& error) {
        fail(progress.report, error.code(), error.what());
    }
}

std::size_t InputExecutor::Impl::release_all() noexcept {
    const auto before = held_.size();
    // One by one: a release that is refused or fails must not prevent the others.
    for (std::size_t left = before; left > 0; --left) {
        try {
            const InputEvent release = release_of(held_[left - 1]);
            if (desktop_.send({&release, 1}).accepted == 1) note(release);
        } catch (...) { // NOLINT(bugprone-empty-catch): the key stays in `held_`, which is reported
        }
    }
    return before - held_.size();
}

std::string InputExecutor::Impl::still_held() const {
    std::string names;
    for (const Held& held : held_) names += (names.empty() ? "" : ", ") + name_of(held);
    return names;
}

void InputExecutor::Impl::send(const Batch& batch, Progress& progress) {
    if (batch.empty()) return;
    ExecutionReport& report = progress.report;
    if (const auto presses = presses_in(batch); !presses.empty())
        if (!std::exchange(progress.has_pressed, true))
            keep_clicks_apart(presses.front(), progress.stop, progress.clipboard.is_borrowed());
    if (acts_where_the_pointer_is(batch)) {
        if (const auto point = pointer_outside(progress)) {
            fail(report, errc::outside_work_area,
                 "the pointer at " + outside(*point, fence_.bounds()) +
                     "; nothing was pressed there: move the pointer first");
            return;
        }
    }
    if (progress.check && std::ranges::any_of(batch, starts_something)) {
        // On a busy machine, a check can take almost as long as a watchdog waits.
        renew_hold(progress.clipboard.is_borrowed());
        if (const auto reason = progress.check(batch)) {
            fail(report, errc::raced, *reason);
            return;
        }
        renew_hold(progress.clipboard.is_borrowed());
    }
    const SendReport sent = give_to_system(batch);
    report.events += sent.accepted;
    if (sent.accepted == batch.size()) return;
    fail(report, sent.error ? sent.error : make_error_code(errc::input_refused),
         "the system accepted " + std::to_string(sent.accepted) + " of " +
             std::to_string(batch.size()) + " input events" +
             (sent.problem.empty() ? "" : ": " + sent.problem));
}

SendReport InputExecutor::Impl::give_to_system(const Batch& batch) {
    held_.reserve(held_.size() + batch.size()); // so that `note` cannot fail
    try {
        SendReport sent = desktop_.send(batch);
        sent.accepted = std::min(sent.accepted, batch.size());
        for (std::size_t i = 0; i < sent.accepted; ++i) note(batch[i]);
        remember_presses({batch.data(), sent.accepted});
        return sent;
    } catch (...) {
        // It is unknown how many events were sent, so release everything that the batch may have
        // pressed.
        for (const InputEvent& event : batch)
            if (is_press(event)) note(event);
        throw;
    }
}

void InputExecutor::Impl::keep_clicks_apart(const ButtonPress& next, const std::stop_token& stop,
                                            bool clipboard_is_borrowed) const {
    if (!latest_press_ || latest_press_->button != next.button || !near(latest_press_->at, next.at))
        return;
    const auto time = desktop_.double_click_time();
    if (time.count() <= 0) return;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(
        latest_press_time_ + time + clock_tick - std::chrono::steady_clock::now());
    if (left.count() > 0 && wait_for(left, stop, clipboard_is_borrowed) == base::Waited::stopped)
        throw Error(errc::cancelled, "stopped while keeping two clicks apart");
}

void InputExecutor::Impl::keep_apart(const Plan& plan, const std::stop_token& stop) const {
    std::vector<InputEvent> events;
    for (const Step& step : plan.steps)
        if (const auto* batch = std::get_if<Batch>(&step.effect))
            events.insert(events.end(), batch->begin(), batch->end());
    const auto presses = presses_in(events);
    if (!presses.empty()) keep_clicks_apart(presses.front(), stop, false);
}

std::vector<InputExecutor::Impl::ButtonPress>
InputExecutor::Impl::presses_in(std::span<const InputEvent> events) {
    std::vector<ButtonPress> presses;
    std::optional<Point> at;
    for (const InputEvent& event : events) {
        if (const auto* move = std::get_if<PointerMove>(&event)) at = move->to;
        const auto* button = std::get_if<ButtonChange>(&event);
        if (button != nullptr && button->press == Press::down)
            presses.push_back({button->button, at});
    }
    return presses;
}

void InputExecutor::Impl::remember_presses(std::span<const InputEvent> events) {
    const auto presses = presses_in(events);
    if (presses.empty()) return;
    latest_press_ = presses.back();
    latest_press_time_ = std::chrono::steady_clock::now();
}

// The position of the pointer if it is outside the fence. After a move, the pointer may arrive
// late: by up to 105 ms under Wine, as measured.
std::optional<Point> InputExecutor::Impl::pointer_outside(const Progress& progress) const {
    constexpr std::chrono::milliseconds longest_lag{200};
    constexpr int least_looks = 10; // a busy machine delays the pointer and this program
    const auto deadline = std::chrono::steady_clock::now() + longest_lag;
    for (int looks = 1;; ++looks) {
        const auto at = desktop_.pointer();
        if (!at || fence_.contains(*at)) return std::nullopt;
        if (looks >= least_looks && std::chrono::steady_clock::now() >= deadline) return at;
        if (wait_for(std::chrono::milliseconds{5}, progress.stop,
                     progress.clipboard.is_borrowed()) == base::Waited::stopped)
            throw Error(errc::cancelled, "stopped while waiting for the pointer");
    }
}

void InputExecutor::Impl::note(const InputEvent& event) {
    const auto change = [this](const Held& held, Press press) {
        const auto found = std::ranges::find(held_, held);
        if (press == Press::down && found == held_.end()) held_.push_back(held);
        if (press == Press::up && found != held_.end()) held_.erase(found);
    };
    if (const auto* button = std::get_if<ButtonChange>(&event))
        change(button->button, button->press);
    else if (const auto* key = std::get_if<KeyChange>(&event))
        change(key->key, key->press);
}

InputExecutor::InputExecutor(Desktop& desktop, WorkArea fence)
    : impl_(std::make_unique<Impl>(desktop, fence)) {}

InputExecutor::~InputExecutor() = default;

const WorkArea& InputExecutor::fence() const { return impl_->fence(); }
Desktop& InputExecutor::desktop() const { return impl_->desktop(); }

// NOLINTNEXTLINE(performance-unnecessary-value-param): a token is small and shared
ExecutionReport InputExecutor::execute(const Plan& plan, std::stop_token stop,
                                       const CheckBatch& check) {
    return impl_->execute(plan, stop, check);
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): as above
void InputExecutor::keep_apart(const Plan& plan, std::stop_token stop) const {
    impl_->keep_apart(plan, stop);
}

std::size_t InputExecutor::release_all() noexcept { return impl_->release_all(); }

} // namespace eyehand::winio
