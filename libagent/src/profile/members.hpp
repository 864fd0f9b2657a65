// Reads members of a JSON object; errors name the member.
#pragma once

#include "base/nearest.hpp"
#include "eyehand/agent/error.hpp"
#include "json/json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace eyehand::agent {

/// A member that is absent or null leaves the target unchanged. Refers to the object.
class Members {
public:
    /// `code` is the code of errors.
    Members(const json::object& object, std::string where, errc code = errc::bad_profile)
        : object_(object), where_(std::move(where)), code_(code) {}

    [[noreturn]] void refuse(std::string_view member, std::string_view reason) const {
        throw Error(code_, fmt::format("{}: \"{}\" {}", where_, member, reason));
    }
    /// Refuses members with other names.
    void allow_only(std::initializer_list<std::string_view> known) const {
        const std::vector<std::string> names(known.begin(), known.end());
        for (const auto& [name, value] : object_) {
            const std::string given(name);
            if (std::ranges::find(names, given) != names.end()) continue;
            refuse(given, fmt::format("is unknown; known members: {}{}", fmt::join(names, ", "),
                                      did_you_mean(given, names)));
        }
    }
    void require(std::string_view member) const {
        if (!has(member)) refuse(member, "is missing");
    }

    void read(std::string_view member, std::string& into) const {
        if (const json::value* value = find(member)) {
            if (!value->is_string()) refuse(member, "must be a string");
            const json::string& text = value->as_string();
            into.assign(text.data(), text.size());
        }
    }
    /// Reads a required text.
    void read_required(std::string_view member, std::string& into) const {
        read(member, into);
        if (into.empty()) refuse(member, "is missing");
    }
    void read(std::string_view member, bool& into) const {
        if (const json::value* value = find(member)) {
            if (!value->is_bool()) refuse(member, "must be true or false");
            into = value->as_bool();
        }
    }
    void read(std::string_view member, std::optional<bool>& into) const {
        if (!has(member)) return;
        into.emplace();
        read(member, *into);
    }
    void read(std::string_view member, int& into, int min, int max) const {
        if (const json::value* value = find(member)) {
            if (!value->is_int64() || value->as_int64() < min || value->as_int64() > max) {
                refuse(member, fmt::format("must be a whole number from {} to {}", min, max));
            }
            into = static_cast<int>(value->as_int64());
        }
    }
    void read(std::string_view member, std::size_t& into, int min, int max) const {
        int number = static_cast<int>(into);
        read(member, number, min, max);
        into = static_cast<std::size_t>(number);
    }
    void read(std::string_view member, std::optional<int>& into, int min, int max) const {
        if (!has(member)) return;
        int number = 0;
        read(member, number, min, max);
        into = number;
    }
    void read(std::string_view member, std::optional<double>& into, double min, double max) const {
        if (const json::value* value = find(member)) {
            if (!value->is_number()) refuse(member, "must be a number");
            const double number = value->to_number<double>();
            // Written so that NaN is refused, too.
            if (!(number >= min && number <= max)) {
                refuse(member, fmt::format("must be from {} to {}", min, max));
            }
            into = number;
        }
    }
    void read(std::string_view member, std::vector<std::string>& into) const {
        const json::value* value = find(member);
        if (value == nullptr) return;
        if (!value->is_array()) refuse(member, "must be an array of strings");
        into.clear();
        for (const json::value& element : value->as_array()) {
            if (!element.is_string() || element.as_string().empty())
                refuse(member, "must contain only non-empty strings");
            into.emplace_back(element.as_string().data(), element.as_string().size());
        }
    }
    /// Returns one string or several, none of them empty; nothing if the member is absent.
    [[nodiscard]] std::vector<std::string> one_or_more(std::string_view member) const {
        std::vector<std::string> all;
        const json::value* value = find(member);
        if (value == nullptr) return all;
        if (value->is_string()) {
            read(member, all.emplace_back());
            if (all.back().empty()) refuse(member, "is empty");
            return all;
        }
        read(member, all);
        if (all.empty()) refuse(member, "is empty: leave it out, or list what it matches");
        return all;
    }
    /// Reads one of the words in `meanings`.
    template <class Enum>
    void read(std::string_view member, Enum& into,
              const std::vector<std::pair<std::string, Enum>>& meanings) const {
        std::string given;
        read(member, given);
        if (!has(member)) return;
        std::vector<std::string> words;
        for (const auto& [word, meaning] : meanings) {
            if (word == given) {
                into = meaning;
                return;
            }
            words.push_back(word);
        }
        refuse(member, fmt::format("is \"{}\"; allowed values: {}{}", given, fmt::join(words, ", "),
                                   did_you_mean(given, words)));
    }

    /// The value under `member`, or nullptr.
    [[nodiscard]] const json::value* value(std::string_view member) const { return find(member); }

    /// The object under `member`, or nothing.
    [[nodiscard]] std::optional<Members> object(std::string_view member) const {
        const json::value* value = find(member);
        if (value == nullptr) return std::nullopt;
        if (!value->is_object()) refuse(member, "must be an object");
        return Members(value->as_object(), fmt::format("{}: {}", where_, member), code_);
    }
    /// The objects of the array under `member`, or nothing.
    [[nodiscard]] std::optional<std::vector<Members>> objects(std::string_view member) const {
        const json::value* value = find(member);
        if (value == nullptr) return std::nullopt;
        if (!value->is_array()) refuse(member, "must be an array");
        std::vector<Members> all;
        for (const json::value& element : value->as_array()) {
            if (!element.is_object()) refuse(member, "must contain only objects");
            all.emplace_back(element.as_object(),
                             fmt::format("{}: {}[{}]", where_, member, all.size()), code_);
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
    errc code_;
};

} // namespace eyehand::agent
