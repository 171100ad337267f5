// Solves puzzles by exhaustive backtracking; see langbench/sudoku/contract.md.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "puzzles.hpp"
#include "runfair/execution.hpp"
#include "runfair/options.hpp"
#include "runfair/primitives.hpp"

namespace {

using namespace sudoku;

struct Counts {
    std::uint64_t tries = 0;
    std::uint64_t placements = 0;
    std::uint64_t reads = 0;
};

Counts counts;

bool fits(const Grid& grid, std::size_t cell, std::uint8_t digit);

bool solve(Grid& grid, std::size_t cell) {
    while (cell < cells && grid[cell / 9][cell % 9] != 0)
        ++cell;
    if (cell == cells)
        return true;
    for (std::uint8_t digit = 1; digit <= 9; ++digit) {
        counts.tries++;  // tick
        if (fits(grid, cell, digit)) {
            grid[cell / 9][cell % 9] = digit;
            counts.placements++;  // tick
            if (solve(grid, cell + 1))
                return true;
            grid[cell / 9][cell % 9] = 0;
        }
    }
    return false;
}

bool fits(const Grid& grid, std::size_t cell, std::uint8_t digit) {
    const std::size_t row = cell / 9;
    const std::size_t column = cell % 9;
    for (std::size_t i = 0; i < 9; ++i) {
        counts.reads++;  // tick
        if (grid[row][i] == digit)
            return false;
    }
    for (std::size_t i = 0; i < 9; ++i) {
        counts.reads++;  // tick
        if (grid[i][column] == digit)
            return false;
    }
    const std::size_t top = row - row % 3;
    const std::size_t left = column - column % 3;
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
            counts.reads++;  // tick
            if (grid[top + i][left + j] == digit)
                return false;
        }
    }
    return true;
}

class Sudoku {
public:
    static constexpr const char* name = "sudoku";
    static constexpr const char* tier = "standard";
    static constexpr std::uint64_t max_threads = 1;

    static Sudoku load(const runfair::Options& options) {
        return Sudoku(read_puzzles(options.text("input")));
    }

    std::vector<Grid> prepare() const { return puzzles_; }

    const std::vector<Grid>& run(std::vector<Grid>& grids) const {
        for (std::size_t index = 0; index < grids.size(); ++index) {
            if (!solve(grids[index], 0))
                throw bad_line(index, "the puzzle has no solution");
        }
        return grids;
    }

    std::uint64_t digest(const std::vector<Grid>& grids) const {
        runfair::Fnv1a hash;
        for (const Grid& grid : grids) {
            std::string line;
            for (const auto& row : grid) {
                for (const std::uint8_t digit : row)
                    line += static_cast<char>('0' + digit);
            }
            hash.add(line + '\n');
        }
        return hash.value;
    }

    runfair::Counters counters() const {
        return {
            {"tries", counts.tries}, {"placements", counts.placements}, {"reads", counts.reads}};
    }

private:
    explicit Sudoku(std::vector<Grid> puzzles) : puzzles_(std::move(puzzles)) {}

    std::vector<Grid> puzzles_;
};

}  // namespace

int main(int argc, char** argv) {
    return runfair::main<Sudoku>(argc, argv);
}
