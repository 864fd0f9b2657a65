// Draws screens with targets of known places.
#include "calibration/screen_text.hpp"
#include "eyehand/session/calibration.hpp"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace eyehand::session {
namespace {

// The sides differ from multiples of 28 and 32, so that the image of a model's processor has another
// size, by up to 2.4 %. The largest one shows whether a server shrinks images.
constexpr std::array<winio::Size, 5> image_sizes{
    {{1366, 768}, {1006, 590}, {720, 1280}, {1920, 1080}, {1440, 900}}};

struct Language {
    const char* code;
    std::array<std::string_view, 17> words; ///< a prime number: any step visits all of them
};
constexpr std::array<Language, 3> languages{{
    {"en",
     {"Save", "Open", "Print", "Search", "Share", "Export", "Rename", "Archive", "Download",
      "Settings", "Account", "Invoice", "Report", "Calendar", "Contacts", "Weather", "Gallery"}},
    {"de",
     {"Speichern", "Drucken", "Suchen", "Teilen", "Gr\u00f6\u00dfe", "Hilfe", "Konto", "Rechnung",
      "Bericht", "Kalender", "Wetter", "K\u00fcrzen", "Ansicht", "L\u00f6schen", "Pr\u00fcfen",
      "Zur\u00fcck", "Versand"}},
    {"es",
     {"Guardar", "Abrir", "Imprimir", "Buscar", "Enviar", "Tama\u00f1o", "Cuenta", "Factura",
      "Informe", "B\u00fasqueda", "Edici\u00f3n", "P\u00e1gina", "Dise\u00f1o", "Salir", "Ajustes",
      "Ayuda", "Clima"}},
}};

/// For each of `target_sizes`, the kinds on screens of even and odd index.
constexpr std::array<std::array<TargetKind, 2>, target_sizes.size()> kinds{{
    {TargetKind::checkbox, TargetKind::icon},
    {TargetKind::icon, TargetKind::checkbox},
    {TargetKind::link, TargetKind::icon},
    {TargetKind::menu_item, TargetKind::link},
    {TargetKind::button, TargetKind::menu_item},
    {TargetKind::icon, TargetKind::button},
    {TargetKind::button, TargetKind::icon},
    {TargetKind::icon, TargetKind::button},
}};

struct NamedColor {
    const char* name;
    winio::Rgba color;
};
constexpr std::array<NamedColor, 6> icon_colors{{{"red", {214, 40, 40}},
                                                 {"green", {30, 140, 60}},
                                                 {"orange", {240, 130, 10}},
                                                 {"purple", {130, 60, 190}},
                                                 {"pink", {240, 110, 180}},
                                                 {"cyan", {10, 170, 190}}}};
enum class Shape { square, circle, triangle, diamond };
constexpr std::array<const char*, 4> shape_names{"square", "circle", "triangle", "diamond"};
/// Smaller shapes look like squares.
constexpr int min_pointed_shape = 16;

struct Theme {
    winio::Rgba background;
    winio::Rgba surface; ///< of buttons and menus
    winio::Rgba border;
    winio::Rgba text;
    winio::Rgba link;
};
constexpr Theme light{
    {243, 244, 246}, {255, 255, 255}, {120, 126, 136}, {24, 26, 30}, {0, 70, 190}};
constexpr Theme dark_theme{
    {30, 32, 36}, {52, 56, 62}, {140, 146, 156}, {232, 234, 238}, {120, 180, 255}};

/// A generator of the same numbers on every system: MINSTD of ISO C++ (std::minstd_rand), without the
/// distributions, which differ between libraries.
class Numbers {
public:
    explicit Numbers(int seed) : state_(static_cast<std::uint64_t>(seed) * 7919 + 1) {
        for (int i = 0; i < 4; ++i) (void)next();
    }
    /// From 0 to `max`.
    int up_to(int max) {
        return max <= 0 ? 0 : static_cast<int>(next() % (static_cast<std::uint64_t>(max) + 1));
    }

private:
    std::uint64_t next() { return state_ = state_ * 48271 % 2147483647; }
    std::uint64_t state_;
};

constexpr int columns = 3;
constexpr int cells = columns * columns;

class ScreenPainter {
public:
    explicit ScreenPainter(int index)
        : index_(index), size_(image_sizes[static_cast<std::size_t>(index) % image_sizes.size()]),
          language_(languages[static_cast<std::size_t>(index) % languages.size()]),
          theme_(is_dark(index) ? dark_theme : light),
          numbers_(index), screen_{winio::Image(size_)}, canvas_(screen_.image) {
        screen_.dark = is_dark(index);
        screen_.language = language_.code;
    }

