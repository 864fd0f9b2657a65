// The random faults of the soak: which turn has which, and what the scripted server answers.
#pragma once

#include "eyehand/vlm/testing/chat_server.hpp"

#include <array>
#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace soak {

enum class Fault {
    none,
    // of the server
    connection_closed, ///< in the middle of the answer
    connection_reset,  ///< instead of an answer
    status_500,
    status_429,        ///< with a short retry-after-ms
    no_answer,         ///< until the client's time limit
    malformed_json,    ///< ends the part of the run
    retries_exhausted, ///< ends the part of the run
    // of the model
    bad_arguments,
    malformed_arguments, ///< not JSON
    unknown_tool,
    // of the desktop
    captures_refused, ///< ends the part of the run
    input_refused,    ///< after some of its events; ends the part of the run
    clipboard_refused,
    windows_changed, ///< while the model thinks
    // of the user
    stopped,          ///< ends the part of the run
    request_canceled, ///< the same, and the first request of the next part is canceled by the watch
};
inline constexpr std::size_t fault_count = 17; ///< with `none`

[[nodiscard]] std::string_view name_of(Fault fault) noexcept;
/// Whether the program, not the server, causes the fault.
[[nodiscard]] bool is_local(Fault fault) noexcept;

/// The fault of each turn, from 1; all kinds are equally frequent. A turn in which the program measures, and the two before it, have
/// none, so that no fault is in progress.
class Plan {
public:
    Plan(int turns, int interval, int percent, unsigned seed);
    [[nodiscard]] Fault of(int turn) const;
    [[nodiscard]] int count() const;

private:
    std::vector<Fault> faults_;
};

/// The model: a random call for each request, or the one at which a fault aims. Not thread-safe.
class Model {
public:
    explicit Model(unsigned seed) : random_(seed) {}
    [[nodiscard]] eyehand::vlm::testing::Answer reply(Fault fault);

private:
    [[nodiscard]] int any(int from, int to);
    [[nodiscard]] std::string call();

    std::mt19937 random_;
    int replies_ = 0;
};

/// The answer to an attempt of a request, from 1, in a turn with a fault of the server.
[[nodiscard]] eyehand::vlm::testing::Answer with_fault(Fault fault, int attempt,
                                                       eyehand::vlm::testing::Answer answer);

} // namespace soak
