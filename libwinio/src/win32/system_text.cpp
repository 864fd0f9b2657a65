#include "win32/system_text.hpp"

#include "eyehand/base/utf16.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace eyehand::winio::win32 {

std::string title_of(HWND window) {
    std::array<wchar_t, 1024> text{};
    const int length = GetWindowTextW(window, text.data(), static_cast<int>(text.size()));
    return base::to_utf8(
        std::wstring_view{text.data(), static_cast<std::size_t>(std::max(length, 0))});
}

std::string describe_error(DWORD error) {
    std::array<wchar_t, 512> buffer{};
    const DWORD length =
        FormatMessageW(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, nullptr, error,
                       0, buffer.data(), static_cast<DWORD>(buffer.size()), nullptr);
    std::wstring_view text(buffer.data(), length);
    while (!text.empty() && (text.back() <= L' ' || text.back() == L'.')) text.remove_suffix(1);
    const std::string number = "system error " + std::to_string(error);
    return text.empty() ? number : base::to_utf8(text) + " (" + number + ")";
}

} // namespace eyehand::winio::win32
