#include "x11/screen_capturer.hpp"

#include "eyehand/winio/error.hpp"
#include "x11/pointer_reader.hpp"

#include <stdexcept>

namespace eyehand::winio::x11 {
namespace {

constexpr std::uint32_t all_planes = ~0U;

std::size_t bytes_of(Size size) {
    return static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height) * 4;
}

const xcb_visualtype_t* visual_of(const xcb_screen_t& screen) {
    for (auto depth = xcb_screen_allowed_depths_iterator(&screen); depth.rem > 0;
         xcb_depth_next(&depth))
        for (auto visual = xcb_depth_visuals_iterator(depth.data); visual.rem > 0;
             xcb_visualtype_next(&visual))
            if (visual.data->visual_id == screen.root_visual) return visual.data;
    return nullptr;
}

int bits_per_pixel(const xcb_setup_t& setup, int depth) {
    for (auto format = xcb_setup_pixmap_formats_iterator(&setup); format.rem > 0;
         xcb_format_next(&format))
        if (format.data->depth == depth) return format.data->bits_per_pixel;
    return 0;
}

// The format of practically every screen; the frame can copy its bytes.
bool is_bgrx(const Connection& connection) {
    const xcb_setup_t& setup = *xcb_get_setup(connection.get());
    const xcb_visualtype_t* visual = visual_of(connection.screen());
    return visual != nullptr && visual->red_mask == 0xFF0000 && visual->green_mask == 0xFF00 &&
           visual->blue_mask == 0xFF && setup.image_byte_order == XCB_IMAGE_ORDER_LSB_FIRST &&
           bits_per_pixel(setup, connection.screen().root_depth) == 32;
}

ImageView packed(const std::uint8_t* pixels, Size size) {
    return {pixels, size, static_cast<std::size_t>(size.width) * 4};
}

} // namespace

ScreenCapturer::ScreenCapturer(const Connection& connection, const CaptureOptions& options,
                               Transfer transfer)
    : connection_(connection), transfer_(transfer),
      pointer_(options.pointer && start_xfixes(connection)) {
    if (!is_bgrx(connection))
        throw Error(errc::not_supported, "the X11 screen has a depth of " +
                                             std::to_string(connection.screen().root_depth) +
                                             " bits; start the server with a depth of 24");
    if (!connection.has(&xcb_shm_id)) transfer_ = Transfer::connection;
}

void ScreenCapturer::capture(const Rect& area, Frame& into) {
    if (area.empty()) throw std::invalid_argument("an empty area cannot be captured");
    connection_.discard_events();
    into.pixels.resize(area.size()); // may throw, so resize before sending requests
    // One round trip for both: the pointer is requested before the reply with the pixels is read.
    xcb_xfixes_get_cursor_image_cookie_t pointer{};
    if (pointer_) pointer = xcb_xfixes_get_cursor_image(connection_.get());
    const Rect screen = connection_.root_bounds();
    into.origin = area.origin();
    into.pointer.reset();
    if (pointer_) {
        const auto reply = connection_.take(xcb_xfixes_get_cursor_image_reply, pointer);
        if (reply) into.pointer = pointer_of(*reply);
    }
    if (screen.empty()) fail("GetGeometry", nullptr);
    const Rect visible = intersection(area, screen);
    if (visible != area) into.pixels.fill({0, 0, area.width, area.height}, Color{});
    if (!visible.empty())
        copy_screen(visible, {visible.x - area.x, visible.y - area.y}, into.pixels);
}

void ScreenCapturer::copy_screen(const Rect& visible, Point to, Image& into) {
    if (transfer_ == Transfer::shared_memory && copy_shared(visible, to, into)) return;
    copy_sent(visible, to, into);
}

bool ScreenCapturer::copy_shared(const Rect& visible, Point to, Image& into) {
    const std::size_t bytes = bytes_of(visible.size());
    if (!memory_ || memory_->size() < bytes) {
        memory_.reset();
        memory_ = SharedMemory::create(connection_, bytes);
        if (!memory_) {
            transfer_ = Transfer::connection;
            return false;
        }
    }
    Reply<xcb_generic_error_t> why;
    const auto reply =
        connection_.take(xcb_shm_get_image_reply,
                         xcb_shm_get_image(connection_.get(), connection_.root(),
                                           static_cast<std::int16_t>(visible.x),
                                           static_cast<std::int16_t>(visible.y),
                                           static_cast<std::uint16_t>(visible.width),
                                           static_cast<std::uint16_t>(visible.height), all_planes,
                                           XCB_IMAGE_FORMAT_Z_PIXMAP, memory_->id(), 0),
                         &why);
    if (!reply) fail("ShmGetImage", why.get());
    take(packed(memory_->data(), visible.size()), to, into);
    return true;
}

void ScreenCapturer::take(const ImageView& captured, Point to, Image& into) {
    if (captured.size() != into.size()) { // a part of the area is outside the screen
        into.copy_from(captured, to);
        return;
    }
    latest_.begin(captured.size());
    latest_.take(captured, 0);
    latest_.give(into);
}

void ScreenCapturer::copy_sent(const Rect& visible, Point to, Image& into) {
    Reply<xcb_generic_error_t> why;
    const auto reply = connection_.take(
        xcb_get_image_reply,
        xcb_get_image(connection_.get(), XCB_IMAGE_FORMAT_Z_PIXMAP, connection_.root(),
                      static_cast<std::int16_t>(visible.x), static_cast<std::int16_t>(visible.y),
                      static_cast<std::uint16_t>(visible.width),
                      static_cast<std::uint16_t>(visible.height), all_planes),
        &why);
    if (!reply ||
        static_cast<std::size_t>(xcb_get_image_data_length(reply.get())) < bytes_of(visible.size()))
        fail("GetImage", why.get());
    take(packed(xcb_get_image_data(reply.get()), visible.size()), to, into);
}

void ScreenCapturer::fail(const char* call, const xcb_generic_error_t* error) const {
    if (connection_.lost())
        throw Error(errc::capture_failed,
                    "the connection to the X server is lost; check that the server runs");
    const int code = error == nullptr ? 0 : error->error_code;
    // The screen became smaller between the request for its size and the capture.
    if (code == XCB_MATCH || code == XCB_DRAWABLE)
        throw Error(errc::capture_unavailable,
                    std::string(call) + " was refused: were the displays changed just now?");
    throw Error(errc::capture_failed,
                std::string(call) + " was answered with " +
                    (error == nullptr ? "too little" : "error " + std::to_string(code)));
}

} // namespace eyehand::winio::x11
