// Captures the screen through memory shared with the X server, or over the connection.
#pragma once

#include "eyehand/winio/desktop.hpp"
#include "latest_capture.hpp"
#include "x11/shared_memory.hpp"

#include <optional>

namespace eyehand::winio::x11 {

/// The transport of the pixels from the server.
enum class Transfer {
    shared_memory, ///< if the server supports it and runs on the same machine
    connection,    ///< works everywhere
};

class ScreenCapturer final : public Capturer {
public:
    /// Refers to the connection, which must outlive it. Throws Error{not_supported} unless the
    /// screen's pixels are blue, green, red and an unused byte.
    ScreenCapturer(const Connection& connection, const CaptureOptions& options,
                   Transfer transfer = Transfer::shared_memory);

    void capture(const Rect& area, Frame& into) override;

    /// The transport of the last capture.
    [[nodiscard]] Transfer transfer() const { return transfer_; }

private:
    void copy_screen(const Rect& visible, Point to, Image& into);
    [[nodiscard]] bool copy_shared(const Rect& visible, Point to, Image& into);
    void copy_sent(const Rect& visible, Point to, Image& into);
    void take(const ImageView& captured, Point to, Image& into);
    [[noreturn]] void fail(const char* call, const xcb_generic_error_t* error) const;

    const Connection& connection_;
    Transfer transfer_;
    bool pointer_;
    std::optional<SharedMemory> memory_; ///< kept for the next capture that fits into it
    LatestCapture latest_;
};

} // namespace eyehand::winio::x11
