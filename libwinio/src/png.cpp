// A PNG file of independent stripes. The first row of a stripe is filtered without the row above;
// its deflate stream starts from a clean state and ends at a whole byte with nothing pending (full
// flush). Concatenated, the stripes' streams are therefore one raw deflate stream: zlib's header
// precedes the first one, and a chunk after the last one contains an empty last block and the
// checksum, combined from the checksums of the stripes.
#include "eyehand/winio/png.hpp"

#include "stripe_encoder.hpp"

#include <zlib.h>

#include <algorithm>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace eyehand::winio {
namespace {

using ByteVector = std::vector<std::uint8_t>;

void append_u32(ByteVector& out, std::uint32_t value) {
    for (const int shift : {24, 16, 8, 0}) out.push_back(static_cast<std::uint8_t>(value >> shift));
}

void append(ByteVector& out, std::span<const std::uint8_t> bytes) {
    out.insert(out.end(), bytes.begin(), bytes.end());
}

void append_chunk(ByteVector& out, std::string_view type, std::span<const std::uint8_t> begin,
                  std::span<const std::uint8_t> rest = {}) {
    append_u32(out, static_cast<std::uint32_t>(begin.size() + rest.size()));
    const std::size_t checked_from = out.size();
    out.insert(out.end(), type.begin(), type.end());
    append(out, begin);
    append(out, rest);
    append_u32(out, static_cast<std::uint32_t>(
                        crc32_z(0, out.data() + checked_from, out.size() - checked_from)));
}

constexpr std::size_t chunk_frame_bytes = 12; // length, type, checksum

ByteVector file_begin(Size size) {
    ByteVector file{0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    ByteVector header;
    append_u32(header, static_cast<std::uint32_t>(size.width));
    append_u32(header, static_cast<std::uint32_t>(size.height));
    // 8 bits per sample, RGB, deflate, the standard filters, not interlaced.
    append(header, std::to_array<std::uint8_t>({8, 2, 0, 0, 0}));
    append_chunk(file, "IHDR", header);
    return file;
}

// RFC 1950: deflate with a window of 32 KB, and check bits.
constexpr auto zlib_header = std::to_array<std::uint8_t>({0x78, 0x01});
// RFC 1951: an empty last block with fixed codes.
constexpr auto last_block = std::to_array<std::uint8_t>({0x03, 0x00});

void check(Size size, const PngOptions& options, int stripe_rows) {
    if (size.empty()) throw std::invalid_argument("an empty image cannot be encoded");
    if (options.level < 0 || options.level > 9)
        throw std::invalid_argument("a PNG's level must be 0 to 9");
    if (stripe_rows < 1) throw std::invalid_argument("a PNG's stripes need at least one row");
    // zlib accepts this size at once, and a chunk can contain it even if it cannot be compressed.
    constexpr std::int64_t max = 1 << 30;
    const std::int64_t rows = std::min(stripe_rows, size.height);
    if ((std::int64_t{size.width} * 3 + 1) > max / rows)
        throw std::invalid_argument("a PNG's stripes must not be larger than 1 GiB");
}

// An encoder has about 700 KB of memory, which is expensive to initialize, so encoders are reused.
class EncoderPool {
public:
    explicit EncoderPool(int level) : level_(level) {}

    [[nodiscard]] std::unique_ptr<StripeEncoder> take() {
        {
            const std::lock_guard lock(mutex_);
            if (!idle_.empty()) {
                auto encoder = std::move(idle_.back());
                idle_.pop_back();
                return encoder;
            }
        }
        return std::make_unique<StripeEncoder>(level_);
    }

    void give_back(std::unique_ptr<StripeEncoder> encoder) {
        const std::lock_guard lock(mutex_);
        idle_.push_back(std::move(encoder));
    }

private:
    int level_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<StripeEncoder>> idle_;
};

} // namespace

struct StripedPng::State {
    struct Stripe {
        ByteVector chunk; // a whole IDAT; empty until encoded
        std::uint32_t adler = 1;
    };

    State(Size of, const PngOptions& options, int rows_per_stripe)
        : size(of), stripe_rows(std::min(rows_per_stripe, of.height)),
          stripes(static_cast<std::size_t>((of.height - 1) / stripe_rows + 1)),
          encoders(options.level) {}

    [[nodiscard]] RowRange rows(int index) const {
        const int first = index * stripe_rows;
        return {first, std::min(stripe_rows, size.height - first)};
    }

    Size size;
    int stripe_rows;
    std::vector<Stripe> stripes;
    EncoderPool encoders;
};

StripedPng::StripedPng(Size size, const PngOptions& options, int stripe_rows) {
    check(size, options, stripe_rows);
    state_ = std::make_unique<State>(size, options, stripe_rows);
}
StripedPng::~StripedPng() = default;
StripedPng::StripedPng(StripedPng&&) noexcept = default;
StripedPng& StripedPng::operator=(StripedPng&&) noexcept = default;

Size StripedPng::size() const { return state_->size; }
int StripedPng::stripes() const { return static_cast<int>(state_->stripes.size()); }

RowRange StripedPng::stripe(int index) const {
    if (index < 0 || index >= stripes())
        throw std::invalid_argument("the index of the stripe is out of range");
    return state_->rows(index);
}

void StripedPng::encode(int index, const ImageView& rows) {
    if (rows.size() != Size{size().width, stripe(index).count})
        throw std::invalid_argument("the rows and the stripe differ in size");
    auto encoder = state_->encoders.take();
    const StripeEncoder::Deflated deflated = encoder->encode(rows);
    State::Stripe stripe;
    stripe.adler = deflated.adler;
    stripe.chunk.reserve(chunk_frame_bytes + zlib_header.size() + deflated.bytes.size());
    if (index == 0)
        append_chunk(stripe.chunk, "IDAT", zlib_header, deflated.bytes);
    else
        append_chunk(stripe.chunk, "IDAT", deflated.bytes);
    state_->stripes[static_cast<std::size_t>(index)] = std::move(stripe);
    state_->encoders.give_back(std::move(encoder));
}

ByteVector StripedPng::file() const {
    const auto row_bytes = static_cast<std::int64_t>(size().width) * 3 + 1;
    std::size_t chunk_bytes = 0;
    uLong adler = 1;
    for (int index = 0; index < stripes(); ++index) {
        const State::Stripe& stripe = state_->stripes[static_cast<std::size_t>(index)];
        if (stripe.chunk.empty())
            throw std::logic_error("a stripe of the PNG has not been encoded");
        chunk_bytes += stripe.chunk.size();
        adler = adler32_combine(adler, stripe.adler,
                                static_cast<z_off_t>(row_bytes * state_->rows(index).count));
    }
    ByteVector file = file_begin(size());
    ByteVector end;
    append_u32(end, static_cast<std::uint32_t>(adler));
    constexpr std::size_t end_bytes =
        2 * chunk_frame_bytes + last_block.size() + sizeof(std::uint32_t);
    file.reserve(file.size() + chunk_bytes + end_bytes);
    for (const State::Stripe& stripe : state_->stripes) append(file, stripe.chunk);
    append_chunk(file, "IDAT", last_block, end);
    append_chunk(file, "IEND", {});
    return file;
}

ByteVector encode_png(const ImageView& image, const PngOptions& options, int stripe_rows) {
    StripedPng png(image.size(), options, stripe_rows);
    for (int index = 0; index < png.stripes(); ++index) {
        const RowRange rows = png.stripe(index);
        png.encode(index, image.crop({0, rows.first, image.width(), rows.count}));
    }
    return png.file();
}

} // namespace eyehand::winio
