// The tools of a server as tools of an agent.
#include "eyehand/mcp/client.hpp"

#include "eyehand/base/utf8.hpp"
#include "eyehand/winio/error.hpp"
#include "eyehand/winio/image_file.hpp"

#include "base/text.hpp"
#include "json/json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <variant>

namespace eyehand::mcp {
namespace {

constexpr std::size_t max_name = 64; // of a function, for all servers of models
constexpr std::size_t max_description = 4000;
constexpr std::size_t max_output = 64000; // bytes for the model
constexpr std::size_t max_images = 4;     // of a result
constexpr std::size_t max_image_bytes = std::size_t{8} * 1024 * 1024;
constexpr int max_image_side = 4096;      // pixels
constexpr std::size_t max_details = 1000; // of the arguments in a question to the user
constexpr std::string_view no_arguments = R"({"type":"object","properties":{}})";

/// The name for the model, which is not among `taken`: a server's names may contain other characters, or be
/// longer.
std::string offered_name(const std::string& server, const std::string& tool,
                         const std::vector<std::string>& taken) {
    std::string name = server + "__" + tool;
    for (char& c : name) {
        const bool usual = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || c == '_' || c == '-';
        if (!usual) c = '_';
    }
    if (name.size() > max_name) name.resize(max_name);
    std::string free = name;
    for (int number = 2; std::ranges::find(taken, free) != taken.end(); ++number) {
        const std::string end = fmt::format("_{}", number);
        free = name.substr(0, max_name - end.size()) + end;
    }
    return free;
}

std::string schema_for_model(const RemoteTool& tool) {
    auto schema = agent::parse_json(tool.input_schema_json);
    if (!schema || !schema->is_object()) return std::string(no_arguments);
    boost::json::object& object = schema->get_object();
    if (!object.contains("type")) object["type"] = "object"; // required by servers of models
    if (!object.contains("properties")) object["properties"] = boost::json::object();
    object.erase("$schema");
    return boost::json::serialize(object);
}

std::string size_of(std::size_t bytes) { return fmt::format("{} bytes", bytes); }

bool ends_with(const std::vector<std::uint8_t>& bytes, std::initializer_list<std::uint8_t> end) {
    return bytes.size() >= end.size() &&
           std::equal(end.begin(), end.end(),
                      bytes.end() - static_cast<std::ptrdiff_t>(end.size()));
}

/// Whether it is an image that models read, and not damaged as far as this can be told: JPEG and GIF are not decoded.
/// (The server of a model refuses a request with a damaged image, which would end the run.)
bool is_intact(const std::vector<std::uint8_t>& bytes) {
    const std::string_view type = vlm::media_type_of(bytes);
    if (type == "image/jpeg") return ends_with(bytes, {0xFF, 0xD9}); // its end marker
    if (type == "image/gif") return ends_with(bytes, {0x3B});        // its trailer
    if (type.empty()) return false;
    try {
        const winio::Size size = winio::decode_image(bytes).size();
        return std::max(size.width, size.height) <= max_image_side;
    } catch (const winio::Error&) {
        return false;
    }
}

/// Whether the model can see the image besides those that it sees already.
bool can_be_shown(const Image& image, const std::vector<vlm::Image>& shown) {
    return shown.size() < max_images && image.bytes.size() <= max_image_bytes &&
           is_intact(image.bytes);
}

/// What the model reads of a part of a result. Adds images that it sees.
std::string text_of_content(const Content& content, std::vector<vlm::Image>& shown) {
    if (const auto* text = std::get_if<Text>(&content)) return text->text;
    if (const auto* image = std::get_if<Image>(&content);
        image != nullptr && can_be_shown(*image, shown)) {
        shown.push_back(
            vlm::make_image(image->bytes, std::string(vlm::media_type_of(image->bytes))));
        return fmt::format("[image {}]", shown.size());
    }
    if (const auto* image = std::get_if<Image>(&content))
        return fmt::format("[an image: {}, {}]", image->mime_type, size_of(image->bytes.size()));
    if (const auto* audio = std::get_if<Audio>(&content))
        return fmt::format("[a sound: {}, {}]", audio->mime_type, size_of(audio->bytes.size()));
    if (const auto* link = std::get_if<ResourceLink>(&content))
        return fmt::format("[{}: {}{}{}]", link->title.empty() ? link->name : link->title,
                           link->uri, link->description.empty() ? "" : ": ", link->description);
    const auto& resource = std::get<ResourceContents>(content);
    if (const auto* text = std::get_if<std::string>(&resource.data))
        return fmt::format("[{}]\n{}", resource.uri, *text);
    return fmt::format("[{}: {}, {}]", resource.uri, resource.mime_type,
                       size_of(std::get<std::vector<std::uint8_t>>(resource.data).size()));
}

std::string text_of_result(const CallResult& result, std::vector<vlm::Image>& shown) {
    std::vector<std::string> parts;
    for (const Content& content : result.content) parts.push_back(text_of_content(content, shown));
    // Servers repeat structured results as text, for clients that do not read them.
    if (parts.empty() && !result.structured_json.empty()) parts.push_back(result.structured_json);
    return agent::to_valid_utf8(fmt::format("{}", fmt::join(parts, "\n")));
}

/// A call of a server's tool: asks the user, then the server.
class ServerTool {
public:
    ServerTool(Client& client, RemoteTool tool) : client_(&client), tool_(std::move(tool)) {}

