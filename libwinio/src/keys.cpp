// One table contains all names of each key. Parsing, printing and the suggestion for a misspelled
// name use it.
#include "eyehand/winio/keys.hpp"

#include "eyehand/base/utf8.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace eyehand::winio {
namespace {

struct Name {
    std::string_view text; // lower case, without spaces, '_' and '-'
    Key key;
};

// The first name of a key is the one that is printed. The others are names on keyboards, and in
// browsers' KeyboardEvent.key, X11 and earlier agents.
constexpr std::array key_names{
    Name{"enter", NamedKey::enter},
    Name{"return", NamedKey::enter},
    Name{"tab", NamedKey::tab},
    Name{"escape", NamedKey::escape},
    Name{"esc", NamedKey::escape},
    Name{"windows", NamedKey::windows},
    Name{"win", NamedKey::windows},
    Name{"super", NamedKey::windows},
    Name{"meta", NamedKey::windows},
    Name{"cmd", NamedKey::windows},
    Name{"command", NamedKey::windows},
    Name{"lwin", NamedKey::windows},
    Name{"superl", NamedKey::windows},
    Name{"ctrl", NamedKey::ctrl},
    Name{"control", NamedKey::ctrl},
    Name{"lctrl", NamedKey::ctrl},
    Name{"ctrll", NamedKey::ctrl},
    Name{"controll", NamedKey::ctrl},
    Name{"alt", NamedKey::alt},
    Name{"option", NamedKey::alt},
    Name{"lalt", NamedKey::alt},
    Name{"altl", NamedKey::alt},
    Name{"shift", NamedKey::shift},
    Name{"lshift", NamedKey::shift},
    Name{"shiftl", NamedKey::shift},
    Name{"backspace", NamedKey::backspace},
    Name{"back", NamedKey::backspace},
    Name{"delete", NamedKey::del},
    Name{"del", NamedKey::del},
    Name{"space", NamedKey::space},
    Name{"spacebar", NamedKey::space},
    Name{"home", NamedKey::home},
    Name{"end", NamedKey::end},
    Name{"pageup", NamedKey::page_up},
    Name{"pgup", NamedKey::page_up},
    Name{"prior", NamedKey::page_up},
    Name{"pagedown", NamedKey::page_down},
    Name{"pgdown", NamedKey::page_down},
    Name{"pgdn", NamedKey::page_down},
    Name{"next", NamedKey::page_down},
    Name{"up", NamedKey::up},
    Name{"arrowup", NamedKey::up},
    Name{"uparrow", NamedKey::up},
    Name{"down", NamedKey::down},
    Name{"arrowdown", NamedKey::down},
    Name{"downarrow", NamedKey::down},
    Name{"left", NamedKey::left},
    Name{"arrowleft", NamedKey::left},
    Name{"leftarrow", NamedKey::left},
    Name{"right", NamedKey::right},
    Name{"arrowright", NamedKey::right},
    Name{"rightarrow", NamedKey::right},
    Name{"insert", NamedKey::insert},
    Name{"ins", NamedKey::insert},
    Name{"printscreen", NamedKey::print_screen},
    Name{"prtsc", NamedKey::print_screen},
    Name{"prtscn", NamedKey::print_screen},
    Name{"print", NamedKey::print_screen},
    Name{"pause", NamedKey::pause},
    Name{"break", NamedKey::pause},
    Name{"capslock", NamedKey::caps_lock},
    Name{"caps", NamedKey::caps_lock},
    Name{"numlock", NamedKey::num_lock},
    Name{"scrolllock", NamedKey::scroll_lock},
    Name{"menu", NamedKey::menu},
    Name{"apps", NamedKey::menu},
    Name{"contextmenu", NamedKey::menu},
    Name{"f1", NamedKey::f1},
    Name{"f2", NamedKey::f2},
    Name{"f3", NamedKey::f3},
    Name{"f4", NamedKey::f4},
    Name{"f5", NamedKey::f5},
    Name{"f6", NamedKey::f6},
    Name{"f7", NamedKey::f7},
    Name{"f8", NamedKey::f8},
    Name{"f9", NamedKey::f9},
    Name{"f10", NamedKey::f10},
    Name{"f11", NamedKey::f11},
    Name{"f12", NamedKey::f12},
    Name{"f13", NamedKey::f13},
    Name{"f14", NamedKey::f14},
    Name{"f15", NamedKey::f15},
    Name{"f16", NamedKey::f16},
    Name{"f17", NamedKey::f17},
    Name{"f18", NamedKey::f18},
    Name{"f19", NamedKey::f19},
    Name{"f20", NamedKey::f20},
    Name{"f21", NamedKey::f21},
    Name{"f22", NamedKey::f22},
    Name{"f23", NamedKey::f23},
    Name{"f24", NamedKey::f24},
    // Names of characters that are awkward to write; the characters are printed as themselves.
    Name{"plus", U'+'},
    Name{"minus", U'-'},
    Name{"comma", U','},
    Name{"period", U'.'},
    Name{"dot", U'.'},
    Name{"slash", U'/'},
    Name{"backslash", U'\\'},
    Name{"semicolon", U';'},
    Name{"equals", U'='},
    Name{"equal", U'='},
};

constexpr std::string_view whitespace = " \t\r\n";

std::string_view trimmed(std::string_view text) {
    const auto begin = text.find_first_not_of(whitespace);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(whitespace) - begin + 1);
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// "Page Up", "page_up" and "page-up" are the same name.
std::string folded(std::string_view name) {
    std::string result;
    for (const char c : name)
        if (c != ' ' && c != '_' && c != '-') result.push_back(lower(c));
    return result;
}

// The key for a text of exactly one character; empty for any other text.
std::optional<Key> single_character(std::string_view part) {
    if (part.empty()) return std::nullopt;
    const auto decoded = base::utf8::decode(part);
    if (!decoded.valid || decoded.length != part.size()) return std::nullopt;
    const char32_t scalar = decoded.scalar;
    if (scalar < U' ' || scalar == 0x7F) return std::nullopt;
    if (scalar >= U'A' && scalar <= U'Z') return Key{scalar - U'A' + U'a'};
    return Key{scalar};
}

std::optional<Key> find_key(std::string_view part) {
    if (const auto character = single_character(part)) return character;
    const std::string name = folded(part);
    const auto found = std::ranges::find(key_names, std::string_view(name), &Name::text);
    if (found == key_names.end()) return std::nullopt;
    return found->key;
}

bool is_modifier(const Key& key) {
    return key == Key{NamedKey::ctrl} || key == Key{NamedKey::alt} || key == Key{NamedKey::shift} ||
           key == Key{NamedKey::windows};
}

// Levenshtein distance, one row at a time.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t substituted = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({substituted, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row.back();
}

