// Prints what happened in a run, and verifies that its journal is unchanged.
//   read_run RUN_DIRECTORY
#include <eyehand/agent.hpp>

#include <iostream>

using namespace eyehand;

void print(const agent::TurnView& turn) {
    std::cout << "turn " << turn.number << ", " << turn.t.count() / 1000 << " s\n";
    if (turn.seen) std::cout << "  saw " << turn.seen->look.file << '\n';
    for (const agent::TurnItem& item : turn.items) {
        if (const auto* replied = std::get_if<agent::Replied>(&item))
            std::cout << "  model: " << replied->reply.text << '\n';
        else if (const auto* call = std::get_if<agent::CallView>(&item))
            std::cout << "  " << call->tool << ' ' << call->arguments_json << " -> "
                      << call->result_json << '\n';
    }
}

int main(int argc, char** argv) try {
    if (argc != 2) return 2;
    const std::filesystem::path directory = argv[1];
    const agent::RunView run = agent::read_run(directory);
    std::cout << "task: " << run.task() << "\nmodel: " << run.model() << '\n';
    for (std::size_t i = 0; i < run.turn_count(); ++i) print(run.turn(i));
    std::cout << "tokens: " << run.usage().prompt_tokens.value_or(0) << " in, "
              << run.usage().completion_tokens.value_or(0) << " out\n";
    if (const agent::RunFinished* end = run.finished())
        std::cout << agent::to_string(end->outcome) << ": " << end->reason << '\n';
    else
        std::cout << "interrupted, or still in progress\n";

    agent::ChainVerifier verifier;
    bool intact = true;
    for (const agent::Event& event : agent::read_journal(directory / "events.jsonl")) {
        const std::string problem = verifier.check(event);
        if (!problem.empty()) std::cout << "event " << event.seq << ": " << problem << '\n';
        intact = intact && problem.empty();
    }
    return intact ? 0 : 1;
} catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
}
