// Encrypted reasoning of earlier responses that the server cannot verify.
#pragma once

#include "eyehand/vlm/chat.hpp"

#include <functional>
#include <set>
#include <string>

namespace eyehand::vlm::wire::responses {

/// The reasoning that a client no longer sends. A conversation keeps its items, so that without this class
/// each later request would fail first.
class RefusedReasoning {
public:
    /// Adds all encrypted reasoning in a rejected request: the error does not name the item. Returns
    /// whether there is any that was sent.
    bool add(const ChatRequest& request);

    [[nodiscard]] bool empty() const { return contents_.empty(); }
    /// The request without this reasoning.
    [[nodiscard]] ChatRequest removed_from(ChatRequest request) const;

private:
    std::set<std::string, std::less<>> contents_; // "encrypted_content"
};

} // namespace eyehand::vlm::wire::responses
