// RecordingModel: for each turn, stores the images, asks the model, and writes one line.
#include "eyehand/vlm/cassette.hpp"

#include "eyehand/vlm/digest.hpp"

#include "cassette_file.hpp"
#include "cassette_turn.hpp"

#include <array>
#include <chrono>
#include <cstdio>
#include <exception>
#include <set>
#include <stdexcept>
#include <utility>

namespace eyehand::vlm {
namespace {

using Clock = std::chrono::steady_clock;

std::chrono::milliseconds elapsed_since(Clock::time_point start) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start);
}

/// "2026-03-01T09:30:00.125Z"
std::string utc_now() {
    using namespace std::chrono;
    const auto now = floor<milliseconds>(system_clock::now());
    const auto day = floor<days>(now);
    const year_month_day date(day);
    const hh_mm_ss time(now - day);
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ",
                  static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                  static_cast<unsigned>(date.day()), static_cast<int>(time.hours().count()),
                  static_cast<int>(time.minutes().count()),
                  static_cast<int>(time.seconds().count()),
                  static_cast<int>(time.subseconds().count()));
    return text.data();
}

} // namespace

class RecordingModel::Impl {
public:
    Impl(ChatModel& model, const std::filesystem::path& file) : model_(model), file_(file) {
        file_.append(cassette::header_line());
    }

    ChatReply reply(const ChatRequest& request, const OnDelta& on_delta, std::stop_token stop) {
        if (broken_)
            throw CassetteError(cassette::text_of(file_.path()) +
                                " lacks a turn that could not be written: record to a new file");
        ChatRequest named = cassette::with_hashes(request);
        store_images(named);
        cassette::Turn turn;
        turn.request = cassette::abridge(named, previous_);
        turn.times.at = utc_now();
        const std::exception_ptr failure = ask(turn, request, on_delta, std::move(stop));
        write(turn);
        previous_ = std::move(named);
        if (failure) std::rethrow_exception(failure);
        return std::get<ChatReply>(std::move(turn.outcome));
    }

private:
    /// Returns the exception of the model, or null.
    std::exception_ptr ask(cassette::Turn& turn, const ChatRequest& request,
                           const OnDelta& on_delta, std::stop_token stop) {
        const Clock::time_point start = Clock::now();
        // A client streams only if it gets an `on_delta`; recording must not change that.
        OnDelta listener;
        if (on_delta)
            listener = [&](const Delta& delta) {
                turn.deltas.push_back(delta);
                turn.times.deltas.push_back(elapsed_since(start));
                on_delta(delta);
            };
        std::exception_ptr failure;
        try {
            turn.outcome = model_.reply(request, listener, std::move(stop));
        } catch (const Error& error) {
            turn.outcome = error;
            failure = std::current_exception();
        } catch (const std::invalid_argument& error) {
            turn.outcome = cassette::OtherException{true, error.what()};
            failure = std::current_exception();
        } catch (const std::exception& error) {
            turn.outcome = cassette::OtherException{false, error.what()};
            failure = std::current_exception();
        } catch (...) {
            turn.outcome = cassette::OtherException{false, "an exception of an unknown type"};
            failure = std::current_exception();
        }
        turn.times.took = elapsed_since(start);
        return failure;
    }

    void write(const cassette::Turn& turn) {
        broken_ = true; // stays true if this throws: half a line would make the next one unreadable
        file_.append(cassette::turn_line(++turns_, turn));
        broken_ = false;
    }

    void store_images(const ChatRequest& request) {
        for (const Message& message : request.messages)
            for (const Part& part : message.parts)
                if (const auto* image = std::get_if<Image>(&part); image && image->bytes)
                    store(*image);
    }

    void store(const Image& image) {
        const std::string name = cassette::image_name(image.sha256, image.media_type);
        if (stored_.contains(name)) return;
        const std::span<const std::uint8_t> bytes(*image.bytes);
        if (sha256_hex(bytes) != image.sha256)
            throw std::invalid_argument("the hash of an image is not that of its bytes");
        cassette::store_image(cassette::image_folder(file_.path()) / name, bytes, image.sha256);
        stored_.insert(name);
    }

    ChatModel& model_;
    cassette::GrowingFile file_;
    ChatRequest previous_;
    std::set<std::string> stored_; // names of image files
    std::size_t turns_ = 0;
    bool broken_ = false;
};

RecordingModel::RecordingModel(ChatModel& model, const std::filesystem::path& file)
    : impl_(std::make_unique<Impl>(model, file)) {}

RecordingModel::~RecordingModel() = default;

ChatReply RecordingModel::reply(const ChatRequest& request, const OnDelta& on_delta,
                                std::stop_token stop) {
    return impl_->reply(request, on_delta, std::move(stop));
}

} // namespace eyehand::vlm
