// Resumes a run that was interrupted or stopped.
//   resume_run RUN_DIRECTORY ENDPOINT
#include <eyehand/agent.hpp>

#include <iostream>

using namespace eyehand;

int main(int argc, char** argv) try {
    if (argc != 3) return 2;
    const agent::StoredRun stored = agent::load_run(argv[1]);
    std::cout << "task: " << stored.summary.task << '\n'
              << "before: " << (stored.outcome.empty() ? "interrupted" : stored.outcome) << '\n';

    const auto desktop = winio::open_desktop();
    vlm::OpenAiClient model({.endpoint = argv[2]});
    agent::Agent agent(*desktop, model, stored.summary.profile); // the profile of the first part
    agent::RunDirectory directory = agent::RunDirectory::open(argv[1]);
    agent::RunControl control;
    const agent::RunFinished result = agent.resume(directory, control);
    std::cout << agent::to_string(result.outcome) << ": " << result.reason << '\n'
              << "turns: " << result.turns << '\n';
    return result.outcome == agent::Outcome::completed ? 0 : 1;
} catch (const agent::Error& error) {
    // errc::run_over: the run is completed; errc::run_locked: another process works on it.
    std::cerr << agent::error_name(error.code()) << ": " << error.what() << '\n';
    return 1;
} catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
}
