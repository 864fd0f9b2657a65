// The reaction window on X11: program.hpp describes it.
#include "program.hpp"
#include "x11/connection.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <exception>
#include <iostream>

using namespace reaction;
using eyehand::winio::x11::Connection;
using eyehand::winio::x11::Reply;

namespace {

/// A window whose content is kept in a pixmap, so that each change reaches the screen in one piece.
class PaintedWindow {
public:
    PaintedWindow(Connection& connection, const char* title, const Box& place, bool placed)
        : connection_(connection), window_(xcb_generate_id(connection.get())),
          pixmap_(xcb_generate_id(connection.get())), brush_(xcb_generate_id(connection.get())) {
        const std::array<std::uint32_t, 2> values{0xFFFFFF, XCB_EVENT_MASK_EXPOSURE |
                                                                XCB_EVENT_MASK_BUTTON_PRESS};
        const auto width = static_cast<std::uint16_t>(place.width);
        const auto height = static_cast<std::uint16_t>(place.height);
        xcb_connection_t* const to = connection.get();
        xcb_create_window(to, XCB_COPY_FROM_PARENT, window_, connection.root(),
                          static_cast<std::int16_t>(place.x), static_cast<std::int16_t>(place.y),
                          width, height, 0, XCB_WINDOW_CLASS_INPUT_OUTPUT, XCB_COPY_FROM_PARENT,
                          XCB_CW_BACK_PIXEL | XCB_CW_EVENT_MASK, values.data());
        xcb_create_pixmap(to, connection.screen().root_depth, pixmap_, window_, width, height);
        const std::uint32_t no_exposures = 0;
        xcb_create_gc(to, brush_, window_, XCB_GC_GRAPHICS_EXPOSURES, &no_exposures);
        const std::string text = title;
        put(connection.atom("_NET_WM_NAME"), connection.atom("UTF8_STRING"), 8, text.size(),
            text.data());
        const auto process = static_cast<std::uint32_t>(getpid());
        put(connection.atom("_NET_WM_PID"), XCB_ATOM_CARDINAL, 32, 1, &process);
        const std::uint32_t close = connection.atom("WM_DELETE_WINDOW");
        put(connection.atom("WM_PROTOCOLS"), XCB_ATOM_ATOM, 32, 1, &close);
        if (placed) {
            // WM_SIZE_HINTS: the position and the size are the user's.
            std::array<std::uint32_t, 18> hints{
                3, static_cast<std::uint32_t>(place.x), static_cast<std::uint32_t>(place.y),
                static_cast<std::uint32_t>(place.width), static_cast<std::uint32_t>(place.height)};
            put(XCB_ATOM_WM_NORMAL_HINTS, XCB_ATOM_WM_SIZE_HINTS, 32, hints.size(), hints.data());
        }
        xcb_map_window(to, window_);
        connection.flush();
    }
    ~PaintedWindow() {
        xcb_destroy_window(connection_.get(), window_);
        xcb_free_gc(connection_.get(), brush_);
        xcb_free_pixmap(connection_.get(), pixmap_);
        connection_.synchronize();
    }
    PaintedWindow(const PaintedWindow&) = delete;
    PaintedWindow& operator=(const PaintedWindow&) = delete;

    [[nodiscard]] xcb_window_t id() const { return window_; }

    void paint(const Picture& picture) {
        for (const Fill& fill : picture.fills) {
            xcb_change_gc(connection_.get(), brush_, XCB_GC_FOREGROUND, &fill.color);
            const xcb_rectangle_t area{static_cast<std::int16_t>(fill.box.x),
                                       static_cast<std::int16_t>(fill.box.y),
                                       static_cast<std::uint16_t>(fill.box.width),
                                       static_cast<std::uint16_t>(fill.box.height)};
            xcb_poly_fill_rectangle(connection_.get(), pixmap_, brush_, 1, &area);
        }
        width_ = static_cast<std::uint16_t>(picture.width);
        height_ = static_cast<std::uint16_t>(picture.height);
        copy();
    }
    /// Copies the content to the screen, and waits until the server has done so.
    void copy() {
        xcb_copy_area(connection_.get(), pixmap_, window_, brush_, 0, 0, 0, 0, width_, height_);
        connection_.synchronize();
    }
    /// The upper left corner on the screen.
    [[nodiscard]] std::pair<int, int> origin() const {
        const auto reply = connection_.take(
            xcb_translate_coordinates_reply,
            xcb_translate_coordinates(connection_.get(), window_, connection_.root(), 0, 0));
        if (!reply) return {0, 0};
        return {reply->dst_x, reply->dst_y};
    }

private:
    void put(xcb_atom_t property, xcb_atom_t type, std::uint8_t bits, std::size_t count,
             const void* data) {
        xcb_change_property(connection_.get(), XCB_PROP_MODE_REPLACE, window_, property, type, bits,
                            static_cast<std::uint32_t>(count), data);
    }

