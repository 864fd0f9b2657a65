// What an Answer without parts looks like on the wire.
#pragma once

#include "vlm/testing/chat_server.hpp"

#include <string>

namespace vlm::testing {

[[nodiscard]] std::string answer_text(const Answer& answer);

} // namespace vlm::testing
