// An application that uses Eyehand and, in the same program, its own Asio, Beast, Boost.JSON, fmt, zlib and OpenSSL.
//   application RUNS_FOLDER
#include "use_asio.hpp"
#include "use_eyehand.hpp"

#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/json.hpp>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <zlib.h>

#include <array>
#include <future>
#include <memory>
#include <string>
#include <vector>

namespace {

void use_beast() {
    namespace beast = boost::beast;
    namespace http = beast::http;
    using boost::asio::ip::tcp;
    boost::asio::io_context context;
    tcp::acceptor acceptor(context, {boost::asio::ip::address_v4::loopback(), 0});
    auto served = std::async(std::launch::async, [&] {
        tcp::socket socket = acceptor.accept();
        beast::flat_buffer buffer;
        http::request<http::string_body> request;
        http::read(socket, buffer, request);
        http::response<http::string_body> response(http::status::ok, 11);
        response.body() = "you asked for " + std::string(request.target());
        response.prepare_payload();
        response.keep_alive(false);
        http::write(socket, response);
    });
    beast::tcp_stream stream(context);
    stream.connect(acceptor.local_endpoint());
    http::request<http::empty_body> request(http::verb::get, "/page", 11);
    request.set(http::field::host, "localhost");
    http::write(stream, request);
    beast::flat_buffer buffer;
    http::response<http::string_body> response;
    http::read(stream, buffer, response);
    served.get();
    check(response.body() == "you asked for /page", "Beast: a client and a server exchange a page");
    beast::error_code ended;
    http::response<http::string_body> more;
    http::read(stream, buffer, more, ended);
    check(ended == http::error::end_of_stream,
          "Beast: the end of a stream is http::error::end_of_stream");
}

void use_json() {
    const boost::json::value value = boost::json::parse(R"({"a":[1,2.5,"x"]})");
    check(value.at("a").as_array().size() == 3 &&
              boost::json::serialize(value) == R"({"a":[1,2.5E0,"x"]})",
          "JSON: a document is parsed and written");
    bool caught = false;
    try {
        (void)boost::json::parse("{");
    } catch (const boost::system::system_error& error) {
        caught = error.code() == boost::json::error::incomplete;
    }
    check(caught, "JSON: a parse error is caught by its type");
}

void use_fmt() {
    check(fmt::format("{:>4}|{:.2f}|{:#x}", "ab", 2.5, 255) == "  ab|2.50|0xff", "fmt: formats");
    bool caught = false;
    try {
        (void)fmt::format(fmt::runtime("{:d}"), "text");
    } catch (const fmt::format_error&) {
        caught = true;
    }
    check(caught, "fmt: a wrong format is caught by its type");
}

void use_zlib() {
    const std::vector<Bytef> data(10000, 'x');
    std::vector<Bytef> compressed(compressBound(10000));
    uLongf size = static_cast<uLongf>(compressed.size());
    const bool good = compress(compressed.data(), &size, data.data(), 10000) == Z_OK;
    std::vector<Bytef> restored(10000);
    uLongf restored_size = 10000;
    check(good && size < 1000 &&
              uncompress(restored.data(), &restored_size, compressed.data(), size) == Z_OK &&
              restored == data,
          "zlib: data is compressed and restored");
}

void use_openssl() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned length = 0;
    check(EVP_Digest("abc", 3, digest.data(), &length, EVP_sha256(), nullptr) == 1 &&
              length == 32 && digest[0] == 0xba && digest[31] == 0xad, // FIPS 180-2, B.1
          "OpenSSL: SHA-256");
    const std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> context(SSL_CTX_new(TLS_client_method()),
                                                               SSL_CTX_free);
    check(context && SSL_CTX_set_min_proto_version(context.get(), TLS1_3_VERSION) == 1,
          "OpenSSL: a context for TLS 1.3");
}

void use_own_libraries() {
    use_asio();
    use_beast();
    use_json();
    use_fmt();
    use_zlib();
    use_openssl();
}

} // namespace

int main(int argc, char** argv) {
    use_own_libraries();
    {
        // Both copies of Asio run at the same time.
        boost::asio::io_context context;
        auto work = boost::asio::make_work_guard(context);
        std::thread runner([&] { context.run(); });
        use_eyehand(argc > 1 ? argv[1] : "runs");
        work.reset();
        runner.join();
    }
    use_own_libraries();
    return failures == 0 ? 0 : 1;
}
