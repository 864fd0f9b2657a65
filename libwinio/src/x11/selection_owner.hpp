// Owns the clipboard: on X11, the program that copies keeps the content.
#pragma once

#include "posix/stop_pipe.hpp"
#include "x11/connection.hpp"

#include <atomic>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace eyehand::winio::x11 {

/// The content of the clipboard, by target ("UTF8_STRING", "image/png").
using SelectionContents = std::map<std::string, std::string>;

/// Takes over the clipboard and answers requests for its content, on its own thread and connection.
/// Ends when it is destroyed, or when another owner has taken over and no program reads from this
/// one. Its content never changes, so the threads share no mutable data.
class SelectionOwner {
public:
    /// Called with the window that is about to own the clipboard.
    using Announcement = std::function<void(xcb_window_t)>;

    /// `display` is the name of a Connection's display. Throws Error{clipboard_failed} if it cannot
    /// take over the clipboard, Error{no_display}, and std::system_error.
    SelectionOwner(const std::string& display, SelectionContents contents,
                   const Announcement& announce = {});
    /// Ends the thread. Pending requests are answered; programs that are reading get up to two
    /// seconds to complete.
    ~SelectionOwner();
    SelectionOwner(const SelectionOwner&) = delete;
    SelectionOwner& operator=(const SelectionOwner&) = delete;

    /// Starts the shutdown, for which the destructor waits.
    void stop() const { stop_.stop(); }
    /// Whether its thread has ended.
    [[nodiscard]] bool has_ended() const { return ended_; }
    /// Returns after another program has taken over, or the connection is lost.
    void wait();

private:
    struct Atoms {
        explicit Atoms(Connection& connection);
        xcb_atom_t clipboard, targets, timestamp, multiple, incr, atom_pair;
    };
    /// A delivery to a program that reads the content in parts.
    struct Delivery {
        xcb_window_t to;
        xcb_atom_t property;
        xcb_atom_t type;
        const std::string* contents;
        std::size_t sent;
    };
    [[nodiscard]] xcb_timestamp_t server_time() const;
    void take_over();
    void start_thread();
    void run();
    void serve();
    void finish();
    /// Returns false if another program owns the clipboard and no delivery is left, or the
    /// connection is lost.
    [[nodiscard]] bool answer_events();
    void answer(const xcb_selection_request_event_t& request);
    [[nodiscard]] bool convert(xcb_window_t to, xcb_atom_t target, xcb_atom_t property);
    [[nodiscard]] bool convert_several(xcb_window_t to, xcb_atom_t property);
    void send_contents(xcb_window_t to, xcb_atom_t target, xcb_atom_t property,
                       const std::string& contents);
    void send_next_part(const xcb_property_notify_event_t& taken);
    void forget(xcb_window_t window);
    void watch(xcb_window_t window) const;

    SelectionContents contents_;
    std::optional<Connection> connection_; ///< used only by the thread after it starts
    xcb_window_t window_ = XCB_WINDOW_NONE;
    Atoms atoms_;
    std::map<xcb_atom_t, const std::string*> by_target_;
    std::vector<Delivery> deliveries_;
    xcb_timestamp_t owner_since_ = XCB_CURRENT_TIME;
    bool owns_ = true;
    StopPipe stop_;
    std::atomic<bool> ended_ = false;
    std::thread thread_;
};

} // namespace eyehand::winio::x11
