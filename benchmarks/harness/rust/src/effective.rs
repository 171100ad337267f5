//! What is in force, as the build told it.

use crate::json::Object;

pub(crate) fn effective() -> Object {
    let flags = env!("RUNFAIR_RUSTFLAGS");
    let instruction_set = if cfg!(target_feature = "avx512bw") {
        "x86-64-v4"
    } else if cfg!(target_feature = "avx2") {
        "x86-64-v3"
    } else if cfg!(target_feature = "sse4.2") {
        "x86-64-v2"
    } else if cfg!(target_arch = "x86_64") {
        "x86-64"
    } else {
        std::env::consts::ARCH
    };
    let effective = Object::new()
        .text("execution", "ahead-of-time")
        .text("optimisation", env!("RUNFAIR_OPT_LEVEL"))
        .text("build_profile", env!("RUNFAIR_PROFILE"))
        .text("debug_information", env!("RUNFAIR_DEBUG_INFORMATION"))
        .json("assertions", cfg!(debug_assertions))
        .json("pgo", flags.contains("profile-use"))
        .json("native", flags.contains("target-cpu=native"))
        .text("panic", if cfg!(panic = "unwind") { "unwind" } else { "abort" })
        .text("instruction_set", instruction_set)
        .text("target", env!("RUNFAIR_TARGET"));
    match flags {
        "" => effective,
        _ => effective.text("build_flags", flags),
    }
}
