#include "profile/prompts.hpp"

#include "base/nearest.hpp"
#include "base/text.hpp"
#include "eyehand/agent/coordinates.hpp"

#include <algorithm>

namespace eyehand::agent {
namespace {

std::string filled_in(std::string_view contents, const Members& members, std::string_view member,
                      std::span<const ToolPresentation> tools,
                      std::span<const std::string_view> kept) {
    std::string text(trim(replace_all(std::string(without_mark(contents)), "\r\n", "\n")));
    for (const ToolPresentation& presentation : tools)
        text = replace_all(text, "{{" + presentation.tool + "}}",
                           presentation.name.empty() ? presentation.tool : presentation.name);
    // The placeholders of positions stay, too.
    const std::string rest =
        CoordinateConverter(CoordinateConvention::norm1000, {1000, 1000}).filled_in(text);
    for (std::size_t open = rest.find("{{"); open != std::string::npos;
         open = rest.find("{{", open + 2)) {
        if (std::any_of(kept.begin(), kept.end(), [&](std::string_view placeholder) {
                return rest.compare(open, placeholder.size(), placeholder) == 0;
            }))
            continue;
        members.refuse(
            member, fmt::format("has an unknown placeholder: {}", one_line(rest.substr(open, 40))));
    }
    return text;
}

} // namespace

std::string_view without_mark(std::string_view text) {
    constexpr std::string_view mark = "\xEF\xBB\xBF";
    return text.starts_with(mark) ? text.substr(mark.size()) : text;
}

std::string Prompts::read(const Members& members, std::string_view member,
                          std::span<const ToolPresentation> tools,
                          std::span<const std::string_view> kept) const {
    std::string given;
    members.read_required(member, given);
    if (files_ == nullptr) return given;
    const auto file = files_->find(given);
    if (file == files_->end())
        members.refuse(member, fmt::format("names a file that does not exist: \"{}\"{}", given,
                                           nearest_file(given)));
    if (to_valid_utf8(file->second) != file->second)
        members.refuse(member, fmt::format("names a file that is not UTF-8: \"{}\"", given));
    std::string text = filled_in(file->second, members, member, tools, kept);
    if (text.empty()) members.refuse(member, fmt::format("names an empty file: \"{}\"", given));
    return text;
}

std::string Prompts::nearest_file(const std::string& given) const {
    std::vector<std::string> names;
    for (const auto& [name, text] : *files_)
        if (name != profile_file) names.push_back(name);
    return did_you_mean(given, names);
}

} // namespace eyehand::agent
