#include "inflate.hpp"

#include <zlib.h>

#include <cstdint>
#include <new>
#include <vector>

namespace eyehand::vlm::http {

struct Inflater::Impl {
    Impl() {
        constexpr int window_bits = 15;
        constexpr int zlib_or_gzip = 32; // zlib's manual, inflateInit2
        if (inflateInit2(&stream, window_bits + zlib_or_gzip) != Z_OK) throw std::bad_alloc();
    }
    ~Impl() { inflateEnd(&stream); }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    z_stream stream{};
    std::vector<char> room = std::vector<char>(std::size_t{64} * 1024);
    bool complete = false;
};

Inflater::Inflater() : impl_(std::make_unique<Impl>()) {}
Inflater::~Inflater() = default;

bool Inflater::put(std::string_view bytes, const std::function<void(std::string_view)>& take) {
    z_stream& stream = impl_->stream;
    // Pieces are at most as large as the caller's read buffer.
    static_assert(sizeof(uInt) >= sizeof(std::uint32_t));
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data())); // only read
    stream.avail_in = static_cast<uInt>(bytes.size());
    for (;;) {
        if (impl_->complete) {
            if (stream.avail_in == 0) return true;
            // Another gzip member (RFC 1952, section 2.2).
            if (inflateReset(&stream) != Z_OK) return false;
            impl_->complete = false;
        }
        stream.next_out = reinterpret_cast<Bytef*>(impl_->room.data());
        stream.avail_out = static_cast<uInt>(impl_->room.size());
        const int result = inflate(&stream, Z_SYNC_FLUSH);
        const std::size_t decoded = impl_->room.size() - stream.avail_out;
        if (decoded > 0) take({impl_->room.data(), decoded});
        impl_->complete = result == Z_STREAM_END;
        if (result == Z_BUF_ERROR) return true; // needs more input
        if (result != Z_OK && result != Z_STREAM_END) return false;
    }
}

bool Inflater::is_complete() const { return impl_->complete; }

} // namespace eyehand::vlm::http
