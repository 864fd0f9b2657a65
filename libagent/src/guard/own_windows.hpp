// The windows of the agent itself.
#pragma once

#include "eyehand/winio/desktop.hpp"

#include <cstdint>
#include <span>

namespace eyehand::agent {

/// Which windows belong to the agent: those of this process, its terminal, and the pages of its panel
/// and reports in a browser.
class OwnWindows {
public:
    /// `own_processes`: the ids of this process and its ancestors, as `winio::own_processes` returns
    /// them; must outlive the object.
    OwnWindows(std::span<const winio::WindowInfo> windows,
               std::span<const std::uint32_t> own_processes);

    [[nodiscard]] bool contains(const winio::WindowInfo& window) const;

private:
    std::span<const std::uint32_t> own_processes_;
    std::uint32_t terminal_ = 0; ///< the process of the terminal; 0 if unknown
};

} // namespace eyehand::agent
