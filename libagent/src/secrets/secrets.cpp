#include "eyehand/agent/secrets.hpp"

#include "base/nearest.hpp"
#include "eyehand/winio/gesture.hpp"
#include "guard/pattern.hpp"
#include "json/json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace eyehand::agent {
namespace {

constexpr std::string_view scheme = "secret://";

bool belongs_to_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
}

std::string reference(std::string_view name) { return fmt::format("{}{}", scheme, name); }

bool matches_any(const std::vector<std::string>& patterns, std::string_view text) {
    return patterns.empty() || std::ranges::any_of(patterns, [&](const std::string& pattern) {
               return matches_pattern(pattern, text);
           });
}

/// The document with the result of `change` for each string, names of members excluded.
template <class Change>
json::value changed(const json::value& value, const Change& change) {
    if (value.is_string()) return json::string(change(std::string_view(value.as_string())));
    if (value.is_array()) {
        json::array elements;
        for (const json::value& element : value.as_array())
            elements.push_back(changed(element, change));
        return elements;
    }
    if (value.is_object()) {
        json::object members;
        for (const auto& [name, member] : value.as_object())
            members[name] = changed(member, change);
        return members;
    }
    return value;
}

/// Nothing if there is no value that can be typed.
std::optional<std::string> value_of(const Secret& secret) {
    std::optional<std::string> value = secret.read();
    if (value && (value->empty() || !winio::gesture::typing_problem(*value).empty())) value.reset();
    return value;
}

} // namespace

void Secrets::add(Secret secret) {
    const auto refuse = [&](std::string_view reason) {
        throw Error(errc::bad_secret, fmt::format("the secret \"{}\" {}", secret.name, reason));
    };
    if (secret.name.empty() || !std::ranges::all_of(secret.name, belongs_to_name))
        refuse("needs a name of letters, digits, \"_\" and \"-\"");
    if (find(secret.name) != nullptr) refuse("exists already");
    if (!secret.read) refuse("has no value");
    secrets_.push_back(std::move(secret));
}

std::vector<std::string> Secrets::names() const {
    std::vector<std::string> all;
    for (const Secret& secret : secrets_) all.push_back(secret.name);
    return all;
}

std::vector<std::string> Secrets::variables() const {
    std::vector<std::string> all;
    for (const Secret& secret : secrets_)
        if (!secret.variable.empty()) all.push_back(secret.variable);
    return all;
}

std::string Secrets::instructions() const {
    if (secrets_.empty()) return {};
    std::vector<std::string> references;
    for (const Secret& secret : secrets_) references.push_back(reference(secret.name));
    return fmt::format(
        "\n\nThe user has secrets that you can type but not read: {}. To type one, "
        "write it exactly so in the text that you type; it is replaced by its value.",
        fmt::join(references, ", "));
}

const Secret* Secrets::find(std::string_view name) const {
    const auto found = std::ranges::find(secrets_, name, &Secret::name);
    return found == secrets_.end() ? nullptr : &*found;
}

std::string Secrets::unknown(std::string_view name) const {
    return fmt::format("There is no secret \"{}\"; the secrets are: {}{}", name,
                       fmt::join(names(), ", "), did_you_mean(std::string(name), names()));
}

RevealedText Secrets::reveal(std::string_view text) {
    RevealedText revealed;
    if (secrets_.empty()) {
        revealed.text = text;
        return revealed;
    }
    for (;;) {
        const std::size_t at = text.find(scheme);
        revealed.text += text.substr(0, at);
        if (at == std::string_view::npos) return revealed;
        text.remove_prefix(at + scheme.size());
        const auto end = std::ranges::find_if_not(text, belongs_to_name);
        const std::string name(text.begin(), end);
        text.remove_prefix(name.size());
        const Secret* secret = find(name);
        const std::optional<std::string> value =
            secret == nullptr ? std::nullopt : value_of(*secret);
        if (!value) {
            std::string problem =
                secret == nullptr
                    ? unknown(name)
                    : fmt::format(
                          "The secret \"{}\" has no value that can be typed. Tell the user.", name);
            return {.problem = std::move(problem)};
        }
        remember(name, *value);
        revealed.text += *value;
        revealed.secrets.push_back(name);
    }
}

void Secrets::read_all() {
    for (const Secret& secret : secrets_)
        if (const auto value = value_of(secret)) remember(secret.name, *value);
}

void Secrets::remember(const std::string& name, const std::string& text) {
    if (text.size() < min_redacted_bytes ||
        std::ranges::find(values_, text, &Value::text) != values_.end())
        return;
    // A value can contain another one.
    const auto shorter = std::ranges::find_if(
        values_, [&](const Value& value) { return value.text.size() < text.size(); });
    values_.insert(shorter, {name, text});
}

std::string Secrets::refusal(std::string_view name, std::string_view process,
                             std::string_view title) const {
    const Secret* secret = find(name);
    if (secret == nullptr) return unknown(name);
    if (matches_any(secret->processes, process) && matches_any(secret->titles, title)) return {};
    return fmt::format("the secret \"{}\" may not be typed into the window with the keyboard focus",
                       name);
}

std::string Secrets::redact(std::string_view text) const {
    std::string redacted;
    while (!text.empty()) {
        const auto found = std::ranges::find_if(
            values_, [&](const Value& value) { return text.starts_with(value.text); });
        if (found == values_.end()) {
            redacted += text.front();
            text.remove_prefix(1);
        } else {
            redacted += reference(found->name);
            text.remove_prefix(found->text.size());
        }
    }
    return redacted;
}

std::string Secrets::redact_json(std::string json_text) const {
    if (values_.empty()) return json_text;
    const auto document = parse_json(json_text);
    if (!document)
        return R"({"ok":false,"error":{"type":"secret","message":"The result is not valid JSON."}})";
    bool found = false;
    const json::value redacted = changed(*document, [&](std::string_view text) {
        std::string result = redact(text);
        found = found || result != text;
        return result;
    });
    return found ? to_text(redacted) : json_text;
}

} // namespace eyehand::agent
