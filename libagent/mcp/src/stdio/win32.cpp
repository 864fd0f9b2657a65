#include "stdio/streams.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>

#include <windows.h>

namespace eyehand::mcp {
namespace {

/// A pipe of Windows without overlapped operations cannot be awaited together with anything else: a
/// thread reads it.
class Reader {
public:
    explicit Reader(HANDLE file) : file_(file) {}

    /// On its thread, until the input ends.
    void run() {
        {
            const std::lock_guard lock(mutex_);
            HANDLE self = nullptr;
            DuplicateHandle(GetCurrentProcess(), GetCurrentThread(), GetCurrentProcess(), &self, 0,
                            FALSE, DUPLICATE_SAME_ACCESS);
            thread_ = self;
        }
        std::array<char, 65536> part{};
        for (;;) {
            DWORD bytes = 0;
            const bool read =
                ReadFile(file_, part.data(), static_cast<DWORD>(part.size()), &bytes, nullptr) != 0;
            std::unique_lock lock(mutex_);
            if (!read || bytes == 0 || stopped_) break;
            // One part at a time, so that the client waits as with a pipe.
            data_.assign(part.data(), bytes);
            changed_.notify_all();
            changed_.wait(lock, [&] { return data_.empty() || stopped_; });
            if (stopped_) break;
        }
        const std::lock_guard lock(mutex_);
        ended_ = true;
        if (thread_ != nullptr) CloseHandle(thread_);
        thread_ = nullptr;
        changed_.notify_all();
    }

    std::size_t take(char* buffer, std::size_t size) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return !data_.empty() || ended_ || stopped_; });
        if (stopped_ || data_.empty()) return 0;
        const std::size_t bytes = std::min(size, data_.size());
        std::memcpy(buffer, data_.data(), bytes);
        data_.erase(0, bytes);
        changed_.notify_all();
        return bytes;
    }

    void stop() {
        const std::lock_guard lock(mutex_);
        stopped_ = true;
        changed_.notify_all();
    }

    /// Whether the thread has ended. It is interrupted until then: it may not have begun to read.
    bool end() {
        std::unique_lock lock(mutex_);
        for (int attempt = 0; attempt < 200 && !ended_; ++attempt) {
            if (thread_ != nullptr) CancelSynchronousIo(thread_);
            changed_.wait_for(lock, std::chrono::milliseconds(10), [&] { return ended_; });
        }
        return ended_;
    }

private:
    const HANDLE file_;
    std::mutex mutex_;
    std::condition_variable changed_;
    HANDLE thread_ = nullptr;
    std::string data_;
    bool stopped_ = false;
    bool ended_ = false;
};

class WindowsStreams final : public Streams {
public:
    WindowsStreams(HANDLE input, HANDLE output)
        : output_(output), reader_(std::make_shared<Reader>(input)),
          thread_([reader = reader_] { reader->run(); }) {}
    ~WindowsStreams() override {
        reader_->stop();
        if (reader_->end())
            thread_.join();
        else
            thread_.detach(); // a read that cannot be interrupted; it keeps the reader
    }
    WindowsStreams(const WindowsStreams&) = delete;
    WindowsStreams& operator=(const WindowsStreams&) = delete;

    std::size_t read(char* buffer, std::size_t size) override {
        return reader_->take(buffer, size);
    }

    bool write(std::string_view bytes) override {
        while (!bytes.empty()) {
            {
                const std::lock_guard lock(mutex_);
                if (stopped_) return false;
                HANDLE self = nullptr;
                DuplicateHandle(GetCurrentProcess(), GetCurrentThread(), GetCurrentProcess(), &self,
                                0, FALSE, DUPLICATE_SAME_ACCESS);
                writer_ = self;
            }
            DWORD written = 0;
            const bool done =
                WriteFile(output_, bytes.data(),
                          static_cast<DWORD>(std::min<std::size_t>(bytes.size(), 65536)), &written,
                          nullptr) != 0;
            {
                const std::lock_guard lock(mutex_);
                CloseHandle(writer_);
                writer_ = nullptr;
            }
            if (!done) return false;
            bytes.remove_prefix(written);
        }
        return true;
    }

    void stop() override {
        reader_->stop();
        const std::lock_guard lock(mutex_);
        stopped_ = true;
        if (writer_ != nullptr) CancelSynchronousIo(writer_);
    }

private:
    const HANDLE output_;
    const std::shared_ptr<Reader> reader_;
    std::thread thread_;
    std::mutex mutex_;
    HANDLE writer_ = nullptr; ///< the thread that writes
    bool stopped_ = false;
};

HANDLE handle_of(NativeFile file) {
    return reinterpret_cast<HANDLE>(file); // NOLINT(performance-no-int-to-ptr)
}

} // namespace

std::unique_ptr<Streams> make_streams(NativeFile input, NativeFile output) {
    return std::make_unique<WindowsStreams>(handle_of(input), handle_of(output));
}

// The handles themselves have no text mode: that belongs to the C library's streams.
std::unique_ptr<Streams> standard_streams() {
    return std::make_unique<WindowsStreams>(GetStdHandle(STD_INPUT_HANDLE),
                                            GetStdHandle(STD_OUTPUT_HANDLE));
}

} // namespace eyehand::mcp
