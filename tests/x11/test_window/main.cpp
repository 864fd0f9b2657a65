// A window that logs the input that it receives, like an ordinary X11 program.
//   eyehand-x11-window LOG TITLE WIDTH HEIGHT RRGGBB [REACTION]
// With REACTION, the area around the pointer becomes dark when a button is pressed, and the whole window after REACTION
// milliseconds; with -1, only the area around the pointer. With -2, each button and each key gives an area another color.
// Lines: "ready", "focus in", "focus out", "key KEYSYM CHARACTER", "up KEYSYM", "button N X Y",
// "button-up N X Y" (in desktop pixels), "closed".
#include "eyehand/base/utf8.hpp"
#include "x11/connection.hpp"
#include "x11/keysyms.hpp"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>

using namespace eyehand::winio;
using namespace eyehand::winio::x11;

namespace {

// Caches the keyboard map until the server reports a change, and then reads it again at the next
// key, as Xlib does.
class Keys {
public:
    explicit Keys(const Connection& connection) : connection_(connection) {}
    void forget() { reply_.reset(); }

    Keysym meaning(const xcb_key_press_event_t& event) {
        if (!reply_) read();
        const int shift = (event.state & XCB_MOD_MASK_SHIFT) != 0 ? 1 : 0;
        const int level3 = (event.state & XCB_MOD_MASK_5) != 0 ? 4 : 0;
        const bool caps = (event.state & XCB_MOD_MASK_LOCK) != 0;
        const Keysym keysym = column(event.detail, level3 + shift);
        const auto character = character_of(keysym);
        if (caps && level3 == 0 && character && *character < 128 && std::isalpha(int(*character)))
            return column(event.detail, 1 - shift);
        return keysym;
    }

private:
    void read() {
        const xcb_setup_t& setup = *xcb_get_setup(connection_.get());
        first_ = setup.min_keycode;
        const auto count = static_cast<std::uint8_t>(setup.max_keycode - first_ + 1);
        reply_ = connection_.take(xcb_get_keyboard_mapping_reply,
                                  xcb_get_keyboard_mapping(connection_.get(), first_, count));
    }
    [[nodiscard]] Keysym column(xcb_keycode_t key, int number) const {
        if (!reply_ || number >= reply_->keysyms_per_keycode) return no_keysym;
        return xcb_get_keyboard_mapping_keysyms(
            reply_.get())[(key - first_) * reply_->keysyms_per_keycode + number];
    }

    const Connection& connection_;
    Reply<xcb_get_keyboard_mapping_reply_t> reply_;
    xcb_keycode_t first_ = 8;
};

std::string key_line(const char* what, Keysym keysym) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%s %x", what, keysym);
    std::string line = text.data();
    if (const auto character = character_of(keysym)) {
        line += ' ';
        eyehand::base::utf8::append(line, *character);
    }
    return line;
}

std::string button_line(const char* what, const xcb_button_press_event_t& event) {
    return std::string(what) + ' ' + std::to_string(event.detail) + ' ' +
           std::to_string(event.root_x) + ' ' + std::to_string(event.root_y);
}

template <typename T>
const T& as(const Reply<xcb_generic_event_t>& event) {
    return *reinterpret_cast<const T*>(event.get());
}

// Ignores focus that only follows the pointer, and temporary focus during a keyboard grab.
bool is_lasting(const xcb_focus_in_event_t& event) {
    return event.detail != XCB_NOTIFY_DETAIL_POINTER && event.mode != XCB_NOTIFY_MODE_GRAB &&
           event.mode != XCB_NOTIFY_MODE_UNGRAB;
}

xcb_window_t create_window(Connection& connection, const std::string& title, int width, int height,
                           std::uint32_t color) {
    const xcb_window_t window = xcb_generate_id(connection.get());
    const std::array<std::uint32_t, 2> values{
        color, XCB_EVENT_MASK_KEY_PRESS | XCB_EVENT_MASK_KEY_RELEASE | XCB_EVENT_MASK_BUTTON_PRESS |
                   XCB_EVENT_MASK_BUTTON_RELEASE | XCB_EVENT_MASK_STRUCTURE_NOTIFY |
                   XCB_EVENT_MASK_FOCUS_CHANGE};
    xcb_create_window(connection.get(), XCB_COPY_FROM_PARENT, window, connection.root(), 0, 0,
                      static_cast<std::uint16_t>(width), static_cast<std::uint16_t>(height), 0,
                      XCB_WINDOW_CLASS_INPUT_OUTPUT, XCB_COPY_FROM_PARENT,
                      XCB_CW_BACK_PIXEL | XCB_CW_EVENT_MASK, values.data());
    const auto put_text = [&](xcb_atom_t property, xcb_atom_t type, const std::string& text) {
        xcb_change_property(connection.get(), XCB_PROP_MODE_REPLACE, window, property, type, 8,
                            static_cast<std::uint32_t>(text.size()), text.data());
    };
    const auto put_number = [&](xcb_atom_t property, xcb_atom_t type, std::uint32_t number) {
        xcb_change_property(connection.get(), XCB_PROP_MODE_REPLACE, window, property, type, 32, 1,
                            &number);
    };
    put_text(connection.atom("_NET_WM_NAME"), connection.atom("UTF8_STRING"), title);
    put_text(XCB_ATOM_WM_CLASS, XCB_ATOM_STRING, std::string("eyehand\0EyehandTest\0", 20));
    put_number(connection.atom("_NET_WM_PID"), XCB_ATOM_CARDINAL,
               static_cast<std::uint32_t>(getpid()));
    put_number(connection.atom("WM_PROTOCOLS"), XCB_ATOM_ATOM, connection.atom("WM_DELETE_WINDOW"));
    xcb_map_window(connection.get(), window);
    return window;
}

