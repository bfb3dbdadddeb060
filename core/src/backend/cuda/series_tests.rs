use super::*;

/// A launch's argument that holds one number.
fn argument(number: u8) -> Argument {
    SmallVec::from_slice(&[number])
}

/// Does what is chosen, and gives the graph and the number of arguments that were set.
fn play(part: &mut Part<()>, arguments: &[Argument]) -> (usize, usize) {
    let (at, set) = match part.choose(arguments) {
        Choice::Make => {
            part.graphs.push(Made { graph: (), arguments: arguments.to_vec(), used: 0 });
            (part.graphs.len() - 1, 0)
        }
        Choice::Use(at) => {
            let made = &mut part.graphs[at];
            let differing = made.arguments.iter().zip(arguments).filter(|(old, new)| old != new);
            let set = differing.count();
            made.arguments = arguments.to_vec();
            (at, set)
        }
    };
    part.graphs[at].used = part.turn;
    (at, set)
}

#[test]
fn a_state_that_goes_round_finds_its_graphs_in_turn() {
    let mut part = Part::new((0, 8));
    let sides: [Vec<Argument>; 2] =
        [0, 10].map(|side| (0..8).map(|k| argument(side + k)).collect());
    assert_eq!(play(&mut part, &sides[0]), (0, 0));
    // One graph is changed until a second one would have cost less.
    let mut turns = 0;
    while part.graphs.len() == 1 {
        turns += 1;
        play(&mut part, &sides[turns % 2]);
    }
    assert!((WORTH_ANOTHER / 8..=WORTH_ANOTHER / 8 + 2).contains(&turns), "{turns}");
    for turn in turns + 1..turns + 20 {
        let (at, set) = play(&mut part, &sides[turn % 2]);
        assert_eq!(set, 0);
        assert_eq!(part.graphs[at].arguments, sides[turn % 2]);
    }
}

#[test]
fn of_two_graphs_the_one_with_less_to_set_is_taken_and_then_the_older_one() {
    let mut part = Part::new((0, 3));
    let row = |numbers: [u8; 3]| numbers.map(argument).to_vec();
    for (used, numbers) in [(2, [1, 2, 3]), (1, [4, 5, 6])] {
        part.graphs.push(Made { graph: (), arguments: row(numbers), used });
    }
    part.turn = 2;
    assert_eq!(play(&mut part, &row([1, 2, 9])), (0, 1));
    assert_eq!(play(&mut part, &row([7, 8, 9])), (0, 2));
    assert_eq!(play(&mut part, &row([0, 0, 0])), (1, 3));
    assert_eq!(play(&mut part, &row([5, 5, 5])), (0, 3));
    // No third graph is made, whatever is set.
    for turn in 0..200 {
        play(&mut part, &row([turn, turn, turn]));
    }
    assert_eq!(part.graphs.len(), 2);
}