std::string_view nearest_name(std::string_view part) {
    // Avoids a quadratic search if a model writes a long text instead of a key.
    constexpr std::size_t longest = 32;
    const std::string name = folded(part.substr(0, longest));
    return std::ranges::min_element(
               key_names, {}, [&](const Name& candidate) { return distance(name, candidate.text); })
        ->text;
}

// Models also write "ctrl-c" and "ctrl c" for "ctrl+c".
std::optional<std::string> joined_by_plus(std::string_view part) {
    std::string joined;
    std::size_t parts = 0;
    for (std::size_t begin = 0; begin <= part.size();) {
        const auto end = std::min(part.find_first_of(" -_,", begin), part.size());
        const auto piece = part.substr(begin, end - begin);
        begin = end + 1;
        if (piece.empty()) continue;
        if (!find_key(piece)) return std::nullopt;
        if (parts++ > 0) joined += '+';
        joined += piece;
    }
    if (parts < 2) return std::nullopt;
    return joined;
}

std::string unknown_key(std::string_view part) {
    std::string text = "unknown key \"" + std::string(part) + "\"; ";
    if (const auto joined = joined_by_plus(part))
        return text + "join keys with \"+\": \"" + *joined + "\"";
    return text + "the nearest is \"" + std::string(nearest_name(part)) +
           "\" (a key is one character, f1 to f24 or a name such as enter, tab, escape, ctrl, alt, "
           "shift, windows, backspace, delete, space, home, end, pageup, pagedown, up, down, left, "
           "right; to enter text, type it instead)";
}

// Splits "ctrl++" into "ctrl" and "+": a plus at the start of a name is the plus key.
std::optional<std::vector<std::string_view>> split(std::string_view text, std::string& problem) {
    std::vector<std::string_view> parts;
    for (std::size_t at = 0;;) {
        at = std::min(text.find_first_not_of(whitespace, at), text.size());
        const std::size_t from = at < text.size() && text[at] == '+' ? at + 1 : at;
        const std::size_t joint = std::min(text.find('+', from), text.size());
        const auto part = trimmed(text.substr(at, joint - at));
        if (part.empty()) {
            problem = parts.empty() ? "the key is missing"
                                    : "a key is missing after the last \"+\" in \"" +
                                          std::string(text) + "\"";
            return std::nullopt;
        }
        if (part.size() > 1 && part.front() == '+') {
            problem = "a key is missing before \"" + std::string(part) + "\" in \"" +
                      std::string(text) + "\"";
            return std::nullopt;
        }
        parts.push_back(part);
        if (joint == text.size()) return parts;
        at = joint + 1;
    }
}

std::optional<KeyChord> parse(std::string_view text, std::string& problem) {
    if (text == " ") return KeyChord{{NamedKey::space}};
    const auto parts = split(text, problem);
    if (!parts) return std::nullopt;
    KeyChord chord;
    for (const auto part : *parts) {
        const auto key = find_key(part);
        if (!key) {
            problem = unknown_key(part);
            return std::nullopt;
        }
        if (std::ranges::find(chord.keys, *key) == chord.keys.end()) chord.keys.push_back(*key);
    }
    std::stable_partition(chord.keys.begin(), chord.keys.end(), is_modifier);
    return chord;
}

} // namespace

std::optional<KeyChord> parse_chord(std::string_view text, std::string* problem) {
    std::string why;
    auto chord = parse(text, why);
    if (problem != nullptr) *problem = std::move(why);
    return chord;
}

std::string to_string(const Key& key) {
    if (const auto* character = std::get_if<char32_t>(&key)) {
        std::string text;
        base::utf8::append(text, *character);
        return text;
    }
    const auto found = std::ranges::find(key_names, key, &Name::key);
    return found == key_names.end() ? "?" : std::string(found->text);
}

std::string to_string(const KeyChord& chord) {
    std::string text;
    for (const Key& key : chord.keys) {
        if (!text.empty()) text += '+';
        text += to_string(key);
    }
    return text;
}

} // namespace eyehand::winio
