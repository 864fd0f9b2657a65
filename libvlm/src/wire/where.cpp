#include "where.hpp"

#include "utf8.hpp"
#include "vlm/digest.hpp"

#include <algorithm>

namespace vlm::wire {
namespace {

constexpr std::size_t shortest_secret = 8;

void replace_all(std::string& text, std::string_view what, std::string_view instead) {
    for (std::size_t at = text.find(what); at != std::string::npos;
         at = text.find(what, at + instead.size()))
        text.replace(at, what.size(), instead);
}

} // namespace

std::string Where::quote(std::string_view text, std::size_t at_most) const {
    return excerpt(without_secret(without_data_urls(text), secret), at_most);
}

std::string without_secret(std::string text, const std::string& secret) {
    if (secret.size() < shortest_secret) return text;
    constexpr std::string_view instead = "[API key]";
    replace_all(text, secret, instead);
    std::string escaped = secret; // as some servers print it in JSON
    replace_all(escaped, "/", "\\/");
    if (escaped != secret) replace_all(text, escaped, instead);
    return text;
}

std::string without_data_urls(std::string_view text) {
    constexpr std::string_view marker = ";base64,";
    // "/" may be escaped, so a backslash belongs to the data, too.
    constexpr std::string_view alphabet =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=-_\\";
    std::string rest;
    while (true) {
        const std::size_t found = text.find(marker);
        if (found == std::string_view::npos) break;
        const std::size_t begin = found + marker.size();
        const std::size_t end = std::min(text.find_first_not_of(alphabet, begin), text.size());
        const std::string_view data = text.substr(begin, end - begin);
        rest += text.substr(0, begin);
        rest += "[" + std::to_string(data.size()) + " characters, sha256:" + sha256_hex(data) + "]";
        text.remove_prefix(end);
    }
    return rest += text;
}

} // namespace vlm::wire
