// The clipboard: text and images.
#pragma once

#include "eyehand/winio/desktop.hpp"
#include "watchdog/hold_lease.hpp"
#include "win32/system_calls.hpp"

#include <span>

namespace eyehand::winio::win32 {

class SystemClipboard final : public Clipboard {
public:
    /// Refers to `system` and the lease, which must outlive it.
    SystemClipboard(const SystemCalls& system, HoldLease& lease) : system_(system), lease_(lease) {}
    std::string text() override;
    void set_text(std::string_view text) override;
    /// The system converts images of other programs to a DIB. Empty also if `decode_dib` does not
    /// support the DIB.
    std::optional<Image> image() override;
    void set_image(const ImageView& image) override;
    bool holds_other() override;
    void clear() override;
    void set_text_to_restore(std::optional<std::string_view> text) noexcept override;
    /// Copies the text, or empties the clipboard for an empty text, if the clipboard still has the content
    /// with this number: one that a program has put there while it kept a text to restore.
    void restore_text(std::string_view text, ClipboardNumber number);
    [[nodiscard]] std::string_view line_break() const noexcept override { return "\r\n"; }

private:
    void replace(UINT format, std::span<const std::byte> content);

    const SystemCalls& system_;
    HoldLease& lease_;
};

} // namespace eyehand::winio::win32
