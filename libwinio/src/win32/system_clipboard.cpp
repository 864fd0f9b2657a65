#include "win32/system_clipboard.hpp"

#include "check_text.hpp"
#include "dib.hpp"
#include "eyehand/base/utf16.hpp"
#include "eyehand/winio/error.hpp"
#include "poll.hpp"
#include "win32/handles.hpp"
#include "win32/system_text.hpp"

#include <algorithm>
#include <cstring>

namespace eyehand::winio::win32 {
namespace {

using namespace std::chrono_literals;

// Programs that watch the clipboard open it for a moment after each change.
constexpr auto open_timeout = 500ms;

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
        if (!poll(open_timeout, [&] { return system.open_clipboard(window_.get()) != 0; }))
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
    if (SetClipboardData(format, memory.get()) == nullptr)
        fail("the clipboard does not accept the data");
    memory.release(); // owned by the system now
}

/// Marks a content that a watchdog may replace. The system's own number of the content would not do: it is known
/// only when the clipboard is closed, and then another program may already have changed it.
UINT number_format() {
    static const UINT format = RegisterClipboardFormatW(L"Eyehand content number");
    return format;
}

/// Differs between the contents of all programs, as far as 32 bits allow.
ClipboardNumber unique_number() {
    LARGE_INTEGER ticks{};
    QueryPerformanceCounter(&ticks);
    return static_cast<ClipboardNumber>(ticks.QuadPart) ^ (GetCurrentProcessId() << 16U);
}

std::optional<ClipboardNumber> number_of_content() {
    const HANDLE data = GetClipboardData(number_format());
    if (data == nullptr) return std::nullopt;
    const LockedMemory locked(data);
    ClipboardNumber number{};
    if (locked.bytes().size() < sizeof number) return std::nullopt;
    std::memcpy(&number, locked.bytes().data(), sizeof number);
    return number;
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

void SystemClipboard::restore_text(std::string_view text, ClipboardNumber number) {
    const std::wstring units = base::to_wide(text);
    // While it is open, no other program changes it.
    const OpenedClipboard opened(system_);
    if (number_of_content() != number) return;
    empty();
    if (!text.empty())
        put(CF_UNICODETEXT, std::as_bytes(std::span(units.c_str(), units.size() + 1)));
}

void SystemClipboard::replace(UINT format, std::span<const std::byte> content) {
    std::optional<ClipboardNumber> number;
    if (lease_.keeps_clipboard()) {
        number = unique_number();
        // Before the content is there: this program may be ended at any time.
        lease_.note_clipboard(*number);
    }
    {
        const OpenedClipboard opened(system_);
        empty();
        put(format, content);
        if (number) put(number_format(), std::as_bytes(std::span(&*number, 1)));
    }
    lease_.clipboard_changed();
}

} // namespace eyehand::winio::win32
