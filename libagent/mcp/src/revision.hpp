// The revision of the protocol in which each request is complete in itself.
#pragma once

#include <string_view>

namespace eyehand::mcp {

inline constexpr std::string_view stateless_revision = "2026-07-28";

} // namespace eyehand::mcp
