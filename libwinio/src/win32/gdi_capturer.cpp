#include "win32/gdi_capturer.hpp"

#include "eyehand/winio/error.hpp"
#include "win32/displays.hpp"
#include "win32/dpi_scope.hpp"
#include "win32/pointer_reader.hpp"
#include "win32/secure_desktop.hpp"
#include "win32/system_text.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>

namespace eyehand::winio::win32 {
namespace {

// The usual causes are temporary: the lock screen, a prompt for administrator rights, a
// disconnected remote session.
[[noreturn]] void unavailable(const SystemCalls& system, std::string_view call) {
    const std::string reason = describe_error(GetLastError());
    throw Error(errc::capture_unavailable,
                std::string(call) + " was refused: " + reason + "; " + likely_cause(system));
}

// Selects a bitmap into a DC and restores the previous object at the end.
class Selection {
public:
    Selection(const SystemCalls& system, HDC dc, HGDIOBJ object)
        : system_(system), dc_(dc), previous_(system.select_object(dc, object)) {}
    ~Selection() {
        if (*this) system_.select_object(dc_, previous_);
    }
    Selection(const Selection&) = delete;
    Selection& operator=(const Selection&) = delete;
    [[nodiscard]] explicit operator bool() const {
        return previous_ != nullptr && previous_ != HGDI_ERROR;
    }

private:
    const SystemCalls& system_;
    HDC dc_;
    HGDIOBJ previous_;
};

std::string words(Size size) {
    return std::to_string(size.width) + "x" + std::to_string(size.height);
}

// BITMAPINFOHEADER has 32 bits for the number of bytes, of which drivers use 31.
void check_fits_a_bitmap(Size size) {
    constexpr std::int64_t max_pixels = std::numeric_limits<std::int32_t>::max() / 4;
    if (std::int64_t{size.width} * size.height > max_pixels)
        throw Error(errc::capture_failed, "no bitmap can have " + words(size) + " pixels");
}

// For each BitBlt, Wine fetches the pixels from the X server through a buffer, which it allocates
// anew if it exceeds a few megabytes: 1920x1080 pixels took 11 ms at once and 4.4 ms in pieces of
// this size. Windows composes the screen for each call, so one call is faster there, and nothing
// can change between pieces.
int rows_of_a_piece(Size size) {
    constexpr int piece_bytes = 1 << 20;
    return std::clamp(piece_bytes / 4 / size.width, 1, size.height);
}

} // namespace

void GdiCapturer::capture(const Rect& area, Frame& into) {
    if (area.empty()) throw std::invalid_argument("an empty area cannot be captured");
    const DpiScope physical_pixels;
    const Rect desktop = virtual_desktop(system_);
    if (desktop.empty() || system_.monitors().empty())
        throw Error(errc::no_display, "this session has no display");

    const Rect visible = intersection(area, desktop);
    check_fits_a_bitmap(visible.size());
    into.origin = area.origin();
    into.pixels.resize(area.size());
    into.pointer.reset();
    if (visible != area) into.pixels.fill({0, 0, area.width, area.height}, Color{});
    if (!visible.empty())
        copy_screen(visible, {visible.x - area.x, visible.y - area.y}, into.pixels);
    if (options_.pointer) into.pointer = read_pointer(system_);
}

// Obtains DCs for each capture on this thread, because they do not survive a change of displays.
void GdiCapturer::copy_screen(const Rect& visible, Point to, Image& into) {
    const ScreenDc screen(system_.get_dc(nullptr));
    if (!screen) unavailable(system_, "GetDC");
    const MemoryDc memory(CreateCompatibleDC(screen.get()));
    if (!memory) unavailable(system_, "CreateCompatibleDC");
    const int rows_at_once =
        system_.runs_under_wine() ? rows_of_a_piece(visible.size()) : visible.height;
    prepare_bitmap(screen.get(), {visible.width, rows_at_once});
    const Selection selected(system_, memory.get(), bitmap_.get());
    if (!selected) unavailable(system_, "SelectObject");
    const bool whole = visible.size() == into.size(); // no part of the area is outside the desktop
    if (whole) latest_.begin(visible.size());
    const DWORD operation = options_.layered_windows ? SRCCOPY | CAPTUREBLT : SRCCOPY;
    for (int y = 0; y < visible.height; y += rows_at_once) {
        const Size piece{visible.width, std::min(rows_at_once, visible.height - y)};
        if (!system_.bit_blt(memory.get(), 0, 0, piece.width, piece.height, screen.get(), visible.x,
                             visible.y + y, operation))
            unavailable(system_, "BitBlt");
        GdiFlush(); // otherwise the pixels may not have arrived yet
        const ImageView rows{bitmap_pixels_, piece, static_cast<std::size_t>(piece.width) * 4};
        if (whole)
            latest_.take(rows, y);
        else
            into.copy_from(rows, {to.x, to.y + y});
    }
    if (whole) latest_.give(into);
}

void GdiCapturer::prepare_bitmap(HDC screen, Size size) {
    if (bitmap_ && bitmap_size_ == size) return;
    BITMAPINFO info{};
    info.bmiHeader.biSize = sizeof info.bmiHeader;
    info.bmiHeader.biWidth = size.width;
    info.bmiHeader.biHeight = -size.height; // top-down
    info.bmiHeader.biPlanes = 1;
    info.bmiHeader.biBitCount = 32;
    info.bmiHeader.biCompression = BI_RGB;
    void* pixels = nullptr;
    bitmap_ = Bitmap();
    bitmap_ = Bitmap(CreateDIBSection(screen, &info, DIB_RGB_COLORS, &pixels, nullptr, 0));
    if (!bitmap_ || pixels == nullptr)
        throw Error(errc::capture_failed,
                    "no bitmap of " + words(size) + " pixels: " + describe_error(GetLastError()));
    bitmap_size_ = size;
    bitmap_pixels_ = static_cast<const std::uint8_t*>(pixels);
}

} // namespace eyehand::winio::win32
