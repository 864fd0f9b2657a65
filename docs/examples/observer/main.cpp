// Runs an agent whose actions the user approves one by one.
//   observer ENDPOINT RUNS_FOLDER TASK
#include "console.hpp"

#include <thread>

int main(int argc, char** argv) try {
    if (argc != 4) return 2;
    const auto desktop = winio::open_desktop();
    vlm::OpenAiClient model({.endpoint = argv[1]});
    agent::Agent agent(
        *desktop, model, agent::load_profile("observer"), agent::built_in_tools(),
        {.guard = agent::Guard(agent::GuardLevel::strict), .approvals = agent::Approvals::user});
    agent::RunDirectory directory = agent::RunDirectory::create(argv[2]);
    agent::RunControl control;
    Console console(control);
    const std::jthread user(ask_user, control);
    const agent::RunFinished result = agent.run(argv[3], directory, control, &console);
    std::cout << agent::to_string(result.outcome) << ": " << result.reason << '\n';
    return result.outcome == agent::Outcome::completed ? 0 : 1;
} catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
}
