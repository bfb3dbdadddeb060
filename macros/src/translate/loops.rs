//! Loops, labelled blocks, `break` and `continue`.

use super::{Code, Target, Translator, bare, refuse};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprForLoop, ExprLoop, ExprWhile, Label, Pat, RangeLimits, Result};

/// Where the threads that share an item wait for each other.
const MEET: &str = "if (lz_turns > 1) __syncthreads();\n";

/// How often a loop is guessed to turn, for the cost.
const TURNS: f64 = 8.0;

/// What a `for` loop runs over: a range, and the adapters around it from the inside out.
pub struct Progression<'a> {
    pub start: &'a Expr,
    pub end: &'a Expr,
    pub inclusive: bool,
    pub adapters: Vec<Adapter<'a>>,
}

/// What a loop's variable is.
pub(super) struct Counter<'a> {
    pub cpp: &'a str,
    /// Whether no rare value can reach it.
    pub is_steady: bool,
    /// Whether it is a reference in Rust.
    pub is_bound: bool,
    /// The names in the loop's pattern that are references in Rust.
    pub references: &'a [String],
}

/// What changes the walk through a range.
pub enum Adapter<'a> {
    Reversed(&'a syn::Ident),
    Stepped(&'a syn::Ident, &'a Expr),
}

impl Translator {
    fn target<R>(
        &mut self,
        label: Option<&Label>,
        is_loop: bool,
        result: Option<String>,
        f: impl FnOnce(&mut Self) -> Result<R>,
    ) -> Result<(R, Target)> {
        self.counter += 1;
        let label = label.map(|label| label.name.ident.to_string());
        let (number, weight) = (self.counter, self.weight);
        self.weight *= if is_loop { TURNS } else { 1.0 };
        self.targets.push(Target {
            label,
            number,
            is_loop,
            result,
            breaks: false,
            continues: false,
            left: false,
        });
        let done = f(self);
        self.weight = weight;
        let target = self.targets.pop().expect("just pushed");
        Ok((done?, target))
    }

    /// The lines of a loop: its head, its body, and the labels that jumps go to.
    fn turns(head: &str, body: &str, target: &Target) -> String {
        let n = target.number;
        let next = if target.continues { format!("lz_continue_{n}:;\n") } else { String::new() };
        let end = if target.breaks { format!("lz_break_{n}:;\n") } else { String::new() };
        let body = if next.is_empty() { body.into() } else { format!("{{\n{body}}}\n{next}") };
        format!("{head} {{\n{body}}}\n{end}")
    }

