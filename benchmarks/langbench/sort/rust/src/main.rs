//! Sorts strings in place by swaps alone; see `langbench/sort/contract.md`.

use std::process::ExitCode;

use runfair_harness::{Benchmark, Counter, Fnv1a, Options, SplitMix64, UserError};

const COMPARISONS: usize = 0;
const SWAPS: usize = 1;

/// `duplicates` draws from this many words.
const DIFFERENT_WORDS: u64 = 64;

fn sort<C: Counter>(x: &mut [String], lo: usize, hi: usize, counter: &mut C) {
    if hi - lo > 1 {
        let middle = lo + (hi - lo) / 2;
        let mut work = lo + hi - middle;
        sort_into(x, lo, middle, work, counter);
        while work - lo > 2 {
            let end = work;
            work = lo + (end - lo).div_ceil(2);
            sort_into(x, work, end, lo, counter);
            merge(x, lo, lo + end - work, end, hi, work, counter);
        }
        for next in (lo + 1..=work).rev() {
            let mut at = next;
            while at < hi && less(x, at, at - 1, counter) {
                swap(x, at, at - 1, counter);
                at += 1;
            }
        }
    }
}

fn sort_into<C: Counter>(x: &mut [String], lo: usize, hi: usize, work: usize, counter: &mut C) {
    if hi - lo > 1 {
        let middle = lo + (hi - lo) / 2;
        sort(x, lo, middle, counter);
        sort(x, middle, hi, counter);
        merge(x, lo, middle, middle, hi, work, counter);
    } else if lo < hi {
        swap(x, lo, work, counter);
    }
}

fn merge<C: Counter>(
    x: &mut [String],
    mut a: usize,
    a_end: usize,
    mut b: usize,
    b_end: usize,
    mut work: usize,
    counter: &mut C,
) {
    while a < a_end && b < b_end {
        if less(x, a, b, counter) {
            swap(x, work, a, counter);
            a += 1;
        } else {
            swap(x, work, b, counter);
            b += 1;
        }
        work += 1;
    }
    while a < a_end {
        swap(x, work, a, counter);
        a += 1;
        work += 1;
    }
    while b < b_end {
        swap(x, work, b, counter);
        b += 1;
        work += 1;
    }
}

fn less<C: Counter>(x: &[String], p: usize, q: usize, counter: &mut C) -> bool {
    counter.tick(COMPARISONS);
    x[p] < x[q]
}

fn swap<C: Counter>(x: &mut [String], i: usize, j: usize, counter: &mut C) {
    counter.tick(SWAPS);
    x.swap(i, j);
}

/// Word `number`: its digits in base `letters`, most significant first, `a` for zero.
fn word(number: u64, letters: u64, length: u32) -> String {
    (0..length)
        .rev()
        .map(|place| char::from(b'a' + (number / letters.pow(place) % letters) as u8))
        .collect()
}

struct Sort {
    words: Vec<String>,
}

impl Benchmark for Sort {
    const NAME: &'static str = "sort";
    const WORKLOADS: &'static [&'static str] = &["classic", "shuffled", "duplicates"];
    const PARAMETERS: &'static [(&'static str, &'static str)] =
        &[("letters", "4"), ("length", "6")];
    const COUNTERS: &'static [&'static str] = &["comparisons", "swaps"];

    type Work = Vec<String>;
    type Answer = Vec<String>;

    fn load(options: &Options) -> Result<Self, UserError> {
        let letters = options.integer("letters", 2..=26)?;
        let length = options.integer("length", 1..=8)? as u32;
        let count = letters.pow(length);
        if count > u64::from(u32::MAX) {
            return Err(UserError(format!(
                "{letters} letters and length {length} make {count} words; \
                 take fewer than 4294967296"
            )));
        }
        let mut random = SplitMix64::new(options.seed);
        let word = |number| word(number, letters, length);
        let words = match options.workload.as_str() {
            "classic" => (0..count).rev().map(word).collect(),
            "duplicates" => {
                let different = count.min(DIFFERENT_WORDS);
                (0..count).map(|_| word(random.bounded(different))).collect()
            }
            _ => {
                let mut words: Vec<String> = (0..count).map(word).collect();
                random.shuffle(&mut words);
                words
            }
        };
        Ok(Self { words })
    }

    fn prepare(&self) -> Vec<String> {
        self.words.clone()
    }

    fn run<C: Counter>(
        &self,
        mut words: Vec<String>,
        counter: &mut C,
    ) -> Result<Vec<String>, UserError> {
        let end = words.len();
        sort(&mut words, 0, end, counter);
        Ok(words)
    }

    fn digest(&self, words: &Vec<String>) -> u64 {
        let mut hash = Fnv1a::new();
        for word in words {
            hash.add(word.as_bytes());
            hash.add(b"\n");
        }
        hash.value()
    }
}

fn main() -> ExitCode {
    runfair_harness::main::<Sort>()
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;

    /// Counts each kind of operation.
    struct Ticks([u64; 2]);

    impl Counter for Ticks {
        fn tick(&mut self, counter: usize) {
            self.0[counter] += 1;
        }
    }

    #[test]
    fn every_length_is_sorted() {
        let mut random = SplitMix64::new(7);
        for length in 0..300 {
            let mut words: Vec<String> =
                (0..length).map(|_| word(random.bounded(100), 5, 3)).collect();
            let mut expected = words.clone();
            expected.sort_unstable();
            sort(&mut words, 0, length, &mut Ticks([0, 0]));
            assert_eq!(words, expected, "length {length}");
        }
    }

    #[test]
    fn a_self_swap_is_counted() {
        let mut words = ["c", "b", "a"].map(str::to_owned);
        let mut ticks = Ticks([0, 0]);
        sort(&mut words, 0, 3, &mut ticks);
        // By hand: middle 1, work 2; sort_into(0, 1, 2) swaps 0 and 2, giving a b c; the insertion
        // from 2 compares c with b, that from 1 compares b with a.
        assert_eq!(ticks.0, [2, 1]);
        merge(&mut words, 0, 1, 1, 1, 0, &mut ticks);
        assert_eq!(ticks.0, [2, 2]);
    }

    #[test]
    fn the_work_is_the_contracts() {
        // From the contract's pseudocode, transcribed into another language.
        for (workload, comparisons, swaps) in [
            ("classic", 16_839, 103_006),
            ("shuffled", 106_702, 115_854),
            ("duplicates", 106_766, 117_962),
        ] {
            let mut output = Vec::new();
            let arguments = ["--count", "--workload", workload].map(OsString::from);
            assert!(runfair_harness::execute::<Sort>(arguments, &mut output).is_ok());
            let lines = String::from_utf8_lossy(&output);
            let expected = format!(r#"{{"comparisons":{comparisons},"swaps":{swaps}}}"#);
            assert!(lines.contains(&expected), "{lines}");
        }
    }

    #[test]
    fn word_numbers_are_in_alphabetical_order() {
        assert_eq!(word(0, 4, 3), "aaa");
        assert_eq!(word(27, 4, 3), "bcd");
        let words: Vec<String> = (0..64).map(|number| word(number, 4, 3)).collect();
        assert!(words.is_sorted());
    }
}
