// Follows a run of another process until it ends or is interrupted. The run may not have begun yet.
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
    for (bool in_progress = true; in_progress;) {
        // Check the lock before reading: a run writes its last events before it releases the lock, so
        // the journal is complete when this loop reads it for the last time.
        in_progress = !run || agent::RunDirectory::open(directory).journal_is_locked();
        while (const std::optional<agent::Event> event = journal.next()) {
            if (!run) run.emplace(agent::load_run(directory).summary.profile);
            run->apply(*event);
        }
        // A turn is complete when the next one begins.
        for (; run && printed + 1 < run->turn_count(); ++printed) print(run->turn(printed));
        if (in_progress) std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
    for (; printed < run->turn_count(); ++printed) print(run->turn(printed));
    if (const agent::RunFinished* result = run->finished())
        std::cout << agent::to_string(result->outcome) << ": " << result->reason << '\n';
    else
        // Also printed for a run in progress if the file system does not support locks.
        std::cout << "interrupted\n"; // resume_run resumes the run
} catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
}
