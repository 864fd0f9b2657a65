// Writes the recording of a run.
#pragma once

#include "eyehand/agent/agent.hpp"
#include "eyehand/agent/run_store.hpp"
#include "eyehand/agent/secrets.hpp"
#include "replay/desktop_tape.hpp"
#include "replay/frame_codec.hpp"
#include "replay/taped_desktop.hpp"

#include <memory>
#include <string>

namespace eyehand::agent {

class TapeRecorder final : public DesktopTape {
public:
    /// Creates or continues the recording in `store`; drops an incomplete last line. `secrets` must
    /// outlive it; their values are not written. Throws Error{journal_failed}, as do all calls that
    /// write.
    TapeRecorder(RunStore& store, const AgentOptions& options, const Secrets& secrets);

    /// Writes that a part of the run begins. Call it once, before anything is recorded.
    void begin_part(const DesktopParts& desktop);

    [[nodiscard]] bool records() const override { return true; }
    void begin(const Command& command, int turn) override;
    [[nodiscard]] std::string shown(std::string_view text) const override;
    [[nodiscard]] bool hides(const winio::WindowInfo& window) const override;
    [[nodiscard]] json::value frame_record(const winio::Frame& frame) override;

protected:
    void keep(json::object&& record) override;

private:
    const AgentOptions& options_;
    const Secrets& secrets_;
    std::unique_ptr<AppendStream> out_;
    FrameEncoder frames_;
};

} // namespace eyehand::agent
