// The bytes of an Answer without parts.
#pragma once

#include "eyehand/vlm/testing/chat_server.hpp"

#include <string>

namespace eyehand::vlm::testing {

[[nodiscard]] std::string answer_text(const Answer& answer);

} // namespace eyehand::vlm::testing
