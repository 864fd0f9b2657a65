// The top-level windows: those that the window manager lists (EWMH) or, without a window manager,
// those of the screen.
#pragma once

#include "eyehand/winio/desktop.hpp"
#include "x11/connection.hpp"

#include <array>

namespace eyehand::winio::x11 {

class WindowList final : public Windows {
public:
    /// Refers to the connection, which must outlive it.
    explicit WindowList(Connection& connection) : connection_(connection) {}
    std::vector<WindowInfo> list() override;
    std::optional<Rect> control_at(WindowId window, Point at) override;
    void apply(const WindowCommand& command) override;

private:
    class FrameRequest;
    class OutlineRequest;
    class PlaceRequest;
    class VisibilityRequest;
    struct Described;
    struct Place;
    enum class Placement { by_manager, direct };
    struct Extents;
    [[nodiscard]] bool is_managed();
    /// `manager`: the value of the root's property that names the manager's window.
    [[nodiscard]] bool is_alive(const std::vector<std::uint32_t>& manager);
    [[nodiscard]] bool manager_supports(const char* message);
    /// The topmost comes last.
    [[nodiscard]] std::vector<xcb_window_t> unmanaged();
    [[nodiscard]] bool exists(xcb_window_t window);
    [[nodiscard]] xcb_window_t foreground();
    /// The child of the root that contains the keyboard focus: the frame of a window, or a window without a frame.
    /// Programs often focus a window inside their top-level window.
    [[nodiscard]] xcb_window_t focused_window();
    /// The child of the root that is or contains this window; none if it was closed.
    [[nodiscard]] xcb_window_t top_level_of(xcb_window_t window);
    /// Whether the server sends keys to the window while it is the foreground window.
    [[nodiscard]] bool takes_keys(xcb_window_t window);
    [[nodiscard]] Extents extents_of(xcb_window_t window);
    [[nodiscard]] std::optional<Place> place_of(xcb_window_t window);
    [[nodiscard]] static Rect with_frame(const Rect& inner, const Extents& frame);
    [[nodiscard]] static Rect opaque_part_of(const Described& described,
                                             const std::optional<Place>& place);
    [[nodiscard]] std::optional<Rect> bounds_of(xcb_window_t window);
    [[nodiscard]] WindowState state_of(xcb_window_t window);
    [[nodiscard]] WindowState state_from(const std::vector<std::uint32_t>& states);
    [[nodiscard]] std::string title_of(xcb_window_t window);
    void tell_root(xcb_window_t window, const char* message,
                   const std::array<std::uint32_t, 5>& data);
    void focus(xcb_window_t window);
    void make_placeable(xcb_window_t window);
    void move(xcb_window_t window, const Rect& to);
    void ask_to_place(xcb_window_t window, const Rect& to, Placement by);
    void close(xcb_window_t window);
    void check_exists(xcb_window_t window);

    Connection& connection_;
    std::optional<bool> has_xfixes_{}; ///< once it was needed
    std::uint32_t region_ = 0;         ///< the id that outlines use, one after the other
};

} // namespace eyehand::winio::x11
