#include "where.hpp"

#include "eyehand/vlm/digest.hpp"
#include "utf8.hpp"

#include <algorithm>
#include <utility>

namespace eyehand::vlm::wire {
namespace {

constexpr std::size_t shortest_secret = 8;

std::string replaced(std::string text, std::string_view what, std::string_view instead) {
    std::size_t found = text.find(what);
    if (found == std::string::npos) return text;
    std::string result; // not in place, which is slow for many occurrences in a large body
    std::size_t at = 0;
    for (; found != std::string::npos; found = text.find(what, at)) {
        result.append(text, at, found - at).append(instead);
        at = found + what.size();
    }
    return result.append(text, at);
}

} // namespace

std::string Where::quote(std::string_view text, std::size_t max_bytes) const {
    return excerpt(without_secret(without_data_urls(text), secret), max_bytes);
}

std::string without_secret(std::string text, const std::string& secret) {
    if (secret.size() < shortest_secret) return text;
    constexpr std::string_view instead = "[API key]";
    text = replaced(std::move(text), secret, instead);
    const std::string escaped = replaced(secret, "/", "\\/"); // as some servers print it in JSON
    return escaped == secret ? text : replaced(std::move(text), escaped, instead);
}

std::string without_data_urls(std::string_view text) {
    constexpr std::string_view marker = ";base64,";
    // "/" may be escaped, so the data may contain backslashes.
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

} // namespace eyehand::vlm::wire
