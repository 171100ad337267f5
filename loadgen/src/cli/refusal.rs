//! Refuses options that do not go together.

/// Refuses the first of these options that is given.
pub(super) fn refuse<const N: usize>(
    options: [(bool, &'static str); N],
    error: impl Fn(&'static str) -> anyhow::Error,
) -> anyhow::Result<()> {
    match options.into_iter().find(|(given, _)| *given) {
        Some((_, option)) => Err(error(option)),
        None => Ok(()),
    }
}
