// All public headers of eyehand::mcp.
#pragma once

#include "eyehand/mcp/client.hpp"
#include "eyehand/mcp/content.hpp"
#include "eyehand/mcp/desktop_server.hpp"
#include "eyehand/mcp/error.hpp"
#include "eyehand/mcp/server.hpp"
