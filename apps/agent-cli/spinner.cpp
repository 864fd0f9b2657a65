#include "spinner.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace eyehand::cli {
namespace {

constexpr std::array<const char*, 4> marks{"|", "/", "-", "\\"};
constexpr std::chrono::milliseconds step{200};
constexpr const char* clear_line = "\r\x1b[K";

} // namespace

void Spinner::on(std::string what) {
    off();
    what_ = std::move(what);
    on_ = true;
    thread_ = std::thread([this] { turn(); });
}

void Spinner::show(std::string what) {
    if (!thread_.joinable()) return on(std::move(what));
    const std::lock_guard lock(mutex_);
    what_ = std::move(what);
}

void Spinner::off() {
    if (!thread_.joinable()) return;
    {
        const std::lock_guard lock(mutex_);
        on_ = false;
    }
    ended_.notify_one();
    thread_.join();
    fmt::print(to_, "{}", clear_line);
    std::fflush(to_);
}

void Spinner::turn() {
    const auto start = std::chrono::steady_clock::now();
    std::unique_lock lock(mutex_);
    for (std::size_t i = 0; !ended_.wait_for(lock, step, [this] { return !on_; }); ++i) {
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(
            std::chrono::steady_clock::now() - start);
        fmt::print(to_, "{}{} {} {} s", clear_line, marks[i % marks.size()], what_,
                   seconds.count());
        std::fflush(to_);
    }
}

} // namespace eyehand::cli
