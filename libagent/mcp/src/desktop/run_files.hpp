// The resources of a desktop server: its displays and windows, and the files of its runs.
#pragma once

#include "eyehand/agent/run_store.hpp"
#include "eyehand/agent/secrets.hpp"
#include "eyehand/mcp/content.hpp"
#include "eyehand/winio/desktop.hpp"
#include "json/json.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::mcp {

inline constexpr const char* displays_uri = "eyehand://displays";
inline constexpr const char* windows_uri = "eyehand://windows";
inline constexpr const char* screenshot_uri = "eyehand://screenshot";
inline constexpr const char* runs_uri = "eyehand://runs";

[[nodiscard]] agent::json::array displays_json(winio::Desktop& desktop);
/// The windows as far as they are in `area`; `secrets` are replaced in their titles. Throws
/// Error{resource_not_found} if the desktop does not list its windows.
[[nodiscard]] agent::json::object windows_json(winio::Desktop& desktop, const winio::Rect& area,
                                               const agent::Secrets& secrets);
/// The runs in a folder, the latest one first, with their outcomes and files.
[[nodiscard]] agent::json::array runs_json(const std::filesystem::path& runs);
[[nodiscard]] std::vector<ResourceContents> json_contents(const std::string& uri,
                                                          const agent::json::value& content);

/// Throws Error{resource_not_found}.
[[nodiscard]] std::vector<std::uint8_t> read_bytes(const agent::RunStore& store,
                                                   const std::string& name);
/// A file of a run: "eyehand://runs/run_0007/screenshots/turn_0001.png", with percent-encoded
/// characters. Nothing outside of the run's directory can be read. Throws Error{resource_not_found}.
[[nodiscard]] std::vector<ResourceContents> run_file(const std::filesystem::path& runs,
                                                     std::string_view uri);

} // namespace eyehand::mcp
