// The script of a stand-in: what to do, in words that stand on the screen. Never where or when.
#pragma once

#include "find_text.hpp"

#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace stand_in {

enum class Action {
    click,
    double_click,
    right_click,
    drag,
    type,
    press,
    scroll,
    wait_for,
    finish,
    objective, ///< what the steps after it are for: whoever leads orders it
    report,    ///< tells whoever leads how the objective stands
};

/// One thing to do. Unused texts are empty.
struct Step {
    Action action = Action::click;
    Target target;           ///< what the clicks click, and where a drag begins
    Target to;               ///< where a drag ends
    std::string text;        ///< what to type, press, scroll (a direction), wait for, finish at,
                             ///< reach, or report (a status)
    std::string at;          ///< where to scroll
    std::string say;         ///< what the model says with it
    std::string if_visible;  ///< the step is left out while this is not on the screen
    std::string expect;      ///< afterwards this is on the screen, or the step is done again
    std::string expect_gone; ///< afterwards this is not on the screen, or the step is done again
    int times = 1;           ///< done so often in a row, whatever comes of it
};

struct Script {
    int patience = 3; ///< how often to look again for something that is not on the screen
    std::vector<Step> steps;
};

/// What is wrong with a script, with the number of the step and the name of the field.
class ScriptError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Values for the `${name}` placeholders of a script.
using Values = std::map<std::string, std::string, std::less<>>;

/// Throws ScriptError. Placeholders are filled in after parsing: a value may hold anything,
/// backslashes too.
[[nodiscard]] Script parse_script(std::string_view json, const Values& values = {});

} // namespace stand_in
