// Answers HTTP requests of the stand-in, without sockets.
#pragma once

#include "chat_reply.hpp"
#include "dialect.hpp"
#include "script.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace stand_in {

struct HttpReply {
    unsigned status = 200;
    std::string content_type = "application/json";
    std::string body;
};

/// One conversation at a time, like a model server with one slot. Not thread-safe.
class Service {
public:
    /// Without a script, it answers questions (question.hpp). `log` receives one line per request.
    explicit Service(std::optional<Script> script, std::function<void(std::string_view)> log = {},
                     const Coordinates& coordinates = {}, Dialect dialect = Dialect::native);

    [[nodiscard]] HttpReply answer(std::string_view method, std::string_view target,
                                   std::string_view body);

private:
    HttpReply chat(std::string_view body);
    void take_turn(const ChatRequest& request);

    std::optional<Script> script_;
    std::function<void(std::string_view)> log_;
    Coordinates coordinates_;
    Dialect dialect_;
    Reader reader_;
    Progress progress_;

    // The last request: if it is repeated, it is a retry and gets the same answer.
    std::size_t last_request_ = 0;
    Reply last_reply_;
    Envelope last_envelope_;
};

} // namespace stand_in
