#include "rescue_calls.hpp"

#include "eyehand/base/utf8.hpp"

#include "json.hpp"
#include "quotation.hpp"
#include "repair_json.hpp"
#include "thinking.hpp"
#include "utf8.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace eyehand::vlm::wire {
namespace {

namespace json = boost::json;

constexpr std::size_t not_found = std::string_view::npos;

// Several times the length of any model's text.
constexpr std::size_t max_text = std::size_t{256} << 10;
// Agents execute the first call, or a few. The search takes quadratic time in the worst case.
constexpr std::size_t max_recovered = 100;

/// One call and its position.
struct Found {
    std::string name;
    json::object arguments;
    std::vector<Repair> repairs;
    Span span;
};

std::size_t skip_space(std::string_view text, std::size_t at) {
    return std::min(text.find_first_not_of(" \t\r\n", at), text.size());
}

bool has_at(std::string_view text, std::size_t at, std::string_view what) {
    return text.substr(std::min(at, text.size())).starts_with(what);
}

const ToolSpec* tool_named(const std::vector<ToolSpec>& offered, std::string_view name) {
    const auto found = std::find_if(offered.begin(), offered.end(), [&](const ToolSpec& tool) {
        return !name.empty() && tool.name == name;
    });
    return found == offered.end() ? nullptr : &*found;
}

bool is_unclosed(const std::vector<Repair>& repairs) {
    return std::find(repairs.begin(), repairs.end(), Repair::unclosed) != repairs.end();
}

// --- Calls as JSON (forms 1, 3 and 4) ---------------------------------------------------------

/// Why a JSON object may be a call.
enum class Evidence {
    marked, ///< it has markers
    alone   ///< only because of its members, which must match exactly
};

/// The name of the tool, or empty.
std::string_view called_name(const json::object& object) {
    const bool two_names = object.contains("name") && object.contains("function");
    if (two_names) return {};
    return string_member(object, object.contains("name") ? "name" : "function");
}

/// Whether the object has no other members.
bool consists_of(const json::object& object, std::initializer_list<std::string_view> names) {
    return std::all_of(object.begin(), object.end(), [&](const auto& entry) {
        return std::find(names.begin(), names.end(), std::string_view(entry.key())) != names.end();
    });
}

std::optional<RepairedObject> decode_arguments(const json::value& value) {
    if (value.is_null()) return RepairedObject{};
    if (const json::object* object = value.if_object()) return RepairedObject{{}, *object, {}};
    const json::string* text = value.if_string();
    if (!text) return std::nullopt;
    if (trimmed(*text).empty()) return RepairedObject{};
    return repair_object(*text);
}

std::optional<Found> decode_call(std::string_view text, const std::vector<ToolSpec>& offered,
                                 Evidence evidence, Ending ending) {
    std::optional<RepairedObject> call = repair_object(text);
    if (!call) return std::nullopt;
    const json::object& object = call->value;
    const std::string_view name = called_name(object);
    if (!tool_named(offered, name)) return std::nullopt;
    const bool both = object.contains("arguments") && object.contains("parameters");
    const json::value* arguments =
        object.if_contains(object.contains("arguments") ? "arguments" : "parameters");
    if (both) return std::nullopt;
    if (evidence == Evidence::alone && (!arguments || object.size() != 2)) return std::nullopt;
    // {"name":"click","x":1}: the arguments are not where they belong.
    if (!arguments && !consists_of(object, {"name", "function", "id", "type"})) return std::nullopt;
    std::optional<RepairedObject> decoded =
        decode_arguments(arguments ? *arguments : json::value());
    if (!decoded) return std::nullopt;
    Found found{std::string(name), std::move(decoded->value), std::move(call->repairs), {}};
    found.repairs.insert(found.repairs.end(), decoded->repairs.begin(), decoded->repairs.end());
    if (ending == Ending::cut_off && is_unclosed(found.repairs)) return std::nullopt;
    return found;
}

/// The position after the bracket that closes the one at `at`, or not_found.
std::size_t behind_object(std::string_view text, std::size_t at) {
    std::size_t depth = 0;
    bool in_string = false;
    for (; at < text.size(); ++at) {
        const char c = text[at];
        if (in_string) {
            if (c == '\\')
                ++at;
            else if (c == '"')
                in_string = false;
        } else if (c == '"') {
            in_string = true;
        } else if (c == '{' || c == '[') {
            ++depth;
        } else if ((c == '}' || c == ']') && --depth == 0) {
            return at + 1;
        }
    }
    return not_found;
}

// --- Values as text (forms 2 and 5) -----------------------------------------------------------

/// The types of a tool's parameters, according to its schema.
class ParameterTypes {
public:
    explicit ParameterTypes(const ToolSpec& tool) : schema_(parse_json(tool.parameters_json)) {}

