// Decodes compressed bodies, which some servers send against Accept-Encoding.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

namespace eyehand::vlm::http {

/// Decodes a gzip or zlib stream piece by piece.
class Inflater {
public:
    Inflater();
    ~Inflater();
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;

    /// Decodes `bytes` and passes the result to `take` in pieces of at most 64 KiB, so that `take`
    /// can stop a decompression bomb with an exception. Returns false if the stream is malformed.
    [[nodiscard]] bool put(std::string_view bytes,
                           const std::function<void(std::string_view)>& take);
    /// Whether the stream is complete.
    [[nodiscard]] bool is_complete() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace eyehand::vlm::http