    agent::ToolResult operator()(const agent::JsonView& given, agent::ToolContext& context) const {
        const std::string arguments = given.text();
        if (!context.permit)
            return agent::fail("denied", "Tools of other programs run only in a run with a guard.")
                .about(arguments);
        if (std::optional<agent::ToolResult> refusal = context.permit(effect(arguments)))
            return std::move(*refusal).about(arguments);
        // An approval may have taken minutes.
        if (context.safe_point.stop_requested())
            return agent::fail("not_begun", "The run is ending: the tool was not called.")
                .about(arguments);
        agent::ToolResult result =
            result_of(arguments, context).reads().untrusted("mcp").about(arguments);
        // Only for the wait until the screen reacts, and the detection of loops: the claim is untrusted.
        if (tool_.read_only == true) return result;
        return std::move(result).acted();
    }

private:
    [[nodiscard]] agent::GuardedEffect effect(const std::string& arguments) const {
        agent::GuardedEffect effect;
        effect.kind = agent::EffectKind::program;
        effect.window_known = true; // it needs none
        effect.command = fmt::format("{} {}", client_->options().name, tool_.name);
        effect.details = fmt::format("the tool \"{}\" of the server \"{}\"{}: {}",
                                     agent::shorten(agent::to_valid_utf8(tool_.name), 100),
                                     client_->options().name,
                                     tool_.read_only == true ? ", which claims only to read" : "",
                                     agent::shorten(agent::to_valid_utf8(arguments), max_details));
        return effect;
    }

    [[nodiscard]] agent::ToolResult result_of(const std::string& arguments,
                                              const agent::ToolContext& context) const {
        try {
            // A tool that may act completes before the run ends at a safe point.
            const std::stop_token stop =
                tool_.read_only == true ? context.safe_point : context.stop;
            const auto report = [&](const Progress& it) {
                if (context.progress) context.progress(it.done, it.total, it.message);
            };
            const CallResult result = client_->call(tool_.name, arguments, stop, report);
            std::vector<vlm::Image> images;
            std::string text = text_of_result(result, images);
            if (context.redact) text = context.redact(text);
            const std::string output = agent::cut_bytes(text, max_output);
            agent::ToolResult read =
                result.is_error
                    ? agent::fail("tool_failed", output.empty() ? "The tool failed." : output)
                    : agent::ok();
            for (vlm::Image& image : images) {
                agent::ToolResult shown = std::move(read).shows(std::move(image));
                read = std::move(shown);
            }
            if (result.is_error) return read;
            if (!output.empty()) read.with("output", output);
            if (output.size() < text.size())
                read.with("bytes_left_out", static_cast<double>(text.size() - output.size()));
            return read;
        } catch (const Error& error) {
            if (error.code() == errc::cancelled)
                throw winio::Error(winio::errc::cancelled, tool_.name + " was interrupted");
            std::string what = agent::cut_bytes(agent::to_valid_utf8(error.what()), max_output);
            if (context.redact) what = context.redact(what);
            const auto code = static_cast<errc>(error.code().value());
            return agent::fail(to_string(code), what);
        }
    }

    Client* client_;
    RemoteTool tool_;
};

} // namespace

std::vector<std::string> add_tools(agent::Toolbox& toolbox, Client& client) {
    agent::Toolbox all;
    std::vector<std::string> names;
    for (RemoteTool& tool : client.tools()) {
        std::string name = offered_name(client.options().name, tool.name, names);
        std::string description = agent::shorten(
            agent::to_valid_utf8(tool.description.empty() ? tool.title : tool.description),
            max_description);
        std::string schema = schema_for_model(tool);
        names.push_back(name);
        all.add(std::move(name), std::move(description), std::move(schema),
                ServerTool(client, std::move(tool)));
    }
    toolbox.add(all);
    return names;
}

} // namespace eyehand::mcp
