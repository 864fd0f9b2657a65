#include "x11/held_input.hpp"

#include <algorithm>

namespace eyehand::winio::x11 {
namespace {

using Kind = NativeInput::Kind;

constexpr unsigned kind_shift = 8;

ReleaseCode code_of(Kind release, std::uint8_t code) {
    return static_cast<ReleaseCode>(release) << kind_shift | code;
}

bool presses(const NativeInput& input) {
    return input.kind == Kind::key_press || input.kind == Kind::button_press;
}

bool concerns_button(const NativeInput& input) {
    return input.kind == Kind::button_press || input.kind == Kind::button_release;
}

ReleaseCode release_code(const NativeInput& input) {
    return code_of(concerns_button(input) ? Kind::button_release : Kind::key_release, input.code);
}

} // namespace

std::vector<ReleaseCode> pressed_in(std::span<const InputSegment> segments) {
    std::set<ReleaseCode> codes;
    for (const InputSegment& segment : segments)
        for (const NativeInput& input : segment.inputs)
            if (presses(input)) codes.insert(release_code(input));
    return {codes.begin(), codes.end()};
}

NativeInput release_of(ReleaseCode code) {
    const bool is_button = code >> kind_shift == static_cast<ReleaseCode>(Kind::button_release);
    return {.kind = is_button ? Kind::button_release : Kind::key_release,
            .code = static_cast<std::uint8_t>(code)};
}

void HeldInput::add(std::span<const InputSegment> segments) {
    for (const InputSegment& segment : segments)
        for (const NativeInput& input : segment.inputs) {
            if (input.kind == Kind::motion) continue;
            if (presses(input))
                codes_.insert(release_code(input));
            else
                codes_.erase(release_code(input));
        }
}

} // namespace eyehand::winio::x11