    enum class Type { unknown, string, other };

    [[nodiscard]] Type type_of(std::string_view name) const {
        const json::object* schema = schema_ ? schema_->if_object() : nullptr;
        const json::object* properties = schema ? object_member(*schema, "properties") : nullptr;
        const json::object* property = properties ? object_member(*properties, name) : nullptr;
        if (!property) return Type::unknown;
        return allows_string(*property) ? Type::string : Type::other;
    }

private:
    static bool allows_string(const json::object& property) {
        const json::value* type = member(property, "type");
        if (type && type->is_string()) return type->get_string() == "string";
        if (type && type->is_array()) return contains_string_type(type->get_array());
        for (const std::string_view choice : {"anyOf", "oneOf"})
            if (const json::value* list = member(property, choice); list && list->is_array())
                return std::any_of(list->get_array().begin(), list->get_array().end(),
                                   [](const json::value& value) {
                                       const json::object* object = value.if_object();
                                       return object && string_member(*object, "type") == "string";
                                   });
        const json::value* values = member(property, "enum");
        return values && values->is_array() && !values->get_array().empty() &&
               values->get_array().front().is_string();
    }

    static bool contains_string_type(const json::array& types) {
        return std::any_of(types.begin(), types.end(), [](const json::value& type) {
            return type.is_string() && type.get_string() == "string";
        });
    }

