// Name lookups that a waiting caller can walk away from.
#pragma once

#include <boost/asio/io_context.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace eyehand::vlm::http {

/// From a host name to numeric addresses, in the order in which they are tried. Blocks; called on a
/// thread of its own, which may outlive the connection. Throws std::system_error.
using Resolver = std::function<std::vector<std::string>(const std::string& host)>;

/// The system's name lookup.
[[nodiscard]] std::vector<std::string> resolve(const std::string& host);

/// A lookup on a thread of its own. The system's lookup cannot be interrupted: whoever stops waiting
/// destroys this, and the thread's result is dropped whenever it comes.
class Lookup {
public:
    /// Wakes `loop` when there is a result. Throws Error{unreachable} if no thread can be started.
    Lookup(boost::asio::io_context& loop, const Resolver& resolver, const std::string& host);
    ~Lookup();
    Lookup(const Lookup&) = delete;
    Lookup& operator=(const Lookup&) = delete;

    [[nodiscard]] bool done() const;
    /// Once it is done: the addresses, or none and why.
    [[nodiscard]] const std::vector<std::string>& addresses() const;
    [[nodiscard]] const std::string& problem() const;

private:
    struct State;
    std::shared_ptr<State> state_;
};

} // namespace eyehand::vlm::http
