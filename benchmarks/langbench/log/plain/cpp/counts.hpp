// What was counted.

#pragma once

#include <cstdint>

namespace plain {

inline std::uint64_t lines = 0;
inline std::uint64_t tokens = 0;
inline std::uint64_t numbers = 0;
inline std::uint64_t references = 0;
inline std::uint64_t log_types = 0;
inline std::uint64_t variable_entries = 0;
inline std::uint64_t scanned = 0;
inline std::uint64_t candidates = 0;
inline std::uint64_t matching = 0;

}  // namespace plain
