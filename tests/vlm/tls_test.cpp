#include "certificates.hpp"
#include "temp_folder.hpp"
#include "transport.hpp"

#include <cstdlib>

using namespace eyehand;
using namespace std::chrono_literals;
using certificates::Authority;
using certificates::self_signed;
using vlm::errc;
using vlm::http::Connection;
using vlm::http::Limits;
using vlm::testing::Answer;
using vlm::testing::ChatServer;
using namespace transport;

namespace {

const Authority& authority() {
    static const Authority ours; // shared, because making keys is slow under Wine
    return ours;
}

vlm::http::ConnectionOptions trusting(const test::TempFile& file) {
    vlm::http::ConnectionOptions options;
    options.ca_file = file.name();
    return options;
}

/// The error of a request to a server with this certificate, if the client trusts only the
/// authority.
vlm::Error refusal_of(const vlm::testing::TlsIdentity& identity,
                      const std::string& host = "127.0.0.1") {
    ChatServer server({.tls = identity});
    server.enqueue(text("never"));
    const test::TempFile ca(authority().pem());
    Connection connection(url_of(server, host), trusting(ca));
    const vlm::Error error = error_of([&] { post(connection); });
    CHECK(server.requests().empty()); // no request, and so no key, is sent to it
    return error;
}

} // namespace

TEST_CASE("tls: a server with a valid certificate gets two requests on one connection") {
    const test::TempFile ca(authority().pem());
    for (const std::string host : {"127.0.0.1", "localhost"}) {
        ChatServer server({.tls = authority().issue()});
        server.enqueue(text("1"));
        server.enqueue(text(std::string(300000, 'x')));
        Connection connection(url_of(server, host), trusting(ca));
        CHECK(post(connection).body == "1");
        CHECK(post(connection, std::string(300000, 'y')).body == std::string(300000, 'x'));
        CHECK(server.requests().at(1).body == std::string(300000, 'y'));
        CHECK(server.connections() == 1);
    }
}

TEST_CASE("tls: an expired certificate is rejected") {
    const vlm::Error error =
        refusal_of(authority().issue({.valid_from_days = -10, .valid_until_days = -2}));
    CHECK(error.code() == errc::untrusted);
    CHECK(mentions(error, "has expired"));
    CHECK(mentions(error, "127.0.0.1:"));
}

TEST_CASE("tls: a certificate that is not valid yet is rejected") {
    const vlm::Error error =
        refusal_of(authority().issue({.valid_from_days = 1, .valid_until_days = 10}));
    CHECK(error.code() == errc::untrusted);
    CHECK(mentions(error, "clock"));
}

TEST_CASE("tls: a certificate for another name is rejected, and the error lists its names") {
    const vlm::Error error = refusal_of(
        authority().issue({.names = {"DNS:api.example.com", "DNS:other.test"}}), "localhost");
    CHECK(error.code() == errc::untrusted);
    CHECK(mentions(error, "for another host (api.example.com, other.test)"));
}

TEST_CASE("tls: a certificate for another address, or for the digits as a name, is rejected") {
    for (const std::string name : {"IP:127.0.0.2", "DNS:127.0.0.1"}) {
        const vlm::Error error = refusal_of(authority().issue({.names = {name}}));
        CHECK(error.code() == errc::untrusted);
        CHECK(mentions(error, "for another host"));
    }
}

TEST_CASE("tls: a self-signed certificate is rejected with a remedy") {
    const vlm::Error error = refusal_of(self_signed());
    CHECK(error.code() == errc::untrusted);
    CHECK(mentions(error, "self-signed"));
    CHECK(mentions(error, "ca_file"));
}

TEST_CASE("tls: a self-signed certificate in ca_file is accepted") {
    const auto identity = self_signed();
    ChatServer server({.tls = identity});
    server.enqueue(text("ok"));
    const test::TempFile ca(identity.certificate_pem);
    Connection connection(url_of(server), trusting(ca));
    CHECK(post(connection).body == "ok");
}

#ifndef _WIN32
TEST_CASE("tls: authorities of the system's OpenSSL are trusted") {
    ChatServer server({.tls = authority().issue()});
    server.enqueue(text("ok"));
    const test::TempFile ca(authority().pem());
    ::setenv("SSL_CERT_FILE", ca.name().c_str(), 1);
    Connection connection(url_of(server));
    ::unsetenv("SSL_CERT_FILE");
    CHECK(post(connection).body == "ok");
}
#endif

TEST_CASE("tls: an unknown authority is rejected") {
    const vlm::Error error = refusal_of(Authority().issue());
    CHECK(error.code() == errc::untrusted);
    CHECK(mentions(error, "authority"));
    ChatServer server({.tls = authority().issue()});
    Connection connection(url_of(server)); // without a ca_file
    CHECK(error_of([&] { post(connection); }).code() == errc::untrusted);
}

TEST_CASE("tls: a rejected certificate is not retried") {
    ChatServer server({.tls = self_signed()});
    Connection connection(url_of(server));
    CHECK_THROWS_AS(post(connection), vlm::Error);
    CHECK(server.connections() == 1);
}

TEST_CASE("tls: an unusable CA file is an error before any request") {
    ChatServer server({.tls = self_signed()});
    vlm::http::ConnectionOptions missing;
    missing.ca_file = "/no/such/file.pem";
    const vlm::Error unreadable = error_of([&] { Connection(url_of(server), missing); });
    CHECK(unreadable.code() == errc::untrusted);
    CHECK(mentions(unreadable, "/no/such/file.pem cannot be read"));
    const test::TempFile rubbish("rubbish");
    CHECK(mentions(error_of([&] { Connection(url_of(server), trusting(rubbish)); }),
                   "contains no certificate"));
    CHECK(server.connections() == 0);
}

