#include "winio/hands.hpp"

#include "winio/error.hpp"

#include "overloaded.hpp"
#include "stoppable_wait.hpp"

#include <algorithm>
#include <stdexcept>

namespace winio {
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

// Whether a batch presses a button or turns the wheel at a place that it does not name itself.
// Letting go is right anywhere.
bool acts_where_the_pointer_is(const Batch& batch) {
    for (const InputEvent& event : batch) {
        if (std::holds_alternative<PointerMove>(event)) return false;
        if (std::holds_alternative<WheelTurn>(event)) return true;
        const auto* button = std::get_if<ButtonChange>(&event);
        if (button != nullptr && button->press == Press::down) return true;
    }
    return false;
}

void fail(HandsReport& report, std::error_code error, std::string problem) {
    report.error = error;
    report.problem = std::move(problem);
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
    throw Error(errc::not_supported, "this desktop cannot work windows");
}

Clipboard& clipboard_of(Desktop& desktop) {
    if (auto* clipboard = desktop.clipboard()) return *clipboard;
    throw Error(errc::not_supported, "this desktop has no clipboard");
}

// A plan's text comes from a model: to the caller of `carry_out` it is no mistake of its own.
template <typename Action>
void reporting_bad_text(errc code, Action action) {
    try {
        action();
    } catch (const std::invalid_argument& error) {
        throw Error(code, error.what());
    }
}

// Lets go at the end of its scope, by whatever way it is left.
class ReleaseGuard {
public:
    explicit ReleaseGuard(Hands& hands) : hands_(hands) {}
    ~ReleaseGuard() {
        try {
            hands_.release_all();
        } catch (...) { // NOLINT(bugprone-empty-catch): on the way out of another exception
        }
    }
    ReleaseGuard(const ReleaseGuard&) = delete;
    ReleaseGuard& operator=(const ReleaseGuard&) = delete;

private:
    Hands& hands_;
};

} // namespace

Hands::Hands(Desktop& desktop, WorkArea fence) : desktop_(desktop), fence_(fence) {}

Hands::~Hands() { const ReleaseGuard last_chance(*this); }

// NOLINTNEXTLINE(performance-unnecessary-value-param): a token is two pointers, and shared
HandsReport Hands::carry_out(const Plan& plan, std::stop_token stop) {
    HandsReport report;
    if (const auto point = first_point_outside(plan, fence_)) {
        fail(report, errc::outside_work_area,
             outside(*point, fence_.bounds()) + "; nothing was sent");
        return report;
    }

    const ReleaseGuard whatever_happens(*this);
    try {
        for (const Step& step : plan.steps) {
            if (stop.stop_requested()) throw Error(errc::cancelled, "stopped before the next step");
            std::visit(
                overloaded{
                    [&](const Batch& batch) { send(batch, report, stop); },
                    [&](const ClipboardWrite& write) {
                        Clipboard& clipboard = clipboard_of(desktop_);
                        reporting_bad_text(errc::clipboard_failed,
                                           [&] { clipboard.set_text(write.text); });
                    },
                    [&](const ClipboardRestore&) {},
                    [&](const WindowCommand& command) { windows_of(desktop_).apply(command); },
                    [&](const LaunchCommand& command) {
                        reporting_bad_text(errc::launch_failed, [&] { desktop_.launch(command); });
                    },
                },
                step.effect);
            if (!report.complete()) break;
            if (step.wait.count() > 0 && wait_for(step.wait, stop) == Waited::stopped)
                throw Error(errc::cancelled, "stopped while waiting");
        }
    } catch (const Error& error) {
        fail(report, error.code(), error.what());
    }
    report.released = release_all();
    return report;
}

std::size_t Hands::release_all() {
    if (held_.empty()) return 0;
    Batch releases;
    for (auto held = held_.rbegin(); held != held_.rend(); ++held)
        releases.push_back(release_of(*held));
    const auto before = held_.size();
    auto accepted = std::min(desktop_.send(releases).accepted, releases.size());
    for (std::size_t i = 0; i < accepted; ++i) note(releases[i]);
    // One refused release must not keep the others down: each of the rest gets its own chance.
    for (; accepted < releases.size(); ++accepted)
        if (desktop_.send({&releases[accepted], 1}).accepted == 1) note(releases[accepted]);
    return before - held_.size();
}

void Hands::send(const Batch& batch, HandsReport& report, const std::stop_token& stop) {
    if (batch.empty()) return;
    if (acts_where_the_pointer_is(batch)) {
        if (const auto point = pointer_outside(stop)) {
            fail(report, errc::outside_work_area,
                 "the pointer at " + outside(*point, fence_.bounds()) +
                     "; nothing was pressed there: move the pointer first");
            return;
        }
    }
    const SendReport sent = desktop_.send(batch);
    const std::size_t accepted = std::min(sent.accepted, batch.size());
    for (std::size_t i = 0; i < accepted; ++i) note(batch[i]);
    report.events += accepted;
    if (accepted == batch.size()) return;
    fail(report, sent.error ? sent.error : make_error_code(errc::input_refused),
         "the system took " + std::to_string(accepted) + " of " + std::to_string(batch.size()) +
             " input events" + (sent.problem.empty() ? "" : ": " + sent.problem));
}

// Where the pointer is when that is outside the fence. After a move it may lag behind: up to 105 ms
// were seen under Wine.
std::optional<Point> Hands::pointer_outside(const std::stop_token& stop) {
    constexpr std::chrono::milliseconds longest_lag{200};
    const auto deadline = std::chrono::steady_clock::now() + longest_lag;
    for (;;) {
        const auto at = desktop_.pointer();
        if (!at || fence_.contains(*at)) return std::nullopt;
        if (std::chrono::steady_clock::now() >= deadline) return at;
        if (wait_for(std::chrono::milliseconds{5}, stop) == Waited::stopped)
            throw Error(errc::cancelled, "stopped while waiting for the pointer");
    }
}

void Hands::note(const InputEvent& event) {
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

} // namespace winio
