// Answers questions such as: Click on the button "Save". For agents that ask for one target after the
// other, like a calibration, in place of a script.
#pragma once

#include "player.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace stand_in {

/// The label of the target that the last question in a text asks for: of a button, a link or a menu
/// item, which are where their text is. Nothing for other targets, such as shapes, and without a
/// question.
[[nodiscard]] std::optional<std::string> asked_label(std::string_view text);

/// Clicks on the text of the label. If the question asks for something else, or the text is not on the
/// screen, takes another screenshot; without a tool for that, says so. A pure function; of the progress,
/// it uses only the number of positions.
[[nodiscard]] Turn answer_question(const Progress& progress, const ChatRequest& request,
                                   const std::optional<Screen>& screen,
                                   const Coordinates& coordinates = {});

} // namespace stand_in
