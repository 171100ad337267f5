//! Checks the harness's primitives against the shared test vectors.

use std::fs;
use std::process::ExitCode;

use runfair_harness::{Fnv1a, SplitMix64};

mod json;

use json::Json;

/// Checks every vector; the error names the one that failed, or what is wrong with the file.
fn check(vectors: &Json) -> Result<(), String> {
    for vector in vectors.member("splitmix64")?.filled()? {
        let seed = vector.member("seed")?.text()?;
        let mut random = SplitMix64::new(decimal(seed)?);
        for (i, expected) in vector.member("next")?.filled()?.iter().enumerate() {
            let got = format!("{:016x}", random.next());
            expect(&format!("splitmix64 seed {seed} next {i}"), got.as_str(), expected.text()?)?;
        }
    }
    for vector in vectors.member("bounded")?.filled()? {
        let seed = vector.member("seed")?.text()?;
        let mut random = SplitMix64::new(decimal(seed)?);
        let bounds = vector.member("bounds")?.filled()?;
        let values = vector.member("values")?.filled()?;
        expect(&format!("bounded seed {seed} count"), values.len(), bounds.len())?;
        for (bound, value) in bounds.iter().zip(values) {
            let bound = decimal(bound.text()?)?;
            let got = random.bounded(bound).to_string();
            expect(&format!("bounded seed {seed} bound {bound}"), got.as_str(), value.text()?)?;
        }
    }
    for vector in vectors.member("shuffle")?.filled()? {
        let seed = vector.member("seed")?.text()?;
        let length = decimal(vector.member("length")?.text()?)?;
        let mut got: Vec<u64> = (0..length).collect();
        SplitMix64::new(decimal(seed)?).shuffle(&mut got);
        let order = vector.member("order")?.items()?;
        let order: Vec<u64> =
            order.iter().map(|number| decimal(number.text()?)).collect::<Result<_, _>>()?;
        expect(&format!("shuffle seed {seed} length {length}"), &got, &order)?;
    }
    for vector in vectors.member("fnv1a")?.filled()? {
        let text = vector.member("text")?.text()?;
        let mut hash = Fnv1a::new();
        hash.add(text.as_bytes());
        let got = format!("{:016x}", hash.value());
        expect(&format!("fnv1a {text:?}"), got.as_str(), vector.member("digest")?.text()?)?;
    }
    Ok(())
}

fn expect<T: PartialEq + std::fmt::Debug>(what: &str, got: T, expected: T) -> Result<(), String> {
    if got == expected {
        return Ok(());
    }
    Err(format!("{what}: got {got:?}, expected {expected:?}"))
}

fn decimal(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("{text:?} is not a decimal number"))
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path] = arguments.as_slice() else {
        eprintln!("vectors: give the path of vectors.json as the one argument");
        return ExitCode::from(2);
    };
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("vectors: {path:?} cannot be read: {error}");
            return ExitCode::from(2);
        }
    };
    match Json::parse(&text).and_then(|vectors| check(&vectors)) {
        Ok(()) => {
            println!("vectors ok");
            ExitCode::SUCCESS
        }
        Err(failed) => {
            eprintln!("vectors: {failed}");
            ExitCode::FAILURE
        }
    }
}
