//! Recorders of distributions: histograms in files, which outlive the process.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::mem::size_of;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::options::{Failure, Options};

/// The cell of a value in an HdrHistogram with three significant digits.
pub fn cell(value: i64) -> usize {
    let value = value.clamp(0, (1 << 47) - 1) as u64;
    let shift = u64::BITS - (value >> 11).leading_zeros();
    shift as usize * 1024 + (value >> shift) as usize
}

/// The file `NAME.counts`, as it is mapped into memory.
#[repr(C)]
struct Histogram {
    /// Of the iteration under way.
    index: AtomicU64,
    counts: [AtomicU64; 38_912],
}

/// Counts the samples of a distribution.
#[derive(Clone, Copy)]
pub struct Recorder {
    name: &'static str,
    histogram: &'static Histogram,
}

thread_local! {
    /// Those of the execution, which begins and ends its iterations on one thread.
    static RECORDERS: RefCell<Vec<Recorder>> = const { RefCell::new(Vec::new()) };
}

impl Recorder {
    /// Counts a sample; several threads may do so at the same time.
    pub fn record(&self, value: i64) {
        self.histogram.counts[cell(value)].fetch_add(1, Ordering::Relaxed);
    }

    fn open(path: &Path, name: &'static str) -> io::Result<Self> {
        let file = File::options().read(true).write(true).create(true).truncate(true).open(path)?;
        let length = size_of::<Histogram>();
        file.set_len(length as u64)?;
        let (access, descriptor) = (libc::PROT_READ | libc::PROT_WRITE, file.as_raw_fd());
        // SAFETY: the kernel chooses a free place, and nothing ever takes the map away.
        let memory =
            unsafe { libc::mmap(null_mut(), length, access, libc::MAP_SHARED, descriptor, 0) };
        if memory == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the map is as long as a histogram, its pages are aligned, and zeros are valid.
        Ok(Self { name, histogram: unsafe { &*memory.cast() } })
    }

    /// Each cell that holds samples, and its count.
    fn cells(&self) -> Vec<u64> {
        let counts = self.histogram.counts.iter().map(|count| count.load(Ordering::Relaxed));
        let cells = (0..).zip(counts).filter(|&(_, count)| count > 0);
        cells.flat_map(|(cell, count)| [cell, count]).collect()
    }
}

impl Options {
    /// A recorder of one of the benchmark's distributions, made in `load`.
    pub fn recorder(&self, name: &'static str) -> Result<Recorder, Failure> {
        let path = Path::new(self.text("samples")?).join(format!("{name}.counts"));
        let recorder = Recorder::open(&path, name)?;
        RECORDERS.with_borrow_mut(|recorders| recorders.push(recorder));
        Ok(recorder)
    }
}

/// Empties the recorders for an iteration.
pub(crate) fn begin(index: u64) {
    RECORDERS.with_borrow(|recorders| {
        for Recorder { histogram, .. } in recorders {
            histogram.counts.iter().for_each(|count| count.store(0, Ordering::Relaxed));
            histogram.index.store(index, Ordering::Release);
        }
    });
}

/// The iteration's samples, as its line gives them; nothing if there is no recorder. Rust writes
/// names and numbers for debugging as JSON does.
pub(crate) fn samples() -> String {
    let samples: BTreeMap<_, _> = RECORDERS.with_borrow(|recorders| {
        recorders.iter().map(|recorder| (recorder.name, recorder.cells())).collect()
    });
    if samples.is_empty() {
        return String::new();
    }
    format!(r#","samples":{samples:?}"#)
}
