#include "win32/pointer_reader.hpp"

#include "win32/handles.hpp"
#include "win32/pointer_shape.hpp"

namespace winio::win32 {
namespace {

std::optional<Image> read_bitmap(HBITMAP bitmap) {
    BITMAP description{};
    if (GetObjectW(bitmap, sizeof description, &description) == 0 || description.bmWidth <= 0 ||
        description.bmHeight <= 0)
        return std::nullopt;
    Image image({description.bmWidth, description.bmHeight});
    BITMAPINFO info{};
    info.bmiHeader.biSize = sizeof info.bmiHeader;
    info.bmiHeader.biWidth = description.bmWidth;
    info.bmiHeader.biHeight = -description.bmHeight; // top-down
    info.bmiHeader.biPlanes = 1;
    info.bmiHeader.biBitCount = 32;
    info.bmiHeader.biCompression = BI_RGB;
    const ScreenDc screen(GetDC(nullptr));
    if (!screen || GetDIBits(screen.get(), bitmap, 0, static_cast<UINT>(description.bmHeight),
                             image.data(), &info, DIB_RGB_COLORS) == 0)
        return std::nullopt;
    return image;
}

std::optional<PointerShape> read_shape(const SystemCalls& system, HCURSOR cursor) {
    ICONINFO info{};
    if (!system.get_icon_info(cursor, &info)) return std::nullopt;
    const Bitmap mask(info.hbmMask); // both are copies of ours to free
    const Bitmap colour(info.hbmColor);
    CursorBitmaps bitmaps;
    if (colour) {
        bitmaps.colour = read_bitmap(colour.get());
        if (!bitmaps.colour) return std::nullopt;
    }
    auto mask_pixels = read_bitmap(mask.get());
    if (!mask_pixels) return std::nullopt;
    bitmaps.mask = std::move(*mask_pixels);
    if (bitmaps.colour ? bitmaps.colour->size() != bitmaps.mask.size()
                       : bitmaps.mask.height() % 2 != 0)
        return std::nullopt; // a driver's fancy that `shape_of` could not make sense of
    PointerShape shape = shape_of(bitmaps);
    shape.hotspot = {static_cast<int>(info.xHotspot), static_cast<int>(info.yHotspot)};
    return shape;
}

} // namespace

std::optional<PointerShape> read_pointer(const SystemCalls& system) {
    CURSORINFO info{};
    info.cbSize = sizeof info;
    if (!system.get_cursor_info(&info)) return std::nullopt;
    // Neither 0 (hidden) nor CURSOR_SUPPRESSED (touch is in use).
    if (info.flags != CURSOR_SHOWING || info.hCursor == nullptr) return std::nullopt;
    auto shape = read_shape(system, info.hCursor);
    // Wine does not show one program another's cursor; an arrow at least tells the place.
    if (!shape) shape = read_shape(system, LoadCursorW(nullptr, IDC_ARROW));
    if (shape) shape->position = {info.ptScreenPos.x, info.ptScreenPos.y};
    return shape;
}

} // namespace winio::win32
