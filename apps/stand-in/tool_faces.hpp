// What the tools of a request are good for, read from their schemas alone: which of them clicks,
// types or observes, and which argument takes the position, the label or the text.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stand_in {

/// What a tool does.
enum class Role {
    click,
    double_click,
    right_click,
    drag,
    move,
    type,
    press,
    scroll,
    observe,
    complete, ///< ends the run with evidence
    report,   ///< tells whoever gave the instructions how they are coming along
    brief,    ///< hands instructions to another agent
    archive,  ///< puts past turns away, with a summary
};

/// A box in the 0..1000 coordinates of the tools.
struct Area {
    int left = 0;
    int top = 0;
    int right = 0;
    int bottom = 0;
};

/// What a call has to say; a tool takes from it what its arguments ask for.
struct Intent {
    std::optional<Area> place;
    std::optional<Area> to; ///< where a drag ends
    std::string label;
    std::string text; ///< what to type, press, order or sum up, or the direction to scroll
    std::string objective;
    std::string status;
    std::string reason;
    std::string evidence;
    std::vector<int> turns; ///< to be put away
};

struct ToolCall {
    std::string name;
    boost::json::object arguments;
};

/// The tools of one request by what they do.
class ToolFaces {
public:
    /// Tools that are malformed or do none of these things are left out.
    explicit ToolFaces(const boost::json::array& tools);

    [[nodiscard]] bool has(Role role) const { return faces_.contains(role); }

    /// True if the role's first tool is told where to act; otherwise it acts at the pointer.
    [[nodiscard]] bool takes_place(Role role) const;

    /// The call of the first tool of this role that can express the intent, or nothing.
    [[nodiscard]] std::optional<ToolCall> call(Role role, const Intent& intent) const;

private:
    struct Face {
        std::string name;
        boost::json::object parameters; ///< the JSON schema of its arguments
    };
    std::map<Role, std::vector<Face>> faces_;
};

} // namespace stand_in
