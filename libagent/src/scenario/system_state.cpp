#include "scenario/system_state.hpp"

#include "base/path_text.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#ifdef _WIN32
#include <windows.h>

#include <tlhelp32.h>

#include <memory>
#include <utility>
#endif

namespace eyehand::agent {

#ifdef _WIN32

namespace {

std::string utf8(const wchar_t* text) {
    const int size = WideCharToMultiByte(CP_UTF8, 0, text, -1, nullptr, 0, nullptr, nullptr);
    if (size <= 1) return {};
    std::string bytes(static_cast<std::size_t>(size), '\0');
    WideCharToMultiByte(CP_UTF8, 0, text, -1, bytes.data(), size, nullptr, nullptr);
    bytes.pop_back(); // the terminating zero
    return bytes;
}

struct CloseHandleOf {
    using pointer = HANDLE;
    void operator()(HANDLE handle) const {
        if (handle != INVALID_HANDLE_VALUE) CloseHandle(handle);
    }
};

/// The root that the key's first part names, and the rest.
std::pair<HKEY, std::wstring> split(const std::string& key) {
    const std::size_t end = std::min(key.find('\\'), key.size());
    const std::string root = key.substr(0, end);
    const std::wstring rest =
        end == key.size() ? std::wstring() : path_of(key.substr(end + 1)).wstring();
    if (root == "HKCU" || root == "HKEY_CURRENT_USER") return {HKEY_CURRENT_USER, rest};
    if (root == "HKLM" || root == "HKEY_LOCAL_MACHINE") return {HKEY_LOCAL_MACHINE, rest};
    if (root == "HKCR" || root == "HKEY_CLASSES_ROOT") return {HKEY_CLASSES_ROOT, rest};
    if (root == "HKU" || root == "HKEY_USERS") return {HKEY_USERS, rest};
    return {nullptr, rest};
}

} // namespace

std::vector<std::string> running_programs() {
    std::vector<std::string> names;
    const std::unique_ptr<HANDLE, CloseHandleOf> all(
        CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0));
    PROCESSENTRY32W entry{};
    entry.dwSize = sizeof entry;
    if (all.get() == INVALID_HANDLE_VALUE) return names;
    for (BOOL more = Process32FirstW(all.get(), &entry); more != 0;
         more = Process32NextW(all.get(), &entry))
        names.push_back(utf8(entry.szExeFile));
    return names;
}

std::optional<std::string> registry_value(const std::string& key, const std::string& value) {
    const auto [root, path] = split(key);
    if (root == nullptr) return std::nullopt;
    const std::wstring name = path_of(value).wstring();
    DWORD type = 0;
    DWORD bytes = 0;
    constexpr DWORD kinds = RRF_RT_REG_SZ | RRF_RT_REG_EXPAND_SZ | RRF_RT_REG_DWORD;
    if (RegGetValueW(root, path.c_str(), name.c_str(), kinds | RRF_NOEXPAND, &type, nullptr,
                     &bytes) != ERROR_SUCCESS)
        return std::nullopt;
    if (type == REG_DWORD) {
        DWORD number = 0;
        bytes = sizeof number;
        if (RegGetValueW(root, path.c_str(), name.c_str(), RRF_RT_REG_DWORD, nullptr, &number,
                         &bytes) != ERROR_SUCCESS)
            return std::nullopt;
        return std::to_string(number);
    }
    std::wstring units(bytes / sizeof(wchar_t) + 1, L'\0');
    bytes = static_cast<DWORD>(units.size() * sizeof(wchar_t));
    if (RegGetValueW(root, path.c_str(), name.c_str(), kinds | RRF_NOEXPAND, nullptr, units.data(),
                     &bytes) != ERROR_SUCCESS)
        return std::nullopt;
    return utf8(units.c_str());
}

#else

std::vector<std::string> running_programs() {
    // The command's first word tells the whole name, which "comm" cuts; Wine puts a Windows
    // program's path there.
    std::vector<std::string> names;
    std::error_code error;
    for (std::filesystem::directory_iterator it("/proc", error), end; !error && it != end;
         it.increment(error)) {
        const std::string process = text_of(it->path().filename());
        if (process.find_first_not_of("0123456789") != std::string::npos) continue;
        std::ifstream in(it->path() / "cmdline", std::ios::binary);
        std::string program;
        std::getline(in, program, '\0');
        const std::size_t slash = program.find_last_of("/\\");
        if (slash != std::string::npos) program.erase(0, slash + 1);
        if (!program.empty()) names.push_back(std::move(program));
    }
    return names;
}

#endif

} // namespace eyehand::agent