    std::optional<json::value> schema_;
};

/// The value of `text` as JSON; `text` itself if it is not JSON or is a JSON string.
json::value value_of(std::string_view text) {
    const std::optional<RepairedJson> repaired = repair_json(text);
    if (!repaired || is_unclosed(repaired->repairs)) return json::value(text);
    json::value value = *parse_json(repaired->text);
    return value.is_string() ? json::value(text) : value;
}

// --- Form 2: <function=NAME> ------------------------------------------------------------------

constexpr std::string_view function_tag = "<function=";
constexpr std::string_view end_function_tag = "</function>";
constexpr std::string_view parameter_tag = "<parameter=";
constexpr std::string_view end_parameter_tag = "</parameter>";

/// The value between a parameter's tags, without the line breaks next to the tags.
std::string_view parameter_value(std::string_view text) {
    for (const std::string_view line_break : {"\r\n", "\n"})
        if (text.starts_with(line_break)) {
            text.remove_prefix(line_break.size());
            break;
        }
    for (const std::string_view line_break : {"\r\n", "\n"})
        if (text.ends_with(line_break)) {
            text.remove_suffix(line_break.size());
            break;
        }
    return text;
}

/// The call whose function tag begins at `at`. Each parameter must be closed.
std::optional<Found> function_call(std::string_view text, std::size_t at,
                                   const std::vector<ToolSpec>& offered, Ending ending) {
    Found found;
    found.span.begin = at;
    const std::size_t name_end = text.find('>', at);
    if (name_end == not_found) return std::nullopt;
    const std::size_t name_begin = at + function_tag.size();
    found.name = trimmed(text.substr(name_begin, name_end - name_begin));
    const ToolSpec* tool = tool_named(offered, found.name);
    if (!tool) return std::nullopt;
    const ParameterTypes types(*tool);
    at = skip_space(text, name_end + 1);
    while (has_at(text, at, parameter_tag)) {
        const std::size_t key_begin = at + parameter_tag.size();
        const std::size_t key_end = text.find('>', key_begin);
        const std::size_t end = text.find(end_parameter_tag, key_begin);
        if (key_end == not_found || end == not_found || end < key_end) return std::nullopt;
        const std::string_view key = trimmed(text.substr(key_begin, key_end - key_begin));
        const std::string_view value = parameter_value(text.substr(key_end + 1, end - key_end - 1));
        if (key.empty()) return std::nullopt;
        // The closing tag is missing: the one found belongs to the next parameter.
        if (value.find(parameter_tag) != not_found || value.find(end_function_tag) != not_found)
            return std::nullopt;
        found.arguments[key] = types.type_of(key) == ParameterTypes::Type::string
                                   ? json::value(value)
                                   : value_of(value);
        at = skip_space(text, end + end_parameter_tag.size());
    }
    if (has_at(text, at, end_function_tag))
        at += end_function_tag.size();
    else if (ending == Ending::cut_off || (at < text.size() && !has_at(text, at, "</tool_call>")))
        return std::nullopt;
    found.span.end = at;
    return found;
}

// --- Forms 1 to 3: marked calls ---------------------------------------------------------------

struct Marker {
    std::string_view open;
    std::string_view close;
    std::string_view shown; // in notes
};

constexpr std::array<Marker, 3> markers{{{"<tool_call>", "</tool_call>", "<tool_call>"},
                                         {"[TOOL_REQUEST]", "[END_TOOL_REQUEST]", "[TOOL_REQUEST]"},
                                         {function_tag, "</tool_call>", "<function=...>"}}};

struct Marked {
    const Marker* marker = nullptr;
    std::size_t at = not_found;
};

Marked next_marker(std::string_view text, std::size_t from) {
    Marked next;
    for (const Marker& marker : markers)
        if (const std::size_t at = text.find(marker.open, from); at < next.at) next = {&marker, at};
    return next;
}

/// The markers of a text, in order. Searches for each kind again only after passing one, for the
/// sake of texts with very many markers of one kind.
class MarkersInOrder {
public:
    explicit MarkersInOrder(std::string_view text) : text_(text) {
        for (std::size_t i = 0; i < markers.size(); ++i) found_[i] = text.find(markers[i].open);
    }

