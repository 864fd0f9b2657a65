// What can be said about a host without asking the network.
#pragma once

#include <string>
#include <string_view>

namespace eyehand::vlm::http {

/// "localhost" and the names below it, which are the loopback addresses without a lookup (RFC 6761,
/// section 6.3).
[[nodiscard]] bool is_localhost(std::string_view host);

/// An IPv4 or IPv6 address in digits, without brackets.
[[nodiscard]] bool is_address(std::string_view host);

/// Whether the host is this machine: `is_localhost`, 127.0.0.0/8 or ::1.
[[nodiscard]] bool is_loopback(std::string_view host);

} // namespace eyehand::vlm::http
