#include "x11/clipboard.hpp"

#include "bmp.hpp"
#include "check_text.hpp"
#include "eyehand/base/utf8.hpp"
#include "eyehand/winio/error.hpp"
#include "eyehand/winio/png.hpp"

#include <system_error>

namespace eyehand::winio::x11 {
namespace {

std::string string_of(const std::vector<std::uint8_t>& bytes) {
    return {bytes.begin(), bytes.end()};
}

} // namespace

std::optional<std::string> SelectionClipboard::read_text() {
    for (const char* target : {"UTF8_STRING", "text/plain;charset=utf-8"})
        if (const auto bytes = reader_.read(target)) return base::utf8::replace_invalid(*bytes);
    if (const auto bytes = reader_.read("STRING")) return base::utf8::from_latin1(*bytes);
    return std::nullopt;
}

std::string SelectionClipboard::text() { return read_text().value_or(""); }

void SelectionClipboard::set_text(std::string_view text) {
    check_text(text, "the clipboard's text");
    const std::string bytes(text);
    SelectionContents contents{{"UTF8_STRING", bytes}, {"text/plain;charset=utf-8", bytes}};
    if (auto latin1 = base::utf8::to_latin1(text)) contents["STRING"] = std::move(*latin1);
    offer(std::move(contents));
}

std::optional<Image> SelectionClipboard::image() {
    const auto bytes = reader_.read("image/bmp");
    if (!bytes) return std::nullopt;
    return decode_bmp({reinterpret_cast<const std::uint8_t*>(bytes->data()), bytes->size()});
}

void SelectionClipboard::set_image(const ImageView& image) {
    if (image.empty()) throw std::invalid_argument("an empty image cannot be copied");
    offer(
        {{"image/png", string_of(encode_png(image))}, {"image/bmp", string_of(encode_bmp(image))}});
}

bool SelectionClipboard::holds_other() {
    return owner() != XCB_WINDOW_NONE && !read_text() && !image();
}

void SelectionClipboard::set_text_to_restore(std::optional<std::string_view> text) noexcept {
    lease_.keep_clipboard(text);
}

void SelectionClipboard::wait_until_replaced() {
    for (const auto& owner : owners_) owner->wait();
}

// The owner ends after it is notified and no program reads from it.
void SelectionClipboard::clear() { reader_.disown(); }

// The new owner takes over before the old one ends, so that the clipboard is never empty.
void SelectionClipboard::offer(SelectionContents contents) {
    std::erase_if(owners_, [](const auto& owner) { return owner->has_ended(); });
    try {
        // Before the content is there: this program may be ended at any time.
        const auto note = [this](xcb_window_t owner) { lease_.note_clipboard(owner); };
        owners_.push_back(
            std::make_unique<SelectionOwner>(connection_.display(), std::move(contents), note));
        lease_.clipboard_changed();
    } catch (const std::system_error& error) { // an Error, or no pipe
        throw Error(errc::clipboard_failed, error.what());
    }
}

SelectionClipboard::~SelectionClipboard() {
    for (const auto& owner : owners_) owner->stop(); // so that they end at the same time
}

} // namespace eyehand::winio::x11