TEST_CASE("tls: https to an http server is an error with a remedy") {
    ChatServer server;
    vlm::http::Url url = url_of(server);
    url.scheme = "https";
    Connection connection(url);
    const vlm::Error error = error_of([&] { post(connection); });
    CHECK((error.code() == errc::bad_response || error.code() == errc::connection_lost));
    CHECK(mentions(error, "is it https and not http"));
}

TEST_CASE("tls: http to an https server is an error with a remedy") {
    ChatServer server({.tls = self_signed()});
    vlm::http::Url url = url_of(server);
    url.scheme = "http";
    Connection connection(url);
    const vlm::Error error = error_of([&] { post(connection); });
    CHECK((error.code() == errc::bad_response || error.code() == errc::connection_lost));
}

TEST_CASE("tls: a hanging handshake ends at the connect timeout") {
    DeafListener listener;
    vlm::http::Url url = listener.url();
    url.scheme = "https";
    Connection connection(url);
    Limits limits;
    limits.connect = 50ms;
    const vlm::Error error = error_of([&] { post(connection, "{}", limits); });
    CHECK(error.code() == errc::timeout);
    CHECK(mentions(error, "TLS handshake within 50 ms"));
}

TEST_CASE("tls: a stop request ends a hanging handshake") {
    DeafListener listener;
    vlm::http::Url url = listener.url();
    url.scheme = "https";
    Connection connection(url);
    std::stop_source stop;
    CHECK(interrupted([&] { post(connection, "{}", {}, stop.get_token()); },
                      [&] { stop.request_stop(); }) == errc::cancelled);
}

TEST_CASE("tls: a stop request while waiting and while reading closes the socket") {
    const test::TempFile ca(authority().pem());
    for (const bool in_the_body : {false, true}) {
        ChatServer server({.tls = authority().issue()});
        server.enqueue(in_the_body ? raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")
                                   : silent());
        Connection connection(url_of(server), trusting(ca));
        std::stop_source stop;
        CHECK(interrupted([&] { post(connection, "{}", {}, stop.get_token()); },
                          [&] {
                              CHECK(server.wait_for_requests(1, soon));
                              stop.request_stop();
                          }) == errc::cancelled);
        CHECK(server.wait_until_disconnected(soon));
    }
}

TEST_CASE("tls: an idle connection that the server closed is replaced") {
    const test::TempFile ca(authority().pem());
    ChatServer server({.tls = authority().issue()});
    Answer last = text("1");
    last.close = true;
    server.enqueue(last);
    server.enqueue(text("2"));
    Connection connection(url_of(server), trusting(ca));
    CHECK(post(connection).body == "1");
    CHECK(post(connection).body == "2");
    CHECK(server.connections() == 2);
}

TEST_CASE("tls: a kept connection that breaks during the next request is replaced once") {
    const test::TempFile ca(authority().pem());
    ChatServer server({.tls = authority().issue()});
    server.enqueue(text("1"));
    server.enqueue(reset());
    server.enqueue(text("2"));
    Connection connection(url_of(server), trusting(ca));
    CHECK(post(connection).body == "1");
    CHECK(post(connection).body == "2");
    CHECK(server.connections() == 2);
}

TEST_CASE("tls: bytes after an answer are not read as the next answer") {
    const test::TempFile ca(authority().pem());
    ChatServer server({.tls = authority().issue()});
    const vlm::testing::Gate all_is_sent;
    server.enqueue(parts({"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\no", "k",
                          "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong", all_is_sent}));
    server.enqueue(text("right"));
    Connection connection(url_of(server), trusting(ca));
    // The surplus is a separate TLS record, received together with the end of the body.
    std::string body;
    post(connection, "{}", {}, {}, [&](const vlm::http::Response&, std::string_view bytes) {
        body.append(bytes);
        CHECK(all_is_sent.wait_until_reached(1, soon));
    });
    CHECK(body == "ok");
    CHECK(post(connection).body == "right");
}

TEST_CASE("tls: a body without a length is complete only if the server ends the TLS session") {
    const test::TempFile ca(authority().pem());
    ChatServer server({.tls = authority().issue()});
    Answer whole = raw("HTTP/1.1 200 OK\r\n\r\nall of it");
    whole.close = true;
    server.enqueue(whole);
    Answer cut = parts({"HTTP/1.1 200 OK\r\n\r\nhalf of"});
    cut.reset = true;
    server.enqueue(cut);
    Connection connection(url_of(server), trusting(ca));
    CHECK(post(connection).body == "all of it");
    CHECK(error_of([&] { post(connection); }).code() == errc::connection_lost);
}

TEST_CASE("tls: a redirection from http to https on the same host is followed, not the reverse") {
    const test::TempFile ca(authority().pem());
    ChatServer secure({.tls = authority().issue()});
    ChatServer plain;
    const auto redirect_to = [](const ChatServer& server) {
        Answer answer;
        answer.status = 308;
        answer.headers = {{"Location", server.url() + "/v1"}};
        return answer;
    };
    plain.enqueue(redirect_to(secure));
    secure.enqueue(text("safe"));
    Connection upgraded(url_of(plain), trusting(ca));
    CHECK(post(upgraded).body == "safe");
    secure.enqueue(redirect_to(plain));
    Connection downgraded(url_of(secure), trusting(ca));
    CHECK(error_of([&] { post(downgraded); }).code() == errc::http_status);
    CHECK(plain.requests().size() == 1);
}
