// Runs an agent with a limit on the tokens of its model.
//   custom_chat_model ENDPOINT RUNS_FOLDER MAX_TOKENS TASK
#include "budget_model.hpp"

#include <iostream>

int main(int argc, char** argv) try {
    if (argc != 5) return 2;
    const auto desktop = winio::open_desktop();
    vlm::OpenAiClient client({.endpoint = argv[1]});
    BudgetModel model(client, std::stoi(argv[3]));
    agent::Agent agent(*desktop, model, agent::load_profile("observer"));
    agent::RunDirectory directory = agent::RunDirectory::create(argv[2]);
    agent::RunControl control;
    const agent::RunFinished result = agent.run(argv[4], directory, control);
    std::cout << agent::to_string(result.outcome) << ": " << result.reason << '\n'
              << "tokens: " << model.used() << '\n';
    return result.outcome == agent::Outcome::completed ? 0 : 1;
} catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
}
