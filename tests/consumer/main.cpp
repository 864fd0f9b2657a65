// A user's program with a custom tool, a desktop in memory, and a scripted model.
#include <eyehand/agent/agent.hpp>
#include <eyehand/version.hpp>
#include <eyehand/vlm/testing/scripted_model.hpp>
#include <eyehand/winio/testing/memory_desktop.hpp>

#include <cstdio>
#include <filesystem>
#include <string_view>

static_assert(EYEHAND_VERSION == EYEHAND_MAKE_VERSION(EYEHAND_VERSION_MAJOR, EYEHAND_VERSION_MINOR,
                                                      EYEHAND_VERSION_PATCH));
#ifdef PACKAGE_VERSION
static_assert(std::string_view(EYEHAND_VERSION_STRING) == PACKAGE_VERSION);
#endif

using namespace eyehand;

struct RingBell {
    int times = 0;
};

int main(int argc, char** argv) {
    winio::testing::MemoryDesktop desktop;
    vlm::testing::ScriptedModel model;
    model.call("ring_bell", R"({"times": 3})").say("The bell rang.");

    int rung = 0;
    agent::Toolbox tools = agent::desktop_tools();
    tools.add<RingBell>("ring_bell", "Rings the bell.",
                        {agent::arg("times", &RingBell::times, "how often", agent::range{1, 10})},
                        [&](const RingBell& args, agent::ToolContext&) {
                            rung += args.times;
                            return agent::ok("it rang");
                        });
    agent::Agent agent(desktop, model, agent::load_profile("observer"), tools,
                       {.with = {"ring_bell"}});
    auto run = agent::RunDirectory::create(argc > 1 ? argv[1] : "runs");
    agent::RunControl control;
    const agent::RunFinished result = agent.run("Ring the bell three times.", run, control);
    std::puts(result.reason.c_str());
    return result.outcome == agent::Outcome::completed && rung == 3 ? 0 : 1;
}
