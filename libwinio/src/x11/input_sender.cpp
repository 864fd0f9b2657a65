#include "x11/input_sender.hpp"

#include "eyehand/winio/error.hpp"
#include "is_release.hpp"
#include "x11/keyboard_reader.hpp"

#include <xcb/xtest.h>

#include <algorithm>

namespace eyehand::winio::x11 {
namespace {

static_assert(static_cast<int>(NativeInput::Kind::key_press) == XCB_KEY_PRESS &&
              static_cast<int>(NativeInput::Kind::key_release) == XCB_KEY_RELEASE &&
              static_cast<int>(NativeInput::Kind::button_press) == XCB_BUTTON_PRESS &&
              static_cast<int>(NativeInput::Kind::button_release) == XCB_BUTTON_RELEASE &&
              static_cast<int>(NativeInput::Kind::motion) == XCB_MOTION_NOTIFY);

SendReport refused(std::size_t events, std::size_t accepted, std::string problem) {
    return {events, accepted, std::move(problem), errc::input_refused};
}

} // namespace

InputSender::InputSender(Connection& connection, HoldLease& lease)
    : connection_(connection), register_(connection), lease_(lease) {
    if (!connection.has(&xcb_test_id))
        throw Error(errc::not_supported, "the X server lacks the XTEST extension, which input "
                                         "needs; start it with \"+extension XTEST\"");
    // Input must pass even while another program grabs the server (menus, window managers).
    xcb_test_grab_control(connection.get(), 1);
    adopt_orphans();
}

void InputSender::adopt_orphans() {
    const std::vector<Binding> orphans = register_.orphans();
    if (orphans.empty()) return;
    const auto now = context();
    if (!now) return;
    register_.add(orphans); // now owned by this program
    translator_.adopt(orphans, *now);
}

InputSender::~InputSender() {
    give(translator_.release_everything());
    const auto now = context(); // also waits until the server has executed the releases
    if (!now) return;
    const InputSegment restoration = translator_.restoration(*now);
    give(restoration);
    connection_.synchronize(); // a server drops unread requests of a closed connection
    lease_.note({});
    register_.clear();
}

SendReport InputSender::send(std::span<const InputEvent> events) {
    if (events.empty()) return {};
    connection_.discard_events();
    const auto now = context();
    if (!now) return refused(events.size(), 0, "the connection to the X server is lost");
    const Translation translation = translator_.translate(events, *now);
    const std::vector<ReleaseCode> pressed = pressed_in(translation.segments);
    if (auto problem = hold_problem(events, pressed)) return *problem;
    for (const InputSegment& segment : translation.segments) register_.add(segment.bindings);
    for (const InputSegment& segment : translation.segments) give(segment);
    connection_.flush();
    held_.add(translation.segments);
    // The server may not have read the releases yet, and drops them if this program ends now.
    lease_.note(held_.codes(), pressed);
    if (connection_.lost())
        return refused(events.size(), 0, "the connection to the X server is lost");
    if (translation.events < events.size())
        return refused(events.size(), translation.events, translation.problem);
    return {events.size(), events.size(), {}, {}};
}

std::optional<SendReport> InputSender::hold_problem(std::span<const InputEvent> events,
                                                    std::span<const ReleaseCode> pressed) {
    std::vector<ReleaseCode> codes = held_.codes();
    codes.insert(codes.end(), pressed.begin(), pressed.end());
    if (codes.empty() || std::ranges::all_of(events, is_release)) return std::nullopt;
    try {
        lease_.hold(std::move(codes));
        return std::nullopt;
    } catch (const Error& error) {
        give(translator_.release_everything()); // the translated events count as sent
        connection_.flush();
        held_ = {};
        lease_.note({});
        return SendReport{events.size(), 0, error.what(), error.code()};
    }
}

// Sends all requests in one round trip.
std::optional<InputContext> InputSender::context() const {
    xcb_connection_t* const server = connection_.get();
    const xcb_setup_t& setup = *xcb_get_setup(server);
    const auto keys = xcb_get_keyboard_mapping(
        server, setup.min_keycode,
        static_cast<std::uint8_t>(setup.max_keycode - setup.min_keycode + 1));
    const auto modifiers = xcb_get_modifier_mapping(server);
    const auto buttons = xcb_get_pointer_mapping(server);
    const auto down = xcb_query_keymap(server);
    const auto pointer = xcb_query_pointer(server, connection_.root());
    const Rect screen = connection_.root_bounds();

    const auto keys_reply = connection_.take(xcb_get_keyboard_mapping_reply, keys);
    const auto modifiers_reply = connection_.take(xcb_get_modifier_mapping_reply, modifiers);
    const auto buttons_reply = connection_.take(xcb_get_pointer_mapping_reply, buttons);
    const auto down_reply = connection_.take(xcb_query_keymap_reply, down);
    const auto pointer_reply = connection_.take(xcb_query_pointer_reply, pointer);
    if (screen.empty() || !keys_reply || !modifiers_reply || !buttons_reply || !down_reply ||
        !pointer_reply)
        return std::nullopt;

    InputContext context;
    context.screen = screen;
    const auto* places = xcb_get_pointer_mapping_map(buttons_reply.get());
    context.buttons.assign(places,
                           places + xcb_get_pointer_mapping_map_length(buttons_reply.get()));
    context.keyboard =
        keyboard_of(*keys_reply, *modifiers_reply, setup.min_keycode, pointer_reply->mask);
    for (std::size_t key = 0; key < context.keys_down.size(); ++key)
        context.keys_down[key] = ((down_reply->keys[key / 8] >> (key % 8)) & 1) != 0;
    context.caps_locked = (pointer_reply->mask & XCB_MOD_MASK_LOCK) != 0;
    context.now = SpareKeys::Clock::now();
    return context;
}

void InputSender::give(const InputSegment& segment) const {
    if (segment.wait.count() > 0) {
        // The release of a key that is not pressed reaches no program, but the server waits before
        // it and executes later requests afterwards.
        xcb_test_fake_input(connection_.get(), XCB_KEY_RELEASE, segment.bindings.front().key,
                            static_cast<std::uint32_t>(segment.wait.count()), connection_.root(), 0,
                            0, 0);
    }
    // One request could change adjacent keys, but the keys in between may have more levels than
    // this request can express.
    for (const Binding& binding : segment.bindings) {
        // Twice, so that Shift has no effect.
        const std::array keysyms{binding.keysym, binding.keysym};
        xcb_change_keyboard_mapping(connection_.get(), 1, binding.key, keysyms.size(),
                                    keysyms.data());
    }
    for (const NativeInput& input : segment.inputs) give(input);
}

void InputSender::give(const NativeInput& input) const {
    xcb_test_fake_input(connection_.get(), static_cast<std::uint8_t>(input.kind), input.code,
                        XCB_CURRENT_TIME, connection_.root(), static_cast<std::int16_t>(input.to.x),
                        static_cast<std::int16_t>(input.to.y), 0);
}

} // namespace eyehand::winio::x11
