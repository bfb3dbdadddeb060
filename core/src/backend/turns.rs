//! Where the turns of a loop read and write, when each is a launch or a pass of its own.
//!
//! Two memories take turns for each output that the next turn reads: the output itself, which the
//! last turn writes, and a spare one. So there are three kinds of turns: the first, which reads what
//! the loop was given, later odd ones and later even ones.

use super::{Arguments, Buffer};
use smallvec::SmallVec;

/// The addresses that one kind of turn reads and writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Those of the inputs.
    pub inputs: SmallVec<[u64; 8]>,
    /// Those of the outputs.
    pub outputs: SmallVec<[u64; 4]>,
}

/// Which of the three kinds a turn is.
pub fn kind(turn: u64) -> usize {
    match turn {
        0 => 0,
        _ if turn % 2 == 1 => 1,
        _ => 2,
    }
}

/// The three kinds of turns of a launch of so many, where pairs say which input is which output of the
/// turn before, and there is a spare buffer for each pair, unless there is one turn.
pub fn kinds(
    arguments: &Arguments,
    spares: &[&Buffer],
    pairs: &[(u32, u32)],
    turns: u64,
) -> [Turn; 3] {
    let written = |is_spare: bool| {
        let mut outputs: SmallVec<[u64; 4]> = arguments.output_addresses().collect();
        for (&(_, output), spare) in pairs.iter().zip(spares).filter(|_| is_spare) {
            outputs[output as usize] = spare.address();
        }
        outputs
    };
    let outputs = [0, 1].map(|parity| written((turns - 1) % 2 != parity));
    [0usize, 1, 2].map(|kind| {
        let mut inputs: SmallVec<[u64; 8]> = arguments.input_addresses().collect();
        for &(input, output) in pairs.iter().filter(|_| kind > 0) {
            inputs[input as usize] = outputs[(kind + 1) % 2][output as usize];
        }
        Turn { inputs, outputs: outputs[kind % 2].clone() }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::Device;

    #[test]
    fn each_turn_reads_what_the_one_before_wrote_and_the_last_writes_the_output() {
        let buffer = || Device::cpu().backend().allocate(8).expect("8 bytes are there");
        let (given, other, out, spare) = (buffer(), buffer(), buffer(), buffer());
        let (inputs, outputs) = ([&other, &given], [&out]);
        let arguments = Arguments { inputs: &inputs, outputs: &outputs, starts: &[], scalars: &[] };
        for turns in 1..6 {
            let spares = if turns == 1 { &[][..] } else { &[&spare][..] };
            let kinds = kinds(&arguments, spares, &[(1, 0)], turns);
            let mut state = given.address();
            for turn in 0..turns {
                let of = &kinds[kind(turn)];
                assert_eq!(of.inputs[..], [other.address(), state], "turn {turn} of {turns}");
                assert_ne!(of.outputs[0], state);
                state = of.outputs[0];
            }
            assert_eq!(state, out.address(), "{turns} turns");
        }
    }
}
