use serde::Deserialize;

pub(crate) const FEATURES: usize = 32;

/// One that a payment can be routed to.
#[derive(Deserialize)]
pub struct Processor {
    pub(crate) id: String,
    countries: Vec<String>,
    fixed_fee: i64,
    fee_basis_points: i64,
    success_permille: i64,
    latency_ms: i64,
    load_permille: i64,
    weights: [i32; FEATURES],
}

impl Processor {
    pub(crate) fn serves(&self, country: &str) -> bool {
        self.countries.iter().any(|served| served == country)
    }

    pub(crate) fn fee(&self, amount: i64) -> i64 {
        self.fixed_fee + amount * self.fee_basis_points / 10_000
    }

    pub(crate) fn score(&self, fee: i64, features: &[i32; FEATURES]) -> i64 {
        let fitness: i32 = self.weights.iter().zip(features).map(|(w, feature)| w * feature).sum();
        let load = self.load_permille * self.load_permille / 100;
        self.success_permille * 1000 - fee - self.latency_ms * 10 - load + i64::from(fitness)
    }
}
