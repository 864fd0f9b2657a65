#include "service.hpp"

#include "question.hpp"

#include <chrono>
#include <fmt/format.h>
#include <utility>

namespace stand_in {
namespace {

std::int64_t seconds_since_1970() {
    return std::chrono::duration_cast<std::chrono::seconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

std::string_view path_of(std::string_view target) { return target.substr(0, target.find('?')); }

HttpReply failure(unsigned status, std::string_view message, std::string_view type) {
    return {.status = status, .body = error_body(message, type)};
}

std::optional<Screen> look_at(Reader& reader, const ChatRequest& request) {
    if (!request.image) return std::nullopt;
    try {
        return reader.read(*request.image);
    } catch (const std::runtime_error& error) {
        throw BadRequest(error.what());
    }
}

/// The sides of a model's image tokens in pixels.
int patch_of(const Coordinates& coordinates) {
    constexpr int usual = 32; // Qwen3-VL
    return coordinates.convention.factor == 0 ? usual : coordinates.convention.factor;
}

} // namespace

Service::Service(std::optional<Script> script, std::function<void(std::string_view)> log,
                 const Coordinates& coordinates, Dialect dialect)
    : script_(std::move(script)), log_(std::move(log)), coordinates_(coordinates),
      dialect_(dialect) {}

HttpReply Service::answer(std::string_view method, std::string_view target, std::string_view body) {
    const std::string_view path = path_of(target);
    if (method == "GET" && path == "/health") return {.body = R"({"status":"ok"})"};
    if (method == "GET" && path == "/v1/models") return {.body = models_body()};
    if (method == "POST" && path == "/v1/chat/completions") return chat(body);
    return failure(404, fmt::format("{} {} is not served here", method, path), "not_found_error");
}

HttpReply Service::chat(std::string_view body) {
    try {
        const ChatRequest request = parse_chat_request(body);
        const std::size_t fingerprint = std::hash<std::string_view>{}(body);
        if (last_envelope_.number == 0 || fingerprint != last_request_) {
            take_turn(request);
            last_request_ = fingerprint;
        } else if (log_) {
            log_(fmt::format("{}: the same request again, answered as before",
                             last_envelope_.number));
        }
        if (!request.stream) return {.body = completion(last_reply_, last_envelope_)};
        return {.content_type = "text/event-stream",
                .body = completion_events(last_reply_, last_envelope_)};
    } catch (const BadRequest& error) {
        if (log_) log_(fmt::format("refused: {}", error.what()));
        return failure(400, error.what(), "invalid_request_error");
    } catch (const std::exception& error) { // an error in one request must not end the server
        if (log_) log_(fmt::format("failed: {}", error.what()));
        return failure(500, error.what(), "server_error");
    }
}

void Service::take_turn(const ChatRequest& request) {
    const std::optional<Screen> screen = look_at(reader_, request);
    ChatRequest asked = request;
    asked.tools = actions_of(dialect_, request);
    Turn turn = script_ ? play(*script_, progress_, asked, screen, coordinates_)
                        : answer_question(progress_, asked, screen, coordinates_);
    progress_ = std::move(turn.progress);
    last_reply_ = in_dialect(dialect_, turn.reply, request);
    last_envelope_ = {.number = last_envelope_.number + 1,
                      .created = seconds_since_1970(),
                      .prompt_tokens = prompt_tokens(request, screen, patch_of(coordinates_)),
                      .with_usage = request.wants_usage};
    if (log_) log_(fmt::format("{}: {}", last_envelope_.number, turn.note));
}

} // namespace stand_in
