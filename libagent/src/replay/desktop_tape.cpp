#include "replay/desktop_tape.hpp"

#include "base/text.hpp"
#include "eyehand/winio/system.hpp"

#include <array>
#include <stdexcept>
#include <variant>

namespace eyehand::agent {

std::vector<std::uint32_t> DesktopTape::own_processes() const { return winio::own_processes(); }

std::string DesktopTape::shown(std::string_view text) const { return to_valid_utf8(text); }

json::value DesktopTape::frame_record(const winio::Frame& /*frame*/) {
    throw std::logic_error("this tape does not record");
}
winio::Frame DesktopTape::frame_of(const json::value& /*record*/) {
    throw std::logic_error("this tape does not replay");
}
const json::object* DesktopTape::next_answer(std::string_view /*of*/) {
    throw std::logic_error("this tape does not replay");
}
winio::Error DesktopTape::no_answer(std::string_view of) {
    return {winio::errc::not_supported,
            "the recording has no answer for \"" + std::string(of) + "\""};
}
const json::object* DesktopTape::next_input(const std::string& /*what*/) {
    throw std::logic_error("this tape does not replay");
}
Error DesktopTape::error_in(const json::object& /*record*/, const std::string& reason) const {
    return {errc::bad_run, reason};
}

std::string_view name_of(const Command& command) {
    constexpr std::array<std::string_view, std::variant_size_v<Command>> names{
        "observe", "ask", "invoke", "recover", "await", "finish"};
    return names.at(command.index());
}

} // namespace eyehand::agent
