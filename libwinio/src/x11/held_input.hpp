// Keys and buttons as a watchdog knows them.
#pragma once

#include "watchdog/hold.hpp"
#include "x11/native_input.hpp"

#include <set>
#include <span>
#include <vector>

namespace eyehand::winio::x11 {

/// The releases of what the parts of a translation press; a key that is also released counts, too.
[[nodiscard]] std::vector<ReleaseCode> pressed_in(std::span<const InputSegment> segments);
/// The input of one code.
[[nodiscard]] NativeInput release_of(ReleaseCode code);

/// What is pressed after all input so far.
class HeldInput {
public:
    void add(std::span<const InputSegment> segments);
    [[nodiscard]] std::vector<ReleaseCode> codes() const { return {codes_.begin(), codes_.end()}; }

private:
    std::set<ReleaseCode> codes_;
};

} // namespace eyehand::winio::x11
