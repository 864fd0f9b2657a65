// ReplayModel: for each turn, restores the recorded request, compares it, and replays the answer.
#include "eyehand/vlm/cassette.hpp"

#include "eyehand/base/folder_file.hpp"
#include "eyehand/base/stoppable_wait.hpp"
#include "eyehand/vlm/digest.hpp"
#include "eyehand/vlm/error.hpp"

#include "cassette_diff.hpp"
#include "cassette_file.hpp"
#include "cassette_turn.hpp"

#include <chrono>
#include <stdexcept>
#include <utility>

namespace eyehand::vlm {
namespace {

using Clock = std::chrono::steady_clock;

void check_image(const std::filesystem::path& cassette, const cassette::ImageFile& image) {
    const std::filesystem::path folder = cassette::image_folder(cassette);
    const std::string name = cassette::image_name(image.sha256, image.media_type);
    const std::filesystem::path file = folder / name;
    const std::string where =
        cassette::text_of(cassette) + ", line " + std::to_string(image.line) + ": ";
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored))
        throw CassetteError(where + "the image " + cassette::text_of(file) + " is missing");
    const auto bytes = base::read_in_folder(folder, name, image.bytes);
    if (!bytes || bytes->size() != image.bytes || sha256_hex(*bytes) != image.sha256)
        throw CassetteError(where + "the image " + cassette::text_of(file) +
                            " differs from the recorded one");
}

void throw_if_stopped(const std::stop_token& stop) {
    if (stop.stop_requested()) throw Error(errc::cancelled, "the replayed reply was canceled");
}

} // namespace

class ReplayModel::Impl {
public:
    Impl(const std::filesystem::path& file, ReplayOptions options)
        : name_(cassette::text_of(file)), options_(options) {
        cassette::Tape tape = cassette::read_tape(cassette::read_file(file), name_);
        if (options.check_images)
            for (const cassette::ImageFile& image : tape.images) check_image(file, image);
        turns_ = std::move(tape.turns);
        load_request();
    }

    ChatReply reply(const ChatRequest& request, const OnDelta& on_delta,
                    const std::stop_token& stop) {
        throw_if_stopped(stop);
        if (at_ == turns_.size())
            throw CassetteMismatch(name_ + ": turn " + std::to_string(at_ + 1) +
                                   " was requested, but the cassette has " +
                                   std::to_string(turns_.size()));
        if (options_.match == ReplayMatch::strict) compare(request);
        const cassette::Turn& turn = turns_[at_];
        play(turn, on_delta, stop);
        ++at_;
        load_request();
        if (const auto* error = std::get_if<Error>(&turn.outcome)) throw *error;
        if (const auto* exception = std::get_if<cassette::OtherException>(&turn.outcome)) {
            if (exception->invalid_argument) throw std::invalid_argument(exception->what);
            throw std::runtime_error(exception->what);
        }
        return std::get<ChatReply>(turn.outcome);
    }

    [[nodiscard]] std::size_t remaining() const { return turns_.size() - at_; }

private:
    /// Keeps only one complete request, because each request repeats the conversation so far.
    void load_request() {
        if (at_ < turns_.size()) cassette::restore(turns_[at_].request, expected_);
    }

    void compare(const ChatRequest& request) const {
        const std::string recorded = cassette::as_sent(expected_);
        const std::string asked = cassette::as_sent(request);
        if (recorded == asked) return;
        throw CassetteMismatch(name_ + ", turn " + std::to_string(at_ + 1) +
                               ": the request differs from the recorded one\n--- recorded\n+++ "
                               "asked\n" +
                               cassette::json_difference(recorded, asked));
    }

    void play(const cassette::Turn& turn, const OnDelta& on_delta,
              const std::stop_token& stop) const {
        const Clock::time_point start = Clock::now();
        for (std::size_t i = 0; on_delta && i < turn.deltas.size(); ++i) {
            if (i < turn.times.deltas.size()) wait_until(start + turn.times.deltas[i], stop);
            throw_if_stopped(stop);
            on_delta(turn.deltas[i]);
        }
        wait_until(start + turn.times.took, stop);
        throw_if_stopped(stop);
    }

    void wait_until(Clock::time_point end, const std::stop_token& stop) const {
        if (options_.original_speed) base::wait_until(end, stop);
    }

    std::string name_; // of the file, for messages
    ReplayOptions options_;
    std::vector<cassette::Turn> turns_;
    std::size_t at_ = 0;
    ChatRequest expected_;
};

ReplayModel::ReplayModel(const std::filesystem::path& file, ReplayOptions options)
    : impl_(std::make_unique<Impl>(file, options)) {}

ReplayModel::~ReplayModel() = default;

ChatReply ReplayModel::reply(const ChatRequest& request, const OnDelta& on_delta,
                             std::stop_token stop) {
    return impl_->reply(request, on_delta, stop);
}

std::size_t ReplayModel::remaining() const { return impl_->remaining(); }

} // namespace eyehand::vlm
