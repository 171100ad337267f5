//! Sorts strings in place by swaps alone; see `langbench/sort/contract.md`.

use std::process::ExitCode;

use runfair_harness::{fnv1a, Benchmark, Counter, Failure, Options, SplitMix64, FNV1A};

const COMPARISONS: usize = 0;
const SWAPS: usize = 1;

/// `duplicates` draws from this many words.
const DIFFERENT_WORDS: u64 = 64;

fn sort<const COUNT: bool>(x: &mut [String], lo: usize, hi: usize, counter: &mut Counter<COUNT>) {
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

fn sort_into<const COUNT: bool>(
    x: &mut [String],
    lo: usize,
    hi: usize,
    work: usize,
    counter: &mut Counter<COUNT>,
) {
    if hi - lo > 1 {
        let middle = lo + (hi - lo) / 2;
        sort(x, lo, middle, counter);
        sort(x, middle, hi, counter);
        merge(x, lo, middle, middle, hi, work, counter);
    } else if lo < hi {
        swap(x, lo, work, counter);
    }
}

fn merge<const COUNT: bool>(
    x: &mut [String],
    mut a: usize,
    a_end: usize,
    mut b: usize,
    b_end: usize,
    mut work: usize,
    counter: &mut Counter<COUNT>,
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

fn less<const COUNT: bool>(x: &[String], p: usize, q: usize, counter: &mut Counter<COUNT>) -> bool {
    counter.tick(COMPARISONS);
    x[p] < x[q]
}

fn swap<const COUNT: bool>(x: &mut [String], i: usize, j: usize, counter: &mut Counter<COUNT>) {
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
    const COUNTERS: &'static [&'static str] = &["comparisons", "swaps"];

    type Work = Vec<String>;
    type Answer = Vec<String>;

    fn load(options: &Options) -> Result<Self, Failure> {
        let letters = options.number("letters")?;
        let length = options.number("length")? as u32;
        let count = letters.pow(length);
        let mut random = SplitMix64(options.number("seed")?);
        let word = |number| word(number, letters, length);
        let words = match options.text("workload")? {
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

    fn run<const COUNT: bool>(
        &self,
        mut words: Vec<String>,
        counter: &mut Counter<COUNT>,
    ) -> Result<Vec<String>, Failure> {
        let end = words.len();
        sort(&mut words, 0, end, counter);
        Ok(words)
    }

    fn digest(&self, words: &Vec<String>) -> u64 {
        let mut hash = FNV1A;
        for word in words {
            hash = fnv1a(hash, word.as_bytes());
            hash = fnv1a(hash, b"\n");
        }
        hash
    }
}

fn main() -> ExitCode {
    runfair_harness::main::<Sort>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_is_sorted() {
        let mut random = SplitMix64(7);
        for length in 0..300 {
            let mut words: Vec<String> =
                (0..length).map(|_| word(random.bounded(100), 5, 3)).collect();
            let mut expected = words.clone();
            expected.sort_unstable();
            sort(&mut words, 0, length, &mut Counter::<false>::default());
            assert_eq!(words, expected, "length {length}");
        }
    }

    #[test]
    fn a_self_swap_is_counted() {
        let mut words = ["c", "b", "a"].map(str::to_owned);
        let mut counter = Counter::<true>::default();
        sort(&mut words, 0, 3, &mut counter);
        // By hand: middle 1, work 2; sort_into(0, 1, 2) swaps 0 and 2, giving a b c; the insertion
        // from 2 compares c with b, that from 1 compares b with a.
        assert_eq!(counter.counts(Sort::COUNTERS), [("comparisons", 2), ("swaps", 1)]);
        merge(&mut words, 0, 1, 1, 1, 0, &mut counter);
        assert_eq!(counter.counts(Sort::COUNTERS), [("comparisons", 2), ("swaps", 2)]);
    }

    #[test]
    fn word_numbers_are_in_alphabetical_order() {
        assert_eq!(word(0, 4, 3), "aaa");
        assert_eq!(word(27, 4, 3), "bcd");
        let words: Vec<String> = (0..64).map(|number| word(number, 4, 3)).collect();
        assert!(words.is_sorted());
    }
}
