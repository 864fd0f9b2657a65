// The probe's test whether a server stops when a client disconnects.
#include "eyehand/vlm/probe.hpp"

#include "catch_error.hpp"
#include "llama_double.hpp"
#include "llama_server.hpp"
#include "server_answers.hpp"
#include "soon.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <future>

using namespace eyehand;
using namespace std::chrono_literals;
using test::LlamaDouble;
using vlm::errc;
using vlm::ServerInfo;
using vlm::Support;
using vlm::testing::Answer;
using vlm::testing::ChatServer;
using vlm::testing::completion;

namespace {

/// The server notices the disconnect at some time, which is long on a busy computer.
constexpr vlm::ProbeOptions patient{
    .disconnect = true, .disconnect_timeout = soon, .bypass_cache = true};
constexpr vlm::ProbeOptions impatient{
    .disconnect = true, .disconnect_timeout = 0ms, .bypass_cache = true};

ServerInfo probe(const LlamaDouble& server, const vlm::ProbeOptions& options) {
    return vlm::probe({.endpoint = server.url(), .timeout = soon}, "tiny-vl", options);
}

bool any_mentions(const std::vector<std::string>& notes, const std::string& words) {
    return std::any_of(notes.begin(), notes.end(), [&](const std::string& note) {
        return note.find(words) != std::string::npos;
    });
}

Answer answer_of(std::string_view body, int status = 200) {
    Answer answer;
    answer.body = body;
    answer.status = status;
    return answer;
}

} // namespace

TEST_CASE("disconnect: a server whose slot becomes idle stops") {
    const LlamaDouble server;
    const ServerInfo info = probe(server, patient);
    CHECK(info.stops_on_disconnect == Support::yes);
    CHECK(info.notes.empty());
    const auto chats = server.chats();
    REQUIRE(chats.size() == 1);
    const auto request = boost::json::parse(chats[0].body).as_object();
    CHECK(request.at("stream") == true);
    CHECK(request.at("max_tokens") == 128);
}

TEST_CASE("disconnect: a server whose slot continues does not stop") {
    const LlamaDouble server({.stops_on_disconnect = false});
    CHECK(probe(server, impatient).stops_on_disconnect == Support::no);
}

TEST_CASE("disconnect: a slot that already works on another request has stopped") {
    const LlamaDouble server({.new_request = true});
    CHECK(probe(server, patient).stops_on_disconnect == Support::yes);
}

TEST_CASE("disconnect: without /slots, the result is unknown, and no request is sent") {
    const auto [answer, words] = GENERATE(table<Answer, std::string>(
        {{answer_of(server_answers::llama_no_slots, 501), "Start it with `--slots`"},
         {answer_of(server_answers::llama_slots_2024), "does not report which slots"},
         {answer_of("<html>404 Not Found</html>", 404), "status 404"}}));
    const LlamaDouble server({.no_slots = answer});
    const ServerInfo info = probe(server, patient);
    CHECK(info.stops_on_disconnect == Support::unknown);
    CHECK(any_mentions(info.notes, words));
    CHECK(server.chats().empty());
}

TEST_CASE("disconnect: if the server works on another request, the result is unknown, and no "
          "request is sent") {
    const LlamaDouble server({.busy = true});
    const ServerInfo info = probe(server, patient);
    CHECK(info.stops_on_disconnect == Support::unknown);
    CHECK(any_mentions(info.notes, "works on another request"));
    CHECK(server.chats().empty());
}

TEST_CASE("disconnect: if the answer is complete before the disconnect, the result is unknown") {
    const LlamaDouble server({.complete_at_once = true});
    const ServerInfo info = probe(server, patient);
    CHECK(info.stops_on_disconnect == Support::unknown);
    CHECK(any_mentions(info.notes, "complete before the client disconnected"));
}

TEST_CASE("disconnect: if half of the answer exists, its end may have been the slot's") {
    const LlamaDouble server({.generated_tokens = 256});
    const ServerInfo info = probe(server, patient);
    CHECK(info.stops_on_disconnect == Support::unknown);
    CHECK(any_mentions(info.notes, "so fast"));
}

TEST_CASE("disconnect: a failed request leaves the result unknown") {
    ChatServer server;
    for (const Answer& answer :
         {answer_of(llama_server::models), answer_of(server_answers::llama_props),
          answer_of(R"([{"is_processing":false}])"), answer_of(llama_server::bad_history, 500)})
        server.enqueue(answer);
    const ServerInfo info = vlm::probe({.endpoint = server.url()}, "tiny-vl", patient);
    CHECK(info.stops_on_disconnect == Support::unknown);
    CHECK(any_mentions(info.notes, "could not be tested"));
}

TEST_CASE("disconnect: the slots of a router are those of the model, which is not loaded for it") {
    ChatServer server;
    for (const Answer& answer :
         {answer_of(server_answers::llama_router), answer_of(server_answers::llama_props),
          answer_of(server_answers::llama_no_slots, 501), answer_of(server_answers::llama_router)})
        server.enqueue(answer);
    (void)vlm::probe({.endpoint = server.url()}, "org/seer:Q4", patient);
    CHECK(server.requests().at(2).target == "/slots?model=org%2Fseer%3AQ4&autoload=false");

    const ServerInfo unloaded = vlm::probe({.endpoint = server.url()}, "org/reader:Q8", patient);
    CHECK(unloaded.stops_on_disconnect == Support::unknown);
    CHECK(any_mentions(unloaded.notes, "the model is not loaded"));
    CHECK(server.requests().size() == 4);
}

