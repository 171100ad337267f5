fn main() {
    let count: u64 = std::env::args().nth(1).map_or(10, |text| text.parse().expect("a number"));
    println!("{}", (1..=count).map(|i| i * i).sum::<u64>());
}
