#include "win32/user_watch.hpp"

#include "eyehand/winio/error.hpp"
#include "user/signal_source.hpp"
#include "watchdog/hold.hpp"
#include "win32/signal_keys.hpp"

#include <array>
#include <chrono>
#include <utility>

namespace eyehand::winio::win32 {
namespace {

/// Checks what the helper cannot report.
const std::vector<std::string>& checked(const std::vector<std::string>& command,
                                        const UserWatchOptions& options) {
    if (command.empty())
        throw Error(
            errc::not_supported,
            "the user's input is watched by a helper process: set DesktopOptions::watchdog");
    (void)signal_keys(options);
    return command;
}

} // namespace

HelperUserWatch::HelperUserWatch(const std::vector<std::string>& command,
                                 const UserWatchOptions& options,
                                 std::function<void(UserSignal)> call)
    : helper_(checked(command, options)), call_(std::move(call)) {
    const std::string chord = options.stop_key ? to_string(*options.stop_key) : std::string();
    const bool sent = helper_.send(to_line({.kind = HoldMessage::Kind::watch, .text = chord}));
    auto started = starts_.get_future();
    thread_ = std::thread([this] { read(); });
    constexpr std::chrono::seconds time_to_start{10};
    if (sent && started.wait_for(time_to_start) == std::future_status::ready && started.get())
        return;
    end();
    throw Error(errc::launch_failed,
                "the helper process \"" + command.front() + "\" does not watch the user's input");
}

HelperUserWatch::~HelperUserWatch() { end(); }

void HelperUserWatch::end() {
    ends_ = true;
    helper_.end();
    thread_.join();
}

void HelperUserWatch::read() {
    bool started = false;
    std::array<char, 64> bytes{};
    while (const std::size_t size = helper_.receive(bytes)) {
        for (const char byte : std::span(bytes).first(size)) {
            if (byte == watching && !std::exchange(started, true)) starts_.set_value(true);
            const auto signal = signal_of(byte);
            if (signal == UserSignal::watch_ended) ends_ = true; // and is not reported again
            if (signal) call_(*signal);
        }
    }
    if (!started)
        starts_.set_value(false); // the constructor throws
    else if (!ends_)
        call_(UserSignal::watch_ended);
}

} // namespace eyehand::winio::win32
