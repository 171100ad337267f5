//! Answers the questions of `benchmarks/harness/vectors.txt` on standard input.

use runfair_harness::{cell, fnv1a, SplitMix64, FNV1A};

fn answer(question: &str) -> Vec<String> {
    let (kind, asked) = question.split_once(' ').unwrap_or((question, ""));
    let numbers: Vec<u64> = asked.split(' ').flat_map(str::parse).collect();
    let mut random = SplitMix64(numbers.first().copied().unwrap_or(0));
    match kind {
        "splitmix64" => (0..numbers[1]).map(|_| format!("{:016x}", random.next())).collect(),
        "bounded" => numbers[1..].iter().map(|&n| random.bounded(n).to_string()).collect(),
        "shuffle" => {
            let mut shuffled: Vec<u64> = (0..numbers[1]).collect();
            random.shuffle(&mut shuffled);
            shuffled.iter().map(u64::to_string).collect()
        }
        "cell" => numbers.iter().map(|&value| cell(value as i64).to_string()).collect(),
        _ => vec![format!("{:016x}", fnv1a(FNV1A, asked.as_bytes()))],
    }
}

fn main() {
    for line in std::io::stdin().lines().map_while(Result::ok) {
        let question = line.split(" =").next().unwrap_or_default();
        let answer: String = answer(question).iter().map(|value| format!(" {value}")).collect();
        println!("{question} ={answer}");
    }
}
