#include "guard/mentions.hpp"

#include <algorithm>
#include <cstddef>

namespace eyehand::agent {
namespace {

constexpr std::string_view white_space = " \t\r\n\v\f";
constexpr std::string_view quotes = "\"'`";
constexpr std::string_view ends_of_words = " \t\r\n\v\f\"'`<>(){},;|&";
constexpr auto none = std::string_view::npos;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           static_cast<unsigned char>(c) >= 0x80;
}
bool is_part_of_host(char c) {
    return is_letter(c) || is_digit(c) || c == '-' || c == '_' || c == '.';
}

std::string_view take_until(std::string_view& text, std::string_view ends) {
    const std::size_t end = std::min(text.find_first_of(ends), text.size());
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(end);
    return part;
}

std::string with_slashes(std::string_view text) {
    std::string result(text);
    std::ranges::replace(result, '\\', '/');
    return result;
}

bool begins_with_drive(std::string_view text) {
    return text.size() >= 3 && is_letter(text[0]) && text[1] == ':' && text[2] == '/';
}

// ---- hosts --------------------------------------------------------------------------------------

/// "www.example.com", "example.com", "192.168.0.1", "localhost"; not "1.5".
bool looks_like_host(std::string_view word) {
    if (word == "localhost") return true;
    std::size_t labels = 0;
    std::size_t numbers = 0;
    bool ends_with_name = false;
    while (!word.empty()) {
        const std::string_view label = take_until(word, ".");
        if (label.empty()) return false;
        if (!word.empty()) word.remove_prefix(1);
        ++labels;
        if (std::ranges::all_of(label, is_digit)) ++numbers;
        ends_with_name = is_letter(label.front());
    }
    return (labels >= 2 && ends_with_name) || (labels == 4 && numbers == 4);
}

/// The host of what follows the two slashes of a URL; removes it with user name and port.
std::string_view take_authority(std::string_view& text) {
    std::string_view authority = take_until(text, "/?#");
    if (const auto user = authority.rfind('@'); user != none) authority.remove_prefix(user + 1);
    if (authority.starts_with('[')) return authority.substr(0, authority.find(']') + 1);
    return authority.substr(0, authority.find(':'));
}

class HostFinder {
public:
    std::vector<std::string> find(std::string_view text) {
        while (!text.empty()) {
            find_in_word(with_slashes(take_until(text, ends_of_words)));
            if (!text.empty()) text.remove_prefix(1);
        }
        return std::move(hosts_);
    }

private:
    void find_in_word(std::string_view word) {
        bool in_path = false; // "report.html" is not a host in "example.com/report.html"
        bool is_secret = false;
        while (!word.empty()) {
            if (word.starts_with("//")) {
                word.remove_prefix(std::min(word.find_first_not_of('/'), word.size()));
                const std::string_view host = take_authority(word);
                if (!is_secret) add(host); // "secret://name" names a secret
                in_path = true;
            } else if (is_part_of_host(word.front())) {
                const auto end = std::ranges::find_if_not(word, is_part_of_host);
                const std::string_view run(word.begin(), end);
                word.remove_prefix(run.size());
                is_secret = run == "secret";
                const std::string_view host = without_dots(run);
                if (!in_path && looks_like_host(host)) add(host);
            } else {
                in_path = in_path || word.front() == '/' || word.front() == '?';
                word.remove_prefix(1);
            }
        }
    }
    static std::string_view without_dots(std::string_view run) {
        while (run.ends_with('.')) run.remove_suffix(1); // also the end of a sentence
        while (run.starts_with('.')) run.remove_prefix(1);
        return run;
    }
    void add(std::string_view host) {
        host = without_dots(host);
        if (!host.empty()) hosts_.emplace_back(host);
    }

    std::vector<std::string> hosts_;
};

// ---- paths --------------------------------------------------------------------------------------

/// A path, or empty for anything else.
std::string path_in(std::string_view word) {
    std::string text = with_slashes(word);
    if (text.starts_with("file:")) {
        std::string_view rest = std::string_view(text).substr(std::string_view("file:").size());
        if (rest.starts_with("//")) {
            rest.remove_prefix(2);
            const std::string_view host = take_until(rest, "/");
            if (!host.empty() && host != "localhost")
                return path_form("//" + std::string(host) + std::string(rest));
        }
        if (rest.starts_with('/') && begins_with_drive(rest.substr(1))) rest.remove_prefix(1);
        return path_form(rest);
    }
    if (text.find("://") != none || text.find('/') == none) return {};
    // "--file=/etc/passwd", "host:/etc/passwd"
    const std::size_t first = text.find('/');
    if (first > 0 && (text[first - 1] == '=' || text[first - 1] == ':') && !begins_with_drive(text))
        text.erase(0, first);
    else if (const auto equals = text.find('='); equals < first)
        text.erase(0, equals + 1);
    return path_form(text);
}

/// "/etc/hosts", "~/notes", "../notes", "C:\notes", "\\server\notes"
bool begins_like_path(std::string_view line) {
    const std::string text = with_slashes(line.substr(0, 3));
    return text.starts_with('/') || text.starts_with("~/") || text.starts_with("./") ||
           text.starts_with("../") || begins_with_drive(text);
}

std::string_view trimmed(std::string_view text) {
    const auto begin = text.find_first_not_of(white_space);
    if (begin == none) return {};
    return text.substr(begin, text.find_last_not_of(white_space) - begin + 1);
}

} // namespace

std::vector<std::string> hosts_in(std::string_view text) { return HostFinder().find(text); }

std::vector<std::string> paths_in(std::string_view text) {
    std::vector<std::string> paths;
    const auto add = [&](std::string_view word) {
        std::string path = path_in(word);
        if (!path.empty()) paths.push_back(std::move(path));
    };
    for (std::string_view rest = text; !rest.empty();) {
        const std::string_view line = trimmed(take_until(rest, "\r\n"));
        if (!rest.empty()) rest.remove_prefix(1);
        if (begins_like_path(line) && line.find_first_of(white_space) != none) add(line);
    }
    while (!text.empty()) {
        if (quotes.find(text.front()) != none) {
            const std::string_view quote = text.substr(0, 1);
            text.remove_prefix(1);
            // Without an end, it is an apostrophe: the words after it count.
            if (text.find(quote) == none) continue;
            add(take_until(text, quote));
            text.remove_prefix(1);
            continue;
        }
        add(take_until(text, ends_of_words));
        if (!text.empty() && quotes.find(text.front()) == none) text.remove_prefix(1);
    }
    return paths;
}

std::string path_form(std::string_view path) {
    const std::string text = with_slashes(path);
    std::string_view rest = text;
    const bool has_drive = begins_with_drive(text);
    const bool is_absolute = has_drive || text.starts_with('/');
    const std::size_t fixed = has_drive || text.starts_with('~') ? 1 : 0;
    std::vector<std::string_view> parts;
    while (!rest.empty()) {
        const std::string_view part = take_until(rest, "/");
        if (!rest.empty()) rest.remove_prefix(1);
        if (part.empty() || part == ".") continue;
        const bool goes_up = part == ".." && parts.size() > fixed && parts.back() != "..";
        if (goes_up)
            parts.pop_back();
        else if (part != ".." || !is_absolute)
            parts.push_back(part);
    }
    std::string form;
    if (text.starts_with("//"))
        form = "//";
    else if (text.starts_with('/'))
        form = "/";
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (i > 0) form += '/';
        form += parts[i];
    }
    return form;
}

} // namespace eyehand::agent
