// Messages between a program and a model.
//
// JSON crosses this interface as UTF-8 text (`arguments_json`, `parameters_json`), so callers can
// use any JSON library, and unknown fields survive a round trip.
#pragma once

#include "eyehand/export.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace eyehand::vlm {

enum class Role { system, user, assistant, tool };

/// "system", "user", "assistant", "tool".
[[nodiscard]] EYEHAND_VLM_API std::string_view to_string(Role role);

/// An encoded image. Copies share the bytes. If `bytes` is null, the image is only a reference by
/// hash; the caller must load the bytes before sending the request.
struct Image {
    std::string sha256{}; ///< of the bytes, lower-case hexadecimal
    std::shared_ptr<const std::vector<std::uint8_t>> bytes{}; ///< the encoded file, or null
    std::string media_type = "image/png";
};

/// Makes an image that owns `bytes`, and computes their hash.
[[nodiscard]] EYEHAND_VLM_API Image make_image(std::vector<std::uint8_t> bytes,
                                               std::string media_type = "image/png");
[[nodiscard]] EYEHAND_VLM_API Image make_image(
    std::shared_ptr<const std::vector<std::uint8_t>> bytes, std::string media_type = "image/png");

/// Detects the media type of an image file from its first bytes (twelve are enough): PNG, JPEG, GIF
/// or WebP, the formats that model servers read. Returns an empty string for any other file.
[[nodiscard]] EYEHAND_VLM_API std::string_view media_type_of(std::span<const std::uint8_t> file);

/// One part of a message: text or an image. Only user messages may contain images.
using Part = std::variant<std::string, Image>;

/// How a tool call reached the client.
enum class Provenance {
    native, ///< the server delivered it as a tool call
    /// It was recovered from the text of the reply. The model may have copied it from a page, a file
    /// or the screen: judge it more strictly than a native call.
    text,
};

/// "native", "text".
[[nodiscard]] EYEHAND_VLM_API std::string_view to_string(Provenance provenance);

/// A check of the server's safety system on a call of its computer tool. The call must not be carried
/// out before the user has approved it.
struct SafetyCheck {
    std::string id{};
    std::string code{};    ///< such as "malicious_instructions"; or empty
    std::string message{}; ///< for the user; or empty
    friend bool operator==(const SafetyCheck&, const SafetyCheck&) = default;
};

/// A tool call requested by the model.
struct ToolCall {
    std::string id{};
    std::string name{};
    std::string arguments_json{}; ///< as the model wrote it, possibly malformed JSON; "" means "{}"
    std::string
        extra_json{}; ///< a JSON object with the call's unknown fields, to send back; or empty
    Provenance provenance = Provenance::native; ///< not sent to the server
    std::vector<SafetyCheck> safety_checks{};   ///< pending; only of the server's computer tool
    friend bool operator==(const ToolCall&, const ToolCall&) = default;
};

struct EYEHAND_VLM_API Message {
    Role role = Role::user;
    std::vector<Part> parts;
    std::vector<ToolCall> tool_calls; ///< assistant only
    std::string tool_call_id;         ///< tool only: the id of the call that this answers
    /// Assistant only: the output items of the reply (`ChatReply::items_json`), or empty. The Responses
    /// API receives them unchanged in place of the text and the calls, as far as they state the same.
    std::string items_json{};
    /// Tool only: the checks of the call that the user has approved.
    std::vector<SafetyCheck> acknowledged_checks{};

    [[nodiscard]] static Message system(std::string text);
    [[nodiscard]] static Message user(std::string text);
    [[nodiscard]] static Message user(std::string text, Image image);
    [[nodiscard]] static Message assistant(std::string text, std::vector<ToolCall> calls = {});
    [[nodiscard]] static Message tool(std::string call_id, std::string text);

    /// The text parts, joined by line breaks.
    [[nodiscard]] std::string text() const;
};

} // namespace eyehand::vlm
