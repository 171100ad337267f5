//! Rounds: every tool once a round, forwards and backwards in turn, so that a drift of the machine
//! falls on all alike.

/// The order of so many tools in a round: A B C in even ones, C B A in odd ones.
pub fn order(round: u64, tools: usize) -> Vec<usize> {
    if round % 2 == 0 {
        (0..tools).collect()
    } else {
        (0..tools).rev().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_alternate() {
        assert_eq!(order(0, 3), [0, 1, 2]);
        assert_eq!(order(1, 3), [2, 1, 0]);
        assert_eq!(order(2, 3), [0, 1, 2]);
    }
}
