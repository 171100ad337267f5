//! The contract's pseudocode as methods of the array: `langbench/sort/contract.md`.

use std::process::ExitCode;

use runfair_harness::{fnv1a, Benchmark, Counter, Failure, Options, SplitMix64, FNV1A};

const COMPARISONS: usize = 0;
const SWAPS: usize = 1;

struct Words<'a, const COUNT: bool> {
    x: Vec<String>,
    counter: &'a mut Counter<COUNT>,
}

impl<const COUNT: bool> Words<'_, COUNT> {
    #[allow(clippy::manual_div_ceil)] // as the pseudocode has it
    fn sort(&mut self, lo: usize, hi: usize) {
        if hi - lo <= 1 {
            return;
        }
        let middle = lo + (hi - lo) / 2;
        let mut work = lo + hi - middle;
        self.sort_into(lo, middle, work);
        while work - lo > 2 {
            let end = work;
            work = lo + (end - lo + 1) / 2;
            self.sort_into(work, end, lo);
            self.merge(lo, lo + end - work, end, hi, work);
        }
        let mut next = work;
        while next > lo {
            let mut at = next;
            while at < hi && self.less(at, at - 1) {
                self.swap(at, at - 1);
                at += 1;
            }
            next -= 1;
        }
    }

    fn sort_into(&mut self, lo: usize, hi: usize, work: usize) {
        if hi - lo > 1 {
            let middle = lo + (hi - lo) / 2;
            self.sort(lo, middle);
            self.sort(middle, hi);
            self.merge(lo, middle, middle, hi, work);
        } else if lo < hi {
            self.swap(lo, work);
        }
    }

    fn merge(&mut self, mut a: usize, a_end: usize, mut b: usize, b_end: usize, mut work: usize) {
        while a < a_end && b < b_end {
            if self.less(a, b) {
                self.swap(work, a);
                a += 1;
            } else {
                self.swap(work, b);
                b += 1;
            }
            work += 1;
        }
        while a < a_end {
            self.swap(work, a);
            a += 1;
            work += 1;
        }
        while b < b_end {
            self.swap(work, b);
            b += 1;
            work += 1;
        }
    }

    fn less(&mut self, p: usize, q: usize) -> bool {
        self.counter.tick(COMPARISONS);
        self.x[p] < self.x[q]
    }

    fn swap(&mut self, i: usize, j: usize) {
        self.counter.tick(SWAPS);
        self.x.swap(i, j);
    }
}

/// The number in base `letters`, most significant digit first.
fn word(mut number: u64, letters: u64, length: u64) -> String {
    let mut text = String::new();
    for _ in 0..length {
        text.insert(0, (b'a' + (number % letters) as u8) as char);
        number /= letters;
    }
    text
}

struct Sort {
    words: Vec<String>,
}

impl Benchmark for Sort {
    const NAME: &'static str = "sort";
    const TIER: &'static str = "plain";
    const COUNTERS: &'static [&'static str] = &["comparisons", "swaps"];

    type Work = Vec<String>;
    type Answer = Vec<String>;

    fn load(options: &Options) -> Result<Self, Failure> {
        let workload = options.text("workload")?;
        let letters = options.number("letters")?;
        let length = options.number("length")?;
        let mut random = SplitMix64(options.number("seed")?);
        let count = letters.pow(length as u32);
        let mut words = Vec::new();
        for p in 0..count {
            let number = match workload {
                "classic" => count - 1 - p,
                "duplicates" => random.bounded(count.min(64)),
                _ => p,
            };
            words.push(word(number, letters, length));
        }
        if workload == "shuffled" {
            random.shuffle(&mut words);
        }
        Ok(Sort { words })
    }

    fn prepare(&self) -> Vec<String> {
        self.words.clone()
    }

    fn run<const COUNT: bool>(
        &self,
        words: Vec<String>,
        counter: &mut Counter<COUNT>,
    ) -> Result<Vec<String>, Failure> {
        let end = words.len();
        let mut words = Words { x: words, counter };
        words.sort(0, end);
        Ok(words.x)
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
