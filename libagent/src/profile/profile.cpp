#include "agent/profile.hpp"

#include "agent/error.hpp"
#include "json.hpp"
#include "path_text.hpp"
#include "profile/embedded.hpp"
#include "text.hpp"

#include <fmt/format.h>

#include <fstream>
#include <set>
#include <sstream>

namespace agent {
namespace {

constexpr int schema = 1;
constexpr const char* profile_file = "profile.json";

/// Reads members of an object and knows how to name them when they are wrong.
class Members {
public:
    Members(const json::object& object, std::string where)
        : object_(object), where_(std::move(where)) {}

    [[noreturn]] void refuse(std::string_view member, std::string_view why) const {
        throw Error(errc::bad_profile, fmt::format("{}: \"{}\" {}", where_, member, why));
    }

    void read(std::string_view member, std::string& into) const {
        if (const json::value* value = find(member)) {
            if (!value->is_string()) refuse(member, "must be a text");
            const json::string& text = value->as_string();
            into.assign(text.data(), text.size());
        }
    }
    void read(std::string_view member, bool& into) const {
        if (const json::value* value = find(member)) {
            if (!value->is_bool()) refuse(member, "must be true or false");
            into = value->as_bool();
        }
    }
    void read(std::string_view member, int& into, int least, int most) const {
        if (const json::value* value = find(member)) {
            if (!value->is_int64() || value->as_int64() < least || value->as_int64() > most) {
                refuse(member, fmt::format("must be a whole number from {} to {}", least, most));
            }
            into = static_cast<int>(value->as_int64());
        }
    }
    void read(std::string_view member, std::size_t& into, int least, int most) const {
        int number = static_cast<int>(into);
        read(member, number, least, most);
        into = static_cast<std::size_t>(number);
    }
    void read(std::string_view member, std::optional<int>& into, int least, int most) const {
        if (find(member) == nullptr) return;
        int number = 0;
        read(member, number, least, most);
        into = number;
    }
    void read(std::string_view member, std::optional<double>& into, double least,
              double most) const {
        if (const json::value* value = find(member)) {
            if (!value->is_number()) refuse(member, "must be a number");
            const double number = value->to_number<double>();
            if (number < least || number > most) {
                refuse(member, fmt::format("must be from {} to {}", least, most));
            }
            into = number;
        }
    }
    /// The object under `member`, or nothing.
    [[nodiscard]] std::optional<Members> object(std::string_view member) const {
        const json::value* value = find(member);
        if (value == nullptr) return std::nullopt;
        if (!value->is_object()) refuse(member, "must be an object");
        return Members(value->as_object(), fmt::format("{}: {}", where_, member));
    }
    /// The objects of the array under `member`, or nothing.
    [[nodiscard]] std::optional<std::vector<Members>> objects(std::string_view member) const {
        const json::value* value = find(member);
        if (value == nullptr) return std::nullopt;
        if (!value->is_array()) refuse(member, "must be an array");
        std::vector<Members> all;
        for (const json::value& element : value->as_array()) {
            if (!element.is_object()) refuse(member, "must hold objects");
            all.emplace_back(element.as_object(),
                             fmt::format("{}: {}[{}]", where_, member, all.size()));
        }
        return all;
    }
    [[nodiscard]] bool has(std::string_view member) const { return find(member) != nullptr; }

private:
    [[nodiscard]] const json::value* find(std::string_view member) const {
        const json::value* value = object_.if_contains(member);
        return value == nullptr || value->is_null() ? nullptr : value;
    }
    const json::object& object_;
    std::string where_;
};

ArgumentFace read_argument(const Members& members) {
    ArgumentFace face;
    members.read("name", face.name);
    if (face.name.empty()) members.refuse("name", "is missing");
    members.read("is", face.is);
    members.read("description", face.description);
    members.read("missing", face.missing_error);
    members.read("invalid", face.invalid_error);
    if (members.has("required")) {
        bool required = true;
        members.read("required", required);
        face.required = required;
    }
    return face;
}

ToolFace read_tool(const Members& members) {
    ToolFace face;
    members.read("tool", face.tool);
    if (face.tool.empty()) members.refuse("tool", "is missing");
    members.read("name", face.name);
    members.read("description", face.description);
    if (const auto arguments = members.objects("arguments")) {
        face.arguments.emplace();
        for (const Members& argument : *arguments)
            face.arguments->push_back(read_argument(argument));
    }
    return face;
}

void read_retention(const Members& members, std::string_view name, Retention& into) {
    if (const auto retention = members.object(name)) {
        retention->read("keep", into.keep, 1, 1000);
        retention->read("batch", into.batch, 1, 1000);
    }
}

/// A prompt file's text with the tools' names filled in.
std::string prompt(const std::map<std::string, std::string>& files, const Members& members,
                   std::string_view member, const std::vector<ToolFace>& tools) {
    std::string file;
    members.read(member, file);
    const auto found = files.find(file);
    if (found == files.end()) members.refuse(member, fmt::format("names no file: \"{}\"", file));
    std::string text(trim(replace_all(found->second, "\r\n", "\n")));
    for (const ToolFace& face : tools) {
        text =
            replace_all(text, "{{" + face.tool + "}}", face.name.empty() ? face.tool : face.name);
    }
    for (std::size_t open = text.find("{{"); open != std::string::npos;
         open = text.find("{{", open + 2)) {
        if (member == "task_prompt" && text.compare(open, 8, "{{task}}") == 0) continue;
        members.refuse(member, fmt::format("has a placeholder without meaning: {}",
                                           one_line(text.substr(open, 40))));
    }
    return text;
}

std::map<std::string, std::string> embedded(std::string_view profile) {
    std::map<std::string, std::string> files;
    for (const EmbeddedFile& file : embedded_files()) {
        if (file.profile == profile) files.emplace(file.name, file.text);
    }
    return files;
}

std::map<std::string, std::string> read_folder(const std::filesystem::path& folder) {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (!entry.is_regular_file()) continue;
        std::ifstream in(entry.path(), std::ios::binary);
        std::ostringstream text;
        text << in.rdbuf();
        if (!in) {
            throw Error(errc::bad_profile, fmt::format("{} cannot be read", text_of(entry.path())));
        }
        files.emplace(text_of(entry.path().filename()), std::move(text).str());
    }
    return files;
}

json::object tool_json(const ToolFace& face) {
    json::object tool{{"tool", face.tool}, {"name", face.name}, {"description", face.description}};
    if (!face.arguments) return tool;
    json::array arguments;
    for (const ArgumentFace& argument : *face.arguments) {
        json::object one{{"name", argument.name},
                         {"is", argument.is},
                         {"description", argument.description},
                         {"missing", argument.missing_error},
                         {"invalid", argument.invalid_error}};
        if (argument.required) one["required"] = *argument.required;
        arguments.emplace_back(std::move(one));
    }
    tool["arguments"] = std::move(arguments);
    return tool;
}

} // namespace

