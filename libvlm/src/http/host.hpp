// Classifies host names without a lookup.
#pragma once

#include <string>
#include <string_view>

namespace eyehand::vlm::http {

/// Whether the host is "localhost" or a subdomain, which always mean the loopback addresses (RFC
/// 6761, section 6.3).
[[nodiscard]] bool is_localhost(std::string_view host);

/// Whether the host is a numeric IPv4 or IPv6 address, without brackets.
[[nodiscard]] bool is_address(std::string_view host);

/// Whether the host is this computer: `is_localhost`, 127.0.0.0/8 or ::1.
[[nodiscard]] bool is_loopback(std::string_view host);

} // namespace eyehand::vlm::http
