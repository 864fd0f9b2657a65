// Whatever a model writes as arguments of whichever tool, there is a result that is JSON, a failure
// has a type, and a plan aims at nothing outside the work area. The input's first byte chooses the
// tool.
#include "eyehand/agent/desktop_tools.hpp"
#include "eyehand/agent/profile.hpp"
#include "eyehand/vlm/chat.hpp"
#include "eyehand/winio/testing/memory_desktop.hpp"
#include "json/json.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>

using namespace eyehand;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const agent::Toolbox tools =
        agent::desktop_tools().present(agent::load_profile("observer").tools);
    static const auto specs = tools.specs();
    static winio::testing::MemoryDesktop desktop({64, 64});
    if (size == 0) return 0;
    agent::ToolContext context{desktop, winio::WorkArea({-32, 0, 64, 64}), {}};
    const agent::ToolResult result =
        tools.call({"id",
                    specs[data[0] % specs.size()].name,
                    {reinterpret_cast<const char*>(data) + 1, size - 1},
                    {}},
                   context);
    if (!agent::parse_json(result.json())) std::abort();
    if (result.plan() && !result.succeeded()) std::abort();
    if (!result.plan()) return 0;
    for (const winio::Point target : result.plan()->targets) {
        if (!context.area.contains(target)) std::abort();
    }
    return 0;
}
