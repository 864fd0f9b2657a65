// The model of a run: a server or a cassette; its replies may be recorded.
#pragma once

#include "eyehand/session/run_session.hpp"
#include "eyehand/vlm/model.hpp"

#include <memory>

namespace eyehand::session {

class RecordedModel {
public:
    /// Throws vlm::Error for the endpoint, and vlm::CassetteError.
    RecordedModel(const vlm::ClientOptions& client, const Cassette& cassette);
    [[nodiscard]] vlm::ChatModel& get() { return recording_ ? *recording_ : *inner_; }

private:
    std::unique_ptr<vlm::ChatModel> inner_; ///< the server or the replay
    std::unique_ptr<vlm::ChatModel> recording_;
};

} // namespace eyehand::session
