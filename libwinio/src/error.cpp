#include "eyehand/winio/error.hpp"

#include <array>
#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>

namespace eyehand::winio {
namespace {

struct Entry {
    errc code;
    std::string_view name;
    const char* message;
};

// In the order of the enumerators, so that a code's value finds its entry.
constexpr std::array entries{
    Entry{errc::no_display, "no_display", "no display is attached"},
    Entry{errc::display_not_found, "display_not_found", "no such display"},
    Entry{errc::capture_unavailable, "capture_unavailable",
          "the screen cannot be read at the moment"},
    Entry{errc::capture_failed, "capture_failed", "the screen cannot be read"},
    Entry{errc::input_refused, "input_refused", "the system did not take the input"},
    Entry{errc::input_not_permitted, "input_not_permitted", "the target runs with higher rights"},
    Entry{errc::outside_work_area, "outside_work_area", "the point is outside the work area"},
    Entry{errc::window_not_found, "window_not_found", "no such window"},
    Entry{errc::launch_failed, "launch_failed", "the program could not be started"},
    Entry{errc::clipboard_failed, "clipboard_failed", "the clipboard is not available"},
    Entry{errc::encode_failed, "encode_failed", "the image could not be encoded"},
    Entry{errc::cancelled, "cancelled", "cancelled"},
    Entry{errc::not_supported, "not_supported", "not supported by this desktop"},
    Entry{errc::decode_failed, "decode_failed", "the image could not be read"}};

static_assert([] {
    for (std::size_t i = 0; i < entries.size(); ++i)
        if (static_cast<std::size_t>(entries[i].code) != i + 1) return false;
    return true;
}());

const Entry* find_entry(int value) noexcept {
    if (value < 1 || static_cast<std::size_t>(value) > entries.size()) return nullptr;
    return &entries[static_cast<std::size_t>(value) - 1];
}

class Category final : public std::error_category {
public:
    const char* name() const noexcept override { return "winio"; }

    std::string message(int value) const override {
        const Entry* entry = find_entry(value);
        return entry != nullptr ? entry->message : "unknown winio error";
    }
};

} // namespace

const std::error_category& error_category() noexcept {
    static const Category category;
    return category;
}

std::string_view to_string(errc code) noexcept {
    const Entry* entry = find_entry(static_cast<int>(code));
    return entry != nullptr ? entry->name : "unknown";
}

std::ostream& operator<<(std::ostream& out, errc code) { return out << to_string(code); }

std::error_code make_error_code(errc code) noexcept {
    return {static_cast<int>(code), error_category()};
}

Error::Error(errc code, const std::string& text) : Error(make_error_code(code), text) {}

Error::Error(std::error_code code, const std::string& text)
    : std::system_error(code), text_(text) {}

bool temporary(const std::error_code& code) noexcept {
    return code == errc::capture_unavailable || code == errc::clipboard_failed;
}

const char* Error::what() const noexcept { return text_.what(); }

} // namespace eyehand::winio
