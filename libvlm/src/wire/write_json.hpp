// Writes JSON into a string, or measures it, so that a body, including its images, is allocated once.
#pragma once

#include "eyehand/base/base64.hpp"
#include "eyehand/base/utf8.hpp"
#include "eyehand/vlm/chat.hpp"
#include "eyehand/vlm/digest.hpp"

#include "encode_request.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace eyehand::vlm::wire {

/// Measures the output.
struct Length {
    std::size_t value = 0;
    void append(std::string_view text) { value += text.size(); }
};

inline void write_base64(Length& out, const std::vector<std::uint8_t>& bytes) {
    out.value += base::base64_length(bytes.size());
}

inline void write_base64(std::string& out, const std::vector<std::uint8_t>& bytes) {
    base::append_base64(out, bytes);
}

/// The inside of a JSON string.
template <class Out>
void write_escaped(Out& out, std::string_view text) {
    constexpr std::string_view hex = "0123456789abcdef";
    std::size_t plain = 0; // length of the prefix that needs no escape
    const auto flush = [&](std::size_t skip) {
        out.append(text.substr(0, plain));
        text.remove_prefix(plain + skip);
        plain = 0;
    };
    while (plain < text.size()) {
        const auto byte = static_cast<unsigned char>(text[plain]);
        if (byte == '"' || byte == '\\') {
            const std::array<char, 2> escape{'\\', text[plain]};
            flush(1);
            out.append(std::string_view(escape.data(), escape.size()));
        } else if (byte == '\n') {
            flush(1);
            out.append(std::string_view("\\n"));
        } else if (byte < 0x20) {
            const std::array<char, 6> escape{'\\', 'u', '0', '0', hex[byte >> 4], hex[byte & 15]};
            flush(1);
            out.append(std::string_view(escape.data(), escape.size()));
        } else if (byte < 0x80) {
            ++plain;
        } else if (const auto character = base::utf8::decode(text, plain); character.valid) {
            plain += character.length;
        } else {
            flush(character.length);
            out.append(base::utf8::replacement);
        }
    }
    flush(0);
}

template <class Out>
void write_string(Out& out, std::string_view text) {
    out.append(std::string_view("\""));
    write_escaped(out, text);
    out.append(std::string_view("\""));
}

template <class Out, class Number>
void write_number(Out& out, Number number) {
    if constexpr (std::is_floating_point_v<Number>)
        if (!std::isfinite(number))
            throw std::invalid_argument("a sampling value is not a finite number");
    std::array<char, 32> text{}; // the longest double has 24 characters
    const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{}) throw std::logic_error("a number does not fit its buffer");
    out.append(std::string_view(text.data(), static_cast<std::size_t>(end - text.data())));
}

/// Commas between the members of an object or the elements of an array.
template <class Out>
class Separator {
public:
    explicit Separator(Out& out) : out_(out) {}
    void operator()() {
        if (!first_) out_.append(std::string_view(","));
        first_ = false;
    }
    void key(std::string_view name) {
        (*this)();
        write_string(out_, name);
        out_.append(std::string_view(":"));
    }

private:
    Out& out_;
    bool first_ = true;
};

template <class Out>
void write(Out& out, std::string_view json) {
    out.append(json);
}

/// How the images of a request are written.
struct ImageForm {
    ImageMode mode;
    std::optional<ImageDetail> detail{};
};

/// The form of the images of `request`, without a detail that the server rejects.
inline ImageForm image_form(const ChatRequest& request, const Encoding& encoding) {
    ImageForm form{encoding.images};
    if (!encoding.quirks.no_image_detail) form.detail = request.sampling.image_detail;
    return form;
}

/// The inside of a JSON string: a data URL, or in logs the hash and the size.
template <class Out>
void write_image(Out& out, const Image& image, ImageMode mode) {
    if (mode == ImageMode::redacted) {
        const std::string hash = !image.sha256.empty() ? image.sha256
                                 : image.bytes         ? sha256_hex(std::span(*image.bytes))
                                                       : std::string("unknown");
        write_escaped(out, "sha256:" + hash);
        if (image.bytes) write_escaped(out, ", " + std::to_string(image.bytes->size()) + " bytes");
        return;
    }
    if (!image.bytes || image.bytes->empty())
        throw std::invalid_argument("the image " + image.sha256 + " has no bytes to send");
    write(out, "data:");
    write_escaped(out, image.media_type);
    write(out, ";base64,");
    write_base64(out, *image.bytes);
}

/// The word of requests.
[[nodiscard]] constexpr std::string_view name_of(ToolChoice choice) {
    switch (choice) {
    case ToolChoice::automatic:
        return "auto";
    case ToolChoice::none:
        return "none";
    case ToolChoice::required:
        return "required";
    }
    throw std::invalid_argument("not a vlm::ToolChoice");
}

} // namespace eyehand::vlm::wire
