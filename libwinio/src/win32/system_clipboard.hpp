// The clipboard: text and images.
#pragma once

#include "eyehand/winio/desktop.hpp"
#include "win32/system_calls.hpp"

#include <span>

namespace eyehand::winio::win32 {

class SystemClipboard final : public Clipboard {
public:
    /// Refers to `system`, which must outlive it.
    explicit SystemClipboard(const SystemCalls& system) : system_(system) {}
    std::string text() override;
    void set_text(std::string_view text) override;
    /// The system converts images of other programs to a DIB. Empty also if `decode_dib` does not
    /// support the DIB.
    std::optional<Image> image() override;
    void set_image(const ImageView& image) override;
    bool holds_other() override;
    void clear() override;
    [[nodiscard]] std::string_view line_break() const noexcept override { return "\r\n"; }

private:
    void replace(UINT format, std::span<const std::byte> content);

    const SystemCalls& system_;
};

} // namespace eyehand::winio::win32
