// The clipboard: the selection CLIPBOARD.
#pragma once

#include "eyehand/winio/desktop.hpp"
#include "x11/selection_owner.hpp"
#include "x11/selection_reader.hpp"

#include <memory>
#include <vector>

namespace eyehand::winio::x11 {

/// What is put on the clipboard is gone with this object, unless a clipboard manager or another
/// program has taken it by then. Images are offered as image/png and image/bmp, and read as
/// image/bmp: programs that offer PNG alone are understood as having none.
class SelectionClipboard final : public Clipboard {
public:
    /// Refers to the connection, which must outlive it.
    explicit SelectionClipboard(Connection& connection)
        : connection_(connection), reader_(connection) {}
    /// Programs that are reading what was put here get up to two seconds for the rest.
    ~SelectionClipboard() override;
    std::string text() override;
    void set_text(std::string_view utf8) override;
    std::optional<Image> image() override;
    void set_image(const ImageView& image) override;
    bool holds_other() override;
    void clear() override;

private:
    [[nodiscard]] std::optional<std::string> read_text();
    void offer(SelectionContents contents);

    Connection& connection_;
    SelectionReader reader_;
    /// The last one, and those before it from which programs are still reading.
    std::vector<std::unique_ptr<SelectionOwner>> owners_;
};

} // namespace eyehand::winio::x11
