// The limit of waits for another thread or process.
#pragma once

#include <chrono>

/// Detects hangs, also on a busy computer.
inline constexpr std::chrono::seconds soon{60};
