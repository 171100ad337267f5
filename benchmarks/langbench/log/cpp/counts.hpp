// What one worker counts, or all of them.

#pragma once

#include <cstdint>

namespace clp {

struct Counts {
    std::uint64_t lines = 0;
    std::uint64_t tokens = 0;
    std::uint64_t numbers = 0;
    std::uint64_t references = 0;
    std::uint64_t log_types = 0;
    std::uint64_t variables = 0;
    std::uint64_t scanned = 0;
    std::uint64_t candidates = 0;
    std::uint64_t matches = 0;

    Counts& operator+=(const Counts& other) {
        lines += other.lines;
        tokens += other.tokens;
        numbers += other.numbers;
        references += other.references;
        log_types += other.log_types;
        variables += other.variables;
        scanned += other.scanned;
        candidates += other.candidates;
        matches += other.matches;
        return *this;
    }
};

}  // namespace clp
