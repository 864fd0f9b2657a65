#include "eyehand/winio/scale.hpp"

#include "catch.hpp"
#include "printing.hpp"
#include "random_image.hpp"

#include <cmath>

using namespace eyehand::winio;

namespace {

Image scaled(const Image& source, Size size) { return scale(source.view(), size); }

Image vertical_stripes(Size size, int period) {
    Image image(size);
    for (int x = 0; x < size.width; x += period)
        image.fill({x, 0, 1, size.height}, {255, 255, 255, 255});
    return image;
}

// The expected output channel, by the definition of area averaging, in double precision.
double mean_of_area(const Image& source, Size size, int x, int y, std::size_t channel) {
    const double left = static_cast<double>(x) * source.width() / size.width;
    const double right = static_cast<double>(x + 1) * source.width() / size.width;
    const double top = static_cast<double>(y) * source.height() / size.height;
    const double bottom = static_cast<double>(y + 1) * source.height() / size.height;
    double sum = 0;
    for (int v = static_cast<int>(top); v < bottom && v < source.height(); ++v) {
        for (int u = static_cast<int>(left); u < right && u < source.width(); ++u) {
            const double covered = (std::min(right, u + 1.0) - std::max<double>(left, u)) *
                                   (std::min(bottom, v + 1.0) - std::max<double>(top, v));
            sum += covered * source.view().row(v)[static_cast<std::size_t>(u) * 4 + channel];
        }
    }
    return sum / ((right - left) * (bottom - top));
}

} // namespace

TEST_CASE("stripes as wide as a pixel average exactly") {
    // Every second column white: 2 to 1 is 127.5 everywhere, rounded up.
    const Image half = scaled(vertical_stripes({64, 8}, 2), {32, 4});
    for (int x = 0; x < 32; ++x) CHECK(half.at(x, 3) == Color{128, 128, 128, 255});
}

TEST_CASE("five columns become four with the exact share of each") {
    // The first of five columns is white: 4/5 of the first output column, and nothing of the
    // others.
    const Image result = scaled(vertical_stripes({20, 5}, 5), {16, 4});
    for (int x = 0; x < 16; ++x) CHECK(int{result.at(x, 0).red} == (x % 4 == 0 ? 204 : 0));
}

TEST_CASE("flat colors do not change at any ratio") {
    for (const Size size : {Size{1536, 864}, {1344, 756}, {97, 53}, {1919, 1079}, {2500, 1300}}) {
        Image source({1920, 1080});
        source.fill({0, 0, 1920, 1080}, {1, 127, 254, 255});
        const Image result = scaled(source, size);
        const Image expected = [&] {
            Image image(size);
            image.fill({0, 0, size.width, size.height}, {1, 127, 254, 255});
            return image;
        }();
        for (int y = 0; y < size.height; ++y)
            REQUIRE(std::ranges::equal(result.view().row(y), expected.view().row(y)));
    }
}

TEST_CASE("shrinking gives the mean of the pixels that each output pixel covers") {
    const Image source = random_image({61, 47}, 7);
    for (const Size size : {Size{60, 46}, {31, 47}, {61, 12}, {17, 13}, {1, 1}, {3, 40}}) {
        const Image result = scaled(source, size);
        for (int y = 0; y < size.height; ++y)
            for (int x = 0; x < size.width; ++x)
                for (std::size_t channel = 0; channel < 3; ++channel) {
                    const double is =
                        result.view().row(y)[static_cast<std::size_t>(x) * 4 + channel];
                    REQUIRE(std::abs(is - mean_of_area(source, size, x, y, channel)) <= 0.5 + 1e-9);
                }
    }
}

TEST_CASE("large images with coprime sizes are still exact") {
    const Image source = random_image({1931, 701}, 8); // primes: the totals are 1,353,631
    const Size size{1000, 500};
    const Image result = scaled(source, size);
    for (int y = 0; y < size.height; y += 71)
        for (int x = 0; x < size.width; x += 37)
            REQUIRE(std::abs(result.at(x, y).red - mean_of_area(source, size, x, y, 2)) <=
                    0.5 + 1e-6);
}

