#include "url.hpp"

#include "eyehand/vlm/error.hpp"

#include "../wire/utf8.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <stdexcept>

namespace eyehand::vlm::http {
namespace {

[[noreturn]] void refuse(const std::string& problem) {
    throw Error(errc::bad_url,
                "the endpoint " + problem +
                    "; it should look like http://localhost:1234/v1/chat/completions");
}

std::string in_quotes(std::string_view text) {
    std::string result = "\"";
    result += wire::excerpt(text, 200);
    result += '"';
    return result;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool is_host_character(char c) {
    return is_digit(c) || is_letter(c) || c == '-' || c == '.' || c == '_';
}

// Includes the dots of an embedded IPv4 address, and the percent sign and name of a zone.
bool is_ipv6_character(char c) { return is_host_character(c) || c == ':' || c == '%'; }

std::uint16_t parse_port(std::string_view text) {
    std::uint16_t port = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, port);
    if (error != std::errc{} || stop != end || port == 0)
        // Not quoted: in "http://name:pass/word@host" this is the beginning of a password.
        refuse("has a port that is not a number from 1 to 65535");
    return port;
}

void check_characters(std::string_view text) {
    if (text.empty()) refuse("is empty");
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte <= 0x20 || byte == 0x7F) refuse("contains a space or a control character");
        if (byte > 0x7F) refuse("contains a character outside ASCII");
    }
    if (text.find('#') != std::string_view::npos) refuse("has a fragment (\"#\")");
}

std::string scheme_of(std::string_view text, std::string_view authority) {
    std::string scheme = wire::ascii_lower(text);
    if (scheme != "http" && scheme != "https")
        refuse("has the scheme " + in_quotes(scheme) + ", but only http and https are supported" +
               (authority.empty() ? " and no host" : ""));
    return scheme;
}

/// "host", "host:port", "[v6]" or "[v6]:port" into `url`.
void parse_authority(std::string_view authority, Url& url) {
    std::optional<std::string_view> port;
    if (authority.starts_with('[')) {
        const std::size_t bracket = authority.find(']');
        if (bracket == std::string_view::npos) refuse("has a \"[\" without a \"]\"");
        const std::string_view address = authority.substr(1, bracket - 1);
        if (address.find(':') == std::string_view::npos ||
            !std::all_of(address.begin(), address.end(), is_ipv6_character))
            refuse("has " + in_quotes(address) + " in brackets, which is not an IPv6 address");
        url.host = wire::ascii_lower(address);
        const std::string_view rest = authority.substr(bracket + 1);
        if (!rest.empty() && !rest.starts_with(':')) refuse("has text after the \"]\"");
        if (!rest.empty()) port = rest.substr(1);
    } else {
        const std::size_t colon = authority.find(':');
        if (colon != authority.rfind(':'))
            refuse("has several colons; an IPv6 address belongs in brackets");
        const std::string_view host = authority.substr(0, colon);
        if (host.empty()) refuse("has no host");
        if (!std::all_of(host.begin(), host.end(), is_host_character))
            refuse("has the host " + in_quotes(host) + ", which is not a valid name");
        url.host = wire::ascii_lower(host);
        if (colon != std::string_view::npos) port = authority.substr(colon + 1);
    }
    url.port = port ? parse_port(*port) : std::uint16_t(url.scheme == "https" ? 443 : 80);
}

/// Whether the last segment of a base URL is a version, such as "v1" or "v1beta".
bool is_version(std::string_view segment) {
    return segment.size() >= 2 && segment[0] == 'v' && is_digit(segment[1]);
}

} // namespace

std::string Url::authority() const {
    const bool is_ipv6 = host.find(':') != std::string::npos;
    std::string result;
    if (is_ipv6) result += '[';
    result += host;
    if (is_ipv6) result += ']';
    if (port != (scheme == "https" ? 443 : 80)) result.append(":").append(std::to_string(port));
    return result;
}

std::string Url::text() const { return scheme + "://" + authority() + target(); }

std::string Url::shown() const { return scheme + "://" + authority() + path; }

Url parse_url(std::string_view text) {
    check_characters(text);
    const std::size_t separator = text.find("://");
    const std::string_view rest =
        separator == std::string_view::npos ? text : text.substr(separator + 3);
    const std::size_t end = rest.find_first_of("/?");
    const std::string_view authority = rest.substr(0, end);
    // Checked before the messages that quote the URL: the part before an "@" may be a password.
    if (authority.find('@') != std::string_view::npos)
        refuse("has a user name or password (\"@\"); an API key is given separately");
    if (separator == std::string_view::npos)
        refuse("has no scheme; did you mean http://" + wire::excerpt(authority, 200));

    Url url;
    url.scheme = scheme_of(text.substr(0, separator), authority);
    parse_authority(authority, url);
    if (end != std::string_view::npos) {
        const std::string_view target = rest.substr(end);
        const std::size_t question = target.find('?');
        url.path = target.substr(0, question);
        if (question != std::string_view::npos) url.query = target.substr(question);
    }
    if (url.path.empty()) url.path = "/";
    return url;
}

Url resolve_reference(const Url& base, std::string_view location) {
    location = location.substr(0, location.find('#'));
    const std::string origin = base.scheme + "://" + base.authority();
    const std::string reference(location);
    // "scheme://..." and not "/path?next=http://...".
    if (location.substr(0, location.find_first_of("/?")).ends_with(':')) return parse_url(location);
    if (location.empty()) return base;
    if (location.starts_with("//")) return parse_url(base.scheme + ':' + reference);
    if (location.starts_with('/')) return parse_url(origin + reference);
    if (location.starts_with('?')) return parse_url(origin + base.path + reference);
    return parse_url(origin + base.path.substr(0, base.path.rfind('/') + 1) + reference);
}

namespace {

std::optional<std::string> base_of(std::string_view path) {
    for (const Api api : {Api::chat_completions, Api::responses})
        if (path.ends_with(path_of(api)))
            return std::string(path.substr(0, path.size() - path_of(api).size()));
    return std::nullopt;
}

} // namespace

std::string_view path_of(Api api) {
    switch (api) {
    case Api::chat_completions:
        return "/chat/completions";
    case Api::responses:
        return "/responses";
    }
    throw std::invalid_argument("not a vlm::Api");
}

Url parse_endpoint(std::string_view text, Api api) {
    Url url = parse_url(text);
    std::string_view path = url.path;
    while (path.ends_with('/')) path.remove_suffix(1);
    const std::string_view last = path.substr(path.rfind('/') + 1);
    std::optional<std::string> base;
    if (path.empty())
        base = "/v1";
    else if (is_version(last) || last == "openai")
        base = path;
    else
        base = base_of(path);
    if (base) url.path = base->append(path_of(api));
    return url;
}

std::optional<std::string> base_path(const Url& url) { return base_of(url.path); }

Url models_url(const Url& url) {
    const auto base = base_path(url);
    if (!base)
        throw Error(errc::not_supported,
                    "the URL of the list of models cannot be derived from " + url.shown() +
                        "; use an endpoint that ends in /chat/completions or /responses");
    Url models = url;
    models.path = *base + "/models";
    return models;
}

} // namespace eyehand::vlm::http
