// Shows a run on the console, and asks the user for approval there on a separate thread.
#pragma once

#include <eyehand/agent.hpp>

#include <chrono>
#include <condition_variable>
#include <iostream>
#include <mutex>
#include <stop_token>

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
    std::condition_variable changed;
    bool news = true;
    const auto listener = control.on_change([&] {
        const std::lock_guard lock(mutex);
        news = true;
        changed.notify_one();
    });
    std::string line;
    // Polls the token: a stop callback can wait forever with GCC 12's library for Windows.
    constexpr std::chrono::milliseconds interval{50};
    for (std::unique_lock lock(mutex); !stop.stop_requested();) {
        if (!changed.wait_for(lock, interval, [&] { return news; })) continue;
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
