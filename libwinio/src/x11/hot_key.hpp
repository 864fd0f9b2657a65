// Waits for a chord in any window, with the raw events of XInput 2.1: they also arrive while another
// program has grabbed the keyboard, such as for a menu, and are not repeated while a key is held.
#pragma once

#include "eyehand/winio/desktop.hpp"
#include "posix/stop_pipe.hpp"
#include "x11/connection.hpp"
#include "x11/key_codes.hpp"

#include <functional>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace eyehand::winio::x11 {

class RawHotKey final : public HotKey {
public:
    /// On its own connection. Throws Error{not_supported}, Error{no_display} and std::system_error.
    RawHotKey(const std::string& display, const KeyChord& chord, std::function<void()> pressed);
    ~RawHotKey() override;
    RawHotKey(const RawHotKey&) = delete;
    RawHotKey& operator=(const RawHotKey&) = delete;

private:
    void select_events();
    void run();
    /// False if the connection is lost.
    [[nodiscard]] bool read_events();
    void note(const xcb_ge_generic_event_t& event);
    [[nodiscard]] bool modifiers_match() const;

    Connection connection_; ///< used only by the thread after it starts
    std::uint8_t extension_ = 0;
    Keycode key_ = no_keycode;
    /// By modifier: its keycodes, and whether one of them must be down or none may be.
    struct Modifier {
        std::vector<Keycode> keys;
        bool wanted = false;
    };
    std::vector<Modifier> modifiers_;
    std::set<Keycode> down_;
    std::function<void()> pressed_;
    StopPipe stop_;
    std::thread thread_;
};

} // namespace eyehand::winio::x11
