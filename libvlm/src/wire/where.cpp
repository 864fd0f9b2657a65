#include "where.hpp"

#include "utf8.hpp"

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
    return excerpt(without_secret(std::string(text), secret), at_most);
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

} // namespace vlm::wire
