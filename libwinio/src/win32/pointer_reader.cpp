#include "win32/pointer_reader.hpp"

#include "win32/handles.hpp"
#include "win32/pointer_shape.hpp"

namespace eyehand::winio::win32 {
namespace {

std::optional<Image> read_bitmap(HDC dc, HBITMAP bitmap) {
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
    if (GetDIBits(dc, bitmap, 0, static_cast<UINT>(description.bmHeight), image.data(), &info,
                  DIB_RGB_COLORS) == 0)
        return std::nullopt;
    return image;
}

std::optional<PointerShape> read_shape(const SystemCalls& system, HCURSOR cursor) {
    ICONINFO info{};
    if (!system.get_icon_info(cursor, &info)) return std::nullopt;
    const Bitmap mask(info.hbmMask); // both are copies that the caller must free
    const Bitmap color(info.hbmColor);
    const ScreenDc screen(system.get_dc(nullptr));
    if (!screen) return std::nullopt;
    CursorBitmaps bitmaps;
    if (color) {
        bitmaps.color = read_bitmap(screen.get(), color.get());
        if (!bitmaps.color) return std::nullopt;
    }
    auto mask_pixels = read_bitmap(screen.get(), mask.get());
    if (!mask_pixels) return std::nullopt;
    bitmaps.mask = std::move(*mask_pixels);
    if (bitmaps.color ? bitmaps.color->size() != bitmaps.mask.size()
                      : bitmaps.mask.height() % 2 != 0)
        return std::nullopt; // sizes that `shape_of` cannot handle
    PointerShape shape = shape_of(bitmaps);
    shape.hotspot = {static_cast<int>(info.xHotspot), static_cast<int>(info.yHotspot)};
    return shape;
}

// A cursor's bitmap has the size for the system's DPI. On a display with another DPI, the system
// draws it larger or smaller, but does not report the size. This code assumes the ratio of the
// nominal sizes, which has not been verified on displays of mixed DPI.
PointerEnlargement enlargement_at(const SystemCalls& system, POINT at) {
    const HMONITOR monitor = system.monitor_from_point(at, MONITOR_DEFAULTTONEAREST);
    if (monitor == nullptr) return {};
    const auto dpi = static_cast<UINT>(system.dpi_of_monitor(monitor));
    return {.nominal = system.get_system_metrics(SM_CXCURSOR),
            .drawn = system.get_system_metrics_for_dpi(SM_CXCURSOR, dpi)};
}

} // namespace

std::optional<PointerShape> read_pointer(const SystemCalls& system) {
    CURSORINFO info{};
    info.cbSize = sizeof info;
    if (!system.get_cursor_info(&info)) return std::nullopt;
    // Neither 0 (hidden) nor CURSOR_SUPPRESSED (touch is in use).
    if (info.flags != CURSOR_SHOWING || info.hCursor == nullptr) return std::nullopt;
    auto shape = read_shape(system, info.hCursor);
    // Wine does not provide the cursor of another program; an arrow at least shows the position.
    if (!shape) shape = read_shape(system, LoadCursorW(nullptr, IDC_ARROW));
    if (!shape) return std::nullopt;
    shape = enlarged(std::move(*shape), enlargement_at(system, info.ptScreenPos));
    shape->position = {info.ptScreenPos.x, info.ptScreenPos.y};
    return shape;
}

} // namespace eyehand::winio::win32
