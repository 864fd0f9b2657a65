// The clipboard: the selection CLIPBOARD.
#pragma once

#include "eyehand/winio/desktop.hpp"
#include "watchdog/hold_lease.hpp"
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
    /// Refers to the connection and the lease, which must outlive it.
    SelectionClipboard(Connection& connection, HoldLease& lease)
        : connection_(connection), lease_(lease), reader_(connection) {}
    /// Programs that are reading the content get up to two seconds to complete.
    ~SelectionClipboard() override;
    std::string text() override;
    void set_text(std::string_view utf8) override;
    std::optional<Image> image() override;
    void set_image(const ImageView& image) override;
    bool holds_other() override;
    void clear() override;
    void set_text_to_restore(std::optional<std::string_view> text) noexcept override;

    /// The window that owns the clipboard, or XCB_WINDOW_NONE.
    [[nodiscard]] xcb_window_t owner() { return reader_.owner(); }
    /// Returns after other programs have replaced all contents of this object, or at once without one.
    void wait_until_replaced();

private:
    [[nodiscard]] std::optional<std::string> read_text();
    void offer(SelectionContents contents);

    Connection& connection_;
    HoldLease& lease_;
    SelectionReader reader_;
    /// The current owner, and earlier ones from which programs are still reading.
    std::vector<std::unique_ptr<SelectionOwner>> owners_;
};

} // namespace eyehand::winio::x11
