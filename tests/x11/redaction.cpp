// What is visible of real windows, and what a redaction blacks out.
#include "eyehand/winio/redaction.hpp"

#include "desktop_contract.hpp"
#include "test_window.hpp"
#include "x11/pointer_reader.hpp"
#include "x11/x11_desktop.hpp"

#include <array>

using namespace eyehand::winio;
using desktop_contract::eventually;
using x11_tests::patience;
using x11_tests::TestWindow;

namespace {

/// The handle of a window, for requests over a connection of the test.
xcb_window_t handle_of(const TestWindow& window) {
    return static_cast<xcb_window_t>(window.info().id);
}

void set_property(x11::Connection& own, xcb_window_t window, const char* name,
                  const std::vector<std::uint32_t>& values) {
    xcb_change_property(own.get(), XCB_PROP_MODE_REPLACE, window, own.atom(name), XCB_ATOM_CARDINAL,
                        32, static_cast<std::uint32_t>(values.size()), values.data());
    own.synchronize();
}

/// A window whose pixels have an opacity.
class AlphaWindow {
public:
    AlphaWindow(x11::Connection& own, const std::string& title) : own_(own) {
        const xcb_visualid_t visual = visual_of_depth(32);
        REQUIRE(visual != 0);
        const xcb_colormap_t colors = xcb_generate_id(own.get());
        xcb_create_colormap(own.get(), XCB_COLORMAP_ALLOC_NONE, colors, own.root(), visual);
        const std::array<std::uint32_t, 3> values{0, 0, colors};
        xcb_create_window(own.get(), 32, window_, own.root(), 0, 0, 300, 200, 0,
                          XCB_WINDOW_CLASS_INPUT_OUTPUT, visual,
                          XCB_CW_BACK_PIXEL | XCB_CW_BORDER_PIXEL | XCB_CW_COLORMAP, values.data());
        xcb_change_property(own.get(), XCB_PROP_MODE_REPLACE, window_, XCB_ATOM_WM_NAME,
                            XCB_ATOM_STRING, 8, static_cast<std::uint32_t>(title.size()),
                            title.c_str());
        xcb_map_window(own.get(), window_);
        own.synchronize();
    }
    ~AlphaWindow() {
        xcb_destroy_window(own_.get(), window_);
        own_.synchronize();
    }
    AlphaWindow(const AlphaWindow&) = delete;
    AlphaWindow& operator=(const AlphaWindow&) = delete;
    [[nodiscard]] xcb_window_t handle() const { return window_; }

private:
    [[nodiscard]] xcb_visualid_t visual_of_depth(std::uint8_t depth) const {
        auto depths = xcb_screen_allowed_depths_iterator(&own_.screen());
        for (; depths.rem > 0; xcb_depth_next(&depths))
            if (depths.data->depth == depth && xcb_depth_visuals_length(depths.data) > 0)
                return xcb_depth_visuals(depths.data)->visual_id;
        return 0;
    }

    x11::Connection& own_;
    xcb_window_t window_ = xcb_generate_id(own_.get());
};

bool is_within(const Rect& part, const Rect& whole) { return intersection(part, whole) == part; }

} // namespace

TEST_CASE("an ordinary window is opaque inside its frame") {
    const auto desktop = open_desktop();
    const TestWindow window(*desktop, "Opaque", {.size = {400, 300}});
    const WindowInfo info = window.info();
    CHECK(info.opaque.size() == Size{400, 300});
    CHECK(is_within(info.opaque, info.bounds));
}

