// Follows a run of another process, which may not have begun yet, until it ends.
//   follow_run RUN_DIRECTORY
#include <eyehand/agent.hpp>

#include <iostream>
#include <thread>

using namespace eyehand;

void print(const agent::TurnView& turn) {
    std::cout << "turn " << turn.number << '\n';
    for (const agent::TurnItem& item : turn.items) {
        if (const auto* replied = std::get_if<agent::Replied>(&item))
            std::cout << "  model: " << replied->reply.text << '\n';
        else if (const auto* call = std::get_if<agent::CallView>(&item))
            std::cout << "  " << call->tool << ' ' << call->arguments_json << '\n';
        else if (const auto* failure = std::get_if<agent::FailureView>(&item))
            std::cout << "  " << failure->error << ": " << failure->message << '\n';
    }
    std::cout << std::flush;
}

int main(int argc, char** argv) try {
    if (argc != 2) return 2;
    const std::filesystem::path directory = argv[1];
    agent::JournalReader journal(directory / "events.jsonl");
    std::optional<agent::RunView> run;
    std::size_t printed = 0;
    while (!run || run->finished() == nullptr) {
        const std::optional<agent::Event> event = journal.next();
        if (!event) { // the end of the journal so far
            std::this_thread::sleep_for(std::chrono::milliseconds(200));
            continue;
        }
        if (!run) run.emplace(agent::load_run(directory).summary.profile); // the journal has begun
        run->apply(*event);
        // A turn is complete when the next one begins.
        for (; printed + 1 < run->turn_count(); ++printed) print(run->turn(printed));
    }
    for (; printed < run->turn_count(); ++printed) print(run->turn(printed));
    std::cout << agent::to_string(run->finished()->outcome) << ": " << run->finished()->reason
              << '\n';
} catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
}
