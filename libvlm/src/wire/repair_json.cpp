#include "repair_json.hpp"

#include "json.hpp"
#include "utf8.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace eyehand::vlm::wire {
namespace {

namespace json = boost::json;

void note(std::vector<Repair>& repairs, Repair repair) {
    const auto at = std::lower_bound(repairs.begin(), repairs.end(), repair);
    if (at == repairs.end() || *at != repair) repairs.insert(at, repair);
}

bool is_json_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/// Copies almost valid JSON and repairs it. Tracks only strings and open brackets; the parser then
/// decides whether the result is JSON.
class JsonRepair {
public:
    explicit JsonRepair(std::string_view text) : text_(text) { out_.reserve(text.size() + 8); }

    /// Returns nothing if the text cannot be repaired.
    std::optional<RepairedJson> run() {
        while (at_ < text_.size()) {
            if (complete_ ? !skip_behind_the_end() : !copy_next()) return std::nullopt;
        }
        close();
        return RepairedJson{std::move(out_), std::move(repairs_)};
    }

private:
    bool copy_next() {
        const char c = text_[at_];
        if (c == '"') return copy_string();
        ++at_;
        if (c == '{' || c == '[') open_.push_back(c == '{' ? '}' : ']');
        if (c == '}' || c == ']') {
            if (open_.empty() || open_.back() != c) return false;
            open_.pop_back();
            drop_trailing_comma();
            complete_ = open_.empty();
        }
        out_ += c;
        return true;
    }

    bool copy_string() {
        const std::size_t begin = at_++;
        out_ += '"';
        while (at_ < text_.size()) {
            const char c = text_[at_++];
            if (c == '\\') {
                if (at_ == text_.size()) return false;
                out_ += c;
                out_ += text_[at_++];
            } else if (static_cast<unsigned char>(c) < 0x20) {
                append_escaped(c);
            } else {
                out_ += c;
                if (c == '"') return true;
            }
        }
        return close_string(text_.substr(begin));
    }

    /// Closes a string that is still open at the end of the text.
    bool close_string(std::string_view string) {
        if (open_.empty() || string.find_first_of("{}[]") != std::string_view::npos) return false;
        note(repairs_, Repair::unclosed);
        out_ += '"';
        return true;
    }

    void append_escaped(char c) {
        note(repairs_, Repair::control_character);
        constexpr std::string_view digits = "0123456789abcdef";
        const auto byte = static_cast<unsigned char>(c);
        if (c == '\n')
            out_ += "\\n";
        else if (c == '\r')
            out_ += "\\r";
        else if (c == '\t')
            out_ += "\\t";
        else
            (out_ += byte < 0x10 ? "\\u000" : "\\u001") += digits[byte % 16];
    }

    void drop_trailing_comma() {
        const std::size_t last = out_.find_last_not_of(" \t\r\n");
        if (last == std::string::npos || out_[last] != ',') return;
        // In "[,]" the comma follows no value.
        const std::size_t before = out_.find_last_not_of(" \t\r\n", last == 0 ? 0 : last - 1);
        if (before == std::string::npos || before == last || out_[before] == '[' ||
            out_[before] == '{' || out_[before] == ',')
            return;
        note(repairs_, Repair::trailing_comma);
        out_.erase(last, 1);
    }

    /// After the outermost bracket, only white space and surplus closing brackets are accepted.
    bool skip_behind_the_end() {
        const char c = text_[at_++];
        if (is_json_space(c)) return true;
        note(repairs_, Repair::surplus_bracket);
        return c == '}' || c == ']';
    }

    /// (A comma or colon at the end stays in front of the bracket, and the parser rejects it.)
    void close() {
        if (open_.empty()) return;
        note(repairs_, Repair::unclosed);
        while (!open_.empty()) {
            out_ += open_.back();
            open_.pop_back();
        }
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::string out_;
    std::string open_; // the missing closing brackets; the next one is last
    bool complete_ = false;
    std::vector<Repair> repairs_;
};

} // namespace

std::string_view to_string(Repair repair) {
    constexpr std::array<std::string_view, 5> words{
        "trailing comma", "raw control character in a string", "missing end", "surplus bracket",
        "JSON inside a string"};
    return words.at(static_cast<std::size_t>(repair));
}

std::optional<RepairedJson> repair_json(std::string_view text) {
    if (parse_json(text)) return RepairedJson{std::string(text), {}};
    std::optional<RepairedJson> repaired = JsonRepair(trimmed(text)).run();
    if (!repaired || !parse_json(repaired->text)) return std::nullopt;
    return repaired;
}

std::optional<RepairedObject> repair_object(std::string_view text) {
    std::optional<RepairedJson> outer = repair_json(text);
    if (!outer) return std::nullopt;
    json::value value = *parse_json(outer->text);
    if (const json::string* packed = value.if_string()) {
        std::optional<RepairedJson> inner = repair_json(*packed);
        if (!inner) return std::nullopt;
        value = *parse_json(inner->text);
        for (const Repair repair : inner->repairs) note(outer->repairs, repair);
        note(outer->repairs, Repair::unpacked);
        outer->text = std::move(inner->text);
    }
    json::object* object = value.if_object();
    if (!object) return std::nullopt;
    return RepairedObject{std::move(outer->text), std::move(*object), std::move(outer->repairs)};
}

} // namespace eyehand::vlm::wire
