// Name lookups that can be abandoned.
#pragma once

#include <boost/asio/io_context.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace eyehand::vlm::http {

/// Returns the numeric addresses of a host, in the order in which they are tried. Blocks; called on
/// a separate thread, which may outlive the connection. Throws std::system_error.
using Resolver = std::function<std::vector<std::string>(const std::string& host)>;

/// The system's name lookup.
[[nodiscard]] std::vector<std::string> resolve(const std::string& host);

/// A lookup on a separate thread. The system's lookup cannot be interrupted. To abandon it, destroy
/// this object; the thread then discards its result.
class Lookup {
public:
    /// Wakes `loop` when the result is available. Throws Error{unreachable} if the thread cannot be
    /// started.
    Lookup(boost::asio::io_context& loop, const Resolver& resolver, const std::string& host);
    ~Lookup();
    Lookup(const Lookup&) = delete;
    Lookup& operator=(const Lookup&) = delete;

    [[nodiscard]] bool done() const;
    /// Precondition: `done()`. If the lookup failed, the list is empty and `problem` has the
    /// reason.
    [[nodiscard]] const std::vector<std::string>& addresses() const;
    [[nodiscard]] const std::string& problem() const;

private:
    struct State;
    std::shared_ptr<State> state_;
};

} // namespace eyehand::vlm::http
