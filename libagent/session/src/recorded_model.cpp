#include "recorded_model.hpp"

#include "eyehand/vlm/cassette.hpp"

namespace eyehand::session {
namespace {

std::unique_ptr<vlm::ChatModel> make_inner(const vlm::ClientOptions& client,
                                           const Cassette& cassette) {
    if (cassette.replay.empty()) return std::make_unique<vlm::OpenAiClient>(client);
    const auto match = cassette.strict ? vlm::ReplayMatch::strict : vlm::ReplayMatch::by_turn;
    return std::make_unique<vlm::ReplayModel>(cassette.replay, vlm::ReplayOptions{.match = match});
}

} // namespace

RecordedModel::RecordedModel(const vlm::ClientOptions& client, const Cassette& cassette)
    : inner_(make_inner(client, cassette)) {
    if (!cassette.record.empty())
        recording_ = std::make_unique<vlm::RecordingModel>(*inner_, cassette.record);
}

} // namespace eyehand::session
