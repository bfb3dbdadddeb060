use super::super::emulator::{available, run};
use super::super::prelude::with_prelude;
use super::*;

/// What a portion leaves when its turns gave these conditions, up to the first that is false.
struct Device {
    flags: Vec<u64>,
    reports: [[u32; 2]; REPORTS],
}

impl Device {
    fn end_portion(&mut self, turns: usize) {
        let end = [self.flags.as_mut_ptr() as u64, self.reports.as_mut_ptr() as u64, turns as u64];
        let mut argument: Vec<u8> = end.iter().flat_map(|word| word.to_le_bytes()).collect();
        assert_eq!(argument.len(), size_of::<End>());
        let source = with_prelude(&source());
        let block = [MOST_TURNS as u32, 1, 1];
        run(&source, "lazuli_end_portion", [1; 3], block, 0, &mut argument).unwrap();
    }

    fn flags(&mut self) -> &mut [u8] {
        let bytes = self.flags.len() * 8;
        // SAFETY: words are plain memory of so many bytes.
        unsafe { std::slice::from_raw_parts_mut(self.flags.as_mut_ptr().cast(), bytes) }
    }
}

#[test]
fn the_end_of_a_portion_counts_its_turns_and_hands_the_condition_on() {
    if !available() {
        return;
    }
    for turns in [1usize, 2, 6, 31, 32] {
        // The loop ends in its third portion, after each number of turns.
        for last in [1, turns.div_ceil(2), turns] {
            let flags = vec![0; PLACE * (turns + 1) / 8];
            let mut device = Device { flags, reports: [[u32::MAX; 2]; REPORTS] };
            device.flags()[0] = 1;
            for portion in 0..7 {
                let ran = match portion {
                    0 | 1 => turns,
                    2 => last,
                    _ => 0,
                };
                assert_eq!(device.flags()[0], u8::from(ran > 0), "whether the portion runs");
                for turn in 0..ran {
                    device.flags()[PLACE * (turn + 1)] = u8::from(portion < 2 || turn + 1 < last);
                }
                device.end_portion(turns);
                let report = device.reports[portion % REPORTS];
                assert_eq!(
                    report,
                    [ran as u32, u32::from(portion < 2)],
                    "{turns} {last} {portion}"
                );
                let places = &device.flags()[PLACE..];
                assert!(places.iter().all(|&byte| byte == 0), "places are cleared");
            }
        }
    }
}
