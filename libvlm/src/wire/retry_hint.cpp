#include "retry_hint.hpp"

#include "utf8.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace eyehand::vlm::wire {
namespace {

using std::chrono::milliseconds;

constexpr std::chrono::hours longest{365 * 24};

/// A decimal number of `unit`s.
std::optional<milliseconds> read_time(std::string_view text, double unit_ms) {
    text = trimmed(text);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    value *= unit_ms;
    if (!(value > 0 && value <= static_cast<double>(milliseconds(longest).count())))
        return std::nullopt;
    return milliseconds(std::max<milliseconds::rep>(1, static_cast<milliseconds::rep>(value)));
}

std::optional<int> read_digits(std::string_view text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < 0) return std::nullopt;
    return value;
}

} // namespace

/// "Sun, 06 Nov 1994 08:49:37 GMT"
std::optional<std::chrono::sys_seconds> read_date(std::string_view text) {
    using namespace std::chrono;
    constexpr std::array<std::string_view, 12> months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    text = trimmed(text);
    if (text.size() != 29 || text.substr(25) != " GMT" || text[3] != ',' || text[4] != ' ' ||
        text[7] != ' ' || text[11] != ' ' || text[16] != ' ' || text[19] != ':' || text[22] != ':')
        return std::nullopt;
    const auto month = std::find(months.begin(), months.end(), text.substr(8, 3));
    const auto day_number = read_digits(text.substr(5, 2));
    const auto year_number = read_digits(text.substr(12, 4));
    const auto hour = read_digits(text.substr(17, 2));
    const auto minute = read_digits(text.substr(20, 2));
    const auto second = read_digits(text.substr(23, 2));
    if (month == months.end() || !day_number || !year_number || !hour || !minute || !second ||
        *hour > 23 || *minute > 59 || *second > 60)
        return std::nullopt;
    const year_month_day date{year(*year_number),
                              std::chrono::month(static_cast<unsigned>(month - months.begin() + 1)),
                              day(static_cast<unsigned>(*day_number))};
    if (!date.ok()) return std::nullopt;
    return sys_days(date) + hours(*hour) + minutes(*minute) + seconds(*second);
}

RetryHint read_retry_hint(std::string_view should_retry, std::string_view after_ms,
                          std::string_view after, std::chrono::system_clock::time_point now) {
    RetryHint hint;
    const std::string word = ascii_lower(trimmed(should_retry));
    if (word == "true") hint.retry = true;
    if (word == "false") hint.retry = false;
    hint.after = read_time(after_ms, 1);
    if (!hint.after) hint.after = read_time(after, 1000);
    if (hint.after) return hint;
    if (const auto date = read_date(after)) {
        // In seconds: the clock's own unit does not reach the year 9999.
        const std::chrono::seconds wait = *date - std::chrono::floor<std::chrono::seconds>(now);
        if (wait.count() > 0 && wait <= longest) hint.after = wait;
    }
    return hint;
}

} // namespace eyehand::vlm::wire
