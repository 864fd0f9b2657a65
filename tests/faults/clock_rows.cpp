#include "scene.hpp"
namespace fault_tests { std::vector<Row> clock_rows() { return {}; } }
