#include "win32/hot_key.hpp"

#include "eyehand/winio/error.hpp"
#include "hot_key_chord.hpp"
#include "win32/key_codes.hpp"
#include "win32/system_text.hpp"

#include <array>
#include <future>
#include <utility>
#include <vector>

namespace eyehand::winio::win32 {
namespace {

constexpr std::array<std::pair<NamedKey, UINT>, 4> modifier_flags{{{NamedKey::ctrl, MOD_CONTROL},
                                                                   {NamedKey::alt, MOD_ALT},
                                                                   {NamedKey::shift, MOD_SHIFT},
                                                                   {NamedKey::windows, MOD_WIN}}};

UINT flags_of(const HotKeyChord& chord) {
    UINT flags = MOD_NOREPEAT;
    for (const auto& [key, flag] : modifier_flags)
        if (chord.modifiers.contains(key)) flags |= flag;
    return flags;
}

std::vector<UINT> virtual_keys_of(const SystemCalls& system, const HotKeyChord& chord) {
    const KeyLayout layout{
        .key_of_character = [&](char16_t character) -> int {
            return system.vk_key_scan(static_cast<WCHAR>(character), GetKeyboardLayout(0));
        },
        .scan_code = [](std::uint16_t) { return std::uint16_t{0}; },
    };
    const auto codes = codes_of(chord.key, layout, KeyUse::shortcut);
    if (codes.empty()) return {};
    // With Ctrl, the key Pause is Break, which has a virtual key of its own.
    if (codes.back().virtual_key == VK_PAUSE) return {VK_PAUSE, VK_CANCEL};
    return {codes.back().virtual_key};
}

/// Registers the keys for the calling thread. Returns the reason if the first one is refused.
std::string register_keys(UINT flags, const std::vector<UINT>& keys) {
    int id = 0;
    for (const UINT key : keys) {
        if (RegisterHotKey(nullptr, ++id, flags, key) == 0 && id == 1)
            return describe_error(GetLastError());
    }
    return {};
}

} // namespace

RegisteredHotKey::RegisteredHotKey(const SystemCalls& system, const KeyChord& chord,
                                   std::function<void()> pressed)
    : pressed_(std::move(pressed)) {
    const HotKeyChord parts = hot_key_chord(chord);
    const auto keys = virtual_keys_of(system, parts);
    if (keys.empty())
        throw Error(errc::not_supported,
                    "the keyboard has no key for \"" + to_string(chord) + "\"");
    stop_ = KernelObject(CreateEventW(nullptr, TRUE, FALSE, nullptr));
    if (!stop_) throw Error(errc::input_refused, "no event: " + describe_error(GetLastError()));
    std::promise<std::string> registered;
    std::future<std::string> answer = registered.get_future();
    thread_ = std::thread(
        [this, keys, flags = flags_of(parts), registered = std::move(registered)]() mutable {
            std::string problem = register_keys(flags, keys);
            const bool works = problem.empty();
            registered.set_value(std::move(problem));
            // The system removes the keys of a thread that ends.
            if (works) run();
        });
    const std::string problem = answer.get();
    if (problem.empty()) return;
    thread_.join();
    throw Error(errc::input_refused, "the hot key \"" + to_string(chord) +
                                         "\" cannot be registered, possibly because another "
                                         "program uses it: " +
                                         problem);
}

RegisteredHotKey::~RegisteredHotKey() {
    SetEvent(stop_.get());
    thread_.join();
}

void RegisteredHotKey::run() const {
    HANDLE stop = stop_.get();
    while (MsgWaitForMultipleObjects(1, &stop, FALSE, INFINITE, QS_ALLINPUT) != WAIT_OBJECT_0) {
        MSG message{};
        while (PeekMessageW(&message, nullptr, 0, 0, PM_REMOVE) != 0)
            if (message.message == WM_HOTKEY) pressed_();
    }
}

} // namespace eyehand::winio::win32
