// A chat server on a real socket that answers what a test told it to, also badly.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace vlm::testing {

/// What the server does with one request.
struct Answer {
    int status = 200;
    std::string content_type = "application/json";
    std::string body{};
    std::map<std::string, std::string> headers{}; ///< further ones
    std::string raw{};  ///< if not empty, these bytes instead of all the above
    bool never = false; ///< reads the request and stays silent until the client goes away
    bool close = false; ///< closes the connection after what was sent, else keeps it; resets it if
                        ///< nothing was (`cut_after` 0)
    std::size_t cut_after = std::string::npos; ///< sends only so many bytes, then closes
};

/// A chat completion whose message has this text and, if `tool` is not empty, one call of it.
[[nodiscard]] std::string completion(const std::string& text, const std::string& tool = {},
                                     const std::string& arguments_json = "{}");

struct ReceivedRequest {
    std::string method;
    std::string target;
    std::map<std::string, std::string> headers; ///< names in lower case
    std::string body;
};

/// Listens on a free loopback port on a thread of its own. Thread-safe.
class ChatServer {
public:
    ChatServer();
    ~ChatServer(); ///< closes every connection and joins the thread
    ChatServer(const ChatServer&) = delete;
    ChatServer& operator=(const ChatServer&) = delete;

    [[nodiscard]] int port() const;
    [[nodiscard]] std::string url() const; ///< "http://127.0.0.1:PORT"

    /// Answers are used up in order; without one left the server answers 500.
    void enqueue(Answer answer);
    [[nodiscard]] std::vector<ReceivedRequest> requests() const;
    [[nodiscard]] std::size_t connections() const; ///< accepted so far
    /// Waits until the server has read that many requests; false when it took longer than
    /// `at_most`.
    bool wait_for_requests(std::size_t count, std::chrono::milliseconds at_most) const;
    /// Waits until no connection is open: a client that cancels has closed its socket.
    bool wait_until_disconnected(std::chrono::milliseconds at_most) const;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace vlm::testing
