// A line that says that something still goes on, and for how long.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>

namespace eyehand::cli {

/// Draws over its own line, on a thread of its own, while it is on. One thread uses it.
class Spinner {
public:
    explicit Spinner(std::FILE* to) : to_(to) {}
    ~Spinner() { off(); }
    Spinner(const Spinner&) = delete;
    Spinner& operator=(const Spinner&) = delete;

    void on(std::string what);
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
