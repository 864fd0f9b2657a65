#include "report/screenshots.hpp"

#include "base/path_text.hpp"
#include "eyehand/base/base64.hpp"
#include "eyehand/base/folder_file.hpp"
#include "eyehand/winio/error.hpp"
#include "eyehand/winio/frame_diff.hpp"
#include "eyehand/winio/image_file.hpp"
#include "eyehand/winio/scale.hpp"
#include "record/run_file.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

namespace eyehand::session {
namespace {

using Bytes = std::vector<std::uint8_t>;
using winio::Image;
using winio::ImageView;
using winio::Rect;
using winio::Size;

constexpr std::string_view longest_prefix = "data:image/jpeg;base64,";
constexpr std::size_t quotes_and_comma = 3;

/// The size of an image in the page, in bytes.
std::size_t cost(std::size_t bytes) {
    return longest_prefix.size() + quotes_and_comma + base::base64_length(bytes);
}

/// A data URL.
std::string encoded(const Bytes& file) {
    const auto format = winio::image_format_of(file).value_or(winio::PngOptions{});
    std::string text;
    text.reserve(longest_prefix.size() + base::base64_length(file.size()));
    text.append("data:").append(winio::media_type(format)).append(";base64,");
    base::append_base64(text, file);
    return text;
}

/// An image for the page, and its origin.
struct Source {
    std::size_t screenshot = 0;
    Rect part{};
    std::size_t bytes = 0; ///< of the file that is not reduced
    Bytes file{};          ///< empty: not in memory, or omitted
    bool whole = false;    ///< the original file of the screenshot
    bool reduced = false;
};

class Fitter {
public:
    Fitter(const std::filesystem::path& directory, const std::vector<ScreenshotFile>& screenshots,
           std::size_t budget)
        : directory_(directory), recorded_(screenshots), budget_(budget),
          laid_(screenshots.size()) {}

    /// Keeps at most `budget_` bytes of files in memory, and the pixels of two screenshots.
    ScreenshotSet fit() {
        if (!take_files()) take_differences();
        if (total() > budget_) reduce(budget_);
        return finish();
    }

private:
    [[nodiscard]] std::size_t total() const {
        return std::accumulate(
            sources_.begin(), sources_.end(), std::size_t{0},
            [](std::size_t sum, const Source& it) { return sum + cost(it.bytes); });
    }

    /// The file of a screenshot; nothing if it cannot be read, and then sets the problem.
    std::optional<Bytes> file_of(std::size_t index) {
        laid_[index].problem = recorded_[index].problem;
        if (!laid_[index].problem.empty()) return std::nullopt;
        const auto file = base::read_in_folder(directory_, agent::path_of(recorded_[index].file),
                                               agent::max_screenshot_file_bytes);
        if (file) return Bytes(file->begin(), file->end());
        laid_[index].problem = "The screenshot is missing or cannot be read.";
        return std::nullopt;
    }

    /// The pixels of a file; nothing if it cannot be decoded, and then sets the problem.
    std::optional<Image> pixels_of(std::size_t index, const Bytes& file) {
        try {
            return winio::decode_image(file);
        } catch (const winio::Error& error) {
            laid_[index].problem = error.what();
            return std::nullopt;
        }
    }

    /// Uses the original files, if they fit. Returns false otherwise.
    bool take_files() {
        std::size_t files = 0; // estimated by the file sizes, before any file is read
        for (const ScreenshotFile& screenshot : recorded_) {
            const auto bytes = base::size_in_folder(directory_, agent::path_of(screenshot.file),
                                                    agent::max_screenshot_file_bytes);
            if (bytes) files += cost(static_cast<std::size_t>(*bytes));
        }
        if (files > budget_) return false;
        for (std::size_t i = 0; i < laid_.size(); ++i) {
            auto file = file_of(i);
            if (!file) continue;
            const auto size = size_of(i, *file);
            if (!size) continue;
            lay(i, *size, {0, 0, size->width, size->height}, *std::move(file), Is::whole);
        }
        return total() <= budget_; // a run in progress may have changed the files
    }

    /// The size of a file that is not decoded; nothing if it has none, and then sets the problem.
    std::optional<Size> size_of(std::size_t index, const Bytes& file) {
        try {
            return winio::image_file_size(file);
        } catch (const winio::Error& error) {
            laid_[index].problem = error.what();
            return std::nullopt;
        }
    }

