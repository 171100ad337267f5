//! The contract's pseudocode over nine rows of nine integers: `langbench/sudoku/contract.md`.

use std::process::ExitCode;

use runfair_harness::{fnv1a, read, Benchmark, Counter, Failure, Options, UserError, FNV1A};

const TRIES: usize = 0;
const PLACEMENTS: usize = 1;
const READS: usize = 2;

type Grid = [[i32; 9]; 9];

fn solve<const COUNT: bool>(
    grid: &mut Grid,
    mut cell: usize,
    counter: &mut Counter<COUNT>,
) -> bool {
    while cell < 81 && grid[cell / 9][cell % 9] != 0 {
        cell += 1;
    }
    if cell == 81 {
        return true;
    }
    for digit in 1..=9 {
        counter.tick(TRIES);
        if fits(grid, cell, digit, counter) {
            grid[cell / 9][cell % 9] = digit;
            counter.tick(PLACEMENTS);
            if solve(grid, cell + 1, counter) {
                return true;
            }
            grid[cell / 9][cell % 9] = 0;
        }
    }
    false
}

// The pseudocode indexes, and so does this.
#[allow(clippy::needless_range_loop)]
fn fits<const COUNT: bool>(
    grid: &Grid,
    cell: usize,
    digit: i32,
    counter: &mut Counter<COUNT>,
) -> bool {
    let row = cell / 9;
    let column = cell % 9;
    for i in 0..9 {
        counter.tick(READS);
        if grid[row][i] == digit {
            return false;
        }
    }
    for i in 0..9 {
        counter.tick(READS);
        if grid[i][column] == digit {
            return false;
        }
    }
    let top = row - row % 3;
    let left = column - column % 3;
    for i in 0..3 {
        for j in 0..3 {
            counter.tick(READS);
            if grid[top + i][left + j] == digit {
                return false;
            }
        }
    }
    true
}

/// Whether a given has no equal in its row, column and box.
fn stands_alone(grid: &Grid, row: usize, column: usize) -> bool {
    (0..81).map(|cell| (cell / 9, cell % 9)).all(|(i, j)| {
        let same_box = i / 3 == row / 3 && j / 3 == column / 3;
        let sees = i == row || j == column || same_box;
        (i, j) == (row, column) || !sees || grid[i][j] != grid[row][column]
    })
}

fn parse(line: &[u8], index: usize) -> Result<Grid, UserError> {
    if line.len() != 81 || !line.iter().all(|byte| matches!(byte, b'1'..=b'9' | b'.')) {
        return Err(bad_line(index, "a puzzle is 81 characters of 1 to 9 or a full stop"));
    }
    let mut grid = [[0; 9]; 9];
    for (cell, &byte) in line.iter().enumerate() {
        if byte != b'.' {
            grid[cell / 9][cell % 9] = i32::from(byte - b'0');
        }
    }
    for (row, column) in (0..81).map(|cell| (cell / 9, cell % 9)) {
        if grid[row][column] != 0 && !stands_alone(&grid, row, column) {
            return Err(bad_line(index, "two givens contradict each other"));
        }
    }
    Ok(grid)
}

fn bad_line(index: usize, what: &str) -> UserError {
    UserError(format!("line {} of the input: {what}; make it with generate.py", index + 1))
}

struct Sudoku {
    puzzles: Vec<Grid>,
}

impl Benchmark for Sudoku {
    const NAME: &'static str = "sudoku";
    const TIER: &'static str = "plain";
    const COUNTERS: &'static [&'static str] = &["tries", "placements", "reads"];

    type Work = Vec<Grid>;
    type Answer = Vec<Grid>;

    fn load(options: &Options) -> Result<Self, Failure> {
        let mut text = read(options.text("input")?)?;
        if text.last() == Some(&b'\n') {
            text.pop();
        }
        let mut puzzles = Vec::new();
        for (index, line) in text.split(|&byte| byte == b'\n').enumerate() {
            puzzles.push(parse(line, index)?);
        }
        Ok(Sudoku { puzzles })
    }

    fn prepare(&self) -> Vec<Grid> {
        self.puzzles.clone()
    }

    fn run<const COUNT: bool>(
        &self,
        mut grids: Vec<Grid>,
        counter: &mut Counter<COUNT>,
    ) -> Result<Vec<Grid>, Failure> {
        for (index, grid) in grids.iter_mut().enumerate() {
            if !solve(grid, 0, counter) {
                return Err(bad_line(index, "the puzzle has no solution").into());
            }
        }
        Ok(grids)
    }

    fn digest(&self, grids: &Vec<Grid>) -> u64 {
        let mut hash = FNV1A;
        for grid in grids {
            for &digit in grid.as_flattened() {
                hash = fnv1a(hash, &[b'0' + digit as u8]);
            }
            hash = fnv1a(hash, b"\n");
        }
        hash
    }
}

fn main() -> ExitCode {
    runfair_harness::main::<Sudoku>()
}
