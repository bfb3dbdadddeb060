//! Splits keys into buckets of about equal size.

/// So many keys are looked at for each bucket.
pub(super) const SAMPLES: usize = 8;
/// The bits of a digit at first, and at most, and by how much they grow. A table for 13 bits stays
/// in the innermost cache.
const LEAST: u32 = 13;
const MOST: u32 = 19;
const STEP: u32 = 3;
/// A bucket with so many times its share is too large where smaller digits would divide it.
const UNEVEN: usize = 3;

/// A division of keys into buckets, in order. A key's digit is where it stands in equal parts of
/// the range of keys; a table says which digits share a bucket, so that the buckets are about
/// equal whatever the distribution.
pub(super) struct Split {
    low: u64,
    shift: u32,
    /// The last digit: larger keys have it too, as smaller keys have the first.
    last: u64,
    table: Vec<u16>,
    /// The first digit of each bucket, and the end.
    begins: Vec<usize>,
}

impl Split {
    /// A division into about so many buckets, by keys that stand for all. There are at most
    /// [`Split::most`].
    pub(super) fn new(mut sample: Vec<u64>, buckets: usize) -> Split {
        sample.sort_unstable();
        let least = LEAST.min(buckets.ilog2() + 6);
        let mut split = Split::by(&sample, buckets, least);
        for bits in (least + STEP..=MOST.min(least + 2 * STEP)).step_by(STEP as usize) {
            if split.shift == 0 || !split.uneven(&sample, buckets) {
                break;
            }
            split = Split::by(&sample, buckets, bits);
        }
        split
    }

    /// The most buckets there are where so many were asked for.
    pub(super) fn most(buckets: usize) -> usize {
        // What a bucket's end takes is more than a share: what the bucket holds, and half of the
        // digit behind it. All ends together take at most all that is held and half of it again.
        buckets + buckets / 2 + 2
    }

    fn by(sample: &[u64], buckets: usize, bits: u32) -> Split {
        let end = sample.len() - 1;
        // The first digit and the last one are for what the sample does not show.
        let range =
            |few: usize| (sample[few].saturating_sub(1), sample[end - few].saturating_add(1));
        let (mut low, mut high) = range(0);
        if high - low >= 1 << bits {
            // A few keys far from all others would make the digits too large for the others.
            (low, high) = range(sample.len() / 512);
        }
        let shift = (64 - (high - low).leading_zeros()).saturating_sub(bits);
        let last = (high - low) >> shift;
        let mut split = Split { low, shift, last, table: Vec::new(), begins: vec![0] };
        let mut counts = vec![0u32; last as usize + 1];
        sample.iter().for_each(|&key| counts[split.digit(key) as usize] += 1);
        let mut held = 0;
        split.table.reserve_exact(counts.len());
        for (digit, &count) in counts.iter().enumerate() {
            // A digit that is more than two shares is a bucket of its own: it may be one key.
            let more = (2 * held + count) as usize * buckets > 2 * sample.len();
            if more && split.begins[split.begins.len() - 1] < digit {
                split.begins.push(digit);
                held = 0;
            }
            held += count;
            split.table.push(split.begins.len() as u16 - 1);
        }
        split.begins.push(counts.len());
        split
    }

    /// Whether a bucket of several keys has far more than its share.
    fn uneven(&self, sample: &[u64], buckets: usize) -> bool {
        let far = (UNEVEN * sample.len()).div_ceil(buckets);
        let bucket = |key: u64| self.bucket(self.digit(key));
        sample
            .windows(far + 1)
            .step_by(far.div_ceil(4).max(1))
            .any(|keys| keys[0] < keys[far] && bucket(keys[0]) == bucket(keys[far]))
    }

    /// The number of buckets.
    pub(super) fn buckets(&self) -> usize {
        self.begins.len() - 1
    }

    /// The digit of a key.
    #[inline(always)]
    pub(super) fn digit(&self, key: u64) -> u32 {
        (key.saturating_sub(self.low) >> self.shift).min(self.last) as u32
    }

    /// The bucket of a digit.
    #[inline(always)]
    pub(super) fn bucket(&self, digit: u32) -> usize {
        self.table[digit as usize] as usize
    }

    /// The bucket of each digit.
    pub(super) fn table(&self) -> &[u16] {
        &self.table
    }

    /// A number that no key of a bucket is below, near the least of them.
    pub(super) fn base(&self, bucket: usize) -> u64 {
        match self.begins[bucket] {
            0 => 0,
            digit => self.low + ((digit as u64) << self.shift),
        }
    }

    /// Whether all keys of a bucket are the same for sure.
    pub(super) fn is_one_key(&self, bucket: usize) -> bool {
        let (first, end) = (self.begins[bucket], self.begins[bucket + 1]);
        let last = first as u64 == self.last && self.low + self.last < u64::MAX;
        let beyond = (first == 0 && self.low > 0) || last;
        self.shift == 0 && end == first + 1 && !beyond
    }
}
