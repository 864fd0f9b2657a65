#include "ocr.hpp"

#include "text_areas.hpp"

#include <algorithm>
#include <allheaders.h>
#include <array>
#include <cmath>
#include <deque>
#include <new>
#include <stdexcept>
#include <tesseract/baseapi.h>
#include <tesseract/resultiterator.h>
#include <unordered_map>
#include <utility>

#ifdef _OPENMP
#include <omp.h>
#endif

#ifdef __SANITIZE_ADDRESS__
// Tesseract 5.3 leaks a few bytes for each line on which it finds no text.
// Visible, so that the sanitizer's own library finds the function.
extern "C" __attribute__((visibility("default"))) const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:tesseract::make_single_row\n"; }
#endif

namespace stand_in {
namespace {

// Tesseract's threads spend more time waiting for each other than reading: measured on two cores,
// one thread is 2.5 times as fast.
void read_on_one_thread() {
#ifdef _OPENMP
    omp_set_max_active_levels(0);
#endif
}

struct PixFree {
    void operator()(Pix* pix) const noexcept { pixDestroy(&pix); }
};
using PixPtr = std::unique_ptr<Pix, PixFree>;

// The heights to which a line of text is enlarged. Measured on Wine's menus with 8 pixel text: each
// size misreads words that the other one reads correctly ("Eile" and "File", "Sove" and "Save"), so
// both are kept.
constexpr std::array<int, 2> line_heights{32, 40};
// A long line with this confidence is not read again: it has enough context, and is the most
// expensive.
constexpr int sure = 85;
constexpr std::size_t words_of_a_long_line = 4;
constexpr double largest_magnification = 5.0;
constexpr int margin = 4;
constexpr int assumed_dpi = 300;
constexpr std::size_t remembered_screens = 16;
constexpr std::size_t remembered_areas = 4096;

GrayImage to_gray(std::string_view file) {
    const PixPtr decoded(pixReadMem(reinterpret_cast<const l_uint8*>(file.data()), file.size()));
    const PixPtr gray(decoded ? pixConvertTo8(decoded.get(), 0) : nullptr);
    if (!gray)
        throw std::runtime_error(
            "the image cannot be decoded: a PNG, JPEG or WebP file is expected");
    GrayImage image{pixGetWidth(gray.get()), pixGetHeight(gray.get()), {}};
    image.pixels.resize(static_cast<std::size_t>(image.width) *
                        static_cast<std::size_t>(image.height));
    auto pixel = image.pixels.begin();
    for (int y = 0; y < image.height; ++y) {
        const l_uint32* line =
            pixGetData(gray.get()) + static_cast<std::ptrdiff_t>(y) * pixGetWpl(gray.get());
        for (int x = 0; x < image.width; ++x)
            *pixel++ = static_cast<std::uint8_t>(GET_DATA_BYTE(line, x));
    }
    return image;
}

PixPtr to_pix(const GrayImage& image) {
    PixPtr pix(pixCreate(image.width, image.height, 8));
    if (!pix) throw std::bad_alloc();
    for (int y = 0; y < image.height; ++y) {
        l_uint32* line =
            pixGetData(pix.get()) + static_cast<std::ptrdiff_t>(y) * pixGetWpl(pix.get());
        for (int x = 0; x < image.width; ++x) SET_DATA_BYTE(line, x, image.at(x, y));
    }
    return pix;
}

double magnification(const GrayImage& strip, int line_height) {
    const int text_height = strip.height - 2 * margin;
    return std::clamp(static_cast<double>(line_height) / (text_height + 2), 1.0,
                      largest_magnification);
}

int mean_confidence(const Words& words) {
    int sum = 0;
    for (const Word& word : words) sum += word.confidence;
    return words.empty() ? 0 : sum / static_cast<int>(words.size());
}

bool needs_no_second_look(const Words& words) {
    return words.size() >= words_of_a_long_line && mean_confidence(words) >= sure;
}

std::string fingerprint(const GrayImage& image) {
    std::string key = std::to_string(image.width) + ':';
    key.append(image.pixels.begin(), image.pixels.end());
    return key;
}

Words moved(Words words, int dx, int dy) {
    for (Word& word : words) {
        word.box.x += dx;
        word.box.y += dy;
    }
    return words;
}

} // namespace

std::string Segment::text() const {
    std::string joined;
    for (const Word& word : readings.front()) {
        if (!joined.empty()) joined += ' ';
        joined += word.text;
    }
    return joined;
}

class Reader::Impl {
public:
    Impl() {
        // A damaged image is reported by an exception, not on the console.
        setMsgSeverity(L_SEVERITY_NONE);
        read_on_one_thread();
        if (tesseract_.Init(nullptr, "eng", tesseract::OEM_LSTM_ONLY) != 0) {
            throw std::runtime_error(
                "Tesseract's English data is not found: install tesseract-ocr-eng or set "
                "TESSDATA_PREFIX");
        }
        tesseract_.SetPageSegMode(tesseract::PSM_SINGLE_LINE);
    }

