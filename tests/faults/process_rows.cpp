#include "scene.hpp"
namespace fault_tests { std::vector<Row> process_rows() { return {}; } }
