#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzzed::http2_answer(data));