std::vector<std::string> profile_names() {
    std::set<std::string> names;
    for (const EmbeddedFile& file : embedded_files()) names.emplace(file.profile);
    return {names.begin(), names.end()};
}

Profile load_profile(const std::string& name_or_folder) {
    const auto built_in = embedded(name_or_folder);
    if (!built_in.empty()) return parse_profile(built_in, name_or_folder);
    const std::filesystem::path folder = path_of(name_or_folder);
    std::error_code error;
    if (!std::filesystem::is_regular_file(folder / profile_file, error)) {
        throw Error(errc::profile_not_found,
                    fmt::format("\"{}\" is neither a built-in profile ({}) nor a folder with {}",
                                name_or_folder, fmt::join(profile_names(), ", "), profile_file));
    }
    return parse_profile(read_folder(folder), name_or_folder);
}

Profile parse_profile(const std::map<std::string, std::string>& files, const std::string& where) {
    const std::string place = where + "/" + profile_file;
    const auto file = files.find(profile_file);
    if (file == files.end()) throw Error(errc::bad_profile, place + " is missing");
    std::string why;
    const auto value = parse_json(file->second, &why);
    if (!value) throw Error(errc::bad_profile, fmt::format("{} is not JSON: {}", place, why));
    if (!value->is_object()) throw Error(errc::bad_profile, place + " must hold an object");
    const Members members(value->as_object(), place);

    int version = 0;
    members.read("schema", version, 1, 1000);
    if (version == 0) members.refuse("schema", "is missing");
    if (version > schema) {
        members.refuse("schema",
                       fmt::format("is {}; this version reads up to {}", version, schema));
    }
    Profile profile;
    members.read("name", profile.name);
    if (profile.name.empty()) members.refuse("name", "is missing");
    members.read("description", profile.description);
    members.read("mode", profile.mode);
    if (profile.mode != "conversation") {
        members.refuse("mode",
                       fmt::format("is \"{}\"; this version has: conversation", profile.mode));
    }
    if (const auto tools = members.objects("tools")) {
        for (const Members& tool : *tools) profile.tools.push_back(read_tool(tool));
    }
    profile.system_prompt = prompt(files, members, "system_prompt", profile.tools);
    if (members.has("task_prompt")) {
        profile.task_prompt = prompt(files, members, "task_prompt", profile.tools);
        if (profile.task_prompt.find("{{task}}") == std::string::npos) {
            members.refuse("task_prompt", "has no {{task}} in it");
        }
    }
    members.read("model", profile.model);
    if (const auto sampling = members.object("sampling")) {
        sampling->read("temperature", profile.sampling.temperature, 0, 2);
        sampling->read("top_p", profile.sampling.top_p, 0, 1);
        sampling->read("top_k", profile.sampling.top_k, 0, 100000);
        sampling->read("presence_penalty", profile.sampling.presence_penalty, -2, 2);
        sampling->read("max_tokens", profile.sampling.max_tokens, 1, 10000000);
    }
    members.read("max_steps", profile.max_steps, 1, 1000000);
    int delay = 0;
    members.read("step_delay_ms", delay, 0, 600000);
    profile.step_delay = std::chrono::milliseconds(delay);
    std::string image = winio::to_string(profile.image);
    members.read("image", image);
    if (const auto size = winio::parse_picture_size(image))
        profile.image = *size;
    else
        members.refuse("image", R"(must be such as "1536x864", "1536x864!", "60%", "tokens:1024")");
    members.read("screenshot_first", profile.screenshot_first);
    read_retention(members, "screenshots", profile.screenshots);
    read_retention(members, "thinks", profile.thinks);
    return profile;
}

