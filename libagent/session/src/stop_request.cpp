#include "eyehand/session/stop_request.hpp"

#include "eyehand/base/folder_file.hpp"

#include <array>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

namespace eyehand::session {
namespace {

constexpr const char* file_name = "stop_request";
constexpr std::chrono::milliseconds between_looks{100};
constexpr std::array<std::pair<StopRequest, std::string_view>, 3> names{
    {{StopRequest::at_safe_point, "at_safe_point"},
     {StopRequest::at_once, "at_once"},
     {StopRequest::end_program, "end_program"}}};

} // namespace

void request_stop(agent::RunDirectory directory, StopRequest request) {
    for (const auto& [value, name] : names)
        if (value == request) directory.replace(file_name, name);
}

class StopRequestWatch::Impl {
public:
    Impl(std::filesystem::path folder, std::function<void(StopRequest)> on_request)
        : folder_(std::move(folder)), on_request_(std::move(on_request)) {
        (void)take(); // from before
        thread_ = std::thread([this] { watch(); });
    }
    ~Impl() {
        {
            const std::lock_guard lock(mutex_);
            over_ = true;
        }
        ending_.notify_all();
        thread_.join();
        (void)take(); // the run has ended: nothing is left to stop
    }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

private:
    void watch() {
        std::unique_lock lock(mutex_);
        while (!ending_.wait_for(lock, between_looks, [this] { return over_; })) {
            lock.unlock();
            try {
                if (const auto request = take()) on_request_(*request);
            } catch (...) { // NOLINT(bugprone-empty-catch): documented
            }
            lock.lock();
        }
    }

    /// The request in the file, which is removed.
    [[nodiscard]] std::optional<StopRequest> take() const {
        // Renamed first: a request that arrives meanwhile is not removed.
        constexpr const char* taken = "stop_request.taken";
        std::error_code error; // usually there is no request
        std::filesystem::rename(folder_ / file_name, folder_ / taken, error);
        if (error) return std::nullopt;
        constexpr std::uintmax_t longest = 64;
        const auto text = base::read_in_folder(folder_, taken, longest);
        std::filesystem::remove(folder_ / taken, error);
        if (!text) return std::nullopt;
        for (const auto& [value, name] : names)
            if (name == *text) return value;
        return std::nullopt;
    }

    const std::filesystem::path folder_;
    const std::function<void(StopRequest)> on_request_;
    std::mutex mutex_;
    std::condition_variable ending_;
    bool over_ = false;
    std::thread thread_;
};

StopRequestWatch::StopRequestWatch(const agent::RunDirectory& directory,
                                   std::function<void(StopRequest)> on_request)
    : impl_(std::make_unique<Impl>(directory.path(), std::move(on_request))) {}
StopRequestWatch::~StopRequestWatch() = default;

} // namespace eyehand::session
