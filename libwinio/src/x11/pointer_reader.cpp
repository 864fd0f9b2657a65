#include "x11/pointer_reader.hpp"

#include "x11/unpremultiplied.hpp"

#include <algorithm>

namespace eyehand::winio::x11 {

bool start_xfixes(const Connection& connection) {
    return connection.has(&xcb_xfixes_id) &&
           connection.take(xcb_xfixes_query_version_reply,
                           xcb_xfixes_query_version(connection.get(), 5, 0)) != nullptr;
}

std::optional<PointerShape> pointer_of(const xcb_xfixes_get_cursor_image_reply_t& reply) {
    const std::span pixels(
        xcb_xfixes_get_cursor_image_cursor_image(&reply),
        static_cast<std::size_t>(xcb_xfixes_get_cursor_image_cursor_image_length(&reply)));
    const Size size{reply.width, reply.height};
    if (size.empty() ||
        std::ranges::all_of(pixels, [](std::uint32_t pixel) { return pixel >> 24U == 0; }))
        return std::nullopt;
    PointerShape shape;
    shape.position = {reply.x, reply.y};
    shape.hotspot = {reply.xhot, reply.yhot};
    shape.pixels = Image(size);
    auto* to = shape.pixels.data();
    for (const std::uint32_t pixel : pixels) {
        const Color color = unpremultiplied(pixel);
        *to++ = color.blue;
        *to++ = color.green;
        *to++ = color.red;
        *to++ = color.alpha;
    }
    return shape;
}

std::string_view pointer_name(const xcb_xfixes_get_cursor_image_and_name_reply_t& reply) {
    return {xcb_xfixes_get_cursor_image_and_name_name(&reply),
            static_cast<std::size_t>(xcb_xfixes_get_cursor_image_and_name_name_length(&reply))};
}

bool is_busy_pointer(std::string_view name) { return name == "wait" || name == "watch"; }

} // namespace eyehand::winio::x11
