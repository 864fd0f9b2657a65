// Any answer of a model in a visual loop gives a reply within the limits, which reads the same from
// its own JSON.
#include "eyehand/agent/visual_reply.hpp"
#include "same_json.hpp"

#include <cstdint>
#include <cstdlib>
#include <string_view>

using namespace eyehand;

namespace {

bool inside(double number) { return number >= 0 && number <= 1000; }

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    for (const bool extended : {false, true}) {
        const agent::VisualLimits limits{3, 4, extended};
        const agent::VisualReply reply = agent::parse_visual_reply(
            std::string_view(reinterpret_cast<const char*>(data), size), limits);
        if (reply.boxes.size() > limits.boxes || reply.actions.size() > limits.actions)
            std::abort();
        if (!reply.understood && (reply.problems.empty() || !reply.actions.empty())) std::abort();
        for (const winio::NormBox& box : reply.boxes)
            if (!inside(box.x1) || !inside(box.y2) || box.x1 > box.x2 || box.y1 > box.y2)
                std::abort();
        for (const agent::VisualAction& action : reply.actions) {
            if (!inside(action.at.x) || !inside(action.at.y) || !inside(action.to.x) ||
                !inside(action.to.y))
                std::abort();
            if (!extended && agent::is_extended(action.verb)) std::abort();
        }
        const std::string json = agent::to_json(reply);
        if (!fuzz::is_same_json(agent::to_json(agent::parse_visual_reply(json, limits)), json))
            std::abort();
    }
    return 0;
}
