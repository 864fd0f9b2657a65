// Options of requests that a server does not support or rejects.
#pragma once

#include "eyehand/vlm/error.hpp"

#include "reasoning.hpp"

namespace eyehand::vlm::wire {

/// The options of `request` that are not sent with these quirks.
[[nodiscard]] std::vector<UnsentOption> unsent_options(const ChatRequest& request,
                                                       const Quirks& quirks, Api api);

/// The options that were sent with `request` and that the server's error (status 400 or 422) names.
[[nodiscard]] std::vector<Option> refused_options(const Error& error, const ChatRequest& request,
                                                  const Quirks& quirks, Api api);

/// Whether the server's error means that it does not return encrypted reasoning. OpenAI, for a model
/// that does not reason: "Encrypted content is not supported with this model."
/// (https://github.com/microsoft/agent-framework/issues/7483).
[[nodiscard]] bool refuses_encrypted_reasoning(const Error& error);

/// Whether the server cannot read reasoning that an earlier response had. OpenAI, with the code
/// "invalid_encrypted_content": "The encrypted content gAAA...DQ== could not be verified."
/// (https://github.com/openai/codex/issues/8145).
[[nodiscard]] bool refuses_reasoning_items(const Error& error);

/// Sets the quirk that leaves out `option`.
void leave_out(Option option, Quirks& quirks);

} // namespace eyehand::vlm::wire
