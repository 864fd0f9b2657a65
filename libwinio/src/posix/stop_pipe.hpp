// Wakes up a thread that waits in poll().
#pragma once

namespace eyehand::winio {

class StopPipe {
public:
    /// Throws std::system_error.
    StopPipe();
    ~StopPipe();
    StopPipe(const StopPipe&) = delete;
    StopPipe& operator=(const StopPipe&) = delete;
    /// A file descriptor, which is readable after `stop`.
    [[nodiscard]] int readable_end() const { return ends_[0]; }
    void stop() const;

private:
    int ends_[2];
};

} // namespace eyehand::winio
