// Types like an agent, with or without the guard's check before each batch.
#pragma once

#include "eyehand/agent/control.hpp"
#include "eyehand/winio/desktop.hpp"
#include "eyehand/winio/input_executor.hpp"
#include "replay/desktop_tape.hpp"
#include "run/gate.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bench {

enum class BatchCheck { off, on };

/// Types 1,000 characters per call into the window that has the keyboard focus. The constructor asks
/// the guard about them, as an agent does before the first batch.
class GuardedTyping {
public:
    /// `desktop` must outlive the object. Throws winio::Error{window_not_found} if no window has the
    /// keyboard focus.
    explicit GuardedTyping(eyehand::winio::Desktop& desktop);

    /// Throws winio::Error if not all characters were sent.
    void type(BatchCheck check);
    [[nodiscard]] std::size_t batches() const { return plan_.steps.size(); }

private:
    [[nodiscard]] std::vector<eyehand::agent::GuardedEffect>
    effects_of(const eyehand::winio::Plan& plan);

    eyehand::winio::Desktop& desktop_;
    eyehand::winio::Plan plan_;
    std::vector<std::uint32_t> own_processes_;
    eyehand::agent::RunControl control_;
    eyehand::agent::RunPort port_{control_};
    eyehand::agent::DesktopTape tape_; ///< neither records nor replays
    eyehand::agent::Gate gate_;
    eyehand::winio::InputExecutor executor_;
};

} // namespace bench
