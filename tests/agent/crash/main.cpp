// A run that can be killed at any moment and resumed. Its model types one letter per turn.
//   eyehand-crash-run FOLDER TURNS
// FOLDER: a run directory, created if it does not exist. Status 0: the run is completed.
#include "../unguarded.hpp"
#include "eyehand/agent/agent.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/vlm/testing/scripted_model.hpp"
#include "eyehand/winio/testing/memory_desktop.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

using namespace eyehand;

int main(int argc, char** argv) {
    using namespace agent;
    if (argc != 3) return 2;
    const std::filesystem::path parent = argv[1];
    const int turns = std::stoi(argv[2]);
    winio::testing::MemoryDesktop desktop{winio::Size{320, 200}};
    // Answers according to the request, as a model would: the number of results determines the next
    // letter.
    class Typist final : public vlm::ChatModel {
    public:
        explicit Typist(int max) : most_(max) {}
        vlm::ChatReply reply(const vlm::ChatRequest& request, const vlm::OnDelta&,
                             std::stop_token) override {
            int results = 0;
            for (const vlm::Message& message : request.messages)
                results += message.role == vlm::Role::tool ? 1 : 0;
            vlm::ChatReply reply;
            if (results >= most_) {
                reply.text = "done";
                return reply;
            }
            const std::string letter(1, static_cast<char>('a' + results % 26));
            const bool looks = results % 5 == 4;
            reply.tool_calls.push_back({"call_" + std::to_string(results),
                                        looks ? "observe_screen" : "type_text",
                                        looks ? "{}" : R"({"text":")" + letter + R"("})",
                                        {}});
            return reply;
        }

    private:
        int most_;
    } model(turns);
    Profile profile = load_profile("observer");
    profile.max_turns = turns + 1;
    AgentOptions options = test::unguarded();
    options.settle.minimum = options.settle.quiet = std::chrono::milliseconds(0);
    options.reaction = winio::no_reaction_wait;
    // A separate file of effects, written when the desktop receives the input.
    std::ofstream effects(parent / "effects", std::ios::app | std::ios::binary);
    desktop.on_input = [&](const winio::InputEvent& event) {
        if (const auto* text = std::get_if<winio::TypedScalar>(&event))
            effects << static_cast<char>(text->scalar) << std::flush;
    };
    try {
        RunControl control;
        Agent agent(desktop, model, profile, built_in_tools(), options);
        const std::filesystem::path first = parent / "run_0001";
        if (!std::filesystem::exists(first / "events.jsonl") ||
            std::filesystem::file_size(first / "events.jsonl") == 0) {
            std::filesystem::remove_all(first);
            RunDirectory directory = RunDirectory::create(parent);
            return agent.run("type", directory, control).outcome == Outcome::completed ? 0 : 1;
        }
        RunDirectory directory = RunDirectory::open(first);
        return agent.resume(directory, control).outcome == Outcome::completed ? 0 : 1;
    } catch (const Error& error) {
        if (error.code() == errc::run_over) return 0; // killed after its last entry
        std::fprintf(stderr, "%s\n", error.what());
        return 3;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 3;
    }
}
