// A pair of byte streams that another thread can stop: standard input and output, or pipes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace eyehand::mcp {

/// A file descriptor, or a HANDLE of Windows.
using NativeFile = std::intptr_t;

class Streams {
public:
    virtual ~Streams() = default;
    /// Waits for some bytes. 0: the input has ended, or `stop` was called. One thread at a time.
    [[nodiscard]] virtual std::size_t read(char* buffer, std::size_t size) = 0;
    /// Writes everything. False: the reader is gone, or `stop` was called. One thread at a time.
    [[nodiscard]] virtual bool write(std::string_view bytes) = 0;
    /// Ends `read` and `write`, now and later. From any thread, more than once.
    virtual void stop() = 0;
};

/// Does not own the files.
[[nodiscard]] std::unique_ptr<Streams> make_streams(NativeFile input, NativeFile output);
/// Standard input and output, without translation of line breaks.
[[nodiscard]] std::unique_ptr<Streams> standard_streams();

} // namespace eyehand::mcp
