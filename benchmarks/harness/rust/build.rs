//! Hands what cargo and rustc say of the build on to the harness, as members of JSON.

use std::env::var;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let version = std::process::Command::new(var("RUSTC")?).arg("--version").output()?.stdout;
    println!("cargo:rustc-env=RUNFAIR_RUSTC={}", String::from_utf8(version)?.trim());
    let (level, profile, target) = (var("OPT_LEVEL")?, var("PROFILE")?, var("TARGET")?);
    let flags = var("CARGO_ENCODED_RUSTFLAGS")?.replace('\x1f', " "); // the unit separator
    let pgo = flags.contains("profile-use");
    println!(
        "cargo:rustc-env=RUNFAIR_BUILD=\"optimisation\":{level:?},\"build_profile\":{profile:?},\
        \"target\":{target:?},\"build_flags\":{flags:?},\"pgo\":{pgo}"
    );
    Ok(())
}
