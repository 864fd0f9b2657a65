#include "eyehand/winio/error.hpp"
#include "eyehand/winio/watchdog.hpp"
#include "watchdog/helper_process.hpp"
#include "watchdog/input_releaser.hpp"
#include "watchdog/release_timer.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#ifdef EYEHAND_BACKEND_WIN32
#include "win32/open_desktop.hpp"
#endif
#ifdef EYEHAND_BACKEND_X11
#include "x11/open_desktop.hpp"
#endif

namespace eyehand::winio {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t longest_message = 65536;

std::unique_ptr<InputReleaser> open_releaser([[maybe_unused]] const std::string& display) {
#if defined(EYEHAND_BACKEND_WIN32)
    return win32::open_releaser();
#elif defined(EYEHAND_BACKEND_X11)
    return x11::open_releaser(display);
#else
    throw Error(errc::not_supported, "this program contains no desktop back-end with a watchdog");
#endif
}

class Watchdog {
public:
    void run() {
        std::array<char, 4096> bytes{};
        while (!timer_.finished()) {
            release_what_is_due();
            if (timer_.finished()) return;
            const auto size = ended_ ? wait_for_next() : helper::read(bytes, timer_.next());
            if (!size) continue;
            if (*size == 0) {
                ended_ = true;
                timer_.ended(Clock::now());
            }
            received_.append(bytes.data(), *size);
            note_lines();
        }
    }

private:
    void release_what_is_due() {
        const ReleaseTimer::Due due = timer_.due(Clock::now());
        if (due.expired) helper::answer();
        if (!due.codes.empty()) releaser().release(due.codes);
    }

    std::optional<std::size_t> wait_for_next() const {
        std::this_thread::sleep_until(timer_.next().value_or(Clock::now()));
        return std::nullopt;
    }

    void note_lines() {
        for (std::size_t end{}; (end = received_.find('\n')) != std::string::npos;) {
            const auto message = message_of(std::string_view(received_).substr(0, end));
            if (!message) throw std::runtime_error("the watchdog received an unknown message");
            received_.erase(0, end + 1);
            if (message->kind == HoldMessage::Kind::display) {
                display_ = message->display;
            } else {
                timer_.note(*message, Clock::now());
                releaser(); // opened before it is needed
            }
        }
        if (received_.size() > longest_message)
            throw std::runtime_error("the watchdog received a message that is too long");
    }

    InputReleaser& releaser() {
        if (!releaser_) releaser_ = open_releaser(display_);
        return *releaser_;
    }

    std::string received_;
    std::string display_;
    std::unique_ptr<InputReleaser> releaser_;
    ReleaseTimer timer_;
    bool ended_ = false;
};

} // namespace

void serve_watchdog() {
    helper::ignore_signals();
    Watchdog().run();
}

} // namespace eyehand::winio
