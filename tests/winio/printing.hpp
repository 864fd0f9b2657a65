// Prints this library's values in test failures.
#pragma once

#include "eyehand/winio/effect.hpp"
#include "eyehand/winio/image.hpp"

#include <ostream>

namespace eyehand::winio {

inline std::ostream& operator<<(std::ostream& out, Point p) {
    return out << '(' << p.x << ", " << p.y << ')';
}
inline std::ostream& operator<<(std::ostream& out, Size s) {
    return out << s.width << 'x' << s.height;
}
inline std::ostream& operator<<(std::ostream& out, const Rect& r) {
    return out << r.size() << " at " << r.origin();
}
inline std::ostream& operator<<(std::ostream& out, Color c) {
    return out << "rgba " << int{c.red} << ' ' << int{c.green} << ' ' << int{c.blue} << ' '
               << int{c.alpha};
}
inline std::ostream& operator<<(std::ostream& out, const KeyChord& chord) {
    return out << to_string(chord);
}
inline std::ostream& operator<<(std::ostream& out, const Step& step) {
    return out << to_string(step.effect) << "; wait " << step.wait.count() << " ms";
}

} // namespace eyehand::winio
