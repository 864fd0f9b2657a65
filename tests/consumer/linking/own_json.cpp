// Boost.JSON without its library: one source file includes the implementation.
#include <boost/json/src.hpp>
