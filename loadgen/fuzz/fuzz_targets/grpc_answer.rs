#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzzed::grpc_answer(data));
