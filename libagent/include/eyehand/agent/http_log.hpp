// http.log: the HTTP traffic between a run and its model.
//
//     agent::HttpLog log;
//     vlm::OpenAiClient model({.endpoint = "http://localhost:1234",
//                              .on_exchange = [&](const vlm::Exchange& it) { log.add(it); }});
//     log.write_to(store);
#pragma once

#include "eyehand/agent/error.hpp"
#include "eyehand/agent/run_store.hpp"
#include "eyehand/export.hpp"
#include "eyehand/vlm/openai_client.hpp"

#include <deque>

namespace eyehand::agent {

/// Writes exchanges to http.log, with long prompts shortened, tools as their names and images as
/// hash and length. Not thread-safe.
class EYEHAND_AGENT_API HttpLog {
public:
    /// Writes the exchange; before `write_to`, keeps it in memory. If it throws
    /// Error{journal_failed}, the exchange is written with the next one.
    void add(const vlm::Exchange& exchange);
    /// Writes the exchanges kept so far, and from then on each one as it arrives. The store must
    /// outlive this object. Throws as `add`.
    void write_to(RunStore& store);

private:
    void write();
    RunStore* store_ = nullptr;
    std::deque<vlm::Exchange> kept_;
    int written_ = 0;
};

} // namespace eyehand::agent
