#include "win32/text_clipboard.hpp"

#include "utf8.hpp"
#include "win32/handles.hpp"
#include "win32/poll.hpp"
#include "win32/system_text.hpp"
#include "winio/error.hpp"

#include <algorithm>

namespace winio::win32 {
namespace {

using namespace std::chrono_literals;

// Programs that watch the clipboard open it for a moment after each change.
constexpr auto patience = 500ms;

[[noreturn]] void fail(const std::string& what) {
    throw Error(errc::clipboard_failed, what + ": " + describe_error(GetLastError()));
}

class OpenedClipboard {
public:
    OpenedClipboard(const SystemCalls& system, HWND owner) {
        if (!poll(patience, [&] { return system.open_clipboard(owner) != 0; }))
            fail("another program holds the clipboard");
    }
    ~OpenedClipboard() { CloseClipboard(); }
    OpenedClipboard(const OpenedClipboard&) = delete;
    OpenedClipboard& operator=(const OpenedClipboard&) = delete;
};

class LockedMemory {
public:
    explicit LockedMemory(HGLOBAL memory)
        : memory_(memory), text_(static_cast<wchar_t*>(GlobalLock(memory))) {
        if (text_ == nullptr) fail("the clipboard's memory cannot be read");
    }
    ~LockedMemory() { GlobalUnlock(memory_); }
    LockedMemory(const LockedMemory&) = delete;
    LockedMemory& operator=(const LockedMemory&) = delete;
    [[nodiscard]] wchar_t* text() const { return text_; }
    [[nodiscard]] std::size_t room() const { return GlobalSize(memory_) / sizeof(wchar_t); }

private:
    HGLOBAL memory_;
    wchar_t* text_;
};

GlobalMemory memory_of(const std::wstring& text) {
    GlobalMemory memory(GlobalAlloc(GMEM_MOVEABLE, (text.size() + 1) * sizeof(wchar_t)));
    if (!memory) fail("no memory for the clipboard");
    const LockedMemory locked(memory.get());
    std::copy_n(text.c_str(), text.size() + 1, locked.text());
    return memory;
}

} // namespace

std::string TextClipboard::text() {
    const OpenedClipboard opened(system_, nullptr);
    const HANDLE data = GetClipboardData(CF_UNICODETEXT);
    if (data == nullptr) return {};
    const LockedMemory locked(data);
    const std::wstring_view whole(locked.text(), locked.room());
    return narrow(whole.substr(0, whole.find(L'\0'))); // not every program ends its text
}

void TextClipboard::set_text(std::string_view text) {
    utf8::check_text(text, "the clipboard's text");
    GlobalMemory memory = memory_of(wide(text));
    // Text without an owner is refused after EmptyClipboard (SetClipboardData's documentation).
    const Window owner(
        CreateWindowExW(0, L"STATIC", L"", 0, 0, 0, 0, 0, HWND_MESSAGE, nullptr, nullptr, nullptr));
    if (!owner) fail("no window to own the clipboard");
    const OpenedClipboard opened(system_, owner.get());
    if (EmptyClipboard() == 0) fail("the clipboard cannot be emptied");
    if (SetClipboardData(CF_UNICODETEXT, memory.get()) == nullptr)
        fail("the clipboard does not take the text");
    memory.release(); // the system's now
}

std::optional<Image> TextClipboard::image() { return std::nullopt; }

void TextClipboard::set_image(const ImageView&) {
    throw Error(errc::not_supported, "images on the clipboard come with the next commit");
}

} // namespace winio::win32
