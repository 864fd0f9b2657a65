// The clipboard: the selection CLIPBOARD.
#pragma once

#include "winio/desktop.hpp"
#include "x11/selection_owner.hpp"
#include "x11/selection_reader.hpp"

#include <memory>

namespace winio::x11 {

/// What is put on the clipboard is gone with this object, unless a clipboard manager or another
/// program has taken it by then. Images are offered as image/png and image/bmp, and read as
/// image/bmp: programs that offer PNG alone are understood as having none.
class SelectionClipboard final : public Clipboard {
public:
    /// Refers to the connection, which must outlive it.
    explicit SelectionClipboard(Connection& connection) : reader_(connection) {}
    std::string text() override;
    void set_text(std::string_view utf8) override;
    std::optional<Image> image() override;
    void set_image(const ImageView& image) override;

private:
    void offer(SelectionContents contents);

    SelectionReader reader_;
    std::unique_ptr<SelectionOwner> owner_;
};

} // namespace winio::x11
