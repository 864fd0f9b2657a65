#include "hand.hpp"

#include "x11/key_codes.hpp"
#include "x11/keyboard_reader.hpp"

#include "catch.hpp"

#include <sys/uio.h>
#include <xcb/xcbext.h>
#include <xcb/xinput.h>
#include <xcb/xtest.h>

#include <array>

namespace x11_tests {

using namespace eyehand::winio;

Hand::Hand() {
    REQUIRE(server_.take(xcb_input_xi_query_version_reply,
                         xcb_input_xi_query_version(server_.get(), 2, 1)));
    first_event_ = xcb_get_extension_data(server_.get(), &xcb_input_id)->first_event;
    REQUIRE(server_.has(&xcb_test_id));
    keyboard_ = device("Xvfb keyboard");
    mouse_ = device("Xvfb mouse");
}

std::uint8_t Hand::device(std::string_view name) {
    const auto all = server_.take(xcb_input_xi_query_device_reply,
                                  xcb_input_xi_query_device(server_.get(), XCB_INPUT_DEVICE_ALL));
    REQUIRE(all);
    for (auto it = xcb_input_xi_query_device_infos_iterator(all.get()); it.rem > 0;
         xcb_input_xi_device_info_next(&it))
        if (std::string_view(xcb_input_xi_device_info_name(it.data), it.data->name_len) == name)
            return static_cast<std::uint8_t>(it.data->deviceid);
    FAIL("the server has no device \"" << name << "\"");
    return 0;
}

void Hand::send(std::uint8_t event, std::uint8_t detail, std::uint8_t device) {
    const auto type = static_cast<std::uint8_t>(first_event_ + event);
    const x11::Reply<xcb_generic_error_t> error(xcb_request_check(
        server_.get(), xcb_test_fake_input_checked(server_.get(), type, detail, XCB_CURRENT_TIME,
                                                   XCB_NONE, 0, 0, device)));
    REQUIRE_FALSE(error);
}

void Hand::key(NamedKey key, Press press) {
    const auto map = x11::read_keyboard(server_);
    REQUIRE(map);
    send(press == Press::down ? XCB_INPUT_DEVICE_KEY_PRESS : XCB_INPUT_DEVICE_KEY_RELEASE,
         x11::codes_of(key, *map).back(), keyboard_);
}

void Hand::click() {
    send(XCB_INPUT_DEVICE_BUTTON_PRESS, 1, mouse_);
    send(XCB_INPUT_DEVICE_BUTTON_RELEASE, 1, mouse_);
}

/// libxcb has no function for the request, which consists of two events.
void Hand::move(Point to) {
    const auto now =
        server_.take(xcb_query_pointer_reply, xcb_query_pointer(server_.get(), server_.root()));
    REQUIRE(now);
    struct Request {
        std::uint8_t major_opcode = 0;
        std::uint8_t minor_opcode = 0;
        std::uint16_t length = 0;
        std::uint8_t type = 0; ///< from here, a motion event of a device
        std::uint8_t relative = 1;
        std::array<std::uint8_t, 29> unused{};
        std::uint8_t device = 0;
        std::uint8_t type_of_values = 0; ///< from here, an event with its values
        std::uint8_t device_of_values = 0;
        std::array<std::uint8_t, 4> also_unused{};
        std::uint8_t values = 2;
        std::uint8_t first_value = 0;
        std::array<std::int32_t, 6> value{};
    } request;
    static_assert(sizeof request == 4 + 2 * 32);
    request.type = static_cast<std::uint8_t>(first_event_ + XCB_INPUT_DEVICE_MOTION_NOTIFY);
    request.device = mouse_;
    request.type_of_values = static_cast<std::uint8_t>(first_event_ + XCB_INPUT_DEVICE_VALUATOR);
    request.device_of_values = mouse_;
    request.value = {to.x - now->root_x, to.y - now->root_y};
    const xcb_protocol_request_t kind{
        .count = 1, .ext = &xcb_test_id, .opcode = XCB_TEST_FAKE_INPUT, .isvoid = 1};
    // xcb_send_request uses the two elements before the first one.
    std::array<iovec, 3> parts{{{}, {}, {&request, sizeof request}}};
    const unsigned sequence =
        xcb_send_request(server_.get(), XCB_REQUEST_CHECKED, &parts[2], &kind);
    const x11::Reply<xcb_generic_error_t> error(xcb_request_check(server_.get(), {sequence}));
    REQUIRE_FALSE(error);
}

bool Hand::left_is_down() const {
    const auto now =
        server_.take(xcb_query_pointer_reply, xcb_query_pointer(server_.get(), server_.root()));
    return now && (now->mask & XCB_BUTTON_MASK_1) != 0;
}

user_watch_contract::Hand Hand::functions() {
    return {.key = [this](NamedKey key, Press press) { this->key(key, press); },
            .click = [this] { click(); },
            .move = [this](Point to) { move(to); }};
}

} // namespace x11_tests
