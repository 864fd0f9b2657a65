// The clipboard's text.
#pragma once

#include "win32/system_calls.hpp"
#include "winio/desktop.hpp"

namespace winio::win32 {

class TextClipboard final : public Clipboard {
public:
    /// Refers to `system`, which must outlive it.
    explicit TextClipboard(const SystemCalls& system) : system_(system) {}
    std::string text() override;
    void set_text(std::string_view text) override;
    std::optional<Image> image() override;
    void set_image(const ImageView& image) override;

private:
    const SystemCalls& system_;
};

} // namespace winio::win32
