#include "stdio/serve.hpp"

#include "access.hpp"
#include "core.hpp"
#include "eyehand/base/stoppable_wait.hpp"
#include "session.hpp"

#include <chrono>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace eyehand::mcp {
namespace {

/// One line for each message.
class LineOutlet final : public Outlet {
public:
    explicit LineOutlet(Streams& streams) : streams_(streams) {}

    bool send(std::string message) override {
        message += '\n';
        const std::lock_guard lock(mutex_);
        is_open_ = is_open_ && streams_.write(message);
        return is_open_;
    }
    void finish(std::string message, unsigned /*http_status*/) override {
        (void)send(std::move(message));
    }
    void drop() override {}

private:
    Streams& streams_;
    std::mutex mutex_;
    bool is_open_ = true;
};

/// Splits what arrives into lines.
class LineReader {
public:
    LineReader(Streams& streams, std::size_t max_bytes)
        : streams_(streams), max_bytes_(max_bytes), part_(64U << 10U) {}

    /// The next line. Of one that is too long only its beginning, which is longer than the limit. False:
    /// the input has ended.
    bool next(std::string& line) {
        line.clear();
        for (;;) {
            if (at_ == size_) {
                at_ = 0;
                size_ = streams_.read(part_.data(), part_.size());
                if (size_ == 0) return false; // a line without an end is not a message
            }
            const std::string_view rest(part_.data() + at_, size_ - at_);
            const std::size_t end = rest.find('\n');
            const std::string_view text = rest.substr(0, end);
            if (line.size() <= max_bytes_) line += text;
            at_ += text.size();
            if (end == std::string_view::npos) continue;
            ++at_;
            if (line.ends_with('\r')) line.pop_back();
            return true;
        }
    }

private:
    Streams& streams_;
    const std::size_t max_bytes_;
    std::vector<char> part_;
    std::size_t at_ = 0;
    std::size_t size_ = 0;
};

} // namespace

void serve_streams(Server& server, Streams& streams, const std::stop_token& stop) {
    // Polls: the destructor of a std::stop_callback can hang (eyehand/base/stoppable_wait.hpp).
    const std::jthread watch([&](const std::stop_token& over) {
        constexpr std::chrono::milliseconds look_every{50};
        while (!stop.stop_requested() && !over.stop_requested())
            (void)base::wait_for(look_every, over);
        if (stop.stop_requested()) streams.stop();
    });
    const auto outlet = std::make_shared<LineOutlet>(streams);
    const auto session = server.core().open(web::random_token(), outlet);
    const std::size_t max_bytes = server.options().max_message_bytes;
    LineReader lines(streams, max_bytes);
    std::string line;
    while (lines.next(line)) {
        if (line.find_first_not_of(" \t") == std::string::npos) continue;
        session->receive(parse_message(line, max_bytes), outlet);
    }
    session->close();
    session->wait();
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): as all stop tokens of the interface
void serve_stdio(Server& server, std::stop_token stop) {
    const auto streams = standard_streams();
    serve_streams(server, *streams, stop);
}

} // namespace eyehand::mcp
