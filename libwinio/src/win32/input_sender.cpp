#include "win32/input_sender.hpp"

#include "eyehand/winio/error.hpp"
#include "is_release.hpp"
#include "win32/displays.hpp"
#include "win32/dpi_scope.hpp"
#include "win32/held_input.hpp"
#include "win32/higher_rights.hpp"
#include "win32/secure_desktop.hpp"
#include "win32/system_input.hpp"
#include "win32/system_text.hpp"

#include <algorithm>
#include <array>
#include <chrono>

namespace eyehand::winio::win32 {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint32_t move_flags = mouse_move | mouse_absolute | mouse_virtual_desk;

bool is_keyboard(const InputEvent& event) {
    return std::holds_alternative<KeyChange>(event) || std::holds_alternative<TypedScalar>(event);
}

bool is_pressing(const InputEvent& event) { return !std::holds_alternative<PointerMove>(event); }

SendReport refused(std::size_t events, errc code, std::string problem) {
    return {events, 0, std::move(problem), code};
}

} // namespace

InputSender::~InputSender() {
    try {
        give(releases_of(pressed_));
        lease_.note({});
    } catch (...) { // NOLINT(bugprone-empty-catch): a destructor cannot report it
    }
}

SendReport InputSender::send(std::span<const InputEvent> events) {
    if (events.empty()) return {};
    const DpiScope physical_pixels;
    const InputContext now = context();
    if (now.virtual_desktop.empty())
        return refused(events.size(), errc::input_refused, "this session has no display");
    if (auto problem = permission_problem(events))
        return refused(events.size(), errc::input_not_permitted, std::move(*problem));

    const Translation translation = translator_.translate(events, now);
    std::vector<NativeInput> inputs;
    if (std::ranges::any_of(events, is_pressing)) inputs = releases_of_users_modifiers();
    const std::size_t before = inputs.size();
    try {
        if (!std::ranges::all_of(events, is_release)) prepare(translation.inputs);
    } catch (const Error& error) {
        return {events.size(), 0, error.what(), error.code()};
    }
    inputs.insert(inputs.end(), translation.inputs.begin(), translation.inputs.end());

    const auto [taken, error] = system_.runs_under_wine() ? give_with_pauses(inputs) : give(inputs);
    const std::size_t accepted_inputs = taken - std::min(taken, before);
    SendReport report;
    report.sent = events.size();
    report.accepted = complete_events(translation, accepted_inputs);
    translator_.accept(events, report.accepted, now);
    const std::size_t begin = report.accepted == 0 ? 0 : translation.ends[report.accepted - 1];
    const std::span all(translation.inputs);
    remember(all.first(begin));
    lease_.note(codes_of(releases_of(pressed_)));
    if (report.complete()) return report;

    // The event at which the system stopped may be partially pressed; the caller does not know of
    // it.
    give(releases_of(all.subspan(begin, accepted_inputs - begin)));
    report.error = errc::input_refused;
    report.problem = "SendInput accepted " + std::to_string(taken) + " of " +
                     std::to_string(inputs.size()) + " inputs: " + describe_error(error) + "; " +
                     likely_cause(system_);
    return report;
}

InputContext InputSender::context() const {
    const HKL layout =
        GetKeyboardLayout(GetWindowThreadProcessId(system_.foreground_window(), nullptr));
    InputContext now;
    now.virtual_desktop = virtual_desktop(system_);
    now.buttons_swapped = system_.get_system_metrics(SM_SWAPBUTTON) != 0;
    now.layout.key_of_character = [this, layout](char16_t character) -> int {
        return system_.vk_key_scan(static_cast<WCHAR>(character), layout);
    };
    now.layout.scan_code = [layout](std::uint16_t virtual_key) {
        return static_cast<std::uint16_t>(MapVirtualKeyExW(virtual_key, MAPVK_VK_TO_VSC, layout));
    };
    return now;
}

// Windows drops input to windows of higher integrity and reports success, so check before sending.
std::optional<std::string>
InputSender::permission_problem(std::span<const InputEvent> events) const {
    const auto problem = [this](HWND window, std::string_view which) {
        return has_higher_rights(system_, window)
                   ? std::optional(higher_rights_problem(window, which))
                   : std::nullopt;
    };
    const auto foreground = [&] {
        return problem(system_.foreground_window(), "in the foreground");
    };
    const bool wheel_follows_focus = system_.wheel_follows_focus();
    const auto needs_foreground = [&](const InputEvent& event) {
        return (is_keyboard(event) && !is_release(event)) ||
               (wheel_follows_focus && std::holds_alternative<WheelTurn>(event));
    };
    if (std::ranges::any_of(events, needs_foreground))
        if (auto found = foreground()) return found;
    POINT at{};
    bool known = system_.get_cursor_pos(&at) != 0;
    for (const InputEvent& event : events) {
        if (const auto* move = std::get_if<PointerMove>(&event)) {
            at = {move->to.x, move->to.y};
            known = true;
        } else if (known && !is_release(event) && !needs_foreground(event)) {
            if (auto found = problem(system_.window_from_point(at), "under the pointer"))
                return found;
        }
    }
    return std::nullopt;
}

