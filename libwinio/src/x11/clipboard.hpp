// The clipboard: the selection CLIPBOARD.
#pragma once

#include "eyehand/winio/desktop.hpp"
#include "x11/selection_owner.hpp"
#include "x11/selection_reader.hpp"

#include <memory>
#include <vector>

namespace eyehand::winio::x11 {

/// The content of the clipboard is lost when this object is destroyed, unless a clipboard manager
/// or another program has stored it. Images are offered as image/png and image/bmp, and read as
/// image/bmp: images of programs that offer only PNG are not found.
class SelectionClipboard final : public Clipboard {
public:
    /// Refers to the connection, which must outlive it.
    explicit SelectionClipboard(Connection& connection)
        : connection_(connection), reader_(connection) {}
    /// Programs that are reading the content get up to two seconds to complete.
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
    /// The current owner, and earlier ones from which programs are still reading.
    std::vector<std::unique_ptr<SelectionOwner>> owners_;
};

} // namespace eyehand::winio::x11