TEST_CASE("growing interpolates between pixel centers and extends the edges") {
    Image source({2, 1});
    source.fill({1, 0, 1, 1}, {.blue = 100, .green = 100, .red = 100});
    const Image result = scaled(source, {8, 2});
    const int expected[] = {0, 0, 13, 38, 63, 88, 100, 100}; // 12.5, 37.5, ... rounded up
    for (int x = 0; x < 8; ++x) CHECK(int{result.at(x, 1).green} == expected[x]);
}

TEST_CASE("one axis may shrink while the other grows") {
    Image source({4, 1});
    source.fill({0, 0, 2, 1}, {.red = 200});
    const Image result = scaled(source, {2, 3});
    for (int y = 0; y < 3; ++y) {
        CHECK(int{result.at(0, y).red} == 200);
        CHECK(int{result.at(1, y).red} == 0);
    }
}

TEST_CASE("equal sizes copy and the result is opaque") {
    const Image source = random_image({33, 9}, 3);
    const Image result = scaled(source, {33, 9});
    for (int y = 0; y < 9; ++y)
        for (int x = 0; x < 33; ++x) {
            Color expected = source.at(x, y);
            expected.alpha = 255;
            REQUIRE(result.at(x, y) == expected);
        }
}

TEST_CASE("padding between rows is not read as pixels") {
    const Image wide = random_image({50, 20}, 4);
    const Image narrow(wide.view().crop({0, 0, 30, 20}));
    Image from_view;
    scale(wide.view().crop({0, 0, 30, 20}), {20, 10}, from_view);
    CHECK(std::ranges::equal(from_view.row(9), scaled(narrow, {20, 10}).row(9)));
}

TEST_CASE("scaling from or to an empty size is refused") {
    Image into;
    CHECK_THROWS_AS(scale(ImageView(), {1, 1}, into), std::invalid_argument);
    CHECK_THROWS_AS(scale(Image({1, 1}).view(), {0, 1}, into), std::invalid_argument);
}

namespace {

// Any ratio: down, up, one axis each way, equal. Half of the ratios are small integers.
std::pair<Size, Size> any_sizes(std::mt19937& random) {
    const auto up_to = [&](unsigned max) { return 1 + static_cast<int>(random() % max); };
    Size source{up_to(80), up_to(80)};
    if (random() % 2 == 0) return {source, {up_to(120), up_to(120)}};
    const Size unit{up_to(12), up_to(12)};
    return {{unit.width * up_to(6), unit.height * up_to(6)},
            {unit.width * up_to(6), unit.height * up_to(6)}};
}

} // namespace

TEST_CASE("assembled stripes equal the whole image, at any sizes") {
    for (unsigned seed = 0; seed < 600; ++seed) {
        std::mt19937 random(seed);
        const auto [from, to] = any_sizes(random);
        const Image source = random_image(from, seed);
        const Image whole = scaled(source, to);
        const Scaler scaler(from, to);
        Image part;
        for (int y = 0; y < to.height; y += part.height()) {
            const int rows = 1 + static_cast<int>(random() % static_cast<unsigned>(to.height - y));
            scaler.scale(source.view(), {y, rows}, part);
            REQUIRE(part.size() == Size{to.width, rows});
            for (int row = 0; row < rows; ++row) {
                INFO("seed " << seed << ": " << from << " to " << to << ", row " << y + row);
                REQUIRE(std::ranges::equal(part.view().row(row), whole.view().row(y + row)));
            }
        }
    }
}

TEST_CASE("shrinking by small integer ratios gives the mean of the covered pixels") {
    for (unsigned seed = 0; seed < 300; ++seed) {
        std::mt19937 random(seed);
        const auto one_to = [&](unsigned max) { return 1 + static_cast<int>(random() % max); };
        const int columns = one_to(16);
        const int rows = one_to(16);
        const Size to{columns * one_to(3), rows * one_to(3)};
        const Size from{to.width / columns * (columns + one_to(16)),
                        to.height / rows * (rows + one_to(16))};
        const Image source = random_image(from, seed);
        const Image result = scaled(source, to);
        for (int y = 0; y < to.height; ++y)
            for (int x = 0; x < to.width; ++x)
                for (std::size_t channel = 0; channel < 3; ++channel) {
                    const double is =
                        result.view().row(y)[static_cast<std::size_t>(x) * 4 + channel];
                    INFO("seed " << seed << ": " << from << " to " << to);
                    REQUIRE(std::abs(is - mean_of_area(source, to, x, y, channel)) <= 0.5 + 1e-9);
                }
    }
}

