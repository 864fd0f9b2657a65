// prompts/: the texts of a run's requests, each stored once and named by its hash.
#pragma once

#include "eyehand/agent/event.hpp"
#include "eyehand/agent/run_store.hpp"

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::agent {

/// Stores the texts of requests. The store must outlive it.
class PromptFiles {
public:
    explicit PromptFiles(RunStore& store) : store_(store) {}

    /// Stores the texts of a request that are new to the run, and describes the request. `previous`
    /// has the messages of the previous request of the role. Throws Error{journal_failed}.
    [[nodiscard]] SentMessages store(const vlm::ChatRequest& request,
                                     const std::vector<SentMessage>& previous);

private:
    SentText store(std::string_view text);
    RunStore& store_;
    /// Texts that this object has stored or found complete; not all, so that a run of days does not
    /// fill the memory.
    std::set<std::string, std::less<>> stored_;
};

} // namespace eyehand::agent
