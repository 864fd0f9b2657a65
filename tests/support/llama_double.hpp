// A stand-in for llama-server, on a real socket, whose /slots shows what its answers do.
#pragma once

#include "eyehand/vlm/testing/chat_server.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace test {

struct LlamaDoubleOptions {
    bool stops_on_disconnect = true;
    bool busy = false;             ///< a second slot works on another client's request
    bool new_request = false;      ///< after the disconnect, the slot works on another request
    bool complete_at_once = false; ///< the answer is complete before the client can disconnect
    bool silent = false;           ///< accepts chat requests and does not answer them
    int generated_tokens = 1;      ///< while the client is connected
    eyehand::vlm::testing::Answer no_slots{.status =
                                               0}; ///< the answer of /slots, if it has a status
};

/// Serves one model, "tiny-vl", which accepts images and calls tools. Its state belongs to the
/// server's thread.
class LlamaDouble {
public:
    using Answer = eyehand::vlm::testing::Answer;
    using Request = eyehand::vlm::testing::ReceivedRequest;

    explicit LlamaDouble(LlamaDoubleOptions options = {})
        : options_(std::move(options)),
          server_({.respond = [this](const Request& request) { return respond(request); }}) {}

    [[nodiscard]] std::string url() const { return server_.url(); }
    [[nodiscard]] const eyehand::vlm::testing::ChatServer& server() const { return server_; }
    [[nodiscard]] std::size_t count(std::string_view target) const {
        std::size_t count = 0;
        for (const Request& request : server_.requests()) count += request.target == target;
        return count;
    }
    [[nodiscard]] std::vector<Request> chats() const {
        std::vector<Request> chats;
        for (const Request& request : server_.requests())
            if (request.target == "/v1/chat/completions") chats.push_back(request);
        return chats;
    }

private:
    Answer respond(const Request& request) {
        Answer answer;
        if (request.target == "/v1/models")
            answer.body = R"({"data":[{"id":"tiny-vl","owned_by":"llamacpp"}]})";
        else if (request.target == "/props")
            answer.body = R"({"default_generation_settings":{"n_ctx":16384},
                "modalities":{"vision":true},"chat_template_caps":{"supports_tools":true},
                "build_info":"b10587-3f545becc"})";
        else if (request.target == "/slots")
            answer = options_.no_slots.status ? options_.no_slots : slots();
        else
            answer = chat();
        return answer;
    }

    Answer chat() {
        Answer answer;
        ++task_;
        answer.never = options_.silent;
        const std::string delta = "data: "
                                  R"({"choices":[{"index":0,"delta":{"content":"1"}}]})"
                                  "\n\n";
        const std::string end = "data: "
                                R"({"choices":[{"delta":{},"finish_reason":"stop"}]})"
                                "\n\ndata: [DONE]\n\n";
        const std::string head = eyehand::vlm::testing::chunked_head();
        if (options_.complete_at_once) {
            answer.parts = {head + eyehand::vlm::testing::chunk(delta + end) +
                            eyehand::vlm::testing::chunk("")};
            return answer;
        }
        is_processing_ = true;
        answer.parts = {head + eyehand::vlm::testing::chunk(delta), eyehand::vlm::testing::Gate()};
        answer.on_disconnect = [this] {
            if (options_.new_request)
                ++task_;
            else if (options_.stops_on_disconnect)
                is_processing_ = false;
        };
        return answer;
    }

    [[nodiscard]] Answer slots() const {
        const auto text = [](bool value) { return value ? "true" : "false"; };
        Answer answer;
        answer.body = R"([{"id":0,"is_processing":)" + std::string(text(is_processing_)) +
                      R"(,"id_task":)" + std::to_string(task_) + R"(,"next_token":[{"n_decoded":)" +
                      std::to_string(options_.generated_tokens) +
                      R"(}]},{"id":1,"is_processing":)" + text(options_.busy) +
                      R"(,"id_task":999}])";
        return answer;
    }

    const LlamaDoubleOptions options_;
    bool is_processing_ = false;
    int task_ = 0;
    eyehand::vlm::testing::ChatServer server_; // last: its thread uses the other members
};

} // namespace test