TEST_CASE("a change of source rows changes no row outside target_rows") {
    for (unsigned seed = 0; seed < 600; ++seed) {
        std::mt19937 random(seed);
        const auto [from, to] = any_sizes(random);
        Image source = random_image(from, seed);
        const Image before = scaled(source, to);
        const int y = static_cast<int>(random() % static_cast<unsigned>(from.height));
        const int count = 1 + static_cast<int>(random() % static_cast<unsigned>(from.height - y));
        for (int row = y; row < y + count; ++row)
            for (std::uint8_t& byte : source.row(row)) byte ^= 0xFF;
        const Image after = scaled(source, to);
        const RowRange touched = Scaler(from, to).target_rows({y, count});
        for (int row = 0; row < to.height; ++row) {
            INFO("seed " << seed << ": " << from << " to " << to << ", row " << row);
            const bool within = row >= touched.first && row < touched.end();
            if (!within) REQUIRE(std::ranges::equal(before.view().row(row), after.view().row(row)));
        }
    }
}

TEST_CASE("target_rows contains exactly the rows whose source_rows intersect the change") {
    for (unsigned seed = 0; seed < 300; ++seed) {
        std::mt19937 random(seed);
        const auto [from, to] = any_sizes(random);
        const Scaler scaler(from, to);
        for (int changed = 0; changed < from.height; ++changed) {
            const RowRange touched = scaler.target_rows({changed, 1});
            for (int row = 0; row < to.height; ++row) {
                const RowRange made_of = scaler.source_rows({row, 1});
                INFO("seed " << seed << ": " << from << " to " << to << ", rows " << changed << ", "
                             << row);
                REQUIRE((changed >= made_of.first && changed < made_of.end()) ==
                        (row >= touched.first && row < touched.end()));
            }
        }
    }
}

TEST_CASE("only source_rows are read for a stripe") {
    const Size from{40, 50};
    const Size to{30, 41};
    const Scaler scaler(from, to);
    Image source = random_image(from, 6);
    Image before;
    scaler.scale(source.view(), {7, 5}, before);
    const RowRange read = scaler.source_rows({7, 5});
    CHECK(read == RowRange{8, 7}); // 7 * 50 / 41 = 8.5 to 12 * 50 / 41 = 14.6
    source.fill({0, 0, 40, read.first}, {});
    source.fill({0, read.end(), 40, 50}, {});
    Image after;
    scaler.scale(source.view(), {7, 5}, after);
    for (int y = 0; y < 5; ++y) CHECK(std::ranges::equal(before.row(y), after.row(y)));
}

TEST_CASE("after a period the grids of source and result align") {
    const Scaler scaler({1920, 1080}, {1536, 864});
    CHECK(scaler.period() == 4);
    CHECK(scaler.source_rows({32, 32}) == RowRange{40, 40});
    CHECK(scaler.target_rows({40, 40}) == RowRange{32, 32});
    CHECK(Scaler({10, 10}, {10, 10}).period() == 1);
    CHECK(Scaler({10, 10}, {10, 7}).period() == 7);
}

TEST_CASE("a scaler refuses a source of another size and rows out of range") {
    const Scaler scaler({10, 10}, {5, 5});
    const Image source({10, 10});
    Image into;
    CHECK_THROWS_AS(scaler.scale(Image({10, 9}).view(), {0, 5}, into), std::invalid_argument);
    CHECK_THROWS_AS(scaler.scale(source.view(), {0, 0}, into), std::invalid_argument);
    CHECK_THROWS_AS(scaler.scale(source.view(), {-1, 2}, into), std::invalid_argument);
    CHECK_THROWS_AS(scaler.scale(source.view(), {4, 2}, into), std::invalid_argument);
    CHECK_THROWS_AS(scaler.source_rows({5, 1}), std::invalid_argument);
    CHECK(scaler.target_rows({20, 5}).count == 0);
    CHECK_THROWS_AS(Scaler({0, 1}, {1, 1}), std::invalid_argument);
}
