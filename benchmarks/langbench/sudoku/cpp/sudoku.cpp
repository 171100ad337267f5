// Solves puzzles by exhaustive backtracking; see langbench/sudoku/contract.md.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runfair.hpp"

namespace {

enum Counters : std::size_t { tries, placements, reads };

constexpr std::size_t cells = 81;

// Nine rows of nine cells, 0 for empty.
using Grid = std::array<std::array<std::uint8_t, 9>, 9>;

template <class Counter>
bool fits(const Grid& grid, std::size_t cell, std::uint8_t digit, Counter& counter);

template <class Counter>
bool solve(Grid& grid, std::size_t cell, Counter& counter) {
    while (cell < cells && grid[cell / 9][cell % 9] != 0)
        ++cell;
    if (cell == cells)
        return true;
    for (std::uint8_t digit = 1; digit <= 9; ++digit) {
        counter.tick(tries);
        if (fits(grid, cell, digit, counter)) {
            grid[cell / 9][cell % 9] = digit;
            counter.tick(placements);
            if (solve(grid, cell + 1, counter))
                return true;
            grid[cell / 9][cell % 9] = 0;
        }
    }
    return false;
}

template <class Counter>
bool fits(const Grid& grid, std::size_t cell, std::uint8_t digit, Counter& counter) {
    const std::size_t row = cell / 9;
    const std::size_t column = cell % 9;
    for (std::size_t i = 0; i < 9; ++i) {
        counter.tick(reads);
        if (grid[row][i] == digit)
            return false;
    }
    for (std::size_t i = 0; i < 9; ++i) {
        counter.tick(reads);
        if (grid[i][column] == digit)
            return false;
    }
    const std::size_t top = row - row % 3;
    const std::size_t left = column - column % 3;
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
            counter.tick(reads);
            if (grid[top + i][left + j] == digit)
                return false;
        }
    }
    return true;
}

// The grid of one line, or nothing if it is malformed.
std::optional<Grid> parse(std::string_view line) {
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

// Whether no given stands twice in a row, column or box; the search never compares givens.
bool consistent(Grid grid) {
    runfair::Uncounted uncounted;
    for (std::size_t cell = 0; cell < cells; ++cell) {
        const std::uint8_t digit = std::exchange(grid[cell / 9][cell % 9], std::uint8_t{0});
        if (digit != 0 && !fits(grid, cell, digit, uncounted))
            return false;
        grid[cell / 9][cell % 9] = digit;
    }
    return true;
}

runfair::UserError bad_line(std::size_t index, const std::string& what) {
    return runfair::UserError("line " + std::to_string(index + 1) + " of the input: " + what +
                              "; make it with generate.py");
}

class Sudoku {
public:
    using Grids = std::vector<Grid>;

    static constexpr std::string_view name = "sudoku";
    static constexpr std::string_view tier = "standard";
    static constexpr std::array<std::string_view, 2> workloads{"classic", "balanced"};
    static constexpr std::array<runfair::Parameter, 0> parameters{};
    static constexpr std::array<std::string_view, 3> counters{"tries", "placements", "reads"};
    static constexpr std::size_t inputs = 1;
    static constexpr std::uint64_t max_threads = 1;

    static Sudoku load(const runfair::Options& options) {
        Sudoku sudoku;
        const std::string text = runfair::read(options.inputs.front());
        std::string_view rest = text;
        if (rest.ends_with('\n'))
            rest.remove_suffix(1);
        while (true) {
            const std::size_t end = std::min(rest.find('\n'), rest.size());
            const std::optional<Grid> grid = parse(rest.substr(0, end));
            const std::size_t index = sudoku.puzzles_.size();
            if (!grid) {
                throw bad_line(index, "a puzzle is 81 characters of 1 to 9 or a full stop");
            }
            if (!consistent(*grid)) {
                throw bad_line(index, "two givens contradict each other");
            }
            sudoku.puzzles_.push_back(*grid);
            if (end == rest.size())
                return sudoku;
            rest.remove_prefix(end + 1);
        }
    }

    Grids prepare() const { return puzzles_; }

    template <class Counter>
    const Grids& run(Grids& grids, Counter& counter) const {
        for (std::size_t index = 0; index < grids.size(); ++index) {
            if (!solve(grids[index], 0, counter)) {
                throw bad_line(index, "the puzzle has no solution");
            }
        }
        return grids;
    }

    std::uint64_t digest(const Grids& grids) const {
        runfair::Fnv1a hash;
        for (const Grid& grid : grids) {
            std::string line;
            for (const auto& row : grid) {
                for (const std::uint8_t digit : row)
                    line += static_cast<char>('0' + digit);
            }
            hash.add(line + '\n');
        }
        return hash.value();
    }

private:
    Grids puzzles_;
};

}  // namespace

int main(int argc, char** argv) {
    return runfair::main<Sudoku>(argc, argv);
}
