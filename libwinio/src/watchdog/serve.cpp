#include "eyehand/base/base64.hpp"
#include "eyehand/winio/error.hpp"
#include "eyehand/winio/watchdog.hpp"
#include "user/signal_source.hpp"
#include "watchdog/helper_process.hpp"
#include "watchdog/hold_lease.hpp"
#include "watchdog/input_releaser.hpp"
#include "watchdog/release_timer.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#ifdef EYEHAND_BACKEND_WIN32
#include "win32/open_desktop.hpp"
#endif
#ifdef EYEHAND_BACKEND_X11
#include "x11/open_desktop.hpp"
#endif

namespace eyehand::winio {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t longest_message = base::base64_length(HoldLease::longest_text) + 4096;

std::unique_ptr<InputReleaser> open_releaser([[maybe_unused]] const std::string& display) {
#if defined(EYEHAND_BACKEND_WIN32)
    return win32::open_releaser();
#elif defined(EYEHAND_BACKEND_X11)
    return x11::open_releaser(display);
#else
    throw Error(errc::not_supported, "this program contains no desktop back-end with a watchdog");
#endif
}

std::unique_ptr<SignalSource> open_signals([[maybe_unused]] const std::string& stop_key) {
#if defined(EYEHAND_BACKEND_WIN32)
    return win32::open_signal_source(
        {.stop_key = stop_key.empty() ? std::nullopt : parse_chord(stop_key)});
#else
    throw Error(errc::not_supported, "on this system, a program watches the user itself");
#endif
}

class Watchdog {
public:
    void run() {
        std::vector<char> bytes(65536);
        while (!timer_.finished()) {
            release_what_is_due();
            if (timer_.finished()) break;
            const auto size = ended_ ? wait_for_next() : helper::read(bytes, timer_.next());
            if (!size) continue;
            if (*size == 0) {
                ended_ = true;
                timer_.ended(Clock::now());
            }
            received_.append(bytes.data(), *size);
            note_lines();
        }
        restore_clipboard();
        helper::heed_signals();
        if (releaser_) releaser_->serve_clipboard();
    }

private:
    void release_what_is_due() {
        const ReleaseTimer::Due due = timer_.due(Clock::now());
        if (due.expired) helper::answer();
        if (!due.codes.empty()) releaser().release(due.codes);
        if (due.expired) restore_clipboard();
    }

    void restore_clipboard() {
        // Without a number, the program has not replaced the text.
        if (clipboard_ && clipboard_->number)
            releaser().restore_clipboard(clipboard_->text, *clipboard_->number);
        clipboard_.reset();
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
            note(*message);
        }
        if (received_.size() > longest_message)
            throw std::runtime_error("the watchdog received a message that is too long");
    }

    void note(const HoldMessage& message) {
        switch (message.kind) {
        case HoldMessage::Kind::display:
            display_ = message.text;
            break;
        case HoldMessage::Kind::hold:
        case HoldMessage::Kind::rest:
            timer_.note(message, Clock::now());
            releaser(); // opened before it is needed
            break;
        case HoldMessage::Kind::clipboard:
            clipboard_ = {.text = message.text, .number = {}};
            break;
        case HoldMessage::Kind::owner:
            if (clipboard_) clipboard_->number = message.owner;
            break;
        case HoldMessage::Kind::restored:
            clipboard_.reset();
            break;
        case HoldMessage::Kind::watch:
            signals_ = open_signals(message.text);
            break;
        }
    }

    InputReleaser& releaser() {
        if (!releaser_) releaser_ = open_releaser(display_);
        return *releaser_;
    }

    struct KeptClipboard {
        std::string text;
        std::optional<ClipboardNumber> number; ///< once the program is about to replace the text
    };
    std::string received_;
    std::string display_;
    std::optional<KeptClipboard> clipboard_;
    std::unique_ptr<InputReleaser> releaser_;
    std::unique_ptr<SignalSource> signals_;
    ReleaseTimer timer_;
    bool ended_ = false;
};

} // namespace

void serve_watchdog() {
    helper::ignore_signals();
    Watchdog().run();
}

} // namespace eyehand::winio