std::string to_json(const Profile& profile) {
    json::array tools;
    for (const ToolFace& face : profile.tools) tools.emplace_back(tool_json(face));
    json::object sampling;
    const auto put = [&](const char* name, const auto& value) {
        if (value) sampling[name] = *value;
    };
    put("temperature", profile.sampling.temperature);
    put("top_p", profile.sampling.top_p);
    put("top_k", profile.sampling.top_k);
    put("presence_penalty", profile.sampling.presence_penalty);
    put("max_tokens", profile.sampling.max_tokens);
    const auto retention = [](const Retention& r) {
        return json::object{{"keep", r.keep}, {"batch", r.batch}};
    };
    return to_text(json::object{{"schema", schema},
                                {"name", profile.name},
                                {"description", profile.description},
                                {"mode", profile.mode},
                                {"system_prompt", to_valid_utf8(profile.system_prompt)},
                                {"task_prompt", to_valid_utf8(profile.task_prompt)},
                                {"model", profile.model},
                                {"sampling", std::move(sampling)},
                                {"max_steps", profile.max_steps},
                                {"step_delay_ms", profile.step_delay.count()},
                                {"image", winio::to_string(profile.image)},
                                {"screenshot_first", profile.screenshot_first},
                                {"screenshots", retention(profile.screenshots)},
                                {"thinks", retention(profile.thinks)},
                                {"tools", std::move(tools)}});
}

} // namespace agent
