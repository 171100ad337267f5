// Puzzles, read from the lines of a file.

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runfair/options.hpp"

namespace sudoku {

constexpr std::size_t cells = 81;

// Nine rows of nine cells, 0 for empty.
using Grid = std::array<std::array<std::uint8_t, 9>, 9>;

// The grid of one line, or nothing if it is malformed.
inline std::optional<Grid> parse(std::string_view line) {
    if (line.size() != cells)
        return std::nullopt;
    Grid grid{};
    for (std::size_t cell = 0; cell < cells; ++cell) {
        const char character = line[cell];
        if (character == '.')
            continue;
        if (character < '1' || character > '9')
            return std::nullopt;
        grid[cell / 9][cell % 9] = static_cast<std::uint8_t>(character - '0');
    }
    return grid;
}

// Whether no digit stands twice in a row, column or box; the search never compares givens.
inline bool consistent(const Grid& grid) {
    std::array<std::array<bool, 10>, 27> seen{};
    for (std::size_t cell = 0; cell < cells; ++cell) {
        const std::size_t row = cell / 9;
        const std::size_t column = cell % 9;
        const std::uint8_t digit = grid[row][column];
        for (const std::size_t unit : {row, 9 + column, 18 + row / 3 * 3 + column / 3}) {
            if (digit != 0 && std::exchange(seen[unit][digit], true))
                return false;
        }
    }
    return true;
}

inline runfair::UserError bad_line(std::size_t index, const std::string& what) {
    return runfair::UserError("line " + std::to_string(index + 1) + " of the input: " + what +
                              "; make it with generate.py");
}

inline std::vector<Grid> read_puzzles(const std::string& path) {
    std::vector<Grid> puzzles;
    const std::string text = runfair::read(path);
    std::string_view rest = text;
    if (rest.ends_with('\n'))
        rest.remove_suffix(1);
    while (true) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        const std::optional<Grid> grid = parse(rest.substr(0, end));
        if (!grid) {
            throw bad_line(puzzles.size(), "a puzzle is 81 characters of 1 to 9 or a full stop");
        }
        if (!consistent(*grid))
            throw bad_line(puzzles.size(), "two givens contradict each other");
        puzzles.push_back(*grid);
        if (end == rest.size())
            return puzzles;
        rest.remove_prefix(end + 1);
    }
}

}  // namespace sudoku
