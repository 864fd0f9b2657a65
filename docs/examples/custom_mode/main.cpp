// Runs the mode "describe", or resumes one of its runs.
//   custom_mode run PROFILE_FOLDER ENDPOINT RUNS_FOLDER
//   custom_mode resume RUN_DIRECTORY ENDPOINT
#include "describe_factory.hpp"

#include <iostream>

int main(int argc, char** argv) try {
    const std::string action = argc > 1 ? argv[1] : "";
    const bool resumes = action == "resume" && argc == 4;
    if (!resumes && !(action == "run" && argc == 5)) return 2;
    agent::ModeRegistry modes = agent::ModeRegistry::built_in();
    modes.add(std::make_shared<DescribeFactory>());

    const auto desktop = winio::open_desktop();
    vlm::OpenAiClient model({.endpoint = argv[3]});
    const agent::Profile profile = resumes ? agent::load_run(argv[2], modes).summary.profile
                                           : agent::load_profile(argv[2], modes);
    agent::RunDirectory directory =
        resumes ? agent::RunDirectory::open(argv[2]) : agent::RunDirectory::create(argv[4]);
    agent::Agent agent(*desktop, model, profile);
    agent::RunControl control;
    const agent::RunFinished result = resumes
                                          ? agent.resume(directory, control)
                                          : agent.run("What is on the screen?", directory, control);
    std::cout << agent::to_string(result.outcome) << ": " << result.reason << '\n';
    return result.outcome == agent::Outcome::completed ? 0 : 1;
} catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
}
