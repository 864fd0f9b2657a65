#include "win32/held_input.hpp"

namespace eyehand::winio::win32 {
namespace {

// From the lowest bit: 16 bits each for the scan code, the virtual key and the flags, then 1 for a
// mouse button. Flags of releases have at most 8 bits.
constexpr unsigned key_shift = 16;
constexpr unsigned flags_shift = 32;
constexpr unsigned mouse_shift = 48;

} // namespace

std::vector<ReleaseCode> codes_of(std::span<const NativeInput> releases) {
    std::vector<ReleaseCode> codes;
    for (const NativeInput& input : releases)
        codes.push_back(ReleaseCode{input.scan} | ReleaseCode{input.virtual_key} << key_shift |
                        (ReleaseCode{input.flags} & 0xFFFFU) << flags_shift |
                        ReleaseCode{input.kind == NativeInput::Kind::mouse} << mouse_shift);
    return codes;
}

std::vector<NativeInput> releases_of_codes(std::span<const ReleaseCode> codes) {
    std::vector<NativeInput> releases;
    for (const ReleaseCode code : codes) {
        NativeInput input;
        if (code >> mouse_shift != 0) input.kind = NativeInput::Kind::mouse;
        input.flags = static_cast<std::uint16_t>(code >> flags_shift);
        input.virtual_key = static_cast<std::uint16_t>(code >> key_shift);
        input.scan = static_cast<std::uint16_t>(code);
        releases.push_back(input);
    }
    return releases;
}

} // namespace eyehand::winio::win32
