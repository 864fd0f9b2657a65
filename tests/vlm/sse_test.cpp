#include "wire/sse.hpp"

#include "catch_error.hpp"
#include "stream_data.hpp"

using namespace eyehand;
using stream_data::events_of;
using vlm::wire::EventParser;
using vlm::wire::ServerEvent;

namespace {

using Ending = ServerEvent::Ending;

std::vector<ServerEvent> events(std::string_view bytes) { return events_of(bytes, bytes.size()); }

std::vector<std::string> data(std::string_view bytes) {
    std::vector<std::string> texts;
    for (const ServerEvent& event : events(bytes)) texts.push_back(event.data);
    return texts;
}

using Texts = std::vector<std::string>;

} // namespace

TEST_CASE("a line of an event stream ends in CR, LF or CRLF, also mixed") {
    for (const std::string_view stream :
         {"data: a\n\ndata: b\n\n", "data: a\r\rdata: b\r\r", "data: a\r\n\r\ndata: b\r\n\r\n",
          "data: a\r\n\ndata: b\n\r\n", "data: a\r\r\ndata: b\n\r"}) {
        CAPTURE(stream);
        CHECK(data(stream) == Texts{"a", "b"});
    }
}

TEST_CASE("CR LF is one line break, not a line and a blank line") {
    CHECK(data("data: a\r\ndata: b\r\n\r\n") == Texts{"a\nb"});
    CHECK(data("data: a\rdata: b\r\r") == Texts{"a\nb"});
}

TEST_CASE("an event stream may be split anywhere") {
    const std::string stream = "\xEF\xBB\xBF"
                               ": ping\r\n\r\nevent: error\r\ndata: \xC5\xBC\r\ndata:b\r\n\r\n"
                               "data: x\n\ndata: [DONE]\r\rdata: last";
    const std::vector<ServerEvent> whole = events(stream);
    CHECK(whole == std::vector<ServerEvent>{{"error", "\xC5\xBC\nb", Ending::blank_line},
                                            {"", "x", Ending::blank_line},
                                            {"", "[DONE]", Ending::blank_line},
                                            {"", "last", Ending::end_of_stream}});
    for (std::size_t piece = 1; piece < stream.size(); ++piece) {
        CAPTURE(piece);
        CHECK(events_of(stream, piece) == whole);
    }
}

TEST_CASE("an event is delivered as soon as its blank line is complete, even if that ends in CR") {
    EventParser parser("http://h/", 100);
    int count = 0;
    const auto on_event = [&](const ServerEvent&) { ++count; };
    parser.feed("data: a\r\n\r", on_event);
    CHECK(count == 1);
    parser.feed("\ndata: b\n\n", on_event);
    CHECK(count == 2);
}

TEST_CASE("comments in an event stream are ignored") {
    CHECK(data(": ping\n\n:\n\n:ping\n\ndata: a\n: between\ndata: b\n\n") == Texts{"a\nb"});
}

TEST_CASE("several data lines are joined by line feeds, without one leading space each") {
    CHECK(data("data: a\ndata:b\ndata:  c\ndata:\ndata\n\n") == Texts{"a\nb\n c\n\n"});
}

TEST_CASE("an event has the name of its event line, and the next has none") {
    CHECK(events("event: error\ndata: a\n\ndata: b\n\n") ==
          std::vector<ServerEvent>{{"error", "a", Ending::blank_line},
                                   {"", "b", Ending::blank_line}});
}

TEST_CASE("an event without data is dropped, and its name is not inherited") {
    CHECK(events("event: ping\n\ndata: a\n\n") ==
          std::vector<ServerEvent>{{"", "a", Ending::blank_line}});
}

TEST_CASE("unknown fields of an event are ignored") {
    CHECK(data("id: 7\nretry: 5\nnonsense\ndata: a\nDATA: b\n\n") == Texts{"a"});
}

TEST_CASE("an error field of an older llama-server is an event of that name") {
    CHECK(events("error: {\"message\":\"m\"}\n\n") ==
          std::vector<ServerEvent>{{"error", "{\"message\":\"m\"}", Ending::blank_line}});
}

TEST_CASE("a byte order mark is skipped only at the beginning of the stream") {
    CHECK(data("\xEF\xBB\xBF"
               "data: a\n\n") == Texts{"a"});
    CHECK(data("data: a\n\n\xEF\xBB\xBF"
               "data: b\n\n") == Texts{"a"});
    CHECK(data("\xEF\xBB"
               "data: a\n\n")
              .empty());
    CHECK(data("\xEF\xBB").empty());
}

TEST_CASE("the end of the stream completes the last event and marks it") {
    CHECK(events("data: a\n") == std::vector<ServerEvent>{{"", "a", Ending::end_of_stream}});
    CHECK(events("data: a") == std::vector<ServerEvent>{{"", "a", Ending::end_of_stream}});
    CHECK(events("data: a\n\n") == std::vector<ServerEvent>{{"", "a", Ending::blank_line}});
    CHECK(events("").empty());
    CHECK(events("event: error").empty());
}

TEST_CASE("an event that is too large is rejected, and the events before it are delivered") {
    for (const std::string& large :
         {"data: " + std::string(100, 'x') + "\n\n", "data: " + std::string(100, 'x'),
          std::string(101, ':'), "event: " + std::string(100, 'x') + "\n",
          std::string(
              "data: 1234567890\ndata: 1234567890\ndata: 1234567890\ndata: 1234567890\n"
              "data: 1234567890\ndata: 1234567890\ndata: 1234567890\ndata: 1234567890\n")}) {
        for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, large.size() + 20}) {
            CAPTURE(large, piece);
            const std::string stream = "data: a\n\n" + large;
            EventParser parser("http://h/", 80);
            Texts seen;
            const vlm::Error error = error_of([&] {
                for (std::size_t at = 0; at < stream.size(); at += piece)
                    parser.feed(std::string_view(stream).substr(at, piece),
                                [&](const ServerEvent& event) { seen.push_back(event.data); });
            });
            CHECK(error.code() == vlm::errc::response_too_large);
            CHECK(mentions(error, "http://h/"));
            CHECK(mentions(error, "80 bytes"));
            CHECK(seen == Texts{"a"});
        }
    }
}

TEST_CASE("the limit applies to each event, not to their number") {
    std::string stream;
    for (int i = 0; i < 1000; ++i) stream += "data: 0123456789\n\n";
    CHECK(events_of(stream, 13, 20).size() == 1000);
}

TEST_CASE("llama-server: a recorded stream gives the same events however its bytes are split") {
    const std::string stream = stream_data::recorded("llama_server_text");
    const std::vector<ServerEvent> whole = events(stream);
    CHECK(whole.size() == 13);
    CHECK(whole.back().data == "[DONE]");
    for (const std::size_t piece : {1U, 2U, 3U, 64U, 1000U})
        CHECK(events_of(stream, piece) == whole);
}
