// The script of the stand-in: actions on texts of the screen, without coordinates or times.
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
    objective, ///< the objective of the following steps, which the lead orders
    report,    ///< reports the status of the objective to the lead
};

/// One action with its options. Unused texts are empty.
struct Step {
    Action action = Action::click;
    Target target;    ///< of a click, or the start of a drag
    Target to;        ///< the end of a drag
    std::string text; ///< the text or keys, the direction of a scroll, the text to wait for or
                      ///< to finish at, the objective, or the status of a report
    std::string at;   ///< the text at which to scroll
    std::string say;  ///< the text of the reply
    std::string if_visible;  ///< the step is skipped while this is not visible
    std::string expect;      ///< must be visible afterwards, otherwise the step is repeated
    std::string expect_gone; ///< must be gone afterwards, otherwise the step is repeated
    std::string needs; ///< if not visible before a repetition, the previous step is repeated first
    int times = 1;     ///< number of executions in a row, whatever their result
};

struct Script {
    int patience = 3; ///< maximum number of additional screenshots for a missing text
    std::vector<Step> steps;
};

/// Thrown for an invalid script; what() names the step, the field and the problem.
class ScriptError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Values for the `${name}` placeholders of a script.
using Values = std::map<std::string, std::string, std::less<>>;

/// Throws ScriptError. Placeholders are replaced after parsing, so values need no JSON escapes.
[[nodiscard]] Script parse_script(std::string_view json, const Values& values = {});

} // namespace stand_in
