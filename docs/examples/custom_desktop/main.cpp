// Checks a desktop of your own against its contract, then has an agent draw on it.
//   custom_desktop ENDPOINT RUNS_FOLDER
#include "canvas.hpp"

#include <eyehand/winio/testing/check_desktop.hpp>

#include <iostream>

int main(int argc, char** argv) try {
    if (argc != 3) return 2;
    Canvas canvas;
    const auto findings = winio::testing::check_desktop(canvas, {.moves_pointer = true});
    for (const auto& finding : findings) std::cerr << finding << '\n';
    if (!findings.empty()) return 1;

    vlm::OpenAiClient model({.endpoint = argv[1]});
    agent::Agent agent(canvas, model, agent::load_profile("observer"));
    agent::RunDirectory directory = agent::RunDirectory::create(argv[2]);
    agent::RunControl control;
    const agent::RunFinished result = agent.run("Draw a dot in the center.", directory, control);
    std::cout << agent::to_string(result.outcome) << ": " << result.reason << '\n'
              << "center: " << (canvas.has_ink({320, 180}) ? "ink" : "empty") << '\n';
    return result.outcome == agent::Outcome::completed ? 0 : 1;
} catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
}
