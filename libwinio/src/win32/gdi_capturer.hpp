// Captures the screen with BitBlt, which works in every session and needs no graphics adapter.
#pragma once

#include "eyehand/winio/desktop.hpp"
#include "latest_capture.hpp"
#include "win32/handles.hpp"
#include "win32/system_calls.hpp"

namespace eyehand::winio::win32 {

/// Copies the screen in one call; under Wine in pieces, between which the screen may change.
class GdiCapturer final : public Capturer {
public:
    /// Refers to `system`, which must outlive it.
    GdiCapturer(const SystemCalls& system, const CaptureOptions& options)
        : system_(system), options_(options) {}

    void capture(const Rect& area, Frame& into) override;

private:
    void copy_screen(const Rect& visible, Point to, Image& into);
    void prepare_bitmap(HDC screen, Size size);

    const SystemCalls& system_;
    CaptureOptions options_;
    Bitmap bitmap_; // kept for the next capture of the same size
    Size bitmap_size_;
    const std::uint8_t* bitmap_pixels_ = nullptr;
    LatestCapture latest_;
};

} // namespace eyehand::winio::win32
