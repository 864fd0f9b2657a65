#include "x11/window_list.hpp"

#include "eyehand/base/utf8.hpp"
#include "eyehand/winio/error.hpp"
#include "poll.hpp"
#include "x11/pointer_reader.hpp"
#include "x11/process_name.hpp"
#include "x11/properties.hpp"

#include <algorithm>
#include <cstddef>
#include <span>

namespace eyehand::winio::x11 {
namespace {

using namespace std::chrono_literals;

// Constants of EWMH.
constexpr std::uint32_t from_a_pager = 2; // window managers obey a pager without asking the user
constexpr std::uint32_t state_remove = 0;
constexpr std::uint32_t on_all_desktops = 0xFFFFFFFF;
constexpr std::uint32_t gravity_northwest = 1;
// Constant of ICCCM, "WM_HINTS Property".
constexpr std::uint32_t input_hint = 1;
constexpr const char* manager_property = "_NET_SUPPORTING_WM_CHECK";

xcb_window_t handle_of(WindowId id) {
    return static_cast<xcb_window_t>(static_cast<std::uintptr_t>(id));
}

bool contains(const std::vector<std::uint32_t>& values, std::uint32_t value) {
    return std::ranges::find(values, value) != values.end();
}

// WM_CLASS contains the instance name and the class name, each with a terminating zero.
std::string class_of(const std::string& wm_class) {
    const std::size_t end_of_instance = wm_class.find('\0');
    if (end_of_instance == std::string::npos) return wm_class;
    const std::string name(wm_class.c_str() + end_of_instance + 1);
    return name.empty() ? wm_class.substr(0, end_of_instance) : name;
}

int signed_of(std::uint32_t value) { return static_cast<int>(value); }

// The depth of a window whose pixels have an opacity.
constexpr int depth_with_alpha = 32;
constexpr std::uint32_t full_opacity = 0xFFFFFFFF; // _NET_WM_WINDOW_OPACITY

} // namespace

// The outline of a window, requested like a property.
class WindowList::OutlineRequest {
public:
    /// `region`: an id without an object. It has none again afterwards.
    OutlineRequest(const Connection& connection, xcb_window_t window, xcb_xfixes_region_t region)
        : connection_(&connection) {
        xcb_xfixes_create_region_from_window(connection.get(), region, window,
                                             XCB_SHAPE_SK_BOUNDING);
        cookie_ = xcb_xfixes_fetch_region(connection.get(), region);
        xcb_xfixes_destroy_region(connection.get(), region);
    }
    /// In coordinates of the window; empty if it is not a rectangle. Call it at most once.
    [[nodiscard]] Rect rectangle() const {
        const auto region = connection_->take(xcb_xfixes_fetch_region_reply, cookie_);
        if (!region || xcb_xfixes_fetch_region_rectangles_length(region.get()) != 1) return {};
        const xcb_rectangle_t& it = *xcb_xfixes_fetch_region_rectangles(region.get());
        return {it.x, it.y, it.width, it.height};
    }

private:
    const Connection* connection_;
    xcb_xfixes_fetch_region_cookie_t cookie_{};
};

// The window without its frame, in coordinates of the root.
struct WindowList::Place {
    Rect inner;
    int depth = 0;
};

// In pixels on each side.
struct WindowList::Extents {
    int left = 0;
    int right = 0;
    int top = 0;
    int bottom = 0;
};

// The place of a window, requested like a property.
class WindowList::PlaceRequest {
public:
    PlaceRequest(const Connection& connection, xcb_window_t window)
        : connection_(&connection), geometry_(xcb_get_geometry(connection.get(), window)),
          origin_(xcb_translate_coordinates(connection.get(), window, connection.root(), 0, 0)) {}
    /// Empty if the window does not exist. Call it at most once.
    [[nodiscard]] std::optional<Place> place() const {
        const auto geometry = connection_->take(xcb_get_geometry_reply, geometry_);
        const auto origin = connection_->take(xcb_translate_coordinates_reply, origin_);
        if (!geometry || !origin) return std::nullopt;
        return Place{{origin->dst_x, origin->dst_y, geometry->width, geometry->height},
                     geometry->depth};
    }

private:
    const Connection* connection_;
    xcb_get_geometry_cookie_t geometry_;
    xcb_translate_coordinates_cookie_t origin_;
};

// The extents of the frame around a window, less a shadow that the program draws itself.
class WindowList::FrameRequest {
public:
    FrameRequest(Connection& connection, xcb_window_t window)
        : frame_(connection, window, connection.atom("_NET_FRAME_EXTENTS")),
          shadow_(connection, window, connection.atom("_GTK_FRAME_EXTENTS")) {}
    /// Call it at most once.
    [[nodiscard]] Extents extents() const {
        const auto frame = frame_.values();
        const auto shadow = shadow_.values();
        Extents extents;
        if (frame.size() == 4)
            extents = {signed_of(frame[0]), signed_of(frame[1]), signed_of(frame[2]),
                       signed_of(frame[3])};
        if (shadow.size() == 4) {
            extents.left -= signed_of(shadow[0]);
            extents.right -= signed_of(shadow[1]);
            extents.top -= signed_of(shadow[2]);
            extents.bottom -= signed_of(shadow[3]);
        }
        return extents;
    }

private:
    PropertyRequest frame_;
    PropertyRequest shadow_;
};

// Whether a window is on the screen, requested like a property.
class WindowList::VisibilityRequest {
public:
    VisibilityRequest(const Connection& connection, xcb_window_t window)
        : connection_(&connection),
          attributes_(xcb_get_window_attributes(connection.get(), window)) {}
    /// Whether it is mapped and can have pixels. Call it at most once.
    [[nodiscard]] bool is_shown() const {
        const auto reply = connection_->take(xcb_get_window_attributes_reply, attributes_);
        return reply && reply->map_state == XCB_MAP_STATE_VIEWABLE &&
               reply->_class == XCB_WINDOW_CLASS_INPUT_OUTPUT;
    }

private:
    const Connection* connection_;
    xcb_get_window_attributes_cookie_t attributes_;
};

// All about a window, requested at once: a list of many windows needs few round trips.
struct WindowList::Described {
    Described(Connection& connection, xcb_window_t window)
        : net_name(connection, window, connection.atom("_NET_WM_NAME")),
          name(connection, window, XCB_ATOM_WM_NAME),
          wm_class(connection, window, XCB_ATOM_WM_CLASS),
          process(connection, window, connection.atom("_NET_WM_PID")),
          machine(connection, window, XCB_ATOM_WM_CLIENT_MACHINE),
          desktop(connection, window, connection.atom("_NET_WM_DESKTOP")),
          opacity(connection, window, connection.atom("_NET_WM_WINDOW_OPACITY")),
          opaque_region(connection, window, connection.atom("_NET_WM_OPAQUE_REGION")),
          state(connection, window, connection.atom("_NET_WM_STATE")), frame(connection, window),
          place(connection, window), visibility(connection, window) {}
    PropertyRequest net_name, name, wm_class, process, machine, desktop, opacity, opaque_region,
        state;
    FrameRequest frame;
    PlaceRequest place;
    VisibilityRequest visibility;
    std::optional<OutlineRequest> outline{}; ///< empty if the server has no XFIXES
};

std::vector<WindowInfo> WindowList::list() {
    const auto on_root = [this](const char* property) {
        return PropertyRequest(connection_, connection_.root(), connection_.atom(property));
    };
    // Requested at once, for one round trip. Also those that are not needed are read: the connection keeps replies.
    const PropertyRequest manager_request = on_root(manager_property);
    const PropertyRequest current_request = on_root("_NET_CURRENT_DESKTOP");
    const PropertyRequest active_request = on_root("_NET_ACTIVE_WINDOW");
    const PropertyRequest stacking_request = on_root("_NET_CLIENT_LIST_STACKING");
    const PropertyRequest clients_request = on_root("_NET_CLIENT_LIST");
    const auto manager = manager_request.values();
    const auto current_desktop = current_request.values();
    const auto active_window = active_request.values();
    const auto stacking = stacking_request.values();
    const auto clients = clients_request.values();
    const bool is_of_manager = is_alive(manager);
    // Without a stacking order, which window hides which one is unknown.
    const bool is_stacked = !is_of_manager || !stacking.empty();
    std::vector<xcb_window_t> windows;
    xcb_window_t active = XCB_NONE;
    if (is_of_manager) {
        windows = is_stacked ? stacking : clients;
        if (!active_window.empty()) active = active_window[0];
    } else {
        windows = unmanaged();
        active = focused_window();
    }
    std::ranges::reverse(windows); // the topmost comes last
    std::vector<Described> described;
    described.reserve(windows.size());
    connection_.discard_events(); // errors about windows that were closed during an earlier list
    if (!has_xfixes_) {
        has_xfixes_ = start_xfixes(connection_);
        region_ = xcb_generate_id(connection_.get());
    }
    for (const xcb_window_t window : windows) {
        described.emplace_back(connection_, window);
        if (*has_xfixes_) described.back().outline.emplace(connection_, window, region_);
    }

    std::vector<WindowInfo> infos;
    for (std::size_t i = 0; i < windows.size(); ++i) {
        const std::string net_name = described[i].net_name.text();
        const std::string name = described[i].name.text();
        const std::string wm_class = described[i].wm_class.text();
        const auto process = described[i].process.values();
        const std::string machine = described[i].machine.text();
        const auto desktop = described[i].desktop.values();
        const bool elsewhere = !desktop.empty() && desktop[0] != on_all_desktops &&
                               !current_desktop.empty() && desktop[0] != current_desktop[0];
        const auto place = described[i].place.place();
        const Rect opaque = opaque_part_of(described[i], place);
        const Extents frame = described[i].frame.extents();
        const auto states = described[i].state.values();
        if (elsewhere || !place) continue; // or destroyed meanwhile
        WindowInfo info;
        info.id = WindowId{windows[i]};
        info.title = net_name.empty() ? base::utf8::from_latin1(name)
                                      : base::utf8::replace_invalid(net_name);
        info.window_class = base::utf8::from_latin1(class_of(wm_class));
        if (!process.empty() && (machine.empty() || machine == machine_name())) {
            info.process_id = process[0];
            info.process = process_name(process[0]);
            info.elevated = has_higher_rights(process[0]);
        }
        info.bounds = with_frame(place->inner, frame);
        // Only the title bar of a shaded window is shown.
        const bool is_shaded = contains(states, connection_.atom("_NET_WM_STATE_SHADED"));
        if (is_stacked && !is_shaded) info.opaque = opaque;
        info.state = state_from(states);
        info.foreground = windows[i] == active;
        if (is_of_manager || !info.title.empty()) infos.push_back(std::move(info));
    }
    return infos;
}

std::optional<Rect> WindowList::control_at(WindowId window, Point at) {
    connection_.discard_events();
    const xcb_window_t root = handle_of(window);
    xcb_window_t innermost = root;
    for (;;) {
        const auto place =
            connection_.take(xcb_translate_coordinates_reply,
                             xcb_translate_coordinates(connection_.get(), connection_.root(),
                                                       innermost, static_cast<std::int16_t>(at.x),
                                                       static_cast<std::int16_t>(at.y)));
        if (!place) return std::nullopt; // it was closed
        if (place->child == XCB_WINDOW_NONE) break;
        innermost = place->child;
    }
    if (innermost == root) return std::nullopt;
    const auto found = place_of(innermost);
    return found ? std::optional(found->inner) : std::nullopt;
}

void WindowList::apply(const WindowCommand& command) {
    connection_.discard_events();
    const xcb_window_t window = handle_of(command.window);
    check_exists(window);
    switch (command.action) {
    case WindowAction::focus:
        return focus(window);
    case WindowAction::move:
        return move(window, command.to);
    case WindowAction::close:
        return close(window);
    }
}

// When a window manager ends, its property remains, but the window that the property names does
// not.
bool WindowList::is_alive(const std::vector<std::uint32_t>& manager) {
    if (manager.empty()) return false;
    const xcb_atom_t property = connection_.atom(manager_property);
    return PropertyRequest(connection_, manager[0], property).values() == manager;
}

bool WindowList::is_managed() {
    return is_alive(
        PropertyRequest(connection_, connection_.root(), connection_.atom(manager_property))
            .values());
}

bool WindowList::manager_supports(const char* message) {
    return is_managed() && contains(PropertyRequest(connection_, connection_.root(),
                                                    connection_.atom("_NET_SUPPORTED"))
                                        .values(),
                                    connection_.atom(message));
}

std::vector<xcb_window_t> WindowList::unmanaged() {
    const auto tree = connection_.take(xcb_query_tree_reply,
                                       xcb_query_tree(connection_.get(), connection_.root()));
    std::vector<xcb_window_t> windows;
    if (!tree) return windows;
    const std::span children(xcb_query_tree_children(tree.get()),
                             static_cast<std::size_t>(xcb_query_tree_children_length(tree.get())));
    std::vector<xcb_get_window_attributes_cookie_t> requests;
    requests.reserve(children.size());
    for (const xcb_window_t child : children)
        requests.push_back(xcb_get_window_attributes(connection_.get(), child));
    for (std::size_t i = 0; i < children.size(); ++i) {
        const auto attributes = connection_.take(xcb_get_window_attributes_reply, requests[i]);
        if (attributes && attributes->map_state == XCB_MAP_STATE_VIEWABLE &&
            attributes->override_redirect == 0)
            windows.push_back(children[i]);
    }
    return windows;
}

bool WindowList::exists(xcb_window_t window) {
    return connection_.take(xcb_get_window_attributes_reply,
                            xcb_get_window_attributes(connection_.get(), window)) != nullptr;
}

void WindowList::check_exists(xcb_window_t window) {
    if (exists(window)) return;
    if (connection_.lost())
        throw Error(errc::input_refused,
                    "the connection to the X server is lost; check that the server runs");
    throw Error(errc::window_not_found, "the window does not exist or was closed");
}

xcb_window_t WindowList::foreground() {
    if (!is_managed()) return focused_window();
    const auto active =
        PropertyRequest(connection_, connection_.root(), connection_.atom("_NET_ACTIVE_WINDOW"))
            .values();
    return active.empty() ? XCB_NONE : active[0];
}

xcb_window_t WindowList::focused_window() {
    const auto focused =
        connection_.take(xcb_get_input_focus_reply, xcb_get_input_focus(connection_.get()));
    if (!focused) return XCB_NONE;
    return top_level_of(focused->focus);
}

xcb_window_t WindowList::top_level_of(xcb_window_t window) {
    while (window > XCB_INPUT_FOCUS_POINTER_ROOT && window != connection_.root()) {
        const auto tree =
            connection_.take(xcb_query_tree_reply, xcb_query_tree(connection_.get(), window));
        if (!tree) return XCB_NONE;
        if (tree->parent == connection_.root()) return window;
        window = tree->parent;
    }
    return XCB_NONE;
}

// ICCCM, "Input Focus": without this hint, or if it is set, a manager gives the focus to the window itself.
bool WindowList::takes_keys(xcb_window_t window) {
    const auto hints = PropertyRequest(connection_, window, XCB_ATOM_WM_HINTS).values();
    return hints.size() < 2 || (hints[0] & input_hint) == 0 || hints[1] != 0;
}

WindowList::Extents WindowList::extents_of(xcb_window_t window) {
    return FrameRequest(connection_, window).extents();
}

std::optional<WindowList::Place> WindowList::place_of(xcb_window_t window) {
    return PlaceRequest(connection_, window).place();
}

Rect WindowList::with_frame(const Rect& inner, const Extents& frame) {
    return {inner.x - frame.left, inner.y - frame.top, inner.width + frame.left + frame.right,
            inner.height + frame.top + frame.bottom};
}

std::optional<Rect> WindowList::bounds_of(xcb_window_t window) {
    const auto place = place_of(window);
    return place ? std::optional(with_frame(place->inner, extents_of(window))) : std::nullopt;
}

// The frame does not count: a manager may round its corners.
Rect WindowList::opaque_part_of(const Described& described, const std::optional<Place>& place) {
    const auto opacity = described.opacity.values();
    const auto region = described.opaque_region.values();
    const Rect outline = described.outline ? described.outline->rectangle() : Rect{};
    const bool is_shown = described.visibility.is_shown();
    if (!place || !is_shown || (!opacity.empty() && opacity[0] != full_opacity)) return {};
    const Rect& inner = place->inner;
    const Rect shown = intersection(
        inner, {inner.x + outline.x, inner.y + outline.y, outline.width, outline.height});
    if (place->depth != depth_with_alpha) return shown;
    Rect largest; // of the program's list of opaque rectangles
    for (std::size_t i = 0; i + 4 <= region.size(); i += 4) {
        const Rect part =
            intersection(shown, {inner.x + signed_of(region[i]), inner.y + signed_of(region[i + 1]),
                                 signed_of(region[i + 2]), signed_of(region[i + 3])});
        if (std::int64_t{part.width} * part.height > std::int64_t{largest.width} * largest.height)
            largest = part;
    }
    return largest;
}

WindowState WindowList::state_of(xcb_window_t window) {
    return state_from(
        PropertyRequest(connection_, window, connection_.atom("_NET_WM_STATE")).values());
}

WindowState WindowList::state_from(const std::vector<std::uint32_t>& states) {
    if (contains(states, connection_.atom("_NET_WM_STATE_HIDDEN"))) return WindowState::minimized;
    if (contains(states, connection_.atom("_NET_WM_STATE_MAXIMIZED_VERT")) &&
        contains(states, connection_.atom("_NET_WM_STATE_MAXIMIZED_HORZ")))
        return WindowState::maximized;
    return WindowState::normal;
}

std::string WindowList::title_of(xcb_window_t window) {
    const std::string name =
        PropertyRequest(connection_, window, connection_.atom("_NET_WM_NAME")).text();
    return name.empty() ? base::utf8::from_latin1(
                              PropertyRequest(connection_, window, XCB_ATOM_WM_NAME).text())
                        : base::utf8::replace_invalid(name);
}

void WindowList::tell_root(xcb_window_t window, const char* message,
                           const std::array<std::uint32_t, 5>& data) {
    xcb_client_message_event_t event{};
    event.response_type = XCB_CLIENT_MESSAGE;
    event.format = 32;
    event.window = window;
    event.type = connection_.atom(message);
    std::ranges::copy(data, event.data.data32);
    xcb_send_event(connection_.get(), 0, connection_.root(),
                   XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY | XCB_EVENT_MASK_SUBSTRUCTURE_REDIRECT,
                   reinterpret_cast<const char*>(&event));
    connection_.flush();
}

void WindowList::focus(xcb_window_t window) {
    const bool needs_keys = takes_keys(window);
    // The manager's property may be outdated: Openbox leaves the id of a closed window there, and the server may give
    // this id to a new window.
    const auto gets_keys = [&] {
        const xcb_window_t focused = focused_window();
        return focused != XCB_NONE && focused == top_level_of(window);
    };
    const auto has_it = [&] {
        return foreground() == window && state_of(window) != WindowState::minimized &&
               (!needs_keys || gets_keys());
    };
    if (manager_supports("_NET_ACTIVE_WINDOW")) {
        tell_root(window, "_NET_ACTIVE_WINDOW", {from_a_pager, XCB_CURRENT_TIME, XCB_NONE, 0, 0});
    } else {
        const std::uint32_t above = XCB_STACK_MODE_ABOVE;
        xcb_configure_window(connection_.get(), window, XCB_CONFIG_WINDOW_STACK_MODE, &above);
        xcb_set_input_focus(connection_.get(), XCB_INPUT_FOCUS_POINTER_ROOT, window,
                            XCB_CURRENT_TIME);
    }
    if (poll(1000ms, has_it)) return;
    check_exists(window);
    throw Error(errc::input_refused,
                "the window \"" + title_of(window) +
                    (foreground() == window ? "\" is in the foreground but does not get the "
                                              "keyboard focus; click on it instead"
                                            : "\" did not come to the foreground; click on it "
                                              "instead"));
}

// A window manager silently refuses to move a window that fills the screen in one or both
// directions.
void WindowList::make_placeable(xcb_window_t window) {
    const std::array filling{connection_.atom("_NET_WM_STATE_MAXIMIZED_VERT"),
                             connection_.atom("_NET_WM_STATE_MAXIMIZED_HORZ"),
                             connection_.atom("_NET_WM_STATE_FULLSCREEN")};
    const auto states_left = [&] {
        auto states =
            PropertyRequest(connection_, window, connection_.atom("_NET_WM_STATE")).values();
        std::erase_if(states, [&](xcb_atom_t state) {
            return std::ranges::find(filling, state) == filling.end();
        });
        return states;
    };
    for (const xcb_atom_t state : states_left())
        tell_root(window, "_NET_WM_STATE", {state_remove, state, XCB_ATOM_NONE, from_a_pager, 0});
    if (state_of(window) == WindowState::minimized) xcb_map_window(connection_.get(), window);
    (void)poll(500ms,
               [&] { return states_left().empty() && state_of(window) != WindowState::minimized; });
}

void WindowList::move(xcb_window_t window, const Rect& to) {
    if (to.empty())
        throw Error(errc::input_refused, "the width and height of a window must be positive");
    const Placement by =
        manager_supports("_NET_MOVERESIZE_WINDOW") ? Placement::by_manager : Placement::direct;
    make_placeable(window);
    // Repeats the move if the frame changed meanwhile, as it does around a window that was
    // maximized.
    for (int attempt = 0; attempt < 3; ++attempt) {
        ask_to_place(window, to, by);
        if (poll(150ms, [&] { return bounds_of(window) == to; })) return;
    }
    // A window may have a minimum size, but its position is free.
    const auto is_there = [&] {
        const auto bounds = bounds_of(window);
        return bounds && bounds->origin() == to.origin();
    };
    if (poll(500ms, is_there)) return;
    check_exists(window);
    throw Error(errc::input_refused, "the window \"" + title_of(window) + "\" did not move to " +
                                         std::to_string(to.x) + ',' + std::to_string(to.y));
}

void WindowList::ask_to_place(xcb_window_t window, const Rect& to, Placement by) {
    // The position is that of the frame, the size is that of the window inside.
    const Extents frame = extents_of(window);
    const auto width = static_cast<std::uint32_t>(std::max(1, to.width - frame.left - frame.right));
    const auto height =
        static_cast<std::uint32_t>(std::max(1, to.height - frame.top - frame.bottom));
    // A shadow that the program draws belongs to the window but lies outside `to`.
    const auto x = static_cast<std::uint32_t>(to.x + std::min(0, frame.left));
    const auto y = static_cast<std::uint32_t>(to.y + std::min(0, frame.top));
    if (by == Placement::by_manager) {
        constexpr std::uint32_t all_four = 0xFU << 8U;
        tell_root(window, "_NET_MOVERESIZE_WINDOW",
                  {gravity_northwest | all_four | from_a_pager << 12U, x, y, width, height});
    } else {
        const std::array values{x, y, width, height};
        xcb_configure_window(connection_.get(), window,
                             XCB_CONFIG_WINDOW_X | XCB_CONFIG_WINDOW_Y | XCB_CONFIG_WINDOW_WIDTH |
                                 XCB_CONFIG_WINDOW_HEIGHT,
                             values.data());
    }
    connection_.flush();
}

void WindowList::close(xcb_window_t window) {
    if (manager_supports("_NET_CLOSE_WINDOW"))
        return tell_root(window, "_NET_CLOSE_WINDOW", {XCB_CURRENT_TIME, from_a_pager, 0, 0, 0});
    const auto protocols =
        PropertyRequest(connection_, window, connection_.atom("WM_PROTOCOLS")).values();
    if (!contains(protocols, connection_.atom("WM_DELETE_WINDOW")))
        throw Error(errc::input_refused, "the window \"" + title_of(window) +
                                             "\" does not support close requests, and no window "
                                             "manager is running: start one, or close the window "
                                             "with its own menu or keys");
    xcb_client_message_event_t event{};
    event.response_type = XCB_CLIENT_MESSAGE;
    event.format = 32;
    event.window = window;
    event.type = connection_.atom("WM_PROTOCOLS");
    event.data.data32[0] = connection_.atom("WM_DELETE_WINDOW");
    xcb_send_event(connection_.get(), 0, window, XCB_EVENT_MASK_NO_EVENT,
                   reinterpret_cast<const char*>(&event));
    connection_.flush();
}

} // namespace eyehand::winio::x11
