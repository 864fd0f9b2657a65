#include "posix/stop_pipe.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace eyehand::winio {

StopPipe::StopPipe() {
    if (pipe2(ends_, O_CLOEXEC) != 0)
        throw std::system_error(errno, std::generic_category(), "no pipe");
}

StopPipe::~StopPipe() {
    ::close(ends_[0]);
    ::close(ends_[1]);
}

void StopPipe::stop() const {
    const char byte = 0;
    while (::write(ends_[1], &byte, 1) < 0 && errno == EINTR) {
    }
}

} // namespace eyehand::winio
