//! Loops, over masks.

use super::survey::{Assigned, Survey};
use super::{Lowered, Lowering, Target, course, lz, room};
use crate::translate::{Progression, progression, rare};
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::visit::Visit;
use syn::{Block, Expr, ExprForLoop};

/// The masks of a loop whose lanes may end at different times: those that are in the loop, and
/// those that are in the turn.
struct Masks {
    outer: Ident,
    live: Ident,
    turn: Ident,
}

impl Masks {
    /// Turns until no lane is left. What `test` takes out of the loop runs no further turn.
    fn turns(&self, test: &TokenStream, lines: &TokenStream) -> TokenStream {
        let (Masks { outer, live, turn }, lz, course) = (self, lz(), course());
        quote! {
            let mut #live = #outer;
            loop {
                #test
                if !#live.any() {
                    break;
                }
                // The plain function runs instead, and nobody knows how often this one would turn.
                if #course.rare {
                    return #lz::Lanes::room();
                }
                #course.turn(&#live);
                let mut #turn = #live;
                #lines
            }
        }
    }
}

impl Lowering {
    /// `loop` and `while`.
    pub(super) fn turns(
        &mut self,
        label: Option<&syn::Label>,
        condition: Option<&Expr>,
        body: &Block,
        wanted: bool,
    ) -> Option<Lowered> {
        let masks = self.loop_masks();
        let (live, turn) = (&masks.live, &masks.turn);
        let result = wanted.then(|| self.fresh("result"));
        self.begin_loop(label, &masks, result.clone());
        let lines = (|| {
            // The condition runs for the lanes that are still in the loop.
            self.masks.pop();
            let test = condition.map(|e| self.value(e));
            self.masks.push(turn.clone());
            let test = match test {
                Some(of) => {
                    let of = of?;
                    let (before, value) = (of.before, of.value?);
                    quote!(#before #live = #live.and(&#value);)
                }
                None => TokenStream::new(),
            };
            Some((test, self.scoped(&body.stmts, false)?))
        })();
        self.end_loop();
        let (test, body) = lines?;
        let (room, turns) = (room(result.as_ref()), masks.turns(&test, &body.before));
        let value = result.map(|name| name.to_token_stream());
        Some(Lowered { before: quote!(#room #turns), value, diverges: false })
    }

    fn loop_masks(&mut self) -> Masks {
        let outer = self.mask();
        Masks { outer, live: self.fresh("live"), turn: self.fresh("turn") }
    }

    fn begin_loop(&mut self, label: Option<&syn::Label>, masks: &Masks, result: Option<Ident>) {
        self.loops = true;
        let from = self.masks.len();
        self.targets.push(Target {
            label: label.map(|label| label.name.ident.to_string()),
            is_loop: true,
            breaks: from,
            continues: from + 1,
            result,
        });
        self.masks.extend([masks.live.clone(), masks.turn.clone()]);
    }

    fn end_loop(&mut self) {
        self.targets.pop();
        self.masks.truncate(self.masks.len() - 2);
    }

    pub(super) fn for_loop(&mut self, e: &ExprForLoop) -> Option<Lowered> {
        let range = progression(&e.expr).ok()??;
        if self.is_uniform(&e.expr) {
            return self.together(e);
        }
        if !range.adapters.is_empty() && !range.is_reversed_only() {
            return None;
        }
        let masks = self.loop_masks();
        let (live, [at, last]) = (&masks.live, ["at", "last"].map(|hint| self.fresh(hint)));
        let (mut before, ends) = self.ends(&range)?;
        let lz = lz();
        before.extend(quote! {
            let (mut #at, mut #last) = (#lz::Lanes::room(), #lz::Lanes::room());
            for lz_k in 0..#lz::COUNT {
                let (lz_from, lz_to) = #ends.get(lz_k);
                #at.put(lz_k, lz_from);
                #last.put(lz_k, lz_to);
            }
        });
        let (mine, mut counters) = (self.fresh("i"), [&at, &last]);
        let (test, step, value);
        if range.is_reversed_only() {
            // From the end down, with the value below the counter.
            counters.swap(0, 1);
            let counter = counters[0];
            (test, step) = (quote!(lz_a > lz_b), quote!(#counter = #counter.before();));
            value = quote!(#counter.before());
        } else {
            (test, value) = (
                if range.inclusive { quote!(lz_a <= lz_b) } else { quote!(lz_a < lz_b) },
                quote!(#at),
            );
            // Behind the last number there may be none.
            let stop =
                range.inclusive.then(|| Self::compared(live, counters, &quote!(lz_a != lz_b)));
            step = quote!(#stop #at = #at.next(););
        }
        let test = Self::compared(live, counters, &test);
        self.begin_loop(e.label.as_ref(), &masks, None);
        let lines = self.turn_of(e, &mine);
        self.end_loop();
        let lines = lines?;
        let lines = quote! {
            {
                let #mine = #value;
                #lines
            }
            #step
        };
        before.extend(masks.turns(&test, &lines));
        Some(Lowered { before, ..Lowered::default() })
    }

    /// The lines of a turn of a `for` loop, whose number in all lanes is `value`.
    fn turn_of(&mut self, e: &ExprForLoop, value: &Ident) -> Option<TokenStream> {
        self.enter();
        let bound = self.bind(&e.pat, None, value);
        let body = bound.is_some().then(|| self.block(&e.body.stmts, false)).flatten();
        self.leave();
        let (bound, lines) = (bound?, body?.before);
        Some(quote!(#bound #lines))
    }

    /// Keeps the lanes of a mask for which two values compare so.
    fn compared(mask: &Ident, [a, b]: [&Ident; 2], test: &TokenStream) -> TokenStream {
        let lz = lz();
        quote! {
            #mask = #mask.and(&{
                let mut lz_test = #lz::Lanes::room();
                for lz_k in 0..#lz::COUNT {
                    let (lz_a, lz_b) = (#a.get(lz_k), #b.get(lz_k));
                    lz_test.put(lz_k, #test);
                }
                lz_test
            });
        }
    }

    /// The start and the end of a range, in lanes.
    fn ends(&mut self, range: &Progression) -> Option<(TokenStream, Ident)> {
        let mut before = TokenStream::new();
        let mut parts = Vec::new();
        let mut panics = false;
        for end in [range.start, range.end] {
            let mut end = end.clone();
            if self.survey(&end).needs_masks() {
                let value = self.value(&end)?;
                let (name, lines, tokens) = (self.fresh("end"), value.before, value.value?);
                self.declare(&name);
                before.extend(quote!(#lines let mut #name = #tokens;));
                end = syn::parse_quote!(#name);
            }
            let mut assigned = Assigned::default();
            assigned.visit_expr(&end);
            if !assigned.0.is_empty() {
                return None;
            }
            panics |= self.survey(&end).panics;
            parts.push(self.t.value(&end).ok()?.twin);
        }
        let (from, to) = (&parts[0], &parts[1]);
        // A range gives both ends one type.
        let both = quote!({ let lz_range = (#from)..(#to); (lz_range.start, lz_range.end) });
        let (lines, name) = self.each(&both, panics);
        before.extend(lines);
        Some((before, name))
    }

    /// Whether an expression is the same for all lanes.
    fn is_uniform(&self, e: &Expr) -> bool {
        !self.survey(e).needs_masks() && !self.reads(&e.to_token_stream())
    }

    /// A loop that every lane turns equally often, unless it leaves it.
    fn together(&mut self, e: &ExprForLoop) -> Option<Lowered> {
        // No rare value reaches what is the same for all lanes.
        let leave = self.t.leave.take();
        let range = self.t.range(&e.expr);
        self.t.leave = leave;
        let range = range?;
        let mut jumps = Survey::new(&self.t);
        syn::visit::visit_block(&mut jumps, &e.body);
        let jumps = jumps.jumps;
        let masks = self.loop_masks();
        let [mine, lanes] = ["i", "lanes"].map(|hint| self.fresh(hint));
        self.loops = true;
        if jumps {
            self.begin_loop(e.label.as_ref(), &masks, None);
        }
        let lines = self.turn_of(e, &lanes);
        if jumps {
            self.end_loop();
        }
        let (lz, rare, range_name, lines) = (lz(), rare(), self.fresh("range"), lines?);
        let Masks { outer, live, turn } = &masks;
        let (begin, test) = match jumps {
            true => (
                quote!(let mut #live = #outer;),
                quote! {
                    if !#live.any() {
                        break;
                    }
                    let mut #turn = #live;
                },
            ),
            false => (TokenStream::new(), TokenStream::new()),
        };
        let before = quote! {
            if #outer.any() {
                #begin
                let #range_name = {
                    let mut lz_is = false;
                    let #rare = &mut lz_is;
                    #range
                };
                for #mine in #range_name {
                    #test
                    let #lanes = #lz::Lanes::splat(#mine);
                    #lines
                }
            }
        };
        Some(Lowered { before, ..Lowered::default() })
    }
}
