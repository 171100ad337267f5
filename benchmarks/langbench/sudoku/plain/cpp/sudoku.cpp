// The contract's pseudocode over nine rows of nine ints; see langbench/sudoku/contract.md.

#include <cstdint>
#include <string>
#include <vector>

#include "runfair/execution.hpp"
#include "runfair/options.hpp"
#include "runfair/primitives.hpp"

namespace {

struct Grid {
    int rows[9][9];
};

std::uint64_t tries = 0;
std::uint64_t placements = 0;
std::uint64_t reads = 0;

bool fits(const Grid& grid, int cell, int digit) {
    const int row = cell / 9;
    const int column = cell % 9;
    for (int i = 0; i < 9; i++) {
        reads++;  // tick
        if (grid.rows[row][i] == digit)
            return false;
    }
    for (int i = 0; i < 9; i++) {
        reads++;  // tick
        if (grid.rows[i][column] == digit)
            return false;
    }
    const int top = row - row % 3;
    const int left = column - column % 3;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            reads++;  // tick
            if (grid.rows[top + i][left + j] == digit)
                return false;
        }
    }
    return true;
}

bool solve(Grid& grid, int cell) {
    while (cell < 81 && grid.rows[cell / 9][cell % 9] != 0)
        cell++;
    if (cell == 81)
        return true;
    for (int digit = 1; digit <= 9; digit++) {
        tries++;  // tick
        if (fits(grid, cell, digit)) {
            grid.rows[cell / 9][cell % 9] = digit;
            placements++;  // tick
            if (solve(grid, cell + 1))
                return true;
            grid.rows[cell / 9][cell % 9] = 0;
        }
    }
    return false;
}

runfair::UserError bad_line(std::size_t index, const std::string& what) {
    return runfair::UserError("line " + std::to_string(index + 1) + " of the input: " + what +
                              "; make it with generate.py");
}

// Whether a given stands alone in its row, column and box.
bool stands_alone(const Grid& grid, int row, int column) {
    for (int i = 0; i < 9; i++) {
        for (int j = 0; j < 9; j++) {
            const bool same_box = i / 3 == row / 3 && j / 3 == column / 3;
            const bool itself = i == row && j == column;
            if (!itself && (i == row || j == column || same_box) &&
                grid.rows[i][j] == grid.rows[row][column])
                return false;
        }
    }
    return true;
}

Grid parse(const std::string& line, std::size_t index) {
    Grid grid = {};
    bool good = line.size() == 81;
    for (int cell = 0; good && cell < 81; cell++) {
        const char character = line[cell];
        if ('1' <= character && character <= '9')
            grid.rows[cell / 9][cell % 9] = character - '0';
        else
            good = character == '.';
    }
    if (!good)
        throw bad_line(index, "a puzzle is 81 characters of 1 to 9 or a full stop");
    for (int cell = 0; cell < 81; cell++) {
        if (grid.rows[cell / 9][cell % 9] != 0 && !stands_alone(grid, cell / 9, cell % 9))
            throw bad_line(index, "two givens contradict each other");
    }
    return grid;
}

struct Sudoku {
    static constexpr const char* name = "sudoku";
    static constexpr const char* tier = "plain";
    static constexpr std::uint64_t max_threads = 1;

    std::vector<Grid> puzzles;

    static Sudoku load(const runfair::Options& options) {
        std::string text = runfair::read(options.text("input"));
        if (text.empty() || text[text.size() - 1] != '\n')
            text += '\n';
        Sudoku sudoku;
        std::string line;
        for (const char character : text) {
            if (character != '\n') {
                line += character;
                continue;
            }
            sudoku.puzzles.push_back(parse(line, sudoku.puzzles.size()));
            line.clear();
        }
        return sudoku;
    }

    std::vector<Grid> prepare() const { return puzzles; }

    const std::vector<Grid>& run(std::vector<Grid>& grids) const {
        for (std::size_t index = 0; index < grids.size(); index++) {
            if (!solve(grids[index], 0))
                throw bad_line(index, "the puzzle has no solution");
        }
        return grids;
    }

    std::uint64_t digest(const std::vector<Grid>& grids) const {
        runfair::Fnv1a hash;
        for (const Grid& grid : grids) {
            std::string line;
            for (int cell = 0; cell < 81; cell++)
                line += static_cast<char>('0' + grid.rows[cell / 9][cell % 9]);
            hash.add(line + '\n');
        }
        return hash.value;
    }

    static runfair::Counters counters() {
        return {{"tries", tries}, {"placements", placements}, {"reads", reads}};
    }
};

}  // namespace

int main(int argc, char** argv) {
    return runfair::main<Sudoku>(argc, argv);
}