    enum class Is { whole, part };
    void lay(std::size_t index, Size size, const Rect& part, Bytes file, Is is) {
        laid_[index].size = size;
        laid_[index].layers.push_back({sources_.size(), part});
        Source source{
            .screenshot = index, .part = part, .bytes = file.size(), .whole = is == Is::whole};
        if (kept_ + file.size() <= budget_) {
            kept_ += file.size();
            source.file = std::move(file);
        }
        sources_.push_back(std::move(source));
    }

    /// Stores the differences from the previous screenshot, if these are small.
    void take_differences() {
        sources_.clear();
        kept_ = 0;
        std::optional<std::size_t> before;
        std::optional<Image> image_before;
        for (std::size_t i = 0; i < laid_.size(); ++i) {
            laid_[i] = {};
            auto file = file_of(i);
            if (!file) continue;
            auto image = pixels_of(i, *file);
            if (!image) continue;
            const Rect whole{0, 0, image->width(), image->height()};
            std::optional<Parts> parts;
            if (before && image_before->size() == image->size())
                parts = differences(image_before->view(), image->view(), laid_[*before]);
            laid_[i].size = image->size();
            // The PNG of a part can be larger than the whole file of a lossy format.
            if (!parts || parts->cost > cost(file->size())) {
                lay(i, image->size(), whole, *std::exchange(file, std::nullopt), Is::whole);
            } else {
                laid_[i].layers = laid_[*before].layers;
                for (auto& [part, png] : parts->files) {
                    std::erase_if(laid_[i].layers,
                                  [&at = part](const ComposedScreenshot::Layer& it) {
                                      return contains(at, it.at);
                                  });
                    lay(i, image->size(), part, std::move(png), Is::part);
                }
            }
            before = i;
            image_before = std::move(image);
        }
    }

    struct Parts {
        std::vector<std::pair<Rect, Bytes>> files{}; ///< PNG
        std::size_t cost = 0;
    };
    /// The changed parts of `image`; nothing if these are large, or too many.
    static std::optional<Parts> differences(const ImageView& before, const ImageView& image,
                                            const ComposedScreenshot& below) {
        const std::vector<Rect> changed = merged(winio::changed_rects(before, image));
        if (!is_little(changed, image.size(), below)) return std::nullopt;
        Parts parts;
        for (const Rect& part : changed) {
            parts.files.emplace_back(part, winio::encode_png(image.crop(part), {.level = 6}));
            parts.cost += cost(parts.files.back().second.size());
        }
        return parts;
    }

    static bool contains(const Rect& outer, const Rect& inner) {
        return inner.x >= outer.x && inner.y >= outer.y && inner.right() <= outer.right() &&
               inner.bottom() <= outer.bottom();
    }

    /// Merges neighbors if their bounding rectangle is not much larger.
    static std::vector<Rect> merged(const std::vector<Rect>& rects) {
        std::vector<Rect> all;
        const auto area = [](const Rect& it) { return std::int64_t{it.width} * it.height; };
        for (const Rect& rect : rects) {
            if (!all.empty()) {
                Rect& last = all.back();
                const int left = std::min(last.x, rect.x);
                const int top = std::min(last.y, rect.y);
                const Rect both{left, top, std::max(last.right(), rect.right()) - left,
                                std::max(last.bottom(), rect.bottom()) - top};
                if (area(both) * 2 <= (area(last) + area(rect)) * 3) {
                    last = both;
                    continue;
                }
            }
            all.push_back(rect);
        }
        return all;
    }

    static bool is_little(const std::vector<Rect>& changed, Size size,
                          const ComposedScreenshot& below) {
        constexpr std::size_t max_layers = 60; // of one screenshot
        std::int64_t pixels = 0;
        for (const Rect& rect : changed) pixels += std::int64_t{rect.width} * rect.height;
        return pixels * 2 <= std::int64_t{size.width} * size.height &&
               below.layers.size() + changed.size() <= max_layers;
    }

    /// Processes the smallest images first; the others get the unused parts of their shares.
    void reduce(std::size_t budget) {
        std::vector<std::size_t> order(sources_.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return sources_[a].bytes < sources_[b].bytes;
        });
        std::size_t left = order.size();
        for (const std::size_t index : order) {
            Source& source = sources_[index];
            const std::size_t share = budget / left--;
            if (cost(source.bytes) <= share && source.file.empty()) read_again(source);
            if (cost(source.bytes) > share || cost(source.file.size()) > share)
                make_smaller(source, share);
            budget -= std::min(budget, source.file.empty() ? 0 : cost(source.file.size()));
        }
    }

