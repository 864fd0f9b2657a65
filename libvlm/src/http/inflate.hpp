// Bodies that a server compressed although it was asked not to.
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

    /// Hands on what `bytes` decode to; pieces of at most 64 KiB, so that whoever takes them can
    /// end a bomb by throwing. False: this is no such stream.
    [[nodiscard]] bool put(std::string_view bytes,
                           const std::function<void(std::string_view)>& take);
    /// Whether the stream is complete.
    [[nodiscard]] bool is_complete() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace eyehand::vlm::http
