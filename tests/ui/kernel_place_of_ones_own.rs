use lazuli::gpu::*;
use lazuli::prelude::*;

#[derive(Clone, Copy)]
struct Far;

impl PlaceIn<[f32; 4]> for Far { //~ the trait bound `Far: Place<1>` is not satisfied
    fn offset(self, _: &[usize; 1]) -> usize { //~ method `offset` is not a member of trait `PlaceIn`
        1 << 40
    }
}
