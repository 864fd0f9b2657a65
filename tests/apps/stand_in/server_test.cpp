#include "server.hpp"

#include "catch.hpp"
#include "frames.hpp"
#include "profiles.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/detail/base64.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <thread>

using namespace stand_in;
using namespace stand_in_test;

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;

/// A stand-in on a real port, served by a thread.
class Running {
public:
    explicit Running(const std::string& script)
        : service_(parse_script(script)),
          server_("127.0.0.1", 0,
                  [this](std::string_view method, std::string_view target, std::string_view body) {
                      return service_.answer(method, target, body);
                  }),
          thread_([this] { server_.run(); }) {}
    ~Running() {
        server_.stop();
        thread_.join();
    }

    std::uint16_t port() const { return server_.port(); }

private:
    Service service_;
    Server server_;
    std::thread thread_;
};

/// One connection, kept open.
class Client {
public:
    explicit Client(std::uint16_t port) : stream_(context_) {
        stream_.connect({asio::ip::make_address("127.0.0.1"), port});
    }

    http::response<http::string_body> send(http::verb verb, const std::string& target,
                                           const std::string& body = "") {
        http::request<http::string_body> request{verb, target, 11};
        request.set(http::field::host, "127.0.0.1");
        request.body() = body;
        request.prepare_payload();
        http::write(stream_, request);
        http::response<http::string_body> response;
        http::read(stream_, buffer_, response);
        return response;
    }

    http::response<http::string_body> chat(const std::string& body) {
        return send(http::verb::post, "/v1/chat/completions", body);
    }

private:
    asio::io_context context_;
    beast::tcp_stream stream_;
    beast::flat_buffer buffer_;
};

std::string base64(const std::string& bytes) {
    std::string text(beast::detail::base64::encoded_size(bytes.size()), '\0');
    text.resize(beast::detail::base64::encode(text.data(), bytes.data(), bytes.size()));
    return text;
}

json::object request_with(const std::string& file, const std::string& type = "image/png") {
    const json::object image{
        {"type", "image_url"},
        {"image_url", json::object{{"url", "data:" + type + ";base64," + base64(file)}}}};
    return {
        {"model", "any"},
        {"tools", observer_tools()},
        {"messages", json::array{json::object{{"role", "user"}, {"content", json::array{image}}}}}};
}

json::value call_in(const http::response<http::string_body>& response) {
    return json::parse(response.body()).at("choices").at(0).at("message").at("tool_calls").at(0);
}

} // namespace

TEST_CASE("A request with a screenshot is answered with a click on a text in it") {
    const Running running(R"({"steps": [{"click": "Cancel"}]})");
    Client client(running.port());

    const auto response = client.chat(json::serialize(request_with(frame("06-save-dialog.png"))));

    REQUIRE(response.result_int() == 200);
    const json::value call = call_in(response);
    CHECK(call.at("function").at("name") == "click_element");
    const json::value arguments = json::parse(call.at("function").at("arguments").as_string());
    const json::array& box = arguments.at("box").as_array();
    const auto x = (box[0].as_int64() + box[2].as_int64()) / 2 * 1919 / 1000;
    const auto y = (box[1].as_int64() + box[3].as_int64()) / 2 * 1079 / 1000;
    CHECK((x > 548 && x < 643 && y > 366 && y < 387));
}

TEST_CASE("A screenshot may be JPEG or WebP") {
    const std::string png = frame("06-save-dialog.png");
    for (const auto& [type, file] :
         {std::pair{"image/jpeg", as_jpeg(png, 85)}, {"image/webp", as_webp(png, 80)}}) {
        INFO(type);
        const Running running(R"({"steps": [{"click": "Cancel"}]})");
        Client client(running.port());
        const auto response = client.chat(json::serialize(request_with(file, type)));
        REQUIRE(response.result_int() == 200);
        const json::value arguments =
            json::parse(call_in(response).at("function").at("arguments").as_string());
        const json::array& box = arguments.at("box").as_array();
        const auto x = (box[0].as_int64() + box[2].as_int64()) / 2 * 1919 / 1000;
        const auto y = (box[1].as_int64() + box[3].as_int64()) / 2 * 1079 / 1000;
        CHECK((x > 548 && x < 643 && y > 366 && y < 387));
    }
}

TEST_CASE("A repeated request gets the same answer and does not advance the script") {
    const Running running(R"({"steps": [{"type": "one"}, {"type": "two"}]})");
    Client client(running.port());
    json::object request = request_with(frame("02-notepad.png"));

    const auto first = client.chat(json::serialize(request));
    const auto again = client.chat(json::serialize(request));
    request["messages"].as_array().push_back(
        json::object{{"role", "assistant"}, {"content", "typed"}});
    const auto next = client.chat(json::serialize(request));

    CHECK(first.body() == again.body());
    CHECK(call_in(first).at("function").at("arguments") == R"({"text":"one"})");
    CHECK(call_in(next).at("function").at("arguments") == R"({"text":"two"})");
    CHECK(call_in(next).at("id") != call_in(first).at("id"));
}

TEST_CASE("A stream is sent as events") {
    const Running running(R"({"steps": [{"type": "one"}]})");
    Client client(running.port());
    json::object request = request_with(frame("02-notepad.png"));
    request["stream"] = true;

    const auto response = client.chat(json::serialize(request));

    CHECK(response[http::field::content_type] == "text/event-stream");
    CHECK_THAT(response.body(), ContainsSubstring("data: [DONE]\n\n"));
}

TEST_CASE("Health and models are served on the same connection") {
    const Running running(R"({"steps": [{"type": "one"}]})");
    Client client(running.port());
    CHECK(client.send(http::verb::get, "/health").result_int() == 200);
    const auto models = client.send(http::verb::get, "/v1/models");
    CHECK(json::parse(models.body()).at("data").at(0).at("id") == "eyehand-stand-in");
}

TEST_CASE("Errors are JSON with a message and a type") {
    const Running running(R"({"steps": [{"type": "one"}]})");
    Client client(running.port());

    const auto missing = client.send(http::verb::get, "/v2/anything");
    CHECK(missing.result_int() == 404);
    CHECK_THAT(missing.body(), ContainsSubstring("GET /v2/anything is not served here"));

    for (const std::string body : {"{", "{}", R"({"messages":[]})"}) {
        const auto refused = client.chat(body);
        CHECK(refused.result_int() == 400);
        const json::value error = json::parse(refused.body()).at("error");
        CHECK(error.at("type") == "invalid_request_error");
        CHECK_FALSE(error.at("message").as_string().empty());
    }

    const auto no_image = client.chat(json::serialize(request_with("not an image")));
    CHECK(no_image.result_int() == 400);
    CHECK_THAT(no_image.body(), ContainsSubstring("cannot be decoded"));
}

TEST_CASE("A port that is taken is an error") {
    const Running running(R"({"steps": [{"type": "one"}]})");
    CHECK_THROWS_AS(Server("127.0.0.1", running.port(), {}), std::system_error);
}
