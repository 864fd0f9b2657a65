// png/CASE/ENCODER: from captured frames to PNG files. Times and the counter `bytes` are totals
// over the frame set. `reference` and `libdeflate` encode whole frames each time.
#include "eyehand/winio/frame_pipeline.hpp"
#include "frame_set.hpp"

#include <benchmark/benchmark.h>
#include <libdeflate.h>
#include <zlib.h>

#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>

using namespace eyehand;

namespace {

using frame_set::Edit;
using frame_set::Images;
using winio::Frame;
using winio::Image;
using Bytes = std::vector<std::uint8_t>;

void report(benchmark::State& state, std::size_t bytes) {
    state.counters["bytes"] = static_cast<double>(bytes);
}

// --- Encoders of whole frames ------------------------------------------------------------------------

void filter_none(const Image& image, Bytes& into) {
    into.resize((image.stride() / 4 * 3 + 1) * static_cast<std::size_t>(image.height()));
    std::uint8_t* out = into.data();
    for (int y = 0; y < image.height(); ++y) {
        const auto row = image.view().row(y);
        *out++ = 0;
        for (std::size_t at = 0; at < row.size(); at += 4, out += 3) {
            out[0] = row[at + 2];
            out[1] = row[at + 1];
            out[2] = row[at];
        }
    }
}

// The bytes of a PNG file with one IDAT in addition to its data: signature, IHDR, IDAT's frame,
// IEND.
constexpr std::size_t file_frame_bytes = 8 + 25 + 12 + 12;

// Returns the size of the file. The encoder reuses its buffers.
using EncodeWhole = std::function<std::size_t(const Image&)>;

EncodeWhole reference() {
    return [filtered = Bytes(), deflated = Bytes()](const Image& image) mutable {
        filter_none(image, filtered);
        deflated.resize(compressBound(filtered.size()));
        uLongf size = deflated.size();
        if (compress2(deflated.data(), &size, filtered.data(), filtered.size(), 6) != Z_OK)
            throw std::bad_alloc();
        benchmark::DoNotOptimize(crc32_z(0, deflated.data(), size));
        return file_frame_bytes + size;
    };
}

EncodeWhole libdeflate() {
    const std::shared_ptr<libdeflate_compressor> compressor(libdeflate_alloc_compressor(1),
                                                            libdeflate_free_compressor);
    return [compressor, filtered = Bytes(), deflated = Bytes()](const Image& image) mutable {
        filter_none(image, filtered);
        deflated.resize(libdeflate_zlib_compress_bound(compressor.get(), filtered.size()));
        const std::size_t size = libdeflate_zlib_compress(
            compressor.get(), filtered.data(), filtered.size(), deflated.data(), deflated.size());
        benchmark::DoNotOptimize(libdeflate_crc32(0, deflated.data(), size));
        return file_frame_bytes + size;
    };
}

void encode_whole(benchmark::State& state, EncodeWhole encode, const Images& frames) {
    std::size_t bytes = 0;
    for ([[maybe_unused]] auto _ : state) {
        bytes = 0;
        for (const Image& frame : frames) bytes += encode(frame);
    }
    report(state, bytes);
}

// --- FramePipeline -----------------------------------------------------------------------------------

Frame frame_of(const Image& pixels) {
    Frame frame;
    frame.pixels = pixels;
    return frame;
}

void encode_first(benchmark::State& state, const Images& frames) {
    std::size_t bytes = 0;
    std::optional<winio::FramePipeline> pipeline;
    for ([[maybe_unused]] auto _ : state) {
        bytes = 0;
        for (const Image& pixels : frames) {
            state.PauseTiming();
            pipeline.reset();
            Frame frame = frame_of(pixels);
            state.ResumeTiming();
            pipeline.emplace();
            bytes += pipeline->process(std::move(frame)).file->size();
        }
    }
    report(state, bytes);
}

// Each pipeline alternates between its two versions: it leaves the previous one in the frame, which
// it receives again.
void encode_next(benchmark::State& state, const Images& before, const Images& after) {
    std::vector<winio::FramePipeline> pipelines(before.size());
    std::vector<Frame> frames;
    for (std::size_t i = 0; i < before.size(); ++i) {
        pipelines[i].process(frame_of(before[i]));
        frames.push_back(frame_of(after[i]));
    }
    std::size_t bytes_after = 0; // of the first iteration
    for ([[maybe_unused]] auto _ : state) {
        std::size_t bytes = 0;
        for (std::size_t i = 0; i < frames.size(); ++i)
            bytes += pipelines[i].process(std::move(frames[i])).file->size(); // NOLINT: see above
        if (bytes_after == 0) bytes_after = bytes;
    }
    report(state, bytes_after);
}

// --- An unchanged frame: one comparison -----------------------------------------------------------------

void compare(benchmark::State& state, const Images& frames) {
    const Images copies = frames;
    std::size_t bytes = 0;
    for ([[maybe_unused]] auto _ : state) {
        bytes = 0;
        for (std::size_t i = 0; i < frames.size(); ++i) {
            const std::size_t size =
                frames[i].stride() * static_cast<std::size_t>(frames[i].height());
            benchmark::DoNotOptimize(std::memcmp(frames[i].data(), copies[i].data(), size));
            bytes += size;
        }
    }
    report(state, bytes);
}

// --- Registration --------------------------------------------------------------------------------------

template <typename Run>
void add(const std::string& name, Run run) {
    benchmark::RegisterBenchmark(name.c_str(), run)->Unit(benchmark::kMillisecond);
}

const Images& frames() { return frame_set::captured_frames(); }
Images photo() { return {frames().back()}; }

// The time for a whole frame depends on its content, not on its changes.
void add_whole(const std::string& encoder, EncodeWhole (*make)()) {
    for (const std::string name : {"first", "unchanged"})
        add("png/" + name + '/' + encoder,
            [make](benchmark::State& state) { encode_whole(state, make(), frames()); });
    add("png/photo/" + encoder,
        [make](benchmark::State& state) { encode_whole(state, make(), photo()); });
    for (const auto& [name, edit] : {std::pair{"ten_percent", Edit::tenth},
                                     {"one_line", Edit::one_line},
                                     {"scroll", Edit::scroll}})
        add("png/" + std::string(name) + '/' + encoder,
            [make, edit = edit](benchmark::State& state) {
                encode_whole(state, make(), frame_set::edited(frames(), edit));
            });
}

void add_eyehand() {
    add("png/first/eyehand", [](benchmark::State& state) { encode_first(state, frames()); });
    add("png/photo/eyehand", [](benchmark::State& state) { encode_first(state, photo()); });
    add("png/unchanged/eyehand",
        [](benchmark::State& state) { encode_next(state, frames(), frames()); });
    for (const auto& [name, edit] : {std::pair{"ten_percent", Edit::tenth},
                                     {"one_line", Edit::one_line},
                                     {"scroll", Edit::scroll}})
        add("png/" + std::string(name) + "/eyehand", [edit = edit](benchmark::State& state) {
            encode_next(state, frames(), frame_set::edited(frames(), edit));
        });
    add("png/unchanged/memcmp", [](benchmark::State& state) { compare(state, frames()); });
}

// pipeline/scaled/CASE: the whole pipeline, 1920x1080 to 1536x864.
void add_scaled() {
    using frame_set::screenshots;
    add("pipeline/scaled/first",
        [](benchmark::State& state) { encode_first(state, screenshots()); });
    add("pipeline/scaled/one_line", [](benchmark::State& state) {
        encode_next(state, screenshots(), frame_set::edited(screenshots(), Edit::one_line));
    });
    add("pipeline/scaled/unchanged",
        [](benchmark::State& state) { encode_next(state, screenshots(), screenshots()); });
}

[[maybe_unused]] const bool added = [] {
    add_whole("reference", reference);
    add_whole("libdeflate", libdeflate);
    add_eyehand();
    add_scaled();
    return true;
}();

} // namespace
