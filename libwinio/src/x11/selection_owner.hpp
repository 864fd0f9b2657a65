// Owns the clipboard: on X11, what was copied stays with the program that copied it.
#pragma once

#include "x11/connection.hpp"

#include <atomic>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace eyehand::winio::x11 {

/// What the clipboard holds, by target ("UTF8_STRING", "image/png").
using SelectionContents = std::map<std::string, std::string>;

/// Takes the clipboard over and answers who asks for its contents, on a thread and a connection of
/// its own, until it is destroyed, or another owner took over and nobody reads from this one any
/// more. Its contents never change, so that the threads share nothing.
class SelectionOwner {
public:
    /// `display` is a Connection's. Throws Error{clipboard_failed} when the clipboard cannot be had,
    /// Error{no_display}.
    SelectionOwner(const std::string& display, SelectionContents contents);
    /// Ends the thread: who asked gets an answer, who is reading up to two seconds for the rest.
    ~SelectionOwner();
    SelectionOwner(const SelectionOwner&) = delete;
    SelectionOwner& operator=(const SelectionOwner&) = delete;

    /// Begins what the destructor waits for.
    void stop() const { stop_.stop(); }
    /// Nobody needs it any more.
    [[nodiscard]] bool has_ended() const { return ended_; }

private:
    struct Atoms {
        explicit Atoms(Connection& connection);
        xcb_atom_t clipboard, targets, timestamp, multiple, incr, atom_pair;
    };
    /// Contents on their way to a program that takes them part by part.
    struct Delivery {
        xcb_window_t to;
        xcb_atom_t property;
        xcb_atom_t type;
        const std::string* contents;
        std::size_t sent;
    };
    class StopPipe {
    public:
        StopPipe();
        ~StopPipe();
        StopPipe(const StopPipe&) = delete;
        StopPipe& operator=(const StopPipe&) = delete;
        [[nodiscard]] int readable_end() const { return ends_[0]; }
        void stop() const;

    private:
        int ends_[2];
    };

    [[nodiscard]] xcb_timestamp_t server_time() const;
    void take_over();
    void start_thread();
    void run();
    void serve();
    void finish();
    /// False when it is all over: another owner, and nobody waits for a part.
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
    std::optional<Connection> connection_; ///< the thread's, once that runs
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
