#include "guarded_typing.hpp"

#include "eyehand/winio/error.hpp"
#include "eyehand/winio/gesture.hpp"
#include "eyehand/winio/screen_state.hpp"
#include "eyehand/winio/system.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>

namespace bench {

using namespace eyehand;

namespace {

constexpr std::size_t typed_characters = 1000;

} // namespace

GuardedTyping::GuardedTyping(winio::Desktop& desktop)
    : desktop_(desktop), plan_(winio::gesture::type(std::string(typed_characters, 'x'))),
      own_processes_(winio::own_processes()),
      gate_(agent::Guard(agent::GuardLevel::standard), agent::Approvals::unattended, port_, tape_),
      executor_(desktop, winio::choose_area(desktop, {})) {
    if (std::ranges::none_of(desktop_.windows()->list(), &winio::WindowInfo::foreground))
        throw winio::Error(winio::errc::window_not_found, "no window has the keyboard focus");
    // The window may belong to this program, so the answer is no; the check compares all the same.
    (void)gate_.permit([this] { return agent::GuardedAction{.effects = effects_of(plan_)}; }, {},
                       [] { return std::chrono::steady_clock::now(); });
}

// Like DesktopWorld::surroundings.
std::vector<agent::GuardedEffect> GuardedTyping::effects_of(const winio::Plan& plan) {
    agent::GuardSurroundings around;
    around.windows = winio::listed_windows(desktop_);
    around.password_fields = desktop_.windows()->password_fields();
    around.pointer = desktop_.pointer();
    around.own_processes = own_processes_;
    return agent::effects_of(plan, around);
}

void GuardedTyping::type(BatchCheck check) {
    winio::CheckBatch covered; // like DesktopWorld::objection
    if (check == BatchCheck::on)
        covered = [this](const winio::Batch& batch) -> std::optional<std::string> {
            if (gate_.covers(effects_of({{winio::Step{batch}}, {}}))) return std::nullopt;
            return "another window would receive the input";
        };
    const winio::ExecutionReport report = executor_.execute(plan_, {}, covered);
    if (!report.complete()) throw winio::Error(report.error, report.problem);
}

} // namespace bench
