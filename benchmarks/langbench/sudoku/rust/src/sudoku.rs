//! Solves puzzles by exhaustive backtracking; see `langbench/sudoku/contract.md`.

use std::process::ExitCode;

use runfair_harness::{fnv1a, read, Benchmark, Counter, Failure, Options, UserError, FNV1A};

const TRIES: usize = 0;
const PLACEMENTS: usize = 1;
const READS: usize = 2;

const CELLS: usize = 81;

/// Nine rows of nine cells, 0 for empty.
type Grid = [[u8; 9]; 9];

fn solve<const COUNT: bool>(
    grid: &mut Grid,
    mut cell: usize,
    counter: &mut Counter<COUNT>,
) -> bool {
    while cell < CELLS && grid[cell / 9][cell % 9] != 0 {
        cell += 1;
    }
    if cell == CELLS {
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

fn fits<const COUNT: bool>(
    grid: &Grid,
    cell: usize,
    digit: u8,
    counter: &mut Counter<COUNT>,
) -> bool {
    let (row, column) = (cell / 9, cell % 9);
    for &held in &grid[row] {
        counter.tick(READS);
        if held == digit {
            return false;
        }
    }
    for line in grid {
        counter.tick(READS);
        if line[column] == digit {
            return false;
        }
    }
    let (top, left) = (row - row % 3, column - column % 3);
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

/// The grid of one line, or nothing if it is malformed.
fn parse(line: &[u8]) -> Option<Grid> {
    if line.len() != CELLS {
        return None;
    }
    let mut grid = [[0; 9]; 9];
    for (cell, &character) in line.iter().enumerate() {
        grid[cell / 9][cell % 9] = match character {
            b'.' => 0,
            b'1'..=b'9' => character - b'0',
            _ => return None,
        };
    }
    Some(grid)
}

/// Whether no given stands twice in a row, column or box; the search never compares givens. It is
/// not made of `fits`, which a second caller would keep from being inlined into the search.
fn consistent(grid: &Grid) -> bool {
    let mut seen = [[false; 10]; 27];
    (0..CELLS).all(|cell| {
        let (row, column) = (cell / 9, cell % 9);
        let digit = usize::from(grid[row][column]);
        let units = [row, 9 + column, 18 + row / 3 * 3 + column / 3];
        units.iter().all(|&unit| !std::mem::replace(&mut seen[unit][digit], digit != 0))
    })
}

fn bad_line(index: usize, what: &str) -> UserError {
    UserError(format!("line {} of the input: {what}; make it with generate.py", index + 1))
}

struct Sudoku {
    puzzles: Vec<Grid>,
}

impl Benchmark for Sudoku {
    const NAME: &'static str = "sudoku";
    const COUNTERS: &'static [&'static str] = &["tries", "placements", "reads"];

    type Work = Vec<Grid>;
    type Answer = Vec<Grid>;

    fn load(options: &Options) -> Result<Self, Failure> {
        let text = read(options.text("input")?)?;
        let lines = text.strip_suffix(b"\n").unwrap_or(&text);
        let mut puzzles = Vec::new();
        for (index, line) in lines.split(|&byte| byte == b'\n').enumerate() {
            let grid = parse(line).ok_or_else(|| {
                bad_line(index, "a puzzle is 81 characters of 1 to 9 or a full stop")
            })?;
            if !consistent(&grid) {
                return Err(bad_line(index, "two givens contradict each other").into());
            }
            puzzles.push(grid);
        }
        Ok(Self { puzzles })
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
                hash = fnv1a(hash, &[b'0' + digit]);
            }
            hash = fnv1a(hash, b"\n");
        }
        hash
    }
}

fn main() -> ExitCode {
    runfair_harness::main::<Sudoku>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(counter: &Counter<true>) -> Vec<u64> {
        counter.counts(Sudoku::COUNTERS).into_iter().map(|(_, count)| count).collect()
    }

    /// Digit 1 + (3 r + r / 3 + c) mod 9 in row r and column c: a solved grid.
    fn solved() -> Grid {
        std::array::from_fn(|r| std::array::from_fn(|c| ((3 * r + r / 3 + c) % 9) as u8 + 1))
    }

    #[test]
    fn a_grid_is_filled_as_it_was() {
        let mut grid = solved();
        for (cell, digit) in grid.as_flattened_mut().iter_mut().enumerate() {
            if cell % 2 == 0 {
                *digit = 0;
            }
        }
        assert!(solve(&mut grid, 0, &mut Counter::<false>::default()));
        assert!(consistent(&grid));
    }

    #[test]
    fn the_work_is_the_contracts() {
        let line = "5...7..91...3..5.......8..7.6..9..5.1....4.3.\
                    .93...2..8.....9...3....82...1.4....";
        let mut counter = Counter::<true>::default();
        assert!(parse(line.as_bytes()).is_some_and(|mut grid| solve(&mut grid, 0, &mut counter)));
        // From the contract's pseudocode, transcribed into another language.
        assert_eq!(counts(&counter), [6_115, 705, 56_133]);
    }

    #[test]
    fn reads_stop_at_the_first_that_holds_the_digit() {
        let mut grid = solved();
        let mut counter = Counter::<true>::default();
        assert!(!fits(&grid, 0, 3, &mut counter));
        assert_eq!(counts(&counter), [0, 0, 3]);
        grid[0][0] = 0;
        assert!(fits(&grid, 0, 1, &mut counter));
        assert_eq!(counts(&counter), [0, 0, 3 + 27]);
    }

    #[test]
    fn a_grid_without_a_solution_is_told() {
        let mut grid = [[0; 9]; 9];
        grid[0] = [0, 2, 3, 4, 5, 6, 7, 8, 9];
        grid[1][0] = 1;
        assert!(consistent(&grid));
        assert!(!solve(&mut grid, 0, &mut Counter::<false>::default()));
        grid[0][0] = 1;
        assert!(!consistent(&grid));
    }

    #[test]
    fn malformed_lines_are_refused() {
        assert!(parse(&[b'.'; 81]).is_some());
        for line in [&[b'.'; 80], &[b'.'; 82] as &[u8], &[b'0'; 81], &[b'x'; 81], b""] {
            assert!(parse(line).is_none());
        }
    }
}
