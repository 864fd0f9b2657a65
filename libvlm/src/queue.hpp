// Serializes the requests to one server.
#pragma once

#include <memory>
#include <stop_token>
#include <string>

namespace eyehand::vlm {

/// Holds the turn at a server during its lifetime. Thread-safe.
class Turn {
public:
    /// Waits until no other thread of this process has the turn at `server` ("host:port"). Throws
    /// Error{cancelled}.
    Turn(const std::string& server, const std::stop_token& stop);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

private:
    struct Queue;
    [[nodiscard]] static std::shared_ptr<Queue> queue_of(const std::string& server);

    std::shared_ptr<Queue> queue_;
};

} // namespace eyehand::vlm
