#include "profile/settings_file.hpp"

#include "base/path_text.hpp"
#include "json/jsonc.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <fstream>

namespace eyehand::agent {

std::string read_settings_file(const std::filesystem::path& file, errc code) {
    constexpr std::size_t max_bytes = std::size_t{1} << 20;
    std::ifstream in(file, std::ios::binary);
    std::string text(max_bytes + 1, '\0');
    if (in) in.read(text.data(), static_cast<std::streamsize>(text.size()));
    // The end of the file sets failbit, too.
    if (!in.is_open() || in.bad())
        throw Error(code, fmt::format("{} cannot be read", text_of(file)));
    text.resize(static_cast<std::size_t>(in.gcount()));
    if (text.size() > max_bytes)
        throw Error(code, fmt::format("{} is larger than 1 MiB", text_of(file)));
    return text;
}

json::object parse_settings_file(std::string_view text, const std::string& where, errc code) {
    JsoncProblem problem;
    const auto all = parse_jsonc(text, problem);
    if (!all)
        throw Error(code, fmt::format("{}: line {}: {}", where, problem.line, problem.reason));
    json::object object;
    for (const JsoncMember& member : *all) object[member.name] = member.value;
    return object;
}

} // namespace eyehand::agent
