// SPDX-License-Identifier: GPL-2.0-or-later
// rust_names [SECONDS]: Rust's mangled names, a generic and a trait method among them.
use std::hint::black_box;
use std::time::{Duration, Instant};

trait Worker {
    fn work_hard(&self, turns: u64) -> u64;
}
struct Digger(u64);

impl Worker for Digger {
    #[inline(never)]
    fn work_hard(&self, turns: u64) -> u64 {
        let mut sum = self.0;
        for turn in 0..turns {
            sum = black_box(sum.wrapping_mul(31).wrapping_add(turn));
        }
        sum
    }
}

#[inline(never)]
fn generic_shell<W: Worker>(worker: &W, turns: u64) -> u64 {
    black_box(worker.work_hard(turns)) + 1
}

fn main() {
    let seconds: f64 = std::env::args().nth(1).and_then(|s| s.parse().ok()).unwrap_or(1.0);
    let end = Instant::now() + Duration::from_secs_f64(seconds);
    let mut sum = 0u64;
    while Instant::now() < end {
        sum = sum.wrapping_add(generic_shell(&Digger(7), black_box(100_000)));
    }
    println!("truth rust_names::generic_shell {}", sum & 1);
}
