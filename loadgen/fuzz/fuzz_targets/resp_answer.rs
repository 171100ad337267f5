#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzzed::resp_answer(data));
