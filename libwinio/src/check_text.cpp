#include "check_text.hpp"

#include "eyehand/base/utf8.hpp"

#include <stdexcept>

namespace eyehand::winio {

void check_text(std::string_view text, const std::string& name) {
    if (const auto at = base::utf8::first_invalid(text))
        throw std::invalid_argument(name + " is not valid UTF-8 at byte " + std::to_string(*at));
    if (const auto at = text.find('\0'); at != std::string_view::npos)
        throw std::invalid_argument(name + " has a NUL character at byte " + std::to_string(at));
}

} // namespace eyehand::winio
