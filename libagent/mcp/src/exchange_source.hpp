// What an Exchange is made of.
#pragma once

#include "eyehand/mcp/server.hpp"
#include "json_rpc.hpp"

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::mcp {

class Exchange::Source {
public:
    virtual ~Source() = default;
    [[nodiscard]] virtual const PeerInfo& client() const = 0;
    [[nodiscard]] virtual const std::string& session() const = 0;
    [[nodiscard]] virtual std::stop_token stop() const = 0;
    virtual void progress(double done, std::optional<double> total, std::string_view message) = 0;
    virtual void log(LogLevel level, std::string_view logger, json::value data) = 0;
    [[nodiscard]] virtual bool can_ask(std::string_view method) const = 0;
    /// Whether `ask` waits instead of throwing InputNeeded.
    [[nodiscard]] virtual bool waits_for_answers() const = 0;
    virtual bool continue_as_task() = 0;
    /// Returns the results. `until` withdraws the requests. Throws InputNeeded or Error.
    [[nodiscard]] virtual std::vector<json::object> ask(const std::vector<InputRequest>& requests,
                                                        const std::stop_token& until) = 0;
    [[nodiscard]] virtual const std::string& request_state() const = 0;
    virtual void set_request_state(std::string state) = 0;
};

/// Ends a handler whose client must answer first. Not a std::exception, so that handlers do not catch
/// it by accident.
struct InputNeeded {
    json::object requests; ///< by key: {"method": ..., "params": ...}
};

/// The client lacks a capability that the request needs.
class MissingCapability : public Error {
public:
    MissingCapability(const std::string& what, json::object required)
        : Error(errc::not_supported, what), required_(std::move(required)) {}
    [[nodiscard]] const json::object& required() const { return required_; }

private:
    json::object required_; ///< in the form of the client's capabilities
};

/// What `capabilities` of a client lack for a request, in their form; nothing: the client supports it.
[[nodiscard]] std::optional<json::object> missing_capability(const json::object& capabilities,
                                                             const InputRequest& request);
/// Throws MissingCapability for the first request that the client does not support.
void require_capabilities(const json::object& capabilities,
                          const std::vector<InputRequest>& requests);
/// Throws std::invalid_argument if they are not a JSON object.
[[nodiscard]] json::object parameters_of(const InputRequest& request);

[[nodiscard]] std::string_view to_string(LogLevel level);
[[nodiscard]] std::optional<LogLevel> to_log_level(std::string_view word);

} // namespace eyehand::mcp
