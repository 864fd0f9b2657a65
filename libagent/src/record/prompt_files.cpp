#include "record/prompt_files.hpp"

#include "base/text.hpp"
#include "eyehand/agent/prompt.hpp"
#include "eyehand/base/folder_file.hpp"
#include "eyehand/vlm/digest.hpp"
#include "json/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace eyehand::agent {
namespace {

constexpr std::size_t hash_digits = 32;
constexpr std::size_t max_prompt_bytes = std::size_t{16} << 20U;

std::string hash_of(std::string_view text) { return vlm::sha256_hex(text).substr(0, hash_digits); }

/// Nothing if `hash` is not a hash, such as "../run".
std::optional<std::string> file_of(std::string_view hash) {
    const bool is_hash =
        hash.size() == hash_digits && std::all_of(hash.begin(), hash.end(), [](char digit) {
            return (digit >= '0' && digit <= '9') || (digit >= 'a' && digit <= 'f');
        });
    if (!is_hash) return std::nullopt;
    // In folders by the first two digits: in a folder of thousands of files, Wine looks up a name slowly.
    return fmt::format("prompts/{}/{}.txt", hash.substr(0, 2), hash);
}

std::optional<std::string> verified(std::optional<std::string> text, std::string_view hash) {
    if (text && hash_of(*text) != hash) text.reset();
    return text;
}

/// The number of texts that are known to be stored. Others are looked up in the store; the limit is
/// some hundred times the texts of one request.
constexpr std::size_t max_known = 5000;

/// The specifications of the tools, one per line.
std::string tools_text(const std::vector<vlm::ToolSpec>& tools) {
    std::string text;
    for (const vlm::ToolSpec& tool : tools) {
        auto parameters = parse_json(tool.parameters_json);
        text += to_text(json::object{
            {"name", to_valid_utf8(tool.name)},
            {"description", to_valid_utf8(tool.description)},
            {"parameters", parameters ? *std::move(parameters)
                                      : json::value(to_valid_utf8(tool.parameters_json))}});
        text += '\n';
    }
    return text;
}

} // namespace

SentMessages PromptFiles::store(const vlm::ChatRequest& request,
                                const std::vector<SentMessage>& previous) {
    SentMessages sent;
    bool is_same = true;
    for (const vlm::Message& message : request.messages) {
        SentMessage one;
        one.role = vlm::to_string(message.role);
        one.tool_calls = message.tool_calls;
        one.tool_call_id = message.tool_call_id;
        one.acknowledged_checks = message.acknowledged_checks;
        if (!message.items_json.empty()) one.items = store(to_valid_utf8(message.items_json));
        for (const vlm::Part& part : message.parts) {
            if (const auto* image = std::get_if<vlm::Image>(&part))
                one.parts.emplace_back().image_sha256 = image->sha256;
            else
                one.parts.emplace_back().text = store(to_valid_utf8(std::get<std::string>(part)));
        }
        is_same = is_same && sent.same < previous.size() && one == previous[sent.same];
        if (is_same)
            ++sent.same;
        else
            sent.added.push_back(std::move(one));
    }
    if (!request.tools.empty()) sent.tools = store(tools_text(request.tools));
    if (request.response_format)
        sent.structure = store(to_valid_utf8(request.response_format->schema_json));
    return sent;
}

SentText PromptFiles::store(std::string_view text) {
    SentText named{hash_of(text), text.size()};
    if (stored_.contains(named.hash)) return named;
    // An existing file may be incomplete: its run was killed.
    if (!read_prompt(store_, named.hash)) store_.replace(*file_of(named.hash), text);
    if (stored_.size() >= max_known) stored_.clear();
    stored_.insert(named.hash);
    return named;
}

std::optional<std::string> read_prompt(const RunStore& store, std::string_view hash) {
    const auto name = file_of(hash);
    const auto in = name ? store.open_read(*name) : nullptr;
    if (!in) return std::nullopt;
    std::string text;
    std::array<char, 65536> some{};
    while (in->read(some.data(), some.size()) || in->gcount() > 0) {
        text.append(some.data(), static_cast<std::size_t>(in->gcount()));
        if (text.size() > max_prompt_bytes) return std::nullopt;
    }
    return verified(std::move(text), hash);
}

std::optional<std::string> read_prompt(const std::filesystem::path& run_directory,
                                       std::string_view hash) {
    const auto name = file_of(hash);
    if (!name) return std::nullopt;
    return verified(base::read_in_folder(run_directory, *name, max_prompt_bytes), hash);
}

} // namespace eyehand::agent
