// A mode for tests of recoveries.
#pragma once

#include "eyehand/agent/mode.hpp"

namespace test {

/// Recovers from a loop, and is done.
class RecoversOnce final : public eyehand::agent::Mode {
public:
    [[nodiscard]] eyehand::agent::Command next() const override {
        using namespace eyehand::agent;
        if (done_) return Finish{Outcome::completed, "done"};
        return Recover{"a loop"};
    }
    void apply(const eyehand::agent::Fact& fact) override {
        done_ = done_ || std::holds_alternative<eyehand::agent::Recovered>(fact);
    }
    [[nodiscard]] eyehand::agent::ModeState state() const override { return {}; }

private:
    bool done_ = false;
};

} // namespace test
