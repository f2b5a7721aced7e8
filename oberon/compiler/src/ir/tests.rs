//! Each pass on a few lines: what becomes of them, and what must not.

use risc5_isa::Instruction;

use super::passes::{Pass, Passes};
use crate::{Compiled, Options, Source, compile};

fn compiled(body: &str, passes: Passes) -> Compiled {
    let text = format!(
        "MODULE T; IMPORT SYSTEM; TYPE P = POINTER TO R; R = RECORD x, y: INTEGER; n: P END; \
         VAR g, h: INTEGER; a, b: ARRAY 8 OF INTEGER; p: P; s: ARRAY 300 OF CHAR; \
         PROCEDURE Q(x: INTEGER): INTEGER; RETURN x + 1 END Q; \
         PROCEDURE V(VAR x: INTEGER); BEGIN INC(x); g := Q(x) END V; {body} END T."
    );
    let options = Options { passes, ..Options::default() };
    match compile(&Source::new("T.Mod", text), &crate::NoSymbols, &options) {
        Ok(compiled) => compiled,
        Err(errors) => panic!("{}", errors[0]),
    }
}

/// Code of the statements of a procedure with locals i, j, k and c.
fn code(statements: &str, passes: Passes) -> Vec<Instruction> {
    let procedure = |statements: &str| {
        format!(
            "PROCEDURE W; VAR i, j, k: INTEGER; c: CHAR; q: P; BEGIN {statements} END W; BEGIN W"
        )
    };
    let all = compiled(&procedure(statements), passes).object.code;
    all.into_iter().map(Instruction::decode).collect()
}

fn traps(code: &[Instruction]) -> usize {
    code.iter().filter(|i| matches!(i, Instruction::BranchRegister { link: true, .. })).count()
}

fn count(code: &[Instruction], name: &str) -> usize {
    code.iter().filter(|i| i.to_string().starts_with(name)).count()
}

fn words(statements: &str, passes: Passes) -> usize {
    code(statements, passes).len() - code("", passes).len()
}

#[test]
fn each_pass_has_its_name() {
    for pass in Pass::ALL {
        assert_eq!(Pass::from_name(pass.name()), Some(pass));
        assert!(Passes::all().has(pass));
        assert!(!Passes::all().without(pass).has(pass));
    }
    assert!(Passes::none().is_none());
    assert_eq!(Pass::from_name("nothing"), None);
}

#[test]
fn locals_live_in_registers() {
    // g is loaded, twice added to, and stored.
    assert!(words("i := g; j := i + 1; k := j + i; g := k", Passes::all()) <= 5);
    let frame = Passes::all().without(Pass::Registers);
    assert!(words("i := g; j := i + 1; k := j + i; g := k", frame) > 5);
}

#[test]
fn a_leaf_needs_no_frame() {
    let leaf = compiled(
        "PROCEDURE L(x, y: INTEGER): INTEGER; RETURN x * 4 + y END L; BEGIN g := L(1, 2)",
        Passes::all(),
    );
    let used: Vec<_> = leaf.object.code.iter().map(|w| Instruction::decode(*w)).collect();
    // Q and L take two and three instructions: no frame, no store of what is passed.
    assert!(used[..2].iter().all(|i| !matches!(i, Instruction::Memory { .. })));
}

#[test]
fn constants_are_folded() {
    let without = Passes::all().without(Pass::Fold);
    let folded = "i := 3; j := i * 5 + 1; g := j";
    assert!(words(folded, Passes::all()) <= 3);
    assert!(words(folded, without) > words(folded, Passes::all()));
    // A branch on a constant is decided.
    assert_eq!(words("i := 3; IF i > 4 THEN g := 7 END", Passes::all()), 0);
}

#[test]
fn multiplication_by_powers_of_two_shifts() {
    let body = "i := h; g := i * 8 + i DIV 4 + i MOD 16";
    let shifted = code(body, Passes::all());
    assert_eq!(count(&shifted, "MUL") + count(&shifted, "DIV"), 0);
    let plain = code(body, Passes::all().without(Pass::Strength));
    assert!(count(&plain, "MUL") + count(&plain, "DIV") == 3);
}

#[test]
fn checks_are_made_once() {
    // One index check, one NIL check.
    assert_eq!(traps(&code("i := h; a[i] := b[i] + a[i]", Passes::all())), 1);
    assert_eq!(traps(&code("q := p; q.x := q.y; q.y := 1", Passes::all())), 1);
    let without = Passes::all().without(Pass::Checks);
    assert_eq!(traps(&code("i := h; a[i] := b[i] + a[i]", without)), 3);
}

#[test]
fn checks_that_cannot_fail_go() {
    assert_eq!(
        traps(&code("FOR i := 0 TO 7 DO IF h > i THEN a[i] := i END END", Passes::all())),
        0
    );
    assert_eq!(traps(&code("i := h; a[i MOD 8] := 1", Passes::all())), 0);
    assert_eq!(traps(&code("c := s[3]; s[ORD(c)] := c", Passes::all())), 0);
    assert_eq!(traps(&code("q := p; IF q # NIL THEN q.x := 1 END", Passes::all())), 0);
}

#[test]
fn checks_that_can_fail_stay() {
    assert_eq!(traps(&code("FOR i := 0 TO 8 DO a[i] := i END", Passes::all())), 1);
    // The pointer and the index change between the two.
    assert_eq!(traps(&code("q := p; q.x := 1; q := q.n; q.x := 1", Passes::all())), 2);
    assert_eq!(traps(&code("i := h; a[i] := 1; INC(i); a[i] := 1", Passes::all())), 2);
    // Known in one branch only.
    let body = "i := h; IF g > 0 THEN a[i] := 1 END; b[i] := 2";
    assert_eq!(traps(&code(body, Passes::all())), 2);
    // A byte that was never assigned is a byte all the same.
    assert_eq!(traps(&code("IF g > 0 THEN c := s[1] END; b[ORD(c)] := 1", Passes::all())), 1);
}

#[test]
fn accesses_by_address_are_neither_shared_nor_dropped() {
    let loads = |body| count(&code(body, Passes::all()), "LD");
    let once = loads("SYSTEM.GET(-64, i); g := i");
    assert_eq!(loads("SYSTEM.GET(-64, i); SYSTEM.GET(-64, j); g := i"), once + 1);
    // A store by address may change any variable.
    assert_eq!(
        loads("i := g; SYSTEM.PUT(h, 1); j := g; h := i + j") - 1,
        loads("i := g; j := h; h := i + j")
    );
}

#[test]
fn what_a_call_may_change_is_loaded_again() {
    let loads = |body| count(&code(body, Passes::all()), "LD");
    assert!(loads("i := g; V(h); j := g; h := i + j") > loads("i := g; j := g; h := i + j"));
}
