//! Hands what cargo and rustc say of the build on to the harness.

use std::env::var;
use std::error::Error;
use std::process::Command;

fn main() -> Result<(), Box<dyn Error>> {
    let version = Command::new(var("RUSTC")?).arg("--version").output()?.stdout;
    println!("cargo:rustc-env=RUNFAIR_RUSTC={}", String::from_utf8(version)?.trim());
    for name in ["OPT_LEVEL", "PROFILE", "DEBUG", "TARGET", "CARGO_ENCODED_RUSTFLAGS"] {
        // Flags are separated by the unit separator.
        println!("cargo:rustc-env=RUNFAIR_{name}={}", var(name)?.replace('\x1f', " "));
    }
    Ok(())
}