    /// The first marker at or after `from`, which must not decrease between calls.
    Marked next(std::size_t from) {
        Marked next;
        for (std::size_t i = 0; i < markers.size(); ++i) {
            if (found_[i] < from) found_[i] = text_.find(markers[i].open, from);
            if (found_[i] < next.at) next = {&markers[i], found_[i]};
        }
        return next;
    }

private:
    std::string_view text_;
    std::array<std::size_t, markers.size()> found_{};
};

/// The call whose JSON object begins at `at`.
std::optional<Found> json_call(std::string_view text, std::size_t at, const Marker& marker,
                               const std::vector<ToolSpec>& offered, Ending ending) {
    // The object ends with its brackets; if these do not match, at the closing tag, the next call
    // or the end of the text.
    const auto call_until = [&](std::size_t end) {
        std::optional<Found> found =
            decode_call(text.substr(at, end - at), offered, Evidence::marked, ending);
        if (found) found->span = {at, end};
        return found;
    };
    const std::size_t by_brackets = behind_object(text, at);
    if (by_brackets != not_found)
        if (std::optional<Found> found = call_until(by_brackets)) return found;
    return call_until(
        std::min({text.find(marker.close, at), next_marker(text, at).at, text.size()}));
}

/// The position after a call's surplus brackets and closing tag.
std::size_t behind_close(std::string_view text, std::size_t at, const Marker& marker) {
    std::size_t close = skip_space(text, at);
    while (close < text.size() && (text[close] == '}' || text[close] == ']'))
        close = skip_space(text, close + 1);
    return has_at(text, close, marker.close) ? close + marker.close.size() : at;
}

struct Search {
    std::vector<Found> calls{};
    std::string form{};    // of the first call, for the notes
    bool unusable = false; // one of the calls cannot be used
    bool cut_call = false; // ... because the output limit cut it off
};

bool begins_call(std::string_view text, std::size_t at) {
    return has_at(text, at, "{") || has_at(text, at, function_tag);
}

bool is_cut_off(std::string_view text, std::size_t at) {
    return has_at(text, at, "{") ? behind_object(text, at) == not_found
                                 : text.find(end_function_tag, at) == not_found;
}

/// Adds the calls after one marker to `search`. Returns where to search for the next marker.
std::size_t add_calls_behind(const Marked& marked, std::string_view text,
                             const std::vector<ToolSpec>& offered, Ending ending, Search& search) {
    const Marker& marker = *marked.marker;
    std::size_t begin = marked.at; // the opening tag belongs to the first call after it
    std::size_t body = begin;
    if (marker.open != function_tag) body = skip_space(text, begin + marker.open.size());
    if (body == text.size()) search.cut_call = ending == Ending::cut_off;
    while (begins_call(text, body)) {
        const bool is_function = has_at(text, body, function_tag);
        std::optional<Found> found = is_function ? function_call(text, body, offered, ending)
                                                 : json_call(text, body, marker, offered, ending);
        if (!found) {
            search.unusable = true;
            search.cut_call = ending == Ending::cut_off && is_cut_off(text, body);
            return text.size();
        }
        if (search.calls.empty())
            search.form = is_function ? "<function=...>" : std::string(marker.shown);
        const std::size_t end = behind_close(text, found->span.end, marker);
        const bool is_closed = end != found->span.end;
        found->span = {begin, end};
        search.calls.push_back(std::move(*found));
        if (search.calls.size() > max_recovered) {
            search.unusable = true;
            return text.size();
        }
        begin = end;
        body = is_closed ? text.size() : skip_space(text, end); // several calls in one pair of tags
    }
    return std::max(begin, marked.at + marker.open.size());
}

Search marked_calls(std::string_view text, const std::vector<ToolSpec>& offered, Ending ending) {
    Search search;
    std::size_t at = 0;
    MarkersInOrder in_order(text);
    QuotationReader quotations(text);
    for (Marked next = in_order.next(at); next.marker; next = in_order.next(at)) {
        if (quotations.is_quoted(next.at)) {
            at = next.at + next.marker->open.size();
            continue;
        }
        const std::size_t calls_before = search.calls.size();
        at = add_calls_behind(next, text, offered, ending, search);
        if (search.calls.size() > calls_before) quotations.skip_to(at);
    }
    return search;
}

// --- Form 4: JSON alone -----------------------------------------------------------------------

std::optional<Found> sole_object(std::string_view text, const std::vector<ToolSpec>& offered,
                                 Ending ending) {
    const std::string_view object = trimmed(text);
    if (!object.starts_with('{')) return std::nullopt;
    std::optional<Found> found = decode_call(object, offered, Evidence::alone, ending);
    const auto begin = static_cast<std::size_t>(object.data() - text.data());
    if (found) found->span = {begin, begin + object.size()};
    return found;
}

Search json_call_alone(std::string_view text, const std::vector<ToolSpec>& offered, Ending ending) {
    Search search;
    search.form = "JSON";
    if (std::optional<Found> sole = sole_object(text, offered, ending))
        search.calls.push_back(std::move(*sole));
    return search;
}

// --- Form 5: UI-TARS --------------------------------------------------------------------------

bool is_name_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::string_view name_at(std::string_view text, std::size_t at) {
    std::size_t end = at;
    while (end < text.size() && is_name_character(text[end])) ++end;
    return text.substr(at, end - at);
}

/// The number that `text` represents as JSON; nothing if it has other characters.
std::optional<json::value> number_of(std::string_view text) {
    std::optional<json::value> value = parse_json(trimmed(text));
    if (!value || !value->is_number()) return std::nullopt;
    return value;
}

std::string_view without(std::string_view text, std::string_view prefix, std::string_view suffix) {
    if (!text.starts_with(prefix) || !text.ends_with(suffix) ||
        text.size() < prefix.size() + suffix.size())
        return {};
    text.remove_prefix(prefix.size());
    text.remove_suffix(suffix.size());
    return text;
}

/// [x,y] for a point in one of UI-TARS's three notations.
std::optional<json::value> point_of(std::string_view text) {
    text = trimmed(text);
    std::string_view pair = without(text, "<point>", "</point>");
    char between = ' ';
    if (pair.empty()) {
        if (const std::string_view box = without(text, "<|box_start|>", "<|box_end|>");
            !box.empty())
            text = trimmed(box);
        pair = without(text, "(", ")");
        between = ',';
    }
    pair = trimmed(pair);
    const std::size_t middle = pair.find(between);
    if (middle == not_found) return std::nullopt;
    std::optional<json::value> x = number_of(pair.substr(0, middle));
    std::optional<json::value> y = number_of(pair.substr(middle + 1));
    if (!x || !y) return std::nullopt;
    return json::value(json::array{std::move(*x), std::move(*y)});
}

/// The content of the quoted string at `at`, which moves to its end. The escapes are those in
/// UI-TARS's prompt: \' \" \n and the backslash itself; other backslashes are kept, as in C:\Users.
std::optional<std::string> quoted_at(std::string_view text, std::size_t& at) {
    const char quote = text[at++];
    std::string content;
    while (at < text.size()) {
        const char c = text[at++];
        if (c == quote) return content;
        if (c != '\\' || at == text.size()) {
            content += c;
            continue;
        }
        const char escaped = text[at++];
        if (escaped == 'n')
            content += '\n';
        else if (escaped == '\'' || escaped == '"' || escaped == '\\')
            content += escaped;
        else
            (content += '\\') += escaped;
    }
    return std::nullopt;
}

std::optional<json::value> action_value(std::string_view text, std::size_t& at,
                                        ParameterTypes::Type type) {
    if (at < text.size() && (text[at] == '\'' || text[at] == '"')) {
        const std::optional<std::string> content = quoted_at(text, at);
        if (!content) return std::nullopt;
        if (type == ParameterTypes::Type::string) return json::value(*content);
        if (std::optional<json::value> point = point_of(*content)) return point;
        return type == ParameterTypes::Type::other ? value_of(*content) : json::value(*content);
    }
    if (has_at(text, at, "(") || has_at(text, at, "<")) { // a point without quotes
        const std::string_view last = text[at] == '('          ? ")"
                                      : has_at(text, at, "<p") ? "</point>"
                                                               : "<|box_end|>";
        std::size_t end = text.find(last, at);
        if (end == not_found) return std::nullopt;
        end += last.size();
        std::optional<json::value> point = point_of(text.substr(at, end - at));
        at = end;
        return point;
    }
    const std::size_t end = text.find_first_of(",)\n", at);
    if (end == not_found) return std::nullopt;
    std::optional<json::value> word = parse_json(trimmed(text.substr(at, end - at)));
    if (!word || word->is_structured() || word->is_string()) return std::nullopt;
    at = end;
    return word;
}

/// The action at `at`: fn(k='v', ...), followed only by white space on its line.
std::optional<Found> action_at(std::string_view text, std::size_t at,
                               const std::vector<ToolSpec>& offered) {
    Found found;
    found.span.begin = at;
    found.name = name_at(text, at);
    const ToolSpec* tool = tool_named(offered, found.name);
    at += found.name.size();
    if (!tool || !has_at(text, at, "(")) return std::nullopt;
    const ParameterTypes types(*tool);
    at = skip_space(text, at + 1);
    while (!has_at(text, at, ")")) {
        const std::string_view key = name_at(text, at);
        at = skip_space(text, at + key.size());
        if (key.empty() || !has_at(text, at, "=")) return std::nullopt;
        at = skip_space(text, at + 1);
        std::optional<json::value> value = action_value(text, at, types.type_of(key));
        if (!value) return std::nullopt;
        found.arguments[key] = std::move(*value);
        at = skip_space(text, at);
        if (has_at(text, at, ","))
            at = skip_space(text, at + 1);
        else if (!has_at(text, at, ")"))
            return std::nullopt;
    }
    found.span.end = at + 1;
    const std::size_t next = std::min(text.find_first_not_of(" \t\r", at + 1), text.size());
    if (next < text.size() && text[next] != '\n') return std::nullopt;
    return found;
}

/// The next "Action:" at the beginning of a line and outside of quotations, or not_found.
std::size_t next_action(std::string_view text, std::size_t from, QuotationReader& quotations) {
    while ((from = text.find("Action:", from)) != not_found) {
        const bool begins_line = from == 0 || text[from - 1] == '\n';
        if (begins_line && !quotations.is_quoted(from)) return from;
        ++from;
    }
    return not_found;
}

Search action_calls(std::string_view text, const std::vector<ToolSpec>& offered, Ending ending) {
    constexpr std::size_t label = std::string_view("Action:").size();
    Search search;
    search.form = "Action:";
    QuotationReader quotations(text);
    std::size_t begin = next_action(text, 0, quotations);
    std::size_t at = begin == not_found ? not_found : skip_space(text, begin + label);
    while (begin != not_found) {
        std::optional<Found> found = action_at(text, at, offered);
        if (!found || search.calls.size() == max_recovered) {
            search.unusable = true;
            search.cut_call = ending == Ending::cut_off && text.find('\n', at) == not_found &&
                              tool_named(offered, name_at(text, at));
            break;
        }
        const std::size_t end = found->span.end;
        found->span.begin = begin;
        search.calls.push_back(std::move(*found));
        quotations.skip_to(end);
        // More actions may follow without a label.
        begin = at = skip_space(text, end);
        const std::string_view name = name_at(text, at);
        if (!name.empty() && has_at(text, at + name.size(), "(")) continue;
        begin = next_action(text, end, quotations);
        if (begin != not_found) at = skip_space(text, begin + label);
    }
    return search;
}

// --- The result -------------------------------------------------------------------------------

bool overlap(const Span& a, const Span& b) { return a.begin < b.end && b.begin < a.end; }

/// Replaces think blocks by spaces, so that positions do not change.
std::string masked(std::string_view text, const std::vector<Span>& thoughts) {
    std::string result(text);
    for (const Span& thought : thoughts)
        std::fill(result.begin() + static_cast<std::ptrdiff_t>(thought.begin),
                  result.begin() + static_cast<std::ptrdiff_t>(thought.end), ' ');
    return result;
}

/// Whether a think block interrupts one of the calls: masking has changed that one.
bool is_interrupted(const std::vector<Found>& calls, const std::vector<Span>& thoughts) {
    return std::any_of(calls.begin(), calls.end(), [&](const Found& call) {
        return std::any_of(thoughts.begin(), thoughts.end(),
                           [&](const Span& thought) { return overlap(thought, call.span); });
    });
}

/// Whether the calls follow each other and end the text.
bool end_the_text(std::string_view text, const std::vector<Found>& calls) {
    for (std::size_t i = 0; i < calls.size(); ++i) {
        const std::size_t next = i + 1 < calls.size() ? calls[i + 1].span.begin : text.size();
        if (skip_space(text, calls[i].span.end) < next) return false;
    }
    return true;
}

std::string without_calls(std::string_view text, const std::vector<Found>& calls) {
    std::string rest;
    std::size_t at = 0;
    for (const Found& call : calls) {
        rest += text.substr(at, call.span.begin - at);
        at = call.span.end;
    }
    rest += text.substr(at);
    return std::string(trimmed(rest));
}

std::vector<std::string> notes_on(const Search& search) {
    const std::size_t count = search.calls.size();
    std::vector<std::string> notes{"recovered " + std::to_string(count) + " tool call" +
                                   (count == 1 ? "" : "s") + " from the text (" + search.form +
                                   ")"};
    for (const Found& call : search.calls)
        for (const Repair repair : call.repairs) {
            std::string note =
                "repaired the JSON of a recovered call (" + std::string(to_string(repair)) + ")";
            if (std::find(notes.begin(), notes.end(), note) == notes.end())
                notes.push_back(std::move(note));
        }
    return notes;
}

// --- Calls in quotations ----------------------------------------------------------------------

/// Whether only marks and tags that close a quotation follow.
bool closes_quotations(std::string_view rest) {
    constexpr std::string_view closing_bytes =
        " \t\r\n`~\"'*_>)].\xE2\x80\x98\x99\x9C\x9D\xC2\xBB\xAB"
        "\xBA\xE3\x8D\x8F";
    while (!rest.empty()) {
        rest.remove_prefix(std::min(rest.find_first_not_of(closing_bytes), rest.size()));
        if (!rest.starts_with("</")) return rest.empty();
        rest.remove_prefix(std::min(rest.find('>'), rest.size()));
    }
    return true;
}

/// Whether the text ends with a call that would be one without the quotation around it.
bool ends_with_quoted_call(std::string_view text, const std::vector<ToolSpec>& offered) {
    constexpr std::string_view fence = "```json";
    constexpr Ending ending = Ending::as_the_model_ended;
    Marked last{nullptr, 0};
    for (const Marker& marker : markers)
        if (const std::size_t at = text.rfind(marker.open); at != not_found && at >= last.at)
            last = {&marker, at};
    if (last.marker) {
        Search search;
        (void)add_calls_behind(last, text, offered, ending, search);
        return !search.calls.empty() &&
               closes_quotations(text.substr(search.calls.back().span.end));
    }
    const std::size_t open = text.rfind(fence);
    if (open == not_found) return false;
    const std::size_t body = open + fence.size();
    const std::size_t end = std::min(text.find("```", body), text.size());
    return decode_call(text.substr(body, end - body), offered, Evidence::alone, ending) &&
           closes_quotations(text.substr(end));
}

} // namespace

