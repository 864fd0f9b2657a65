// Turns the events of a streamed response into deltas, and into one reply at the end.
//
// Sources: https://developers.openai.com/api/reference/resources/responses/streaming-events, and
// src/resources/responses/responses.ts of openai/openai-node 7.57.0 (ResponseStreamEvent).
#pragma once

#include "eyehand/vlm/model.hpp"

#include "../decode_reply.hpp"
#include "../json.hpp"
#include "../sse.hpp"
#include "../utf8.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace eyehand::vlm::wire::responses {

/// As wire::ReplyAssembler, for the Responses API.
class ReplyAssembler {
public:
    /// `previous_response_id`: as in `decode_reply`.
    explicit ReplyAssembler(Where where, std::vector<ToolSpec> offered = {},
                            TextCallRule rule = TextCallRule::ignore,
                            std::string previous_response_id = {});

    /// As wire::ReplyAssembler::take. Ignores events of unknown types.
    std::vector<Delta> take(const ServerEvent& event);

    /// Whether the event that ends a response has arrived.
    [[nodiscard]] bool done() const noexcept { return done_; }

    /// Returns the reply after the end of the stream: the result of `decode_reply` for the equivalent
    /// plain answer, including its exceptions. Throws Error{connection_lost} if the stream ended
    /// without the event that ends a response.
    [[nodiscard]] ChatReply finish() const;

private:
    using Deltas = std::vector<Delta>;

    /// An output item of which events have arrived.
    struct Item {
        std::optional<boost::json::object> complete{};
        std::optional<std::size_t> call{}; ///< its number among the calls
        bool has_text = false;             ///< deltas of its text were delivered
        bool has_arguments = false;        ///< deltas of its arguments were delivered
    };
    /// The text of one kind, in deltas.
    struct Words {
        Utf8Joiner joiner{};
        std::optional<std::pair<std::int64_t, std::int64_t>> part{}; ///< of the latest delta
        bool any = false;
    };

    [[nodiscard]] Item& item_of(const boost::json::object& event);
    void take_words(Delta::Kind kind, Words& words, const boost::json::object& event,
                    std::int64_t part, Deltas& deltas);
    void add_words(Delta::Kind kind, Words& words, std::string_view piece,
                   std::pair<std::int64_t, std::int64_t> part, Deltas& deltas);
    void take_arguments(const boost::json::object& event, Deltas& deltas);
    void start_item(const boost::json::object& event, Deltas& deltas);
    void start_call(Item& item, const boost::json::object& call, Deltas& deltas);
    void end_item(const boost::json::object& event, Deltas& deltas);
    void end_response(const boost::json::object& event, std::string_view type);
    [[nodiscard]] boost::json::object plain_answer() const;

    Where where_;
    std::vector<ToolSpec> offered_;
    TextCallRule rule_;
    std::string previous_response_id_;
    bool done_ = false;
    std::map<std::int64_t, Item> items_; // by their index in the output
    std::size_t calls_ = 0;
    Words text_;
    Words reasoning_;
    std::map<std::int64_t, Utf8Joiner> arguments_; // by the same index
    std::optional<boost::json::object> response_;  // of the last event
};

} // namespace eyehand::vlm::wire::responses