    Screen read(std::string_view file) {
        const auto key = std::pair(std::hash<std::string_view>{}(file), file.size());
        for (const auto& [known, screen] : screens_) {
            if (known == key) return screen;
        }
        Screen screen = look_at(to_gray(file));
        screens_.emplace_back(key, screen);
        if (screens_.size() > remembered_screens) screens_.pop_front();
        return screen;
    }

private:
    Screen look_at(const GrayImage& image) {
        Screen screen{image.width, image.height, {}};
        for (const Box& area : find_text_areas(image)) {
            Segment segment{area, {}};
            for (const Words& words : read_strip(isolate_text(image, area, margin)))
                segment.readings.push_back(moved(words, area.x - margin, area.y - margin));
            if (!segment.readings.empty()) screen.segments.push_back(std::move(segment));
        }
        return screen;
    }

    const std::vector<Words>& read_strip(const GrayImage& strip) {
        std::string key = fingerprint(strip);
        if (const auto known = areas_.find(key); known != areas_.end()) return known->second;
        std::vector<Words> readings;
        for (const int line_height : line_heights) {
            if (!readings.empty() && needs_no_second_look(readings.front())) break;
            Words words = read_once(strip, magnification(strip, line_height));
            if (!words.empty()) readings.push_back(std::move(words));
        }
        std::stable_sort(readings.begin(), readings.end(), [](const Words& a, const Words& b) {
            return mean_confidence(a) > mean_confidence(b);
        });
        if (areas_.size() >= remembered_areas) areas_.clear();
        return areas_.emplace(std::move(key), std::move(readings)).first->second;
    }

    Words read_once(const GrayImage& strip, double factor) {
        const PixPtr small = to_pix(strip);
        const auto scale = static_cast<float>(factor);
        const PixPtr large(pixScaleGrayLI(small.get(), scale, scale));
        if (!large) throw std::bad_alloc();
        tesseract_.SetImage(large.get());
        tesseract_.SetSourceResolution(assumed_dpi);
        if (tesseract_.Recognize(nullptr) != 0) return {};
        const std::unique_ptr<tesseract::ResultIterator> at(tesseract_.GetIterator());
        if (!at) return {};
        const auto shrunk = [&](int value) {
            return static_cast<int>(std::lround(value / factor));
        };
        Words words;
        do {
            const std::unique_ptr<char[]> text(at->GetUTF8Text(tesseract::RIL_WORD));
            int left = 0, top = 0, right = 0, bottom = 0;
            if (!text || !at->BoundingBox(tesseract::RIL_WORD, &left, &top, &right, &bottom))
                continue;
            const Box box{shrunk(left), shrunk(top), shrunk(right) - shrunk(left),
                          shrunk(bottom) - shrunk(top)};
            words.push_back(
                {text.get(), box, static_cast<int>(at->Confidence(tesseract::RIL_WORD))});
        } while (at->Next(tesseract::RIL_WORD));
        return words;
    }

    using ScreenKey = std::pair<std::size_t, std::size_t>;

    tesseract::TessBaseAPI tesseract_;
    std::deque<std::pair<ScreenKey, Screen>> screens_;
    std::unordered_map<std::string, std::vector<Words>> areas_;
};

Reader::Reader() : impl_(std::make_unique<Impl>()) {}
Reader::~Reader() = default;
Screen Reader::read(std::string_view file) { return impl_->read(file); }

} // namespace stand_in