    pub(super) fn loop_effect(&mut self, e: &ExprLoop) -> Result<Code> {
        let (body, target) =
            self.target(e.label.as_ref(), true, None, |t| t.block(&e.body, false))?;
        let before = Self::turns("while (true)", &body.before, &target);
        let (label, probe, leave, twin) = (&e.label, &body.probe, &self.leave, &body.twin);
        let (probe, twin) = (quote!(#label loop #probe), quote!(#label loop { #leave #twin }));
        let diverges = !target.left && !target.breaks;
        Ok(Code { before, probe, twin, diverges, ..Code::default() })
    }

    pub(super) fn loop_value(&mut self, e: &ExprLoop) -> Result<Code> {
        let name = self.fresh("r");
        let (body, target) =
            self.target(e.label.as_ref(), true, Some(name.clone()), |t| t.block(&e.body, false))?;
        let lines = Self::turns("while (true)", &body.before, &target);
        let (label, probe, leave, twin) = (&e.label, &body.probe, &self.leave, &body.twin);
        let (probe, twin) =
            (quote!(#label loop #probe), quote_spanned!(e.span()=> (#label loop { #leave #twin })));
        if !target.left && !target.breaks {
            return Ok(Code { before: lines, probe, twin, diverges: true, ..Code::default() });
        }
        let (hole, probe) = self.slots.inferred(e.loop_token.span(), probe);
        let before = format!("{hole} {name};\n{lines}");
        Ok(Code { before, cpp: name, probe, twin, ..Code::default() })
    }

    /// `'a: { … break 'a value; … }`.
    pub(super) fn labelled(
        &mut self,
        e: &syn::ExprBlock,
        label: &Label,
        wanted: bool,
    ) -> Result<Code> {
        let name = self.fresh("r");
        let result = wanted.then(|| name.clone());
        let (body, target) =
            self.target(Some(label), false, result, |t| t.block(&e.block, wanted))?;
        let mut lines = body.before;
        if wanted && !body.diverges {
            lines += &format!("{name} = {};\n", body.cpp);
        }
        let end =
            if target.breaks { format!("lz_break_{}:;\n", target.number) } else { String::new() };
        let mut before = format!("{{\n{lines}}}\n{end}");
        let (probe, twin) = (&body.probe, &body.twin);
        let (mut probe, mut twin) = (quote!(#label #probe), quote!(#label #twin));
        let diverges = body.diverges && !target.breaks;
        let mut cpp = String::new();
        if wanted {
            let (hole, tied) = self.slots.inferred(e.span(), probe);
            before = format!("{hole} {name};\n{before}");
            (probe, twin, cpp) = (tied, quote_spanned!(e.span()=> (#twin)), name);
        }
        Ok(Code { before, cpp, probe, twin, diverges, ..Code::default() })
    }

    pub(super) fn while_loop(&mut self, e: &ExprWhile) -> Result<Code> {
        let (parts, target) = self.target(e.label.as_ref(), true, None, |t| {
            t.spend(1.0);
            Ok((t.value(&e.cond)?, t.block(&e.body, false)?))
        })?;
        let (condition, body) = parts;
        let (label, c, b) = (&e.label, &condition.probe, &body.probe);
        let probe = quote!(#label while #c #b);
        let (c, leave, b) = (&condition.twin, &self.leave, &body.twin);
        let twin = quote!(#label while #c { #leave #b });
        let before = if condition.before.is_empty() {
            Self::turns(&format!("while ({})", condition.cpp), &body.before, &target)
        } else {
            let test = format!("{}if (!{}) break;\n", condition.before, condition.cpp);
            Self::turns("while (true)", &(test + &body.before), &target)
        };
        Ok(Code { before, probe, twin, ..Code::default() })
    }

    pub(super) fn for_loop(&mut self, e: &ExprForLoop) -> Result<Code> {
        let Some(progression) = progression(&e.expr)? else {
            return match self.walking(e)? {
                Some(code) => Ok(code),
                None => self.for_each(e),
            };
        };
        let mut parts = self.range_parts(&progression)?;
        let (probe, mut twin) =
            (progression.tokens(&parts, |c| &c.probe), progression.tokens(&parts, |c| &c.twin));
        let is_steady = self.is_steady(progression.start) && self.is_steady(progression.end);
        if !is_steady {
            twin = self.behind_exit(e.expr.span(), twin);
        }
        let (mut before, diverges) = self.operands(&mut parts);
        if diverges {
            return refuse(&e.expr, "this never gives a range");
        }
        let is_counted = self.is_length(progression.end);
        let (mut head, value) = self.head(&progression, &parts, is_counted, &mut before);
        let spreads = self.dialect.clone().spreads(e)
            && progression.adapters.is_empty()
            && !progression.inclusive;
        if spreads {
            let (i, from, end) = (&value, &parts[0].cpp, self.fresh("end"));
            before += &format!("const auto {end} = {};\n", parts[1].cpp);
            // What stands before the loop may have read what its turns will write.
            before += MEET;
            head = format!(
                "for (auto {i} = {from} + decltype({from})(lz_turn); {i} < {end}; \
                 {i} += decltype({from})(lz_turns))"
            );
        }
        let counter = Counter { cpp: &value, is_steady, is_bound: false, references: &[] };
        let mut code = self.for_body(e, before, &head, &counter, probe, twin)?;
        if spreads {
            // What follows may read what any turn has written.
            code.before += MEET;
        }
        Ok(code)
    }

    /// The twin of what a `for` loop runs over.
    pub fn range(&mut self, e: &Expr) -> Option<TokenStream> {
        let progression = progression(e).ok()??;
        let parts = self.range_parts(&progression).ok()?;
        Some(progression.tokens(&parts, |c| &c.twin))
    }

    /// The start and the end of a range, and the steps of its adapters.
    pub(super) fn range_parts(&mut self, p: &Progression) -> Result<Vec<Code>> {
        let mut parts = vec![self.value(p.start)?, self.value(p.end)?];
        for adapter in &p.adapters {
            if let Adapter::Stepped(_, by) = adapter {
                parts.push(self.value(by)?);
            }
        }
        Ok(parts)
    }

    /// The head of a C++ loop over a range, and the C++ expression of the loop's variable.
    fn head(
        &mut self,
        p: &Progression,
        parts: &[Code],
        is_counted: bool,
        before: &mut String,
    ) -> (String, String) {
        let (i, end) = (self.fresh("i"), self.fresh("end"));
        let (from, to) = (&parts[0].cpp, &parts[1].cpp);
        if is_counted && !p.inclusive && matches!(p.adapters[..], [] | [Adapter::Stepped(..)]) {
            // Up to a length of an array: the counter has its width.
            let start = self.fresh("start");
            *before += &format!("const lz_u64 {start} = {from};\nconst lz_counter {end} = {to};\n");
            let mut next = format!("++{i}");
            if let Some(step) = parts.get(2) {
                let by = self.fresh("by");
                *before += &format!("const lz_u64 {by} = {};\n", step.cpp);
                next = format!("{i} = lz_counter_next({i}, {end}, {by})");
            }
            let first = format!("lz_counter_from({start}, {end})");
            let head = format!("for (lz_counter {i} = {first}; {i} < {end}; {next})");
            return (head, format!("lz_counted({i})"));
        }
        if p.adapters.is_empty() && !p.inclusive {
            *before += &format!("const auto {end} = {to};\n");
            return (format!("for (auto {i} = {from}; {i} < {end}; ++{i})"), i);
        }
        if p.is_reversed_only() {
            let start = self.fresh("start");
            *before += &format!("const auto {start} = {from};\n");
            // Counting down, the variable is one below the counter.
            let head = format!("for (auto {i} = {to}; {i} > {start}; --{i})");
            return (head, format!("lz_rust_before({i})"));
        }
        if let ([Adapter::Stepped(..)], false) = (&p.adapters[..], p.inclusive) {
            let by = self.fresh("by");
            *before +=
                &format!("const auto {end} = {to};\nconst lz_u64 {by} = {};\n", parts[2].cpp);
            let next = format!("{i} = lz_rust_next({i}, {end}, {by})");
            return (format!("for (auto {i} = {from}; {i} < {end}; {next})"), i);
        }
        let name = self.progression_of(p, parts, before);
        (format!("for (lz_u64 {i} = 0; {i} < {name}.count; ++{i})"), format!("{name}[{i}]"))
    }

    /// The C++ name of a range with its adapters, as an object that is indexed by turns.
    pub(super) fn progression_of(
        &mut self,
        p: &Progression,
        parts: &[Code],
        before: &mut String,
    ) -> String {
        let (name, from, to) = (self.fresh("range"), &parts[0].cpp, &parts[1].cpp);
        *before += &format!("auto {name} = lz_rust_range({from}, {to}, {});\n", p.inclusive);
        let mut steps = parts[2..].iter();
        for adapter in &p.adapters {
            match adapter {
                Adapter::Reversed(_) => *before += &format!("{name}.reverse();\n"),
                Adapter::Stepped(..) => {
                    let by = &steps.next().expect("one for each").cpp;
                    *before += &format!("{name}.step_by({by});\n");
                }
            }
        }
        name
    }

    /// A loop over the elements of an array in registers: `array`, `&array` or `array.iter()`.
    fn for_each(&mut self, e: &ExprForLoop) -> Result<Code> {
        let Some((array, is_copied)) = self.walked(&e.expr)? else {
            return self.over_elements(e, &e.expr, false);
        };
        let mut values = e.clone();
        // What rustc has as a reference is the value itself, here and in the twin.
        let is_bound = match &*e.pat {
            _ if is_copied => false,
            Pat::Reference(reference) => {
                values.pat = reference.pat.clone();
                false
            }
            _ => true,
        };
        self.over_elements(&values, array, is_bound)
    }

    /// The array whose elements `&array` and `array.iter()` refer to, and whether these are copied
    /// at once; `None` for anything else.
    pub(super) fn walked<'e>(&mut self, e: &'e Expr) -> Result<Option<(&'e Expr, bool)>> {
        match bare(e) {
            Expr::Reference(reference) if reference.mutability.is_none() => {
                let array = &reference.expr;
                let walk = syn::parse_quote_spanned!(reference.span()=> #array.iter());
                // The arrays of a dialect are no arrays in registers, and it says so.
                Ok(self.dialect(|d, t| d.method(t, &walk))?.is_none().then_some((&**array, false)))
            }
            Expr::MethodCall(call) if call.args.is_empty() => {
                match call.method.to_string().as_str() {
                    "iter" => {
                        let own = self.dialect(|d, t| d.method(t, call))?;
                        Ok(own.is_none().then_some((&*call.receiver, false)))
                    }
                    "copied" | "cloned" => {
                        let inner = self.walked(&call.receiver)?;
                        Ok(inner.map(|(array, _)| (array, true)))
                    }
                    _ => Ok(None),
                }
            }
            _ => Ok(None),
        }
    }

    /// A loop over the elements of `array`; `is_bound` says that its variables are references.
    fn over_elements(&mut self, e: &ExprForLoop, array: &Expr, is_bound: bool) -> Result<Code> {
        let array = self.value(array)?;
        let (all, i) = (self.fresh("all"), self.fresh("i"));
        let before = format!("{}const auto {all} = {};\n", array.before, array.cpp);
        let span = e.expr.span();
        let probe = &array.probe;
        let probe = quote_spanned!(span=> ::lazuli::__private::register_array(#probe));
        let head = format!("for (lz_u64 {i} = 0; {i} < {all}.size(); ++{i})");
        let cpp = format!("{all}[{i}]");
        let counter = Counter { cpp: &cpp, is_steady: false, is_bound, references: &[] };
        self.for_body(e, before, &head, &counter, probe, array.twin)
    }

    pub(super) fn for_body(
        &mut self,
        e: &ExprForLoop,
        mut before: String,
        head: &str,
        counter: &Counter,
        probe: TokenStream,
        twin: TokenStream,
    ) -> Result<Code> {
        let (parts, target) = self.target(e.label.as_ref(), true, None, |t| {
            t.scope(|t| {
                let binds = t.declare(&e.pat, counter.cpp)?;
                if counter.is_bound {
                    let names = t.scopes.last().expect("the loop's own").values().cloned();
                    t.references.extend(names);
                }
                for name in counter.references {
                    let cpp = t.variable(name).map(str::to_string);
                    t.references.extend(cpp);
                }
                match &*e.pat {
                    Pat::Ident(p) if counter.is_steady && p.mutability.is_none() => {
                        t.add_steady(&p.ident);
                    }
                    _ => {}
                }
                Ok((binds, t.block(&e.body, false)?))
            })
        })?;
        let (binds, body) = parts;
        before += &Self::turns(head, &(binds + &body.before), &target);
        let (label, pat, b) = (&e.label, &e.pat, &body.probe);
        let probe = quote!(#label for #pat in #probe #b);
        let b = &body.twin;
        let twin = quote!(#label for #pat in #twin #b);
        Ok(Code { before, probe, twin, ..Code::default() })
    }

    /// The target of a jump: the one of the label, else the innermost loop. Also whether C++ would
    /// find it without a label.
    fn find_target(&mut self, label: Option<&syn::Lifetime>) -> Option<(usize, bool)> {
        let innermost = self.targets.iter().rposition(|target| target.is_loop);
        let Some(label) = label else { return innermost.map(|k| (k, true)) };
        let name = label.ident.to_string();
        let k = self.targets.iter().rposition(|t| t.label.as_deref() == Some(&name))?;
        Some((k, Some(k) == innermost && self.targets[k].is_loop))
    }

    pub(super) fn break_(&mut self, e: &syn::ExprBreak) -> Result<Code> {
        let Some((k, plain)) = self.find_target(e.label.as_ref()) else {
            return refuse(e, "there is nothing here to break out of");
        };
        let (label, mut before) = (&e.label, String::new());
        let (mut probe, mut twin) = (quote!(break #label), quote!(break #label));
        if let Some(value) = &e.expr {
            let code = self.value(value)?;
            let (p, t) = (&code.probe, &code.twin);
            (probe, twin) = (quote!(break #label #p), quote!(break #label #t));
            before = code.before;
            let result = self.targets[k].result.clone();
            match result {
                Some(result) if !code.diverges => before += &format!("{result} = {};\n", code.cpp),
                _ => {}
            }
        }
        let target = &mut self.targets[k];
        if plain {
            target.left = true;
            before += "break;\n";
        } else {
            target.breaks = true;
            before += &format!("goto lz_break_{};\n", target.number);
        }
        Ok(Code { before, probe, twin, diverges: true, ..Code::default() })
    }

    pub(super) fn continue_(&mut self, e: &syn::ExprContinue) -> Result<Code> {
        let Some((k, plain)) = self.find_target(e.label.as_ref()) else {
            return refuse(e, "there is no loop here to continue");
        };
        let target = &mut self.targets[k];
        target.continues |= !plain;
        let jump = if plain {
            "continue;\n".into()
        } else {
            format!("goto lz_continue_{};\n", target.number)
        };
        Ok(Code { before: jump, diverges: true, ..Code::plain("", quote!(#e)) })
    }
}

impl Progression<'_> {
    /// Whether it runs backwards, one by one, from below an end.
    pub fn is_reversed_only(&self) -> bool {
        matches!(&self.adapters[..], [Adapter::Reversed(_)]) && !self.inclusive
    }

    /// The range with its adapters, around other forms of its parts.
    pub(super) fn tokens(
        &self,
        parts: &[Code],
        form: impl Fn(&Code) -> &TokenStream,
    ) -> TokenStream {
        let (start, end) = (form(&parts[0]), form(&parts[1]));
        let mut tokens = match self.inclusive {
            true => quote!((#start..=#end)),
            false => quote!((#start..#end)),
        };
        let mut steps = parts[2..].iter();
        for adapter in &self.adapters {
            tokens = match adapter {
                Adapter::Reversed(name) => quote!(#tokens.#name()),
                Adapter::Stepped(name, _) => {
                    let by = form(steps.next().expect("one for each"));
                    quote!(#tokens.#name(#by))
                }
            };
        }
        tokens
    }
}

/// What a `for` loop runs over, where it is a range.
pub fn progression(e: &Expr) -> Result<Option<Progression<'_>>> {
    match e {
        Expr::Paren(paren) => progression(&paren.expr),
        Expr::Group(group) => progression(&group.expr),
        Expr::Range(range) => {
            let (Some(start), Some(end)) = (&range.start, &range.end) else {
                return refuse(range, "a range of device code has a start and an end; use `loop`");
            };
            let inclusive = matches!(range.limits, RangeLimits::Closed(_));
            Ok(Some(Progression { start, end, inclusive, adapters: Vec::new() }))
        }
        Expr::MethodCall(call) => {
            let adapter = match (call.method.to_string().as_str(), call.args.first()) {
                ("rev", None) => Adapter::Reversed(&call.method),
                ("step_by", Some(by)) => Adapter::Stepped(&call.method, by),
                _ => return Ok(None),
            };
            let Some(mut inner) = progression(&call.receiver)? else {
                // The other way round an array, or what `enumerate` and `zip` give.
                if matches!(adapter, Adapter::Reversed(_)) {
                    return Ok(None);
                }
                return refuse(call, "device code has no iterators; loop over a range");
            };
            inner.adapters.push(adapter);
            Ok(Some(inner))
        }
        _ => Ok(None),
    }
}
