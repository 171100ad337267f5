//! Choice by weight in constant time: Walker's alias table, built by Vose's
//! method (IEEE Transactions on Software Engineering 17(9), 1991).

/// A table of columns, each shared by at most two choices.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct AliasTable {
    columns: Box<[Column]>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Column {
    /// Below this, of 2⁶⁴, the column's own choice; from it on, the other.
    threshold: u64,
    other: u32,
}

impl AliasTable {
    /// Builds the table. Weights are positive and finite, at least one and at
    /// most `u32::MAX` of them; whoever calls has checked that.
    pub fn new(weights: &[f64]) -> Self {
        let largest = weights.iter().copied().fold(0.0, f64::max);
        // Divided first: the sum of large weights could overflow.
        let sum: f64 = weights.iter().map(|weight| weight / largest).sum();
        let mut shares: Vec<f64> = weights
            .iter()
            .map(|weight| weight / largest / sum * weights.len() as f64)
            .collect();
        let (mut small, mut large): (Vec<usize>, Vec<usize>) =
            (0..shares.len()).partition(|&choice| shares[choice] < 1.0);
        // What rounding leaves over keeps its column whole.
        let mut columns: Vec<Column> = (0..weights.len() as u32)
            .map(|other| Column {
                threshold: u64::MAX,
                other,
            })
            .collect();
        while let (Some(&giver), Some(taker)) = (large.last(), small.pop()) {
            columns[taker] = Column {
                threshold: (shares[taker] * TWO_TO_64) as u64,
                other: giver as u32,
            };
            shares[giver] -= 1.0 - shares[taker];
            if shares[giver] < 1.0 {
                large.pop();
                small.push(giver);
            }
        }
        Self {
            columns: columns.into(),
        }
    }

    /// The choice that 64 random bits make.
    #[inline]
    pub fn choose(&self, bits: u64) -> u32 {
        // The product's high half picks a column evenly; its low half is then
        // even again, and picks within the column.
        let product = u128::from(bits) * self.columns.len() as u128;
        let place = (product >> 64) as usize;
        let column = self.columns[place];
        if (product as u64) < column.threshold {
            place as u32
        } else {
            column.other
        }
    }
}

const TWO_TO_64: f64 = 18_446_744_073_709_551_616.0;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The share of each choice, from the table itself.
    fn shares(table: &AliasTable) -> Vec<f64> {
        let n = table.columns.len();
        let mut shares = vec![0.0; n];
        for (place, column) in table.columns.iter().enumerate() {
            let own = column.threshold as f64 / TWO_TO_64;
            shares[place] += own / n as f64;
            shares[column.other as usize] += (1.0 - own) / n as f64;
        }
        shares
    }

    #[test]
    fn one_choice_is_always_taken() {
        let table = AliasTable::new(&[0.1]);
        assert!([0, 1, u64::MAX].iter().all(|&bits| table.choose(bits) == 0));
    }

    #[test]
    fn draws_land_as_the_table_says() {
        let table = AliasTable::new(&[1.0, 2.0, 7.0]);
        let draws = crate::schedule::Draws::new(3, crate::schedule::Stream::Selection);
        let mut counts = [0.0; 3];
        for index in 0..100_000 {
            counts[table.choose(draws.bits(index)) as usize] += 1.0;
        }
        for (count, share) in counts.iter().zip([0.1_f64, 0.2, 0.7]) {
            let deviation = (100_000.0 * share * (1.0 - share)).sqrt();
            assert!(
                (count - 100_000.0 * share).abs() < 5.0 * deviation,
                "{counts:?}"
            );
        }
    }

    proptest! {
        #[test]
        fn every_choice_has_its_share(weights in proptest::collection::vec(1e-3f64..1e3, 1..40)) {
            let sum: f64 = weights.iter().sum();
            for (share, weight) in shares(&AliasTable::new(&weights)).iter().zip(&weights) {
                prop_assert!((share - weight / sum).abs() < 1e-12);
            }
        }

        #[test]
        fn no_weights_overflow(weights in proptest::collection::vec(prop_oneof![Just(f64::MAX), Just(f64::MIN_POSITIVE), Just(1.0)], 1..9), bits: u64) {
            prop_assert!((AliasTable::new(&weights).choose(bits) as usize) < weights.len());
        }
    }
}
