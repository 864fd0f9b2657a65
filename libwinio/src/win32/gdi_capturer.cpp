#include "win32/gdi_capturer.hpp"

#include "win32/displays.hpp"
#include "win32/dpi_scope.hpp"
#include "win32/pointer_reader.hpp"
#include "win32/system_text.hpp"
#include "winio/error.hpp"

#include <algorithm>
#include <stdexcept>

namespace winio::win32 {
namespace {

// The usual causes are the lock screen, a prompt for administrator rights and a disconnected remote
// session: all pass.
[[noreturn]] void unavailable(const std::string& call) {
    throw Error(errc::capture_unavailable, call +
                                               " was refused: " + describe_error(GetLastError()) +
                                               "; is the session locked or disconnected?");
}

void copy_rows(const ImageView& from, Point to, Image& into) {
    const auto left = static_cast<std::size_t>(to.x) * 4;
    for (int y = 0; y < from.height(); ++y)
        std::ranges::copy(from.row(y), into.row(to.y + y).subspan(left).begin());
}

} // namespace

void GdiCapturer::capture(const Rect& area, Frame& into) {
    if (area.empty()) throw std::invalid_argument("an empty area cannot be captured");
    const DpiScope physical_pixels;
    const Rect desktop = virtual_desktop(system_);
    if (desktop.empty() || system_.monitors().empty())
        throw Error(errc::no_display, "this session has no display");

    into.origin = area.origin();
    into.pixels.resize(area.size());
    into.pointer.reset();
    const Rect visible = intersection(area, desktop);
    if (visible != area) into.pixels.fill({0, 0, area.width, area.height}, Color{});
    if (!visible.empty()) {
        copy_screen(visible);
        copy_rows({bitmap_pixels_, visible.size(), static_cast<std::size_t>(visible.width) * 4},
                  {visible.x - area.x, visible.y - area.y}, into.pixels);
    }
    if (options_.pointer) into.pointer = read_pointer(system_);
}

// DCs are fresh each time and of this thread: they do not survive a change of displays.
void GdiCapturer::copy_screen(const Rect& visible) {
    const ScreenDc screen(system_.get_dc(nullptr));
    if (!screen) unavailable("GetDC");
    const MemoryDc memory(CreateCompatibleDC(screen.get()));
    if (!memory) unavailable("CreateCompatibleDC");
    prepare_bitmap(screen.get(), visible.size());
    const Selection selected(memory.get(), bitmap_.get());
    if (!selected) unavailable("SelectObject");
    const DWORD operation = options_.layered_windows ? SRCCOPY | CAPTUREBLT : SRCCOPY;
    if (!system_.bit_blt(memory.get(), 0, 0, visible.width, visible.height, screen.get(), visible.x,
                         visible.y, operation))
        unavailable("BitBlt");
    GdiFlush(); // else the pixels may not be there yet
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
        throw Error(errc::capture_failed, "no bitmap of " + std::to_string(size.width) + "x" +
                                              std::to_string(size.height) +
                                              " pixels: " + describe_error(GetLastError()));
    bitmap_size_ = size;
    bitmap_pixels_ = static_cast<const std::uint8_t*>(pixels);
}

} // namespace winio::win32
