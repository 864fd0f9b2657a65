#include "http/url.hpp"

#include "catch_error.hpp"

using namespace eyehand;
using vlm::errc;
using vlm::http::models_url;
using vlm::http::parse_endpoint;
using vlm::http::parse_url;
using vlm::http::Url;

namespace {

std::string completed(std::string_view text) { return parse_endpoint(text).text(); }

std::string refusal(std::string_view text) {
    const vlm::Error error = error_of([&] { (void)parse_endpoint(text); });
    CHECK(error.code() == errc::bad_url);
    CHECK(mentions(error, "http://localhost:1234/v1/chat/completions"));
    return error.what();
}

} // namespace

TEST_CASE("a URL is parsed into its parts") {
    const Url url = parse_url("HTTP://Example.COM:8080/a/b?x=1&y=2");
    CHECK(url.scheme == "http");
    CHECK(url.host == "example.com");
    CHECK(url.port == 8080);
    CHECK(url.path == "/a/b");
    CHECK(url.query == "?x=1&y=2");
    CHECK(url.target() == "/a/b?x=1&y=2");
    CHECK(url.authority() == "example.com:8080");
}

TEST_CASE("a URL without a port has its scheme's default, which is not printed") {
    CHECK(parse_url("http://h/").port == 80);
    CHECK(parse_url("https://h/").port == 443);
    CHECK(parse_url("https://h/").authority() == "h");
    CHECK(parse_url("http://h:443/").authority() == "h:443");
}

TEST_CASE("an IPv6 address has brackets") {
    const Url url = parse_url("http://[::1]:1234/v1");
    CHECK(url.host == "::1");
    CHECK(url.port == 1234);
    CHECK(url.authority() == "[::1]:1234");
    CHECK(parse_url("http://[fe80::1%eth0]").host == "fe80::1%eth0");
}

TEST_CASE("a query may follow the host directly") {
    const Url url = parse_url("http://h?x=1");
    CHECK(url.target() == "/?x=1");
}

TEST_CASE("a base endpoint is completed") {
    const std::string full = "http://host:1234/v1/chat/completions";
    CHECK(completed("http://host:1234") == full);
    CHECK(completed("http://host:1234/") == full);
    CHECK(completed("http://host:1234/v1") == full);
    CHECK(completed("http://host:1234/v1/") == full);
    CHECK(completed("http://host:1234/v1/chat/completions") == full);
    CHECK(completed("http://host:1234/v1/chat/completions/") == full);
}

TEST_CASE("a base below a path is completed") {
    CHECK(completed("http://h/api/v0") == "http://h/api/v0/chat/completions");
    CHECK(completed("http://h/v1beta/openai/") == "http://h/v1beta/openai/chat/completions");
}

TEST_CASE("a query is kept when a base is completed") {
    CHECK(completed("http://h/v1?api-version=3") == "http://h/v1/chat/completions?api-version=3");
    CHECK(completed("http://h/d/chat/completions?v=3") == "http://h/d/chat/completions?v=3");
}

TEST_CASE("any other path stays unchanged") {
    CHECK(completed("http://h/my/gateway") == "http://h/my/gateway");
}

TEST_CASE("the shown URL has no query") {
    CHECK(parse_endpoint("http://h/v1?key=secret").shown() == "http://h/v1/chat/completions");
}

TEST_CASE("the API completes an endpoint with its own path") {
    const auto responses = [](std::string_view text) {
        return parse_endpoint(text, vlm::Api::responses).text();
    };
    const std::string full = "http://host:1234/v1/responses";
    for (const char* text :
         {"http://host:1234", "http://host:1234/", "http://host:1234/v1", "http://host:1234/v1/",
          "http://host:1234/v1/responses", "http://host:1234/v1/responses/"})
        CHECK(responses(text) == full);
    CHECK(responses("https://h/openai?k=1") == "https://h/openai/responses?k=1");
    CHECK(responses("http://h/my/gateway") == "http://h/my/gateway");
}

TEST_CASE("the full URL of one API stands for that of the other one") {
    CHECK(parse_endpoint("http://h/llm/v1/chat/completions", vlm::Api::responses).text() ==
          "http://h/llm/v1/responses");
    CHECK(completed("http://h/llm/v1/responses") == "http://h/llm/v1/chat/completions");
}

