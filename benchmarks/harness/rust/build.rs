//! Hands what cargo and rustc say of the build on to the harness, which repeats it in `effective`.

use std::env;
use std::error::Error;
use std::process::Command;

fn main() -> Result<(), Box<dyn Error>> {
    let version = Command::new(env::var("RUSTC")?).arg("--version").output()?;
    let version = String::from_utf8(version.stdout)?;
    // The one form in which cargo always tells the flags, from the environment or from a
    // configuration file; they are joined by the unit separator.
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS")?.replace('\x1f', " ");
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-env=RUNFAIR_RUSTC={}", version.trim());
    println!("cargo:rustc-env=RUNFAIR_RUSTFLAGS={flags}");
    for (name, told) in [
        ("RUNFAIR_OPT_LEVEL", "OPT_LEVEL"),
        ("RUNFAIR_PROFILE", "PROFILE"),
        ("RUNFAIR_DEBUG_INFORMATION", "DEBUG"),
        ("RUNFAIR_TARGET", "TARGET"),
    ] {
        println!("cargo:rustc-env={name}={}", env::var(told)?);
    }
    Ok(())
}
