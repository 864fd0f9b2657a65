#include "win32/system_clipboard.hpp"

#include "check_text.hpp"
#include "dib.hpp"
#include "eyehand/base/utf16.hpp"
#include "eyehand/winio/error.hpp"
#include "poll.hpp"
#include "win32/handles.hpp"
#include "win32/system_text.hpp"

#include <algorithm>

namespace eyehand::winio::win32 {
namespace {

using namespace std::chrono_literals;

// Programs that watch the clipboard open it for a moment after each change.
constexpr auto patience = 500ms;

[[noreturn]] void fail(const std::string& what) {
    throw Error(errc::clipboard_failed, what + ": " + describe_error(GetLastError()));
}

// Opened for a window, also for reading: Wine lets several programs open the clipboard without a window at the same
// time, and closes it for all but the last one, which then read nothing. (Data without an owner is refused after
// EmptyClipboard, too: SetClipboardData's documentation.)
class OpenedClipboard {
public:
    explicit OpenedClipboard(const SystemCalls& system)
        : window_(CreateWindowExW(0, L"STATIC", L"", 0, 0, 0, 0, 0, HWND_MESSAGE, nullptr, nullptr,
                                  nullptr)) {
        if (!window_) fail("no window to open the clipboard");
        if (!poll(patience, [&] { return system.open_clipboard(window_.get()) != 0; }))
            fail("another program holds the clipboard");
    }
    ~OpenedClipboard() { CloseClipboard(); }
    OpenedClipboard(const OpenedClipboard&) = delete;
    OpenedClipboard& operator=(const OpenedClipboard&) = delete;

private:
    Window window_;
};

class LockedMemory {
public:
    explicit LockedMemory(HGLOBAL memory)
        : memory_(memory), data_(static_cast<std::byte*>(GlobalLock(memory))) {
        if (data_ == nullptr) fail("the clipboard's memory cannot be read");
    }
    ~LockedMemory() { GlobalUnlock(memory_); }
    LockedMemory(const LockedMemory&) = delete;
    LockedMemory& operator=(const LockedMemory&) = delete;
    [[nodiscard]] std::span<std::byte> bytes() const { return {data_, GlobalSize(memory_)}; }

private:
    HGLOBAL memory_;
    std::byte* data_;
};

GlobalMemory memory_of(std::span<const std::byte> content) {
    GlobalMemory memory(GlobalAlloc(GMEM_MOVEABLE, content.size()));
    if (!memory) fail("no memory for the clipboard");
    const LockedMemory locked(memory.get());
    std::ranges::copy(content, locked.bytes().begin());
    return memory;
}

// These require that this process has opened the clipboard.
void empty() {
    if (EmptyClipboard() == 0) fail("the clipboard cannot be emptied");
}

void put(UINT format, std::span<const std::byte> content) {
    GlobalMemory memory = memory_of(content);
    empty();
    if (SetClipboardData(format, memory.get()) == nullptr)
        fail("the clipboard does not accept the data");
    memory.release(); // owned by the system now
}

} // namespace

std::string SystemClipboard::text() {
    const OpenedClipboard opened(system_);
    const HANDLE data = GetClipboardData(CF_UNICODETEXT);
    if (data == nullptr) return {};
    const LockedMemory locked(data);
    const std::wstring_view whole(reinterpret_cast<const wchar_t*>(locked.bytes().data()),
                                  locked.bytes().size() / sizeof(wchar_t));
    return base::to_utf8(whole.substr(0, whole.find(L'\0'))); // some programs omit the terminating
                                                              // NUL
}

void SystemClipboard::set_text(std::string_view text) {
    check_text(text, "the clipboard's text");
    const std::wstring units = base::to_wide(text);
    replace(CF_UNICODETEXT, std::as_bytes(std::span(units.c_str(), units.size() + 1)));
}

std::optional<Image> SystemClipboard::image() {
    const OpenedClipboard opened(system_);
    const HANDLE data = GetClipboardData(CF_DIB);
    if (data == nullptr) return std::nullopt;
    const LockedMemory locked(data);
    return decode_dib(
        {reinterpret_cast<const std::uint8_t*>(locked.bytes().data()), locked.bytes().size()});
}

void SystemClipboard::set_image(const ImageView& image) {
    const auto dib = encode_dib(image);
    replace(CF_DIB, std::as_bytes(std::span(dib)));
}

bool SystemClipboard::holds_other() {
    const bool holds_text = IsClipboardFormatAvailable(CF_UNICODETEXT) != 0;
    return CountClipboardFormats() > 0 && !holds_text && !image();
}

void SystemClipboard::clear() {
    const OpenedClipboard opened(system_);
    empty();
}

void SystemClipboard::set_text_to_restore(std::optional<std::string_view> text) noexcept {
    lease_.keep_clipboard(text);
}

void SystemClipboard::restore_text(std::string_view text, std::optional<ClipboardNumber> number) {
    const std::wstring units = base::to_wide(text);
    // While it is open, no other program changes it.
    const OpenedClipboard opened(system_);
    if (number && system_.clipboard_number() != *number) return;
    if (text.empty())
        empty();
    else
        put(CF_UNICODETEXT, std::as_bytes(std::span(units.c_str(), units.size() + 1)));
}

void SystemClipboard::replace(UINT format, std::span<const std::byte> content) {
    {
        const OpenedClipboard opened(system_);
        put(format, content);
    }
    if (!lease_.keeps_clipboard()) return;
    // The system counts all changes only when the clipboard is closed, and from then on, another program
    // can change it. No content has the number 0.
    const ClipboardNumber number = system_.clipboard_number();
    lease_.note_clipboard(has(format, content) ? number : 0);
}

// Of a clipboard that another program holds, it is not known: that program probably only reads it.
bool SystemClipboard::has(UINT format, std::span<const std::byte> content) {
    try {
        const OpenedClipboard opened(system_);
        const HANDLE data = GetClipboardData(format);
        if (data == nullptr) return false;
        const LockedMemory locked(data); // may be larger
        const auto bytes = locked.bytes();
        return bytes.size() >= content.size() &&
               std::ranges::equal(bytes.first(content.size()), content);
    } catch (const Error&) {
        return true;
    }
}

} // namespace eyehand::winio::win32