Rescue rescue_calls(std::string_view text, const std::vector<ToolSpec>& offered, Ending ending) {
    Rescue rescue;
    rescue.text = text;
    if (offered.empty() || text.size() > max_text || base::utf8::first_invalid(text)) return rescue;
    const std::vector<Span> thoughts = thinking(text);
    const std::string visible = masked(text, thoughts);
    for (const auto search_for : {marked_calls, json_call_alone, action_calls}) {
        Search search = search_for(visible, offered, ending);
        rescue.cut_call = search.cut_call;
        if (search.calls.empty() && !search.unusable && !search.cut_call) continue;
        if (search.unusable || search.cut_call || is_interrupted(search.calls, thoughts) ||
            !end_the_text(visible, search.calls)) {
            rescue.ignored_call = IgnoredCall::unclear;
            return rescue;
        }
        rescue.notes = notes_on(search);
        rescue.text = without_calls(text, search.calls);
        for (Found& call : search.calls)
            rescue.calls.push_back({.name = std::move(call.name),
                                    .arguments_json = json::serialize(call.arguments),
                                    .provenance = Provenance::text});
        return rescue;
    }
    if (ends_with_quoted_call(visible, offered)) rescue.ignored_call = IgnoredCall::quoted;
    return rescue;
}

} // namespace eyehand::vlm::wire