// A Ctrl that the user holds would turn typed text into shortcuts. It is not pressed again
// afterwards: it would stay pressed if the user released it in between.
std::vector<NativeInput> InputSender::releases_of_users_modifiers() const {
    constexpr std::array modifiers{
        KeyCode{VK_LSHIFT, 0x2A, false},   KeyCode{VK_RSHIFT, 0x36, false},
        KeyCode{VK_LCONTROL, 0x1D, false}, KeyCode{VK_RCONTROL, 0x1D, true},
        KeyCode{VK_LMENU, 0x38, false},    KeyCode{VK_RMENU, 0x38, true},
        KeyCode{VK_LWIN, 0x5B, true},      KeyCode{VK_RWIN, 0x5C, true}};
    std::vector<NativeInput> releases;
    for (const KeyCode& code : modifiers) {
        // Layouts with AltGr press the left Ctrl along with the right Alt.
        const bool ours = translator_.holds(code.virtual_key) ||
                          (code.virtual_key == VK_LCONTROL && translator_.holds(VK_RMENU));
        if (ours || (system_.get_async_key_state(code.virtual_key) & 0x8000) == 0) continue;
        // Alt or Windows alone, pressed and released, opens a menu. A key without meaning in
        // between (E8 is unassigned in winuser.h) prevents that.
        NativeInput nothing;
        nothing.virtual_key = 0xE8;
        releases.push_back(nothing);
        nothing.flags = key_up;
        releases.push_back(nothing);
        releases.push_back(key_release(code));
    }
    return releases;
}

void InputSender::prepare(std::span<const NativeInput> inputs) {
    std::vector<NativeInput> all = pressed_;
    all.insert(all.end(), inputs.begin(), inputs.end());
    std::vector<ReleaseCode> codes;
    // One by one: a key that the inputs also release may stay pressed if the system accepts only some.
    for (const NativeInput& input : all)
        for (const ReleaseCode code : codes_of(releases_of({&input, 1})))
            if (std::ranges::find(codes, code) == codes.end()) codes.push_back(code);
    if (!codes.empty()) lease_.hold(std::move(codes));
}

void InputSender::remember(std::span<const NativeInput> accepted) {
    pressed_.insert(pressed_.end(), accepted.begin(), accepted.end());
    pressed_ = unreleased(pressed_);
}

// Under Wine, a press right after a move may be followed by a late move to the old position of the
// pointer: a list would then select the item there.
InputSender::Taken InputSender::give_with_pauses(std::span<const NativeInput> inputs) {
    const auto only_moves = [](const NativeInput& input) {
        return input.kind == NativeInput::Kind::mouse && (input.flags & ~move_flags) == 0;
    };
    Taken all;
    while (!inputs.empty()) {
        const auto to_next_move = std::ranges::find_if(inputs, only_moves) - inputs.begin();
        const auto part =
            inputs.first(std::max<std::size_t>(static_cast<std::size_t>(to_next_move), 1));
        inputs = inputs.subspan(part.size());
        const auto [taken, error] = to_next_move > 0 ? give(part) : give_move(part.front());
        all = {all.inputs + taken, error};
        if (taken < part.size()) break;
    }
    return all;
}

InputSender::Taken InputSender::give_move(NativeInput move) {
    // On a busy machine, the waits take longer than a watchdog does.
    const WhileWaiting renew = [this, next = Clock::now()]() mutable {
        if (Clock::now() < next) return;
        lease_.renew();
        next = Clock::now() + renewal_interval;
    };
    // Presses may move the pointer, too; reports of such moves must not arrive after this move.
    system_.let_reports_arrive(renew);
    POINT from{};
    const bool from_window =
        system_.get_cursor_pos(&from) != 0 && system_.window_from_point(from) != GetDesktopWindow();
    move.mark = own_input | (++last_mark_ & ~own_input_mask);
    const std::span one(&move, 1);
    Taken taken = give(one);
    if (taken.inputs == 0 || system_.let_pointer_arrive(move.mark, from_window, renew))
        return taken;
    // The second time, X's pointer is already there, and all reports have this position.
    taken = give(one);
    system_.let_reports_arrive(renew);
    return taken;
}

InputSender::Taken InputSender::give(std::span<const NativeInput> inputs) {
    if (inputs.empty()) return {};
    std::vector<INPUT> batch = to_inputs(inputs);
    const UINT taken =
        system_.send_input(static_cast<UINT>(batch.size()), batch.data(), sizeof(INPUT));
    return {taken, GetLastError()};
}

} // namespace eyehand::winio::win32
