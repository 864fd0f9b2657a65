// The source of a profile's prompts.
#pragma once

#include "eyehand/agent/tool.hpp"
#include "profile/members.hpp"
#include "profile/words.hpp"

#include <map>
#include <span>
#include <string>
#include <string_view>

namespace eyehand::agent {

/// The text without the byte order mark that some editors write.
[[nodiscard]] std::string_view without_mark(std::string_view text);

/// Reads prompts from the files that members name, or, without files, from the members themselves.
class Prompts {
public:
    using Files = std::map<std::string, std::string>;
    /// `files` must outlive it; nullptr: prompts are texts in the profile.
    explicit Prompts(const Files* files) : files_(files) {}
    [[nodiscard]] bool come_from_files() const { return files_ != nullptr; }

    /// The prompt with the tools' names filled in; the placeholders of `kept` stay.
    [[nodiscard]] std::string read(const Members& members, std::string_view member,
                                   std::span<const ToolPresentation> tools,
                                   std::span<const std::string_view> kept = {}) const;

private:
    [[nodiscard]] std::string nearest_file(const std::string& given) const;
    const Files* files_;
};

} // namespace eyehand::agent