// Becomes dark in two steps, as a program that takes its time.
class Reaction {
public:
    Reaction(Connection& connection, xcb_window_t window, int delay)
        : connection_(connection), window_(window), delay_(delay),
          brush_(xcb_generate_id(connection.get())) {
        xcb_create_gc(connection.get(), brush_, window, XCB_GC_FOREGROUND, &color_);
    }

    void press(const xcb_button_press_event_t& event) {
        if (delay_ == always) change_color();
        fill({static_cast<std::int16_t>(event.event_x - 40),
              static_cast<std::int16_t>(event.event_y - 12), 80, 24});
        if (delay_ >= 0) due_ = Clock::now() + std::chrono::milliseconds(delay_);
    }

    void release(const xcb_button_press_event_t& event) {
        if (delay_ == always) press(event);
    }
    void press_key() {
        if (delay_ != always) return;
        change_color();
        fill({0, 0, 200, 40});
    }

    /// Waits for the next event or until the window becomes dark; returns whether there is an event.
    bool wait() {
        if (!due_) return true;
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(*due_ - Clock::now());
        pollfd file{
            .fd = xcb_get_file_descriptor(connection_.get()), .events = POLLIN, .revents = 0};
        if (left.count() > 0 && poll(&file, 1, static_cast<int>(left.count())) > 0) return true;
        due_.reset();
        fill({0, 0, 32767, 32767});
        return false;
    }

private:
    using Clock = std::chrono::steady_clock;
    static constexpr int always = -2;

    void change_color() {
        color_ = (color_ + 0x2f1d53) & 0xffffff;
        xcb_change_gc(connection_.get(), brush_, XCB_GC_FOREGROUND, &color_);
    }
    void fill(const xcb_rectangle_t& area) {
        xcb_poly_fill_rectangle(connection_.get(), window_, brush_, 1, &area);
        connection_.flush();
    }

    Connection& connection_;
    xcb_window_t window_;
    int delay_;
    xcb_gcontext_t brush_;
    std::uint32_t color_ = 0x202020; // dark
    std::optional<Clock::time_point> due_{};
};

} // namespace

int main(int argc, char** argv) {
    if (argc != 6 && argc != 7) return 2;
    std::ofstream log(argv[1]);
    const auto write = [&](const std::string& line) { log << line << std::endl; };
    Connection connection;
    const xcb_window_t window =
        create_window(connection, argv[2], std::stoi(argv[3]), std::stoi(argv[4]),
                      static_cast<std::uint32_t>(std::stoul(argv[5], nullptr, 16)));
    connection.flush();
    Keys keys(connection);
    std::optional<Reaction> reaction;
    if (argc == 7) reaction.emplace(connection, window, std::stoi(argv[6]));
    while (!connection.lost()) {
        Reply<xcb_generic_event_t> event(xcb_poll_for_event(connection.get()));
        if (!event && reaction && !reaction->wait()) continue;
        if (!event) event.reset(xcb_wait_for_event(connection.get()));
        if (!event) break;
        switch (event->response_type & 0x7F) {
        case XCB_MAP_NOTIFY:
            write("ready");
            break;
        case XCB_FOCUS_IN:
            if (is_lasting(as<xcb_focus_in_event_t>(event))) write("focus in");
            break;
        case XCB_FOCUS_OUT:
            if (is_lasting(as<xcb_focus_out_event_t>(event))) write("focus out");
            break;
        case XCB_MAPPING_NOTIFY:
            keys.forget();
            break;
        case XCB_KEY_PRESS:
            write(key_line("key", keys.meaning(as<xcb_key_press_event_t>(event))));
            if (reaction) reaction->press_key();
            break;
        case XCB_KEY_RELEASE:
            write(key_line("up", keys.meaning(as<xcb_key_press_event_t>(event))));
            break;
        case XCB_BUTTON_PRESS:
            write(button_line("button", as<xcb_button_press_event_t>(event)));
            if (reaction) reaction->press(as<xcb_button_press_event_t>(event));
            break;
        case XCB_BUTTON_RELEASE:
            write(button_line("button-up", as<xcb_button_press_event_t>(event)));
            if (reaction) reaction->release(as<xcb_button_press_event_t>(event));
            break;
        case XCB_CLIENT_MESSAGE: // the only protocol: close
            write("closed");
            return 0;
        default:
            break;
        }
    }
    return 1;
}