    Connection& connection_;
    xcb_window_t window_;
    xcb_pixmap_t pixmap_;
    xcb_gcontext_t brush_;
    std::uint16_t width_ = 0;
    std::uint16_t height_ = 0;
};

class X11Windows final : public Windows {
public:
    X11Windows() : main_(std::in_place, connection_, window_title, window_size, false) {}

    void show(const Picture& picture) override { main_->paint(picture); }
    void open_dialog(const Picture& picture) override {
        const auto [x, y] = main_->origin();
        dialog_picture_ = picture;
        dialog_.emplace(
            connection_, dialog_title,
            Box{x + dialog_place.x, y + dialog_place.y, dialog_place.width, dialog_place.height},
            true);
    }
    void close_dialog() override {
        dialog_.reset();
        dialog_is_closing_ = true;
    }

    /// Returns when the window manager closes the main window: 0, or 1 if the server has ended.
    int run(Program& program) {
        while (!connection_.lost()) {
            program.act();
            Reply<xcb_generic_event_t> event(xcb_poll_for_event(connection_.get()));
            if (!event) {
                wait(program.due());
                continue;
            }
            switch (event->response_type & 0x7F) {
            case XCB_EXPOSE:
                expose(*reinterpret_cast<const xcb_expose_event_t*>(event.get()), program);
                break;
            case XCB_BUTTON_PRESS:
                press(*reinterpret_cast<const xcb_button_press_event_t*>(event.get()), program);
                break;
            case XCB_CLIENT_MESSAGE: // the only protocol: close
                program.close();
                dialog_.reset();
                main_.reset();
                return 0;
            default:
                break;
            }
        }
        return 1;
    }

private:
    void wait(std::optional<Clock::time_point> due) {
        int timeout = -1;
        if (due) {
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(*due - Clock::now());
            timeout = static_cast<int>(std::max<std::int64_t>(left.count(), 0));
        }
        pollfd file{
            .fd = xcb_get_file_descriptor(connection_.get()), .events = POLLIN, .revents = 0};
        (void)poll(&file, 1, timeout);
    }

    void expose(const xcb_expose_event_t& event, Program& program) {
        if (event.count > 0) return; // more follow
        if (dialog_ && event.window == dialog_->id()) {
            dialog_->paint(dialog_picture_);
            if (!std::exchange(dialog_is_visible_, true)) program.dialog_is_visible();
        } else if (event.window != main_->id()) {
            return; // of the closed dialog
        } else if (!std::exchange(started_, true)) {
            program.start();
        } else {
            main_->copy();
            // The window manager has removed the dialog's frame.
            if (std::exchange(dialog_is_closing_, false)) program.dialog_is_gone();
        }
    }

    void press(const xcb_button_press_event_t& event, Program& program) {
        if (event.detail != 1) return;
        if (dialog_ && event.event == dialog_->id())
            program.press_in_dialog(event.event_x, event.event_y);
        else if (event.event == main_->id())
            program.press(event.event_x, event.event_y);
    }

    Connection connection_;
    std::optional<PaintedWindow> main_;
    std::optional<PaintedWindow> dialog_;
    Picture dialog_picture_;
    bool started_ = false;
    bool dialog_is_visible_ = false;
    bool dialog_is_closing_ = false;
};

} // namespace

int main(int argc, char** argv) {
    const auto scenario = argc == 3 ? scenario_of(argv[2]) : std::nullopt;
    if (!scenario) return 2;
    try {
        X11Windows windows;
        Program program(argv[1], *scenario, windows);
        return windows.run(program);
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
