#include "sign.hpp"

#include "eyehand/base/utf16.hpp"

#include "test_window.hpp"

namespace injection_tests {
namespace {

using namespace eyehand;

// Right of the windows of victims, which open on the left.
winio::Point place_on(winio::Desktop& desktop) {
    const winio::Rect display = desktop.displays().front().bounds;
    return {display.right() - 660, display.y + 90};
}

/// An editor that shows the text.
class Editor final : public Sign {
public:
    Editor(winio::Desktop& desktop, const std::string& text) : window_(desktop, place_on(desktop)) {
        const HWND edit = FindWindowExW(window_.handle(), nullptr, L"EDIT", nullptr);
        REQUIRE(edit != nullptr);
        SendMessageW(edit, WM_SETTEXT, 0, reinterpret_cast<LPARAM>(base::to_wide(text).c_str()));
        // The caret, which blinks, ends with the focus. It would be in the picture of the text.
        SendMessageW(edit, WM_KILLFOCUS, 0, 0);
    }
    void set_title(const std::string& title) { window_.set_title(title); }
    [[nodiscard]] winio::Rect area() const override {
        constexpr int border = 4;
        const winio::Rect edit = rect_of(window_.state().edit);
        return {edit.x + border, edit.y + border, edit.width - 2 * border,
                edit.height - 2 * border};
    }
    [[nodiscard]] winio::Color ink() const override { return {}; } // black

private:
    TestWindow window_;
};

} // namespace

std::unique_ptr<Sign> open_text(winio::Desktop& desktop, const std::string& text) {
    return std::make_unique<Editor>(desktop, text);
}

std::unique_ptr<Sign> open_page(winio::Desktop& desktop, const std::string& text) {
    auto page = std::make_unique<Editor>(desktop, text);
    page->set_title(text);
    return page;
}

} // namespace injection_tests
