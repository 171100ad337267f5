//! Counters of the task's operations.

/// What was counted, by the counters' names; empty if nothing was to be counted.
pub type Counts = Vec<(&'static str, u64)>;

/// Counts if `ON`, and else compiles to nothing. Each thread has one of its own, of 16 counters:
/// apart, so that a counter that is off takes one word of the task that returns it.
#[derive(Default)]
pub struct Counter<const ON: bool>(Option<Box<[u64; 16]>>);

impl<const ON: bool> Counter<ON> {
    pub fn tick(&mut self, counter: usize) {
        self.tick_bytes(counter, &[0]);
    }
    /// Counts these bytes: no number that is made up, and no slice of what takes no memory.
    pub fn tick_bytes(&mut self, counter: usize, bytes: &[u8]) {
        ON.then(|| self.0.get_or_insert_with(Box::default)[counter] += bytes.len() as u64);
    }
    /// Adds what a thread that has ended counted.
    pub fn add_all(&mut self, other: &Self) {
        let counts = other.0.iter().filter(|_| ON).flat_map(|counts| counts.iter().enumerate());
        counts.for_each(|(i, count)| self.0.get_or_insert_with(Box::default)[i] += count);
    }
    pub fn counts(&self, names: &[&'static str]) -> Counts {
        names.iter().copied().zip(*self.0.clone().unwrap_or_default()).filter(|_| ON).collect()
    }
}

/// The line `operations`, if there is anything to say in it.
pub(crate) fn operations(counts: &Counts) -> String {
    let counters: Vec<_> = counts.iter().map(|(name, count)| format!("{name:?}:{count}")).collect();
    let line = format!("{{\"event\":\"operations\",\"counters\":{{{}}}}}\n", counters.join(","));
    counts.first().map_or_else(String::new, |_| line)
}