TEST_CASE("a window with an opacity or an outline is possibly transparent") {
    const auto desktop = open_desktop();
    const TestWindow window(*desktop, "Transparent");
    x11::Connection own;
    set_property(own, handle_of(window), "_NET_WM_WINDOW_OPACITY", {0x80000000});
    CHECK(window.info().opaque == Rect{});
    set_property(own, handle_of(window), "_NET_WM_WINDOW_OPACITY", {0xFFFFFFFF});
    CHECK_FALSE(window.info().opaque.empty());

    REQUIRE(x11::start_xfixes(own));
    const xcb_xfixes_region_t outline = xcb_generate_id(own.get());
    const auto shape = [&](const std::vector<xcb_rectangle_t>& parts) {
        xcb_xfixes_create_region(own.get(), outline, static_cast<std::uint32_t>(parts.size()),
                                 parts.data());
        xcb_xfixes_set_window_shape_region(own.get(), handle_of(window), XCB_SHAPE_SK_BOUNDING, 0,
                                           0, outline);
        xcb_xfixes_destroy_region(own.get(), outline);
        own.synchronize();
    };
    shape({{0, 0, 10, 10}, {50, 50, 10, 10}});
    CHECK(window.info().opaque == Rect{});
    shape({{20, 30, 40, 50}});
    CHECK(window.info().opaque.size() == Size{40, 50});
}

TEST_CASE("a shaded window hides nothing with its content") {
    const auto desktop = open_desktop();
    const TestWindow window(*desktop, "Shaded");
    x11::Connection own;
    xcb_client_message_event_t event{};
    event.response_type = XCB_CLIENT_MESSAGE;
    event.format = 32;
    event.window = handle_of(window);
    event.type = own.atom("_NET_WM_STATE");
    event.data.data32[0] = 1; // add
    event.data.data32[1] = own.atom("_NET_WM_STATE_SHADED");
    xcb_send_event(own.get(), 0, own.root(),
                   XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY | XCB_EVENT_MASK_SUBSTRUCTURE_REDIRECT,
                   reinterpret_cast<const char*>(&event));
    own.synchronize();
    CHECK(eventually([&] { return window.info().opaque == Rect{}; }, patience));
}

TEST_CASE("a window with an alpha channel is opaque where it says so") {
    const auto desktop = open_desktop();
    x11::Connection own;
    const AlphaWindow window(own, "Alpha");
    const auto info = [&] {
        return wait_for_window(*desktop->windows(), {.title = "Alpha"}, patience);
    };
    set_property(own, window.handle(), "_NET_WM_OPAQUE_REGION", {0, 0, 5, 5, 10, 20, 100, 50});
    // The window manager lists a window before it shows it, and a hidden one is not opaque.
    CHECK(eventually([&] { return info().opaque.size() == Size{100, 50}; }, patience));
    const WindowInfo found = info();
    CHECK(is_within(found.opaque, found.bounds));
    set_property(own, window.handle(), "_NET_WM_OPAQUE_REGION", {});
    CHECK(info().opaque == Rect{});
}

TEST_CASE("the visible part of a redacted window is black, and windows before it are shown") {
    const auto desktop = open_desktop();
    const TestWindow secret(*desktop, "Secret", {.color = "00ff00"});
    desktop->windows()->apply({secret.info().id, WindowAction::move, {100, 100, 500, 400}});
    const TestWindow front(*desktop, "Front", {.color = "0000ff"});
    desktop->windows()->apply({front.info().id, WindowAction::move, {300, 250, 500, 400}});
    RedactingCapturer capturer(desktop->open_capturer({.pointer = false}), desktop->windows(),
                               {.windows = {{.title = "Secret"}}});
    Frame frame;
    const auto is_blue = [&](Point at) { // its alpha has no meaning
        const Color color = frame.pixels.at(at.x, at.y);
        return color.blue == 255 && color.green == 0 && color.red == 0;
    };
    CHECK(eventually(
        [&] {
            capturer.capture({0, 0, 1000, 800}, frame);
            return is_blue({450, 400}) && is_blue({700, 600});
        },
        patience));
    // Nothing of the window is left: neither its content nor its title bar.
    const Rect covered = front.info().bounds;
    int visible = 0;
    for (int y = 100; y < 500; ++y)
        for (int x = 100; x < 600; ++x)
            visible += frame.pixels.at(x, y) != Color{} && !covered.contains({x, y});
    CHECK(visible == 0);
    CHECK_FALSE(capturer.redacted().empty());
}
