// Watches the user with the raw events of XInput 2.1: they also arrive while another program has
// grabbed the keyboard or the pointer, such as for a menu, name the device that they come from, and
// are not repeated while a key is held.
#pragma once

#include "eyehand/winio/desktop.hpp"
#include "posix/stop_pipe.hpp"
#include "user/signal_detector.hpp"
#include "x11/connection.hpp"

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace eyehand::winio::x11 {

class RawInputWatch final : public UserWatch {
public:
    /// On its own connection. Throws Error{not_supported}, Error{no_display} and std::system_error.
    RawInputWatch(const std::string& display, const UserWatchOptions& options,
                  std::function<void(UserSignal)> call);
    ~RawInputWatch() override;
    RawInputWatch(const RawInputWatch&) = delete;
    RawInputWatch& operator=(const RawInputWatch&) = delete;

private:
    using Clock = std::chrono::steady_clock;

    void select_events();
    /// Until `stop_`, or until the connection is lost.
    void run();
    /// False if the connection is lost.
    [[nodiscard]] bool read_events();
    [[nodiscard]] Reply<xcb_generic_event_t> next_event();
    void note(const xcb_ge_generic_event_t& event);
    void note_pointer();
    /// Whether a program has moved the pointer, according to the events in `read_`.
    [[nodiscard]] bool program_has_moved();
    [[nodiscard]] std::optional<Point> pointer() const;
    [[nodiscard]] bool is_xtest(std::uint16_t device);
    [[nodiscard]] std::vector<Rect> bounds_of_displays();
    void report(const std::vector<UserSignal>& signals) const;

    Connection connection_; ///< used only by the thread after it starts
    std::uint8_t extension_ = 0;
    std::map<std::uint16_t, bool> xtest_; ///< by device
    std::optional<ReportedInput> motion_; ///< the latest, without its place
    /// Events that arrived before the answer to a request, and are not handled yet.
    std::deque<Reply<xcb_generic_event_t>> read_;
    SignalDetector detector_;
    std::function<void(UserSignal)> call_;
    StopPipe stop_;
    std::atomic<bool> ends_ = false; ///< the caller destroys this object
    std::thread thread_;
};

} // namespace eyehand::winio::x11
