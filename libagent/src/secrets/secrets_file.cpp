// The file that names the sources of secrets.
#include "eyehand/agent/secrets.hpp"

#include "base/path_text.hpp"
#include "eyehand/winio/gesture.hpp"
#include "profile/members.hpp"
#include "profile/settings_file.hpp"

#include <fmt/format.h>

#include <fstream>
#include <utility>
#include <vector>

namespace eyehand::agent {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_value_bytes = 4096;

/// Nothing if the file cannot be read or is too long.
std::optional<std::string> value_of_file(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::string text(max_value_bytes + 1, '\0');
    if (in) in.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (!in.is_open() || in.bad() || in.gcount() > static_cast<std::streamsize>(max_value_bytes))
        return std::nullopt;
    text.resize(static_cast<std::size_t>(in.gcount()));
    if (text.ends_with('\n')) text.pop_back();
    if (text.ends_with('\r')) text.pop_back();
    return text;
}

bool is_usable(const std::optional<std::string>& value) {
    return value && !value->empty() && winio::gesture::typing_problem(*value).empty();
}

/// `asks` is set if the user must be asked for the value.
Secret read_secret(const Members& members, const fs::path& folder, const SecretSources& sources,
                   bool& asks) {
    members.allow_only({"name", "environment", "file", "prompt", "process", "title", "comment"});
    Secret secret;
    members.read_required("name", secret.name);
    secret.processes = members.one_or_more("process");
    secret.titles = members.one_or_more("title");
    std::string file;
    bool prompt = false;
    members.read("environment", secret.variable);
    members.read("file", file);
    members.read("prompt", prompt);
    if (int{!secret.variable.empty()} + int{!file.empty()} + int{prompt} != 1)
        members.refuse("name",
                       "needs one source of its value: \"environment\", \"file\" or \"prompt\"");
    if (!secret.variable.empty()) {
        secret.read = [read = sources.variable, variable = secret.variable] {
            return read ? read(variable) : std::optional<std::string>();
        };
        if (!is_usable(secret.read()))
            members.refuse("environment", fmt::format("is {}, which is not set, or whose value "
                                                      "cannot be typed",
                                                      secret.variable));
    } else if (!file.empty()) {
        const fs::path path = folder / path_of(file);
        secret.read = [path] { return value_of_file(path); };
        if (!secret.read())
            members.refuse(
                "file",
                fmt::format("is {}, which cannot be read or is larger than 4 KiB", text_of(path)));
    } else {
        if (!sources.ask) members.refuse("prompt", "cannot be used here: no user can be asked");
        asks = true;
    }
    return secret;
}

Secrets parse(std::string_view text, const std::string& where, const fs::path& folder,
              const SecretSources& sources) {
    const json::object object = parse_settings_file(text, where, errc::bad_secret);
    const Members members(object, where, errc::bad_secret);
    members.allow_only({"secrets", "comment"});
    const auto list = members.objects("secrets");
    if (!list) members.refuse("secrets", "is missing");
    std::vector<std::pair<Secret, bool>> all;
    Secrets checked; // the user is asked only if the complete file is valid
    for (const Members& one : *list) {
        bool asks = false;
        Secret secret = read_secret(one, folder, sources, asks);
        if (asks) secret.read = [] { return std::optional<std::string>(); };
        try {
            checked.add(secret);
        } catch (const Error& error) {
            one.refuse("name", fmt::format("is not valid: {}", error.what()));
        }
        all.emplace_back(std::move(secret), asks);
    }
    Secrets secrets;
    for (auto& [secret, asks] : all) {
        if (asks) {
            const std::optional<std::string> value = sources.ask(secret.name);
            if (!is_usable(value))
                members.refuse("secrets", fmt::format("contains {}, which has received no value",
                                                      secret.name));
            secret.read = [text = *value] { return std::optional(text); };
        }
        secrets.add(std::move(secret));
    }
    return secrets;
}

} // namespace

Secrets parse_secrets(std::string_view text, const std::string& where,
                      const SecretSources& sources) {
    return parse(text, where, {}, sources);
}

Secrets load_secrets(const fs::path& file, const SecretSources& sources) {
    return parse(read_settings_file(file, errc::bad_secret), text_of(file),
                 fs::absolute(file).parent_path(), sources);
}

} // namespace eyehand::agent
