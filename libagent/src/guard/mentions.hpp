// The hosts and file paths that a text names, as far as they can be recognized in it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace eyehand::agent {

/// The hosts of URLs, of network paths and of mail addresses, and words that look like a host name or an
/// IPv4 address. As they are written, without port and final dot.
[[nodiscard]] std::vector<std::string> hosts_in(std::string_view text);

/// Words and quoted texts that contain a slash or a backslash and are not URLs, file URLs, and each line
/// that begins like a path, with its spaces. In the form that `path_form` returns.
[[nodiscard]] std::vector<std::string> paths_in(std::string_view text);

/// With slashes instead of backslashes, and without repeated slashes, `.` and `..`. A network path
/// begins with two slashes.
[[nodiscard]] std::string path_form(std::string_view path);

} // namespace eyehand::agent
