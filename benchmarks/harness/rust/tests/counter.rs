//! Counters of the task's operations.

use std::mem::size_of;

use runfair_harness::Counter;

#[test]
fn a_counter_that_is_off_adds_one_word_to_what_a_task_returns() {
    assert!(size_of::<Counter<false>>() <= size_of::<usize>());
}

#[test]
fn a_counter_that_is_off_counts_nothing() {
    let (mut sum, mut other) = (Counter::<false>::default(), Counter::default());
    other.tick(0);
    sum.add_all(&other);
    assert_eq!(sum.counts(&["swaps"]), []);
}

#[test]
fn a_thread_adds_up_what_others_counted() {
    let (mut sum, mut other) = (Counter::<true>::default(), Counter::default());
    other.tick(0);
    other.tick_bytes(15, b"four");
    for _ in 0..2 {
        sum.add_all(&other);
        sum.add_all(&Counter::default());
    }
    let mut names = ["none"; 16];
    (names[0], names[15]) = ("swaps", "bytes");
    let counts: Vec<_> = sum.counts(&names).into_iter().filter(|(_, count)| *count > 0).collect();
    assert_eq!(counts, [("swaps", 2), ("bytes", 8)]);
    assert_eq!(Counter::<true>::default().counts(&["swaps"]), [("swaps", 0)]);
}
