#include "use_eyehand.hpp"

#include "check.hpp"

#include <eyehand/agent/agent.hpp>
#include <eyehand/agent/error.hpp>
#include <eyehand/vlm/openai_client.hpp>
#include <eyehand/vlm/testing/chat_server.hpp>
#include <eyehand/vlm/testing/scripted_model.hpp>
#include <eyehand/winio/testing/memory_desktop.hpp>

#include <string>

using namespace eyehand;

namespace {

// A described enum makes the templates of eyehand/agent/tool.hpp use the application's boost::describe and boost::mp11.
enum class Tone { low, high };
BOOST_DESCRIBE_ENUM(Tone, low, high)

struct RingBell {
    int times = 0;
    Tone tone = Tone::low;
};

void talk_to_a_server() {
    vlm::testing::ChatServer server;
    server.enqueue({.body = vlm::testing::completion("hello")});
    server.enqueue({.status = 401, .body = R"({"error":{"message":"wrong key"}})"});
    vlm::OpenAiClient model({.endpoint = server.url()});
    vlm::ChatRequest request;
    request.messages = {vlm::Message::user("Say hello.")};
    check(model.reply(request).text == "hello", "Eyehand: a client reads a server's reply");
    bool caught = false;
    try {
        (void)model.reply(request);
    } catch (const vlm::Error& error) {
        caught = error.code() == vlm::errc::unauthorized;
    }
    check(caught, "Eyehand: an error is caught by its type and has its code");
}

void run_an_agent(const char* runs) {
    winio::testing::MemoryDesktop desktop;
    vlm::testing::ScriptedModel model;
    model.call("ring_bell", R"({"times": 3, "tone": "high"})").say("The bell rang.");
    RingBell rung;
    agent::Toolbox tools = agent::desktop_tools();
    tools.add<RingBell>("ring_bell", "Rings the bell.",
                        {agent::arg("times", &RingBell::times, "how often", agent::range{1, 10}),
                         agent::arg("tone", &RingBell::tone, "which bell")},
                        [&](const RingBell& args, agent::ToolContext&) {
                            rung = args;
                            return agent::ok("it rang");
                        });
    agent::Agent ringer(desktop, model, agent::load_profile("observer"), tools,
                        {.with = {"ring_bell"}});
    auto run = agent::RunDirectory::create(runs);
    agent::RunControl control;
    const agent::RunFinished result = ringer.run("Ring the bell.", run, control);
    check(result.outcome == agent::Outcome::completed && rung.times == 3 && rung.tone == Tone::high,
          "Eyehand: an agent calls the application's tool");
    bool caught = false;
    try {
        (void)agent::load_profile("no-such-profile");
    } catch (const agent::Error& error) {
        caught = error.code() == agent::errc::profile_not_found;
    }
    check(caught, "Eyehand: an unknown profile throws agent::Error");
}

} // namespace

int use_eyehand(const char* runs) {
    talk_to_a_server();
    run_an_agent(runs);
    return failures;
}
