// A line that shows that an operation is in progress, and for how long.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>

namespace eyehand::cli {

/// While it is on, it redraws its line on a thread of its own. Not thread-safe.
class Spinner {
public:
    explicit Spinner(std::FILE* to) : to_(to) {}
    ~Spinner() { off(); }
    Spinner(const Spinner&) = delete;
    Spinner& operator=(const Spinner&) = delete;

    void on(std::string what);
    /// Replaces the words of the line; also turns it on.
    void show(std::string what);
    /// Clears the line.
    void off();

private:
    void turn();

    std::FILE* to_;
    std::string what_;
    std::thread thread_;
    std::mutex mutex_;
    std::condition_variable ended_;
    bool on_ = false;
};

} // namespace eyehand::cli
