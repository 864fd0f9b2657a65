// Includes all public headers of libvlm except the test doubles (`<eyehand/vlm/testing/...>`).
#pragma once

#include "eyehand/vlm/cassette.hpp"
#include "eyehand/vlm/chat.hpp"
#include "eyehand/vlm/digest.hpp"
#include "eyehand/vlm/error.hpp"
#include "eyehand/vlm/message.hpp"
#include "eyehand/vlm/model.hpp"
#include "eyehand/vlm/openai_client.hpp"
#include "eyehand/vlm/probe.hpp"
#include "eyehand/vlm/proxies.hpp"
#include "eyehand/vlm/raw_response.hpp"
