#include "lookup.hpp"

#include "eyehand/vlm/error.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>

#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace eyehand::vlm::http {

namespace asio = boost::asio;

struct Lookup::State {
    std::mutex mutex;
    asio::io_context* loop = nullptr; ///< null: the lookup is abandoned
    bool done = false;
    std::vector<std::string> addresses;
    std::string problem;

    void finish(std::vector<std::string> found, std::string why) {
        const std::lock_guard lock(mutex);
        addresses = std::move(found);
        problem = std::move(why);
        done = true;
        if (loop) asio::post(*loop, [] {}); // the waiting thread checks `done` after each event
    }

    void run(const Resolver& resolver, const std::string& host) {
        try {
            finish(resolver(host), {});
        } catch (const std::system_error& error) {
            finish({}, error.code().message());
        } catch (const std::exception& error) {
            finish({}, error.what());
        }
    }
};

std::vector<std::string> resolve(const std::string& host) {
    asio::io_context context;
    asio::ip::tcp::resolver resolver(context);
    boost::system::error_code error;
    const auto results = resolver.resolve(host, std::string(), error);
    if (error) throw std::system_error(static_cast<std::error_code>(error));
    std::vector<std::string> addresses;
    for (const auto& entry : results) addresses.push_back(entry.endpoint().address().to_string());
    return addresses;
}

Lookup::Lookup(asio::io_context& loop, const Resolver& resolver, const std::string& host)
    : state_(std::make_shared<State>()) {
    state_->loop = &loop; // before the thread starts
    try {
        std::thread([state = state_, resolver, host] { state->run(resolver, host); }).detach();
    } catch (const std::system_error& error) {
        throw Error(errc::unreachable,
                    std::string("the thread for the name lookup cannot be started: ") +
                        error.code().message());
    }
}

Lookup::~Lookup() {
    const std::lock_guard lock(state_->mutex);
    state_->loop = nullptr;
}

bool Lookup::done() const {
    const std::lock_guard lock(state_->mutex);
    return state_->done;
}

const std::vector<std::string>& Lookup::addresses() const { return state_->addresses; }
const std::string& Lookup::problem() const { return state_->problem; }

} // namespace eyehand::vlm::http