    TestScreen paint() {
        canvas_.fill({0, 0, size_.width, size_.height}, theme_.background);
        for (std::size_t i = 0; i < target_sizes.size(); ++i) {
            // Over the screens, each size visits each cell: 2 and 4 have no common factor with 9.
            cell_ = (static_cast<int>(i) * 2 + index_ * 4) % cells;
            add(kinds[i][static_cast<std::size_t>(index_) % 2], target_sizes[i]);
        }
        return std::move(screen_);
    }

private:
    /// The five image sizes follow each other; each appears in both themes.
    static bool is_dark(int index) {
        constexpr int sizes = static_cast<int>(image_sizes.size());
        return (index % sizes + index / sizes) % 2 == 1;
    }

    std::string_view next_word() {
        const auto at =
            static_cast<std::size_t>(index_) * 5 + static_cast<std::size_t>(words_++) * 3;
        return language_.words[at % language_.words.size()];
    }

    void add(TargetKind kind, int size) {
        Target target{.kind = kind, .size = size};
        switch (kind) {
        case TargetKind::button:
            add_button(target);
            break;
        case TargetKind::icon:
            add_icon(target);
            break;
        case TargetKind::link:
            add_link(target);
            break;
        case TargetKind::menu_item:
            add_menu(target);
            break;
        case TargetKind::checkbox:
            add_checkbox(target);
            break;
        }
        screen_.targets.push_back(std::move(target));
    }

    /// A place in the current cell; in the cells of the corners, it touches or almost touches the
    /// corner of the image.
    winio::Rect place(winio::Size extent) {
        const int column = cell_ % columns;
        const int row = cell_ / columns;
        const bool corner = column != 1 && row != 1;
        const auto along = [&](int number, int side, int length) {
            constexpr int margin = 6;
            const int begin = number * side / columns;
            const int free = std::max(0, (number + 1) * side / columns - begin - length);
            if (corner) {
                const int edge = numbers_.up_to(margin);
                return number == 0 ? edge : side - length - edge;
            }
            const int inner = std::min(margin, free / 2);
            return begin + inner + numbers_.up_to(free - 2 * inner);
        };
        const int x = along(column, size_.width, extent.width);
        const int y = along(row, size_.height, extent.height);
        return {x, y, extent.width, extent.height};
    }

    [[nodiscard]] int max_width() const { return size_.width / columns - 16; }
    /// The largest scale of at most `scale` with which the text has this width.
    static int fitting(std::string_view text, int scale, int width) {
        while (scale > 1 && written_size(text, scale).width > width) --scale;
        return scale;
    }
    void write_centered(const winio::Rect& in, std::string_view text, int scale,
                        const winio::Rgba& color) {
        const winio::Size size = written_size(text, scale);
        write_text(canvas_,
                   {in.x + (in.width - size.width) / 2, in.y + (in.height - size.height) / 2}, text,
                   scale, color);
    }

    void add_button(Target& target) {
        const std::string_view label = next_word();
        const int padding = std::min(target.size, 40);
        const int scale = fitting(label, target.size >= 48 ? 3 : 2, max_width() - padding);
        const int width = std::max(target.size, written_size(label, scale).width + padding);
        target.bounds = place({width, target.size});
        canvas_.fill(target.bounds, theme_.surface);
        canvas_.frame(target.bounds, 2, theme_.border);
        write_centered(target.bounds, label, scale, theme_.text);
        target.description = "the button \"" + std::string(label) + '"';
    }

    void add_icon(Target& target) {
        const auto number = static_cast<std::size_t>(index_) + static_cast<std::size_t>(icons_++);
        const NamedColor& color = icon_colors[number % icon_colors.size()];
        const bool pointed = target.size >= min_pointed_shape;
        const auto shape = static_cast<Shape>(number % (pointed ? 4U : 2U));
        target.bounds = place({target.size, target.size});
        fill(shape, target.bounds, color.color);
        target.description =
            std::string("the ") + color.name + ' ' + shape_names[static_cast<std::size_t>(shape)];
    }

    void fill(Shape shape, const winio::Rect& in, const winio::Rgba& color) {
        const int side = in.width;
        for (int y = 0; y < side; ++y) {
            // In halves of pixels from the center.
            const int down = 2 * y + 1 - side;
            int half = side;
            if (shape == Shape::triangle) half = y + 1;
            if (shape == Shape::diamond) half = side - std::abs(down);
            if (shape == Shape::circle)
                while (half > 0 && half * half + down * down > side * side) --half;
            const int width = std::max(1, half);
            canvas_.fill({in.x + (side - width) / 2, in.y + y, width, 1}, color);
        }
    }

