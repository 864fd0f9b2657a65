// Shows a run on the console, and asks the user for approval there on a separate thread.
#pragma once

#include <eyehand/agent.hpp>

#include <condition_variable>
#include <iostream>
#include <mutex>

using namespace eyehand;

/// Called on the run's thread: prints events, and pauses the run after a failed call.
class Console final : public agent::Observer {
public:
    explicit Console(agent::RunControl control) : control_(std::move(control)) {}

    void on_event(const agent::Event& event) override {
        agent::visit(
            event,
            [this](const agent::Invoked& it) {
                std::cout << it.tool << (it.ok ? ": ok" : ": failed") << std::endl;
                if (!it.ok) control_.pause();
            },
            [](const auto&) {});
    }

private:
    agent::RunControl control_;
};

/// Answers approval requests and resumes a paused run, until `stop` is triggered.
inline void ask_user(std::stop_token stop, agent::RunControl control) {
    std::mutex mutex;
    std::condition_variable_any changed;
    bool news = true;
    const auto listener = control.on_change([&] {
        const std::lock_guard lock(mutex);
        news = true;
        changed.notify_one();
    });
    std::string line;
    for (std::unique_lock lock(mutex); changed.wait(lock, stop, [&] { return news; });) {
        news = false;
        lock.unlock();
        const agent::RunStatus status = control.status();
        for (const agent::ApprovalRequest& request : status.approval_requests) {
            std::cout << "Allow " << request.tool << ' ' << request.arguments_json << "? (y/n) "
                      << std::flush;
            const bool granted = std::getline(std::cin, line) && line == "y";
            control.resolve(request.id, {.granted = granted, .reason = "The user said no."});
        }
        if (status.held) {
            std::cout << "Paused. Press Enter to resume. " << std::flush;
            std::getline(std::cin, line);
            control.resume();
        }
        lock.lock();
    }
}