TEST_CASE("disconnect: other servers do not show whether they compute") {
    ChatServer server;
    server.enqueue(answer_of(server_answers::vllm_models));
    server.enqueue(answer_of(R"({"version":"0.11.0"})"));
    const ServerInfo info = vlm::probe({.endpoint = server.url()}, {}, patient);
    CHECK(info.stops_on_disconnect == Support::unknown);
    CHECK(any_mentions(info.notes, "vLLM does not show"));
    CHECK(server.requests().size() == 2);
}

TEST_CASE("disconnect: a stop request ends the test") {
    const LlamaDouble server({.silent = true});
    std::stop_source stop;
    auto probing = std::async(std::launch::async, [&] {
        return error_of([&] {
                   (void)vlm::probe({.endpoint = server.url()}, "tiny-vl", patient,
                                    stop.get_token());
               })
            .code();
    });
    REQUIRE(server.server().wait_for_requests(4, soon)); // models, props, slots, chat
    stop.request_stop();
    CHECK(probing.get() == errc::cancelled);
}

TEST_CASE("disconnect: each exchange is logged") {
    const LlamaDouble server;
    std::vector<std::string> logged;
    const vlm::ClientOptions client{.endpoint = server.url(),
                                    .timeout = soon,
                                    .on_exchange = [&](const vlm::Exchange& exchange) {
                                        logged.push_back(exchange.method + ' ' + exchange.error);
                                    }};
    (void)vlm::probe(client, "tiny-vl", patient);
    CHECK(logged.size() == server.server().requests().size());
    CHECK(any_mentions(logged, "POST the probe disconnected"));
}

// --- Cache ---------------------------------------------------------------------------------------

TEST_CASE("disconnect: a cached result without the test does not suppress the test") {
    const LlamaDouble server;
    CHECK(probe(server, {.bypass_cache = true}).stops_on_disconnect == Support::unknown);
    CHECK(server.count("/slots") == 0);
    const vlm::ProbeOptions test{.disconnect = true, .disconnect_timeout = soon};
    CHECK(probe(server, test).stops_on_disconnect == Support::yes);
    CHECK(probe(server, test).stops_on_disconnect == Support::yes);
    CHECK(probe(server, {}).stops_on_disconnect == Support::yes);
    CHECK(server.chats().size() == 1);
}

TEST_CASE("disconnect: a result that depends on the moment is not cached") {
    const LlamaDouble server({.busy = true});
    (void)probe(server, patient);
    const std::size_t before = server.count("/slots");
    (void)probe(server, {});
    CHECK(server.count("/props") == 1); // the other facts are cached
    (void)probe(server, {.disconnect = true});
    CHECK(server.count("/slots") == before + 1);
}

TEST_CASE("disconnect: that the server does not show its slots is cached") {
    const LlamaDouble server({.no_slots = answer_of(server_answers::llama_no_slots, 501)});
    (void)probe(server, patient);
    (void)probe(server, {.disconnect = true});
    CHECK(server.count("/slots") == 1);
}

namespace {

/// A llama-server without /slots, whose template does not show whether the model calls tools.
struct Undecided {
    ChatServer server;

    Undecided(const Answer& first_test, const Answer& second_test) {
        const std::string props = R"({"default_generation_settings":{"n_ctx":8192},
                                      "modalities":{"vision":true},"build_info":"b1"})";
        for (const Answer& test : {first_test, second_test}) {
            server.enqueue(answer_of(llama_server::models));
            server.enqueue(answer_of(props));
            server.enqueue(test);
        }
    }
    [[nodiscard]] ServerInfo probe(const vlm::ProbeOptions& options) const {
        return vlm::probe({.endpoint = server.url(), .timeout = soon}, "tiny-vl", options);
    }
};

} // namespace

TEST_CASE("disconnect: the test keeps the results of active tests") {
    const Undecided undecided(answer_of(completion("", "ready")),
                              answer_of(server_answers::llama_no_slots, 501));
    CHECK(undecided.probe({.active = true, .bypass_cache = true}).model.tools == Support::yes);
    CHECK(undecided.probe({.disconnect = true}).model.tools == Support::yes);
    CHECK(undecided.probe({.active = true, .disconnect = true}).model.tools == Support::yes);
    CHECK(undecided.server.requests().size() == 6);
}

TEST_CASE("disconnect: active tests keep the result of the test") {
    const Undecided undecided(answer_of(server_answers::llama_no_slots, 501),
                              answer_of(completion("", "ready")));
    (void)undecided.probe({.disconnect = true, .bypass_cache = true});
    CHECK(undecided.probe({.active = true}).model.tools == Support::yes);
    (void)undecided.probe({.active = true, .disconnect = true});
    CHECK(undecided.server.requests().size() == 6);
}
