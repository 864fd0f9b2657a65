// agent-cli ask TEXT
#include "commands.hpp"

#include "environment.hpp"
#include "platform.hpp"
#include "terminal_view.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <utility>

namespace eyehand::cli {
namespace {

namespace json = boost::json;

// --- The request ---------------------------------------------------------------------------------

std::string question_of(const AskFlags& flags) {
    const bool from_input = flags.text == "-";
    std::string text = from_input ? read_input() : flags.text;
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF"; // written by Windows shells
    if (text.starts_with(byte_order_mark)) text.erase(0, byte_order_mark.size());
    // A file's last line break belongs to the file, not to the question.
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
    if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
        throw UsageError(from_input ? "standard input is empty: pipe the question into it"
                                    : "the question is empty: write it as the argument TEXT");
    }
    return text;
}

vlm::Image read_image(const std::string& file) {
    std::ifstream in(path_of(file), std::ios::binary);
    std::vector<std::uint8_t> bytes;
    std::string_view media_type;
    std::array<char, 65536> block{};
    // The first block shows the type. Without a known type, reading stops: the file may be an
    // endless device.
    while (in.read(block.data(), block.size()) || in.gcount() > 0) {
        bytes.insert(bytes.end(), block.begin(), block.begin() + in.gcount());
        if (media_type.empty()) media_type = vlm::media_type_of(bytes);
        if (media_type.empty()) break;
    }
    if (!media_type.empty() && in.eof())
        return vlm::make_image(std::move(bytes), std::string(media_type));
    throw UsageError(fmt::format("--image is \"{}\", which {}", file,
                                 in.bad() || bytes.empty()
                                     ? "cannot be read, or is empty; check the file name"
                                     : "is not an image that models read; it must be a PNG, JPEG, "
                                       "WebP or GIF file"));
}

vlm::ChatRequest request_of(const AskFlags& flags) {
    vlm::ChatRequest request;
    request.model = model_name(flags.server, {});
    if (flags.system) request.messages.push_back(vlm::Message::system(*flags.system));
    vlm::Message question = vlm::Message::user(question_of(flags));
    for (const std::string& file : flags.images) question.parts.emplace_back(read_image(file));
    request.messages.push_back(std::move(question));
    request.sampling.temperature =
        flags.temperature ? flags.temperature : temperature_setting(flags.server);
    request.sampling.max_tokens =
        flags.max_tokens ? flags.max_tokens : max_tokens_setting(flags.server);
    request.sampling.reasoning_effort = reasoning_effort_setting(flags.server);
    request.sampling.thinking_tokens = thinking_tokens_setting(flags.server);
    request.sampling.image_detail = image_detail_setting(flags.server);
    return request;
}

// --- The output ----------------------------------------------------------------------------------

const char* word(vlm::FinishReason reason) {
    switch (reason) {
    case vlm::FinishReason::stop:
        return "stop";
    case vlm::FinishReason::length:
        return "length";
    case vlm::FinishReason::tool_calls:
        return "tool_calls";
    case vlm::FinishReason::content_filter:
        return "content_filter";
    case vlm::FinishReason::error:
        return "error";
    case vlm::FinishReason::unknown:
        break;
    }
    return "unknown";
}

json::value to_json(const std::optional<int>& tokens) {
    return tokens ? json::value(*tokens) : json::value(nullptr);
}

json::object to_json(const vlm::ChatReply& reply) {
    json::array notes;
    for (const std::string& note : reply.notes) notes.emplace_back(note);
    return {
        {"text", reply.text},
        {"reasoning", reply.reasoning},
        {"finish", word(reply.finish)},
        {"usage", json::object{{"prompt_tokens", to_json(reply.usage.prompt_tokens)},
                               {"cached_tokens", to_json(reply.usage.cached_tokens)},
                               {"completion_tokens", to_json(reply.usage.completion_tokens)}}},
        {"model", reply.model},
        {"wait_ms", reply.wait.count()},
        {"total_ms", reply.total.count()},
        {"notes", std::move(notes)},
    };
}

json::object to_json(const vlm::Delta& delta) {
    switch (delta.kind) {
    case vlm::Delta::Kind::text:
        break;
    case vlm::Delta::Kind::reasoning:
        return {{"delta", "reasoning"}, {"text", delta.text}};
    case vlm::Delta::Kind::tool_call:
        return {{"delta", "tool_call"},
                {"text", delta.text},
                {"call", delta.call},
                {"tool", delta.tool}};
    }
    return {{"delta", "text"}, {"text", delta.text}};
}

std::string spend(const vlm::ChatReply& reply) {
    const auto count = [](const std::optional<int>& tokens) {
        return tokens ? fmt::format("{}", *tokens) : std::string("an unknown number of");
    };
    const vlm::Usage& usage = reply.usage;
    return fmt::format(
        "{}: {} tokens in{}, {} out; {} ms until the first word, {} ms in total",
        reply.model.empty() ? "unnamed model" : one_line(reply.model), count(usage.prompt_tokens),
        usage.cached_tokens ? fmt::format(" ({} of them cached)", *usage.cached_tokens) : "",
        count(usage.completion_tokens), reply.wait.count(), reply.total.count());
}

/// Why an answer is incomplete, or empty.
std::string shortcoming(const vlm::ChatReply& reply) {
    if (reply.finish == vlm::FinishReason::length)
        return "the output limit cut the answer off: raise the limit with --max-tokens, or load "
               "the model with a longer context";
    if (reply.finish == vlm::FinishReason::content_filter)
        return "the server's content filter ended the answer";
    if (reply.finish == vlm::FinishReason::error)
        return "the server ended the answer with an error; see its log";
    if (reply.text.empty()) return "the model answered without any text";
    return {};
}

/// Writes an answer, whole or as it arrives: the text to standard output, the reasoning to standard
/// error.
class Printer {
public:
    explicit Printer(const AskFlags& flags) : flags_(flags) {}