    struct Step {
        int percent; ///< of width and height
        int quality;
    };
    // From a hardly visible loss to a barely recognizable image.
    static constexpr std::array<Step, 15> steps{{{100, 85},
                                                 {100, 75},
                                                 {100, 65},
                                                 {100, 55},
                                                 {100, 45},
                                                 {100, 35},
                                                 {75, 45},
                                                 {75, 30},
                                                 {60, 35},
                                                 {50, 35},
                                                 {40, 30},
                                                 {30, 30},
                                                 {20, 25},
                                                 {12, 20},
                                                 {6, 20}}};

    /// Reads the pixels of a screenshot into `read_`. Returns false if that fails.
    bool read_pixels(std::size_t screenshot) {
        if (reading_ && *reading_ == screenshot) return true;
        reading_.reset();
        read_ = {};
        const auto original = file_of(screenshot);
        auto image = original ? pixels_of(screenshot, *original) : std::nullopt;
        if (!image || image->size() != laid_[screenshot].size) return false; // the file has changed
        read_ = *std::move(image);
        reading_ = screenshot;
        return true;
    }

    /// Reads a file again that was not kept in memory.
    void read_again(Source& source) {
        if (source.whole)
            source.file = file_of(source.screenshot).value_or(Bytes());
        else if (read_pixels(source.screenshot))
            source.file = winio::encode_png(read_.view().crop(source.part), {.level = 6});
    }

    void make_smaller(Source& source, std::size_t share) {
        source.file = Bytes();
        if (!read_pixels(source.screenshot)) return;
        const ImageView whole = read_.view().crop(source.part);
        // Screenshots of a run are similar: starts with the step of the previous one.
        Bytes file = at_step(whole, step_);
        while (cost(file.size()) > share && step_ + 1 < steps.size())
            file = at_step(whole, ++step_);
        while (step_ > 0 && cost(file.size()) + cost(file.size()) / 4 <= share) {
            Bytes better = at_step(whole, step_ - 1);
            if (cost(better.size()) > share) break;
            file = std::move(better);
            --step_;
        }
        if (cost(file.size()) > share) return; // omitted
        source.file = std::move(file);
        source.reduced = true;
    }

    static Bytes at_step(const ImageView& whole, std::size_t step) {
        const auto [percent, quality] = steps.at(step);
        const winio::JpegOptions jpeg{.quality = quality};
        if (percent == 100) return winio::encode_image(whole, jpeg);
        const Image smaller = winio::scale(whole, {std::max(1, whole.width() * percent / 100),
                                                   std::max(1, whole.height() * percent / 100)});
        return winio::encode_image(smaller.view(), jpeg);
    }

    ScreenshotSet finish() {
        ScreenshotSet set;
        std::vector<std::optional<std::size_t>> place(sources_.size());
        for (std::size_t i = 0; i < sources_.size(); ++i) {
            Source& source = sources_[i];
            if (source.file.empty()) continue;
            place[i] = set.images.size();
            set.images.push_back(encoded(source.file));
            source.file = Bytes();
        }
        for (ComposedScreenshot& screenshot : laid_) {
            std::vector<ComposedScreenshot::Layer> there;
            for (const ComposedScreenshot::Layer& layer : screenshot.layers) {
                screenshot.reduced = screenshot.reduced || sources_[layer.image].reduced;
                if (place[layer.image])
                    there.push_back({*place[layer.image], layer.at});
                else if (screenshot.problem.empty())
                    screenshot.problem = "The screenshot does not fit into the report.";
            }
            if (!screenshot.problem.empty())
                there.clear(); // the remaining layers would be misleading
            screenshot.layers = std::move(there);
            set.screenshots.push_back(std::move(screenshot));
        }
        return set;
    }

    const std::filesystem::path& directory_;
    const std::vector<ScreenshotFile>& recorded_;
    const std::size_t budget_;
    std::vector<ComposedScreenshot> laid_;
    std::vector<Source> sources_;
    std::size_t kept_ = 0;               ///< bytes of files in memory
    std::optional<std::size_t> reading_; ///< the screenshot in `read_`
    Image read_;
    std::size_t step_ = 0;
};

} // namespace

ScreenshotSet fit_screenshots(const std::filesystem::path& run_directory,
                              const std::vector<ScreenshotFile>& screenshots, std::size_t budget) {
    return Fitter(run_directory, screenshots, budget).fit();
}

} // namespace eyehand::session