    void add_link(Target& target) {
        const std::string_view label = next_word();
        const int scale = fitting(label, target.size >= 24 ? 3 : 2, max_width());
        const winio::Size text = written_size(label, scale);
        target.bounds = place({text.width, target.size});
        const int top = target.bounds.y + (target.size - text.height - 1) / 2;
        write_text(canvas_, {target.bounds.x, top}, label, scale, theme_.link);
        canvas_.fill({target.bounds.x, target.bounds.bottom() - 1, text.width, 1}, theme_.link);
        target.description = "the link \"" + std::string(label) + '"';
    }

    void add_menu(Target& target) {
        constexpr int scale = 2;
        constexpr int rows = 3;
        constexpr int padding = 12;
        std::array<std::string_view, rows> labels;
        int width = 0;
        for (std::string_view& label : labels) {
            label = next_word();
            width = std::max(width, written_size(label, scale).width + 2 * padding);
        }
        const winio::Rect menu = place({width, rows * target.size});
        canvas_.fill(menu, theme_.surface);
        const int chosen = numbers_.up_to(rows - 1);
        for (int row = 0; row < rows; ++row) {
            const int top = menu.y + row * target.size;
            const std::string_view label = labels[static_cast<std::size_t>(row)];
            write_text(
                canvas_,
                {menu.x + padding, top + (target.size - written_size(label, scale).height) / 2},
                label, scale, theme_.text);
            if (row > 0) canvas_.fill({menu.x, top, menu.width, 1}, theme_.background);
            if (row != chosen) continue;
            target.bounds = {menu.x, top, menu.width, target.size};
            target.description = "the menu item \"" + std::string(label) + '"';
        }
        canvas_.frame(menu, 1, theme_.border);
    }

    /// The box is the target; its label is beside it, on the side of the screen's middle.
    void add_checkbox(Target& target) {
        constexpr int scale = 2;
        constexpr int gap = 8;
        const std::string_view label = next_word();
        const winio::Size text = written_size(label, scale);
        const int height = std::max(target.size, text.height);
        const winio::Rect all = place({target.size + gap + text.width, height});
        const bool label_first = cell_ % columns == columns - 1;
        const int box = label_first ? all.right() - target.size : all.x;
        target.bounds = {box, all.y + (height - target.size) / 2, target.size, target.size};
        canvas_.fill(target.bounds, theme_.surface);
        canvas_.frame(target.bounds, 1, theme_.text);
        write_text(
            canvas_,
            {label_first ? all.x : all.x + target.size + gap, all.y + (height - text.height) / 2},
            label, scale, theme_.text);
        target.description = "the checkbox of \"" + std::string(label) + '"';
    }

    int index_;
    winio::Size size_;
    const Language& language_;
    const Theme& theme_;
    Numbers numbers_;
    TestScreen screen_;
    winio::Canvas canvas_;
    int cell_ = 0;
    int words_ = 0;
    int icons_ = 0;
};

} // namespace

TestScreen test_screen(int index) {
    if (index < 0) throw std::invalid_argument("a test screen of an index below 0");
    return ScreenPainter(index).paint();
}

std::vector<TestQuestion> test_questions(int requests) {
    if (requests < min_calibration_requests || requests > max_calibration_requests)
        throw std::invalid_argument("a calibration of " + std::to_string(requests) + " requests");
    // 5 screens and 8 targets have no common factor, so that 40 questions have all pairs of them.
    constexpr int screens = static_cast<int>(image_sizes.size());
    constexpr int targets = static_cast<int>(target_sizes.size());
    const int turns = std::min(max_calibration_turns, requests / 2);
    const int single = requests - turns;
    std::vector<TestQuestion> questions;
    questions.reserve(static_cast<std::size_t>(requests));
    for (int i = 0; i < single; ++i)
        questions.push_back({i / (screens * targets) * screens + i % screens,
                             static_cast<std::size_t>(i % targets)});
    // Screens 5, 10 and 15, so that the screens of the first 40 questions are all different.
    for (int i = 0; i < turns; ++i)
        questions.push_back(
            {(i / targets + 1) * screens, static_cast<std::size_t>((single + i) % targets), i > 0});
    return questions;
}

} // namespace eyehand::session
