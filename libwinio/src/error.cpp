#include "winio/error.hpp"

namespace winio {
namespace {

class Category final : public std::error_category {
public:
    const char* name() const noexcept override { return "winio"; }

    std::string message(int value) const override {
        switch (static_cast<errc>(value)) {
        case errc::no_display:
            return "no display is attached";
        case errc::display_not_found:
            return "no such display";
        case errc::capture_unavailable:
            return "the screen cannot be read at the moment";
        case errc::capture_failed:
            return "the screen cannot be read";
        case errc::input_refused:
            return "the system did not take the input";
        case errc::input_not_permitted:
            return "the target runs with higher rights";
        case errc::outside_work_area:
            return "the point is outside the work area";
        case errc::window_not_found:
            return "no such window";
        case errc::launch_failed:
            return "the program could not be started";
        case errc::clipboard_failed:
            return "the clipboard is not available";
        case errc::encode_failed:
            return "the image could not be encoded";
        case errc::cancelled:
            return "cancelled";
        case errc::not_supported:
            return "not supported by this desktop";
        case errc::decode_failed:
            return "the image could not be read";
        }
        return "unknown winio error";
    }
};

} // namespace

const std::error_category& error_category() noexcept {
    static const Category category;
    return category;
}

std::error_code make_error_code(errc code) noexcept {
    return {static_cast<int>(code), error_category()};
}

Error::Error(errc code, const std::string& text) : Error(make_error_code(code), text) {}

Error::Error(std::error_code code, const std::string& text)
    : std::system_error(code), text_(text) {}

bool temporary(const std::error_code& code) noexcept {
    return code == errc::capture_unavailable || code == errc::clipboard_failed;
}

} // namespace winio