    void print(const vlm::Delta& delta) {
        if (flags_.json) {
            print_to(stdout, json::serialize(to_json(delta)) + "\n");
        } else if (delta.kind == vlm::Delta::Kind::text) {
            end_line(stderr, thought_);
            print(stdout, said_, delta.text);
        } else if (delta.kind == vlm::Delta::Kind::reasoning && flags_.verbose) {
            print(stderr, thought_, delta.text);
        }
    }

    void print(const vlm::ChatReply& reply) {
        if (flags_.json) {
            print_to(stdout, json::serialize(to_json(reply)) + "\n");
        } else if (!flags_.stream) {
            print(vlm::Delta{vlm::Delta::Kind::reasoning, reply.reasoning});
            print(vlm::Delta{vlm::Delta::Kind::text, reply.text});
        }
    }

    /// Ends unfinished lines after the answer, also if the answer broke off.
    void end_lines() {
        end_line(stderr, thought_);
        end_line(stdout, said_);
    }

private:
    enum class At { beginning, middle };

    static void print(std::FILE* stream, At& at, const std::string& text) {
        const std::string shown = printable(text); // a model must not repaint the terminal
        if (shown.empty()) return;
        print_to(stream, shown);
        at = shown.back() == '\n' ? At::beginning : At::middle;
    }
    static void end_line(std::FILE* stream, At& at) {
        if (std::exchange(at, At::beginning) == At::middle) print_to(stream, "\n");
    }

    const AskFlags& flags_;
    At said_ = At::beginning;
    At thought_ = At::beginning;
};

void tell(const std::string& line) { print_to(stderr, line + "\n"); }

} // namespace

ExitCode ask_model(const AskFlags& flags) {
    const vlm::ChatRequest request = request_of(flags);
    vlm::ClientOptions client = resolve(flags.server);
    TerminalView view({.detail = flags.verbose ? Detail::verbose : Detail::normal});
    client.on_retry = [&](const vlm::Attempt& attempt) { view.on_retry(attempt); };
    vlm::OpenAiClient model(client);

    std::stop_source stop;
    const InterruptWatch watch([&](Interrupt) { stop.request_stop(); });
    Printer printer(flags);
    vlm::OnDelta on_delta; // without a callback, no stream is requested
    if (flags.stream) on_delta = [&](const vlm::Delta& delta) { printer.print(delta); };
    vlm::ChatReply reply;
    try {
        reply = model.reply(request, on_delta, stop.get_token());
    } catch (const vlm::Error&) {
        printer.end_lines();
        throw;
    }
    printer.print(reply);
    printer.end_lines();
    if (const std::string reason = shortcoming(reply); !reason.empty()) tell(reason);
    if (flags.verbose) {
        for (const std::string& note : reply.notes) tell(one_line(note));
        tell(spend(reply));
    }
    return reply.finish == vlm::FinishReason::error ? ExitCode::endpoint : ExitCode::completed;
}

} // namespace eyehand::cli
