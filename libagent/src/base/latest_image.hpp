// The latest image in the messages of a request.
#pragma once

#include "eyehand/vlm/message.hpp"

#include <type_traits>
#include <variant>
#include <vector>

namespace eyehand::agent {

/// Returns nullptr if the messages have no image. `Messages`: a vector of vlm::Message, also const.
template <typename Messages>
auto* latest_image(Messages& messages) {
    using Image = std::conditional_t<std::is_const_v<Messages>, const vlm::Image, vlm::Image>;
    for (auto message = messages.rbegin(); message != messages.rend(); ++message)
        for (auto part = message->parts.rbegin(); part != message->parts.rend(); ++part)
            if (Image* image = std::get_if<vlm::Image>(&*part)) return image;
    return static_cast<Image*>(nullptr);
}

} // namespace eyehand::agent