TEST_CASE("the list of models is next to the API") {
    CHECK(models_url(parse_endpoint("http://h:1/v1")).text() == "http://h:1/v1/models");
    CHECK(models_url(parse_endpoint("http://h:1/v1", vlm::Api::responses)).text() ==
          "http://h:1/v1/models");
    const vlm::Error error =
        error_of([] { (void)models_url(parse_endpoint("http://h/my/gateway")); });
    CHECK(error.code() == errc::not_supported);
}

TEST_CASE("a missing scheme is an error with a suggestion") {
    CHECK_THAT(refusal("localhost:1234/v1"),
               ContainsSubstring("no scheme; did you mean http://localhost:1234"));
}

TEST_CASE("a scheme other than http is an error that names it") {
    CHECK_THAT(refusal("ftp://h/"), ContainsSubstring("\"ftp\""));
    CHECK_THAT(refusal("://h/"), ContainsSubstring("scheme"));
}

TEST_CASE("an invalid port is an error") {
    for (const std::string_view port : {"0", "65536", "99999999999", "12a", "", "-1", "+1"}) {
        CAPTURE(port);
        CHECK_THAT(refusal("http://h:" + std::string(port) + "/v1"), ContainsSubstring("port"));
    }
}

TEST_CASE("user name and password are rejected and not repeated") {
    for (const std::string_view url :
         {"http://user:pass1word@host/", "user:pass1word@host", "http://user:pass1word/x@host/"}) {
        CAPTURE(url);
        CHECK_THAT(refusal(url), !ContainsSubstring("pass1word"));
    }
    CHECK_THAT(refusal("http://user:pass1word@host/"), ContainsSubstring("password"));
}

TEST_CASE("spaces, control characters and letters outside ASCII are errors") {
    CHECK_THAT(refusal("http://h /"), ContainsSubstring("space"));
    CHECK_THAT(refusal(" http://h/"), ContainsSubstring("space"));
    CHECK_THAT(refusal("http://h/\r\nX: y"), ContainsSubstring("control character"));
    CHECK_THAT(refusal("http://h\xC3\xA9/"), ContainsSubstring("ASCII"));
}

TEST_CASE("a URL without a host is rejected") {
    CHECK_THAT(refusal(""), ContainsSubstring("empty"));
    CHECK_THAT(refusal("http://"), ContainsSubstring("no host"));
    CHECK_THAT(refusal("http:///v1"), ContainsSubstring("no host"));
    CHECK_THAT(refusal("http://:80/"), ContainsSubstring("no host"));
}

TEST_CASE("unbalanced brackets and bare IPv6 addresses are rejected") {
    CHECK_THAT(refusal("http://[::1/"), ContainsSubstring("]"));
    CHECK_THAT(refusal("http://[]/"), ContainsSubstring("IPv6"));
    CHECK_THAT(refusal("http://[localhost]/"), ContainsSubstring("IPv6"));
    CHECK_THAT(refusal("http://[::1]x/"), ContainsSubstring("after"));
    CHECK_THAT(refusal("http://::1/"), ContainsSubstring("brackets"));
}

TEST_CASE("invalid characters in a host, and fragments, are rejected") {
    CHECK_THAT(refusal("http://a<b>/"), ContainsSubstring("host"));
    CHECK_THAT(refusal("http://h/#x"), ContainsSubstring("fragment"));
}

TEST_CASE("url: a Location header is resolved") {
    const vlm::http::Url base = vlm::http::parse_url("http://h:8/a/b?c");
    const auto resolved = [&](std::string_view location) {
        return vlm::http::resolve_reference(base, location).text();
    };
    CHECK(resolved("https://x/y?z") == "https://x/y?z");
    CHECK(resolved("HTTP://X/y") == "http://x/y");
    CHECK(resolved("//x:9/y") == "http://x:9/y");
    CHECK(resolved("/y?z#f") == "http://h:8/y?z");
    CHECK(resolved("y") == "http://h:8/a/y");
    CHECK(resolved("?z") == "http://h:8/a/b?z");
    CHECK(resolved("/login?next=http://x/") == "http://h:8/login?next=http://x/");
    CHECK(resolved("") == "http://h:8/a/b?c");
    CHECK(error_of([&] { (void)resolved("ftp://x/"); }).code() == vlm::errc::bad_url);
    CHECK(error_of([&] { (void)resolved("http://user:secret@x/"); }).code() == vlm::errc::bad_url);
}
