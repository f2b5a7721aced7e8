//! Random programs: valid, terminating, deterministic, and nasty where passes could go wrong: aliases,
//! traps between effects, bytes, sets, REAL numbers, records that know their type, calls everywhere.

use std::fmt::Write as _;

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

/// A designator; `@n` stands for an index below n.
#[derive(Clone)]
struct Name {
    text: String,
    writable: bool,
}

/// What can be named at a place of the program.
#[derive(Clone, Default)]
struct Scope {
    ints: Vec<Name>,
    bytes: Vec<Name>,
    chars: Vec<Name>,
    bools: Vec<Name>,
    reals: Vec<Name>,
    sets: Vec<Name>,
    pointers: Vec<Name>,
    records: Vec<Name>,
    arrays: Vec<Name>,
    texts: Vec<Name>,
    /// FOR variables, all below 8.
    counters: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Int,
    VarInt,
    Char,
    VarChar,
    Byte,
    Bool,
    Real,
    VarReal,
    Set,
    Open,
    VarOpen,
    Text,
    Record,
    VarRecord,
    Pointer,
    VarPointer,
}

const KINDS: [Kind; 16] = [
    Kind::Int,
    Kind::VarInt,
    Kind::Char,
    Kind::VarChar,
    Kind::Byte,
    Kind::Bool,
    Kind::Real,
    Kind::VarReal,
    Kind::Set,
    Kind::Open,
    Kind::VarOpen,
    Kind::Text,
    Kind::Record,
    Kind::VarRecord,
    Kind::Pointer,
    Kind::VarPointer,
];

struct Procedure {
    name: String,
    parameters: Vec<Kind>,
    /// Type of the result.
    result: Option<&'static str>,
}

struct Generator {
    random: Random,
    procedures: Vec<Procedure>,
    loops: usize,
    statements: usize,
}

/// The module that programs import.
pub const LIBRARY: &str = "MODULE A;
  TYPE Node* = POINTER TO NodeDesc; NodeDesc* = RECORD v*: INTEGER; c*: CHAR; next*: Node END;
  VAR x*, y*: INTEGER; c*: CHAR; z*: REAL; arr*: ARRAY 4 OF INTEGER; root*: Node; b: BYTE;
  PROCEDURE Set*(v: INTEGER); BEGIN x := v; b := v; INC(y, b); arr[v MOD 4] := y END Set;
  PROCEDURE Get*(): INTEGER; BEGIN INC(y) RETURN x + y END Get;
  PROCEDURE Bump*(VAR v: INTEGER); BEGIN INC(v, x); x := v END Bump;
  PROCEDURE Sum*(a: ARRAY OF INTEGER): INTEGER; VAR i, s: INTEGER;
  BEGIN s := 0; FOR i := 0 TO LEN(a) - 1 DO s := s + a[i] END RETURN s END Sum;
  PROCEDURE Turn*(VAR a: ARRAY OF INTEGER; by: INTEGER); VAR i: INTEGER;
  BEGIN i := 0; WHILE i < LEN(a) DO a[i] := ROR(a[i], by); INC(i) END END Turn;
BEGIN x := 3; y := 5; c := \"q\"; z := 1.5; NEW(root); root.v := 9; root.c := \"k\";
  arr[0] := 1; arr[1] := 2; arr[2] := 3; arr[3] := 4
END A.
";

const HEAD: &str = "MODULE T; IMPORT SYSTEM, RT, A;
  TYPE P = POINTER TO R; P1 = POINTER TO R1;
    R = RECORD a, b: INTEGER; c: CHAR; d: BOOLEAN; e: BYTE; r: REAL; s: SET;
      arr: ARRAY 4 OF INTEGER; str: ARRAY 8 OF CHAR; next: P END;
    R1 = RECORD (R) x: INTEGER; y: P END;
    F = PROCEDURE (x: INTEGER): INTEGER;
  VAR fuel, g0, g1, g2, hash: INTEGER; gc: CHAR; gb: BOOLEAN; gy: BYTE; gr: REAL; gs: SET;
    ga: ARRAY 8 OF INTEGER; gm: ARRAY 3, 4 OF INTEGER; gt, gu: ARRAY 12 OF CHAR;
    gz: ARRAY 6 OF BYTE; rec, rec2: R; ext: R1; recs: ARRAY 3 OF R; p, q: P; p1: P1; f: F;

PROCEDURE Clear(VAR r: R);
BEGIN r.a := 1; r.b := 2; r.c := \"c\"; r.d := TRUE; r.e := 3; r.r := 2.0; r.s := {1, 5};
  r.arr[0] := 4; r.arr[1] := 3; r.arr[2] := 2; r.arr[3] := 1; r.str := \"clear\"; r.next := NIL
END Clear;

PROCEDURE Mix(x: INTEGER);
BEGIN hash := hash * 31 + x
END Mix;

PROCEDURE MixText(s: ARRAY OF CHAR); VAR i: INTEGER;
BEGIN i := 0; WHILE (i < LEN(s)) & (s[i] # 0X) DO Mix(ORD(s[i])); INC(i) END
END MixText;

PROCEDURE MixRecord(r: R); VAR i: INTEGER;
BEGIN Mix(r.a); Mix(r.b); Mix(ORD(r.c)); Mix(ORD(r.d)); Mix(r.e); Mix(ORD(r.r)); Mix(ORD(r.s));
  FOR i := 0 TO 3 DO Mix(r.arr[i]) END; MixText(r.str)
END MixRecord;

PROCEDURE Double(x: INTEGER): INTEGER;
  RETURN x + x
END Double;

(*Leaves that change what their callers may hold in registers.*)
PROCEDURE Touch(x: INTEGER);
BEGIN g0 := x; gc := CHR(x); rec.a := g1
END Touch;

PROCEDURE Next(): INTEGER;
BEGIN INC(g1); gr := 0.5
  RETURN g1
END Next;

PROCEDURE Poke(VAR x: INTEGER; i: INTEGER);
BEGIN x := i; ga[i MOD 8] := x
END Poke;
";

const TAIL: &str = "
PROCEDURE Dump; VAR i, j: INTEGER;
BEGIN Mix(g0); Mix(g1); Mix(g2); Mix(ORD(gc)); Mix(ORD(gb)); Mix(gy); Mix(ORD(gr)); Mix(ORD(gs));
  FOR i := 0 TO 7 DO Mix(ga[i]) END; MixText(gt); MixText(gu);
  FOR i := 0 TO 5 DO Mix(gz[i]) END;
  FOR i := 0 TO 2 DO FOR j := 0 TO 3 DO Mix(gm[i][j]) END END;
  MixRecord(rec); MixRecord(rec2); MixRecord(ext); Mix(ext.x);
  FOR i := 0 TO 2 DO MixRecord(recs[i]) END;
  IF p # NIL THEN MixRecord(p^) END; IF q # NIL THEN MixRecord(q^) END;
  IF p1 # NIL THEN MixRecord(p1^); Mix(p1.x) END;
  Mix(A.x); Mix(A.y); RT.Int(hash)
END Dump;
";

const BODY: &str =
    "fuel := 300; hash := 7; g0 := 11; g1 := -5; g2 := 100000; gc := \"g\"; gb := FALSE; gy := 200;
  gr := 0.75; gs := {0, 3, 31}; f := Double; gt := \"hello\"; gu := \"help\";
  FOR g2 := 0 TO 7 DO ga[g2] := g2 * g2 - 9 END;
  FOR g2 := 0 TO 5 DO gz[g2] := g2 * 50 END;
  FOR g1 := 0 TO 2 DO FOR g2 := 0 TO 3 DO gm[g1][g2] := g1 * 4 + g2 END; Clear(recs[g1]) END;
  Clear(rec); Clear(rec2); Clear(ext); ext.x := 77; ext.y := NIL;
  NEW(p); Clear(p^); NEW(p1); Clear(p1^); p1.x := 5; p1.y := p; q := p1; p.next := q;
";

impl Generator {
    fn globals() -> Scope {
        let all = |texts: &[&str], writable| -> Vec<Name> {
            texts.iter().map(|t| Name { text: (*t).to_string(), writable }).collect()
        };
        let mut scope = Scope {
            ints: all(
                &[
                    "g0",
                    "g1",
                    "g2",
                    "ga[@8]",
                    "gm[@3][@4]",
                    "rec.a",
                    "rec.b",
                    "rec2.a",
                    "rec.arr[@4]",
                    "recs[@3].b",
                    "recs[@3].arr[@4]",
                    "p.a",
                    "p.b",
                    "q.a",
                    "q.b",
                    "p.arr[@4]",
                    "p1.x",
                    "p1.a",
                    "ext.x",
                    "ext.a",
                    "p.next.a",
                    "p1.y.b",
                ],
                true,
            ),
            bytes: all(&["gy", "gz[@6]", "rec.e", "p.e", "recs[@3].e"], true),
            chars: all(&["gc", "rec.c", "gt[@4]", "gu[@4]", "q.c", "p.str[@4]"], true),
            bools: all(&["gb", "rec.d", "p.d", "recs[@3].d"], true),
            reals: all(&["gr", "rec.r", "q.r", "recs[@3].r"], true),
            sets: all(&["gs", "rec.s", "p.s"], true),
            pointers: all(&["p", "q", "p.next", "p1.y", "rec.next"], true),
            records: all(&["rec", "rec2", "ext", "recs[@3]", "p^", "q^", "p1^"], true),
            arrays: all(&["ga", "gm[@3]", "rec.arr", "p.arr"], true),
            texts: all(&["gt", "gu"], true),
            counters: Vec::new(),
        };
        scope.ints.extend(all(&["A.x", "A.y", "A.arr[@4]", "A.root.v"], false));
        scope.chars.extend(all(&["A.c", "A.root.c"], false));
        scope.reals.extend(all(&["A.z"], false));
        scope
    }

    /// Fills in the indexes of a designator.
    fn designator(&mut self, scope: &Scope, name: &Name) -> String {
        let mut out = String::new();
        let mut parts = name.text.split('@');
        out.push_str(parts.next().unwrap_or(""));
        for part in parts {
            let (limit, rest) = part.split_at(1);
            let limit: usize = limit.parse().unwrap_or(1);
            let index = match self.random.below(12) {
                0..=3 => self.random.below(limit).to_string(),
                4..=7 => format!("({}) MOD {limit}", self.int(scope, 1)),
                8..=10 => match scope.counters.last() {
                    Some(counter) if limit == 8 => counter.clone(),
                    Some(counter) => format!("{counter} MOD {limit}"),
                    None => self.random.below(limit).to_string(),
                },
                _ if self.random.chance(4) => {
                    format!("{} MOD {}", self.simple_int(scope), limit + 1)
                }
                _ if self.random.chance(8) && !scope.counters.is_empty() => {
                    scope.counters.last().cloned().unwrap_or_default()
                }
                // Not a constant, which the compiler would refuse.
                _ if self.random.chance(15) => format!("g2 + {}", self.int(scope, 1)),
                _ => format!("{} MOD {limit}", self.simple_int(scope)),
            };
            out.push_str(&index);
            out.push_str(rest);
        }
        out
    }

    fn choose(&mut self, scope: &Scope, names: &[Name], writable: bool) -> String {
        let fit: Vec<&Name> = names.iter().filter(|n| n.writable || !writable).collect();
        // What is declared last is nearest: locals more often than globals.
        let at = if self.random.chance(60) && fit.len() > 6 {
            fit.len() - 1 - self.random.below(6)
        } else {
            self.random.below(fit.len())
        };
        let name = fit[at].clone();
        self.designator(scope, &name)
    }

    fn simple_int(&mut self, scope: &Scope) -> String {
        match scope.counters.last() {
            Some(counter) if self.random.chance(40) => counter.clone(),
            _ => {
                let plain: Vec<Name> =
                    scope.ints.iter().filter(|n| !n.text.contains('@')).cloned().collect();
                self.choose(scope, &plain, false)
            }
        }
    }

    fn literal(&mut self) -> String {
        match self.random.below(10) {
            0..=4 => self.random.below(10).to_string(),
            5 => (1_u32 << self.random.below(20)).to_string(),
            6 => self.random.below(100_000).to_string(),
            7 => "7FFFFFFFH".into(),
            8 => "80000000H".into(),
            _ => format!("{}", self.random.below(300)),
        }
    }

    fn int(&mut self, scope: &Scope, depth: usize) -> String {
        if depth == 0 {
            return if self.random.chance(35) { self.literal() } else { self.simple_int(scope) };
        }
        let d = depth - 1;
        match self.random.below(26) {
            0..=4 => self.choose(scope, &scope.ints, false),
            5 => self.literal(),
            6..=8 => format!("({} + {})", self.int(scope, d), self.int(scope, d)),
            9 | 10 => format!("({} - {})", self.int(scope, d), self.int(scope, d)),
            11 => format!("({} * {})", self.int(scope, d), self.int(scope, d)),
            12 => {
                let by = self.random.pick(&["2", "3", "8", "16", "10", "65536", "1000000"]);
                let op = self.random.pick(&["DIV", "MOD"]);
                format!("({} {op} {by})", self.int(scope, d))
            }
            13 => {
                let op = self.random.pick(&["DIV", "MOD"]);
                let by = if self.random.chance(5) {
                    format!("(gy + {})", self.int(scope, d))
                } else {
                    format!("({} MOD 7 + 1)", self.int(scope, d))
                };
                format!("({} {op} {by})", self.int(scope, d))
            }
            14 => format!("(-{})", self.int(scope, d)),
            15 => format!("ABS({})", self.int(scope, d)),
            16 => {
                let shift = self.random.pick(&["LSL", "ASR", "ROR"]);
                format!("{shift}({}, {})", self.int(scope, d), self.int(scope, 0))
            }
            17 => format!("ORD({})", self.character(scope, d)),
            18 => format!("ORD({})", self.boolean(scope, d)),
            19 => format!("ORD({})", self.set(scope, d)),
            20 => self.choose(scope, &scope.bytes, false),
            21 => match self.random.below(6) {
                0 => "A.Get()".into(),
                4 | 5 => "Next()".into(),
                1 => format!("f({})", self.int(scope, d)),
                2 => format!("A.Sum({})", self.choose(scope, &scope.arrays, false)),
                _ => format!("ORD({})", self.real(scope, d)),
            },
            22 => format!("SYSTEM.VAL(INTEGER, {})", self.real(scope, d)),
            _ => match self.function(scope, "INTEGER", d) {
                Some(call) => call,
                None => self.choose(scope, &scope.ints, false),
            },
        }
    }

    /// A call of a function of a type.
    fn function(&mut self, scope: &Scope, result: &str, depth: usize) -> Option<String> {
        let fit: Vec<usize> = (0..self.procedures.len())
            .filter(|at| {
                self.procedures[*at].result
                    == Some(match result {
                        "INTEGER" => "INTEGER",
                        "CHAR" => "CHAR",
                        "BOOLEAN" => "BOOLEAN",
                        "REAL" => "REAL",
                        _ => return false,
                    })
            })
            .collect();
        if fit.is_empty() {
            return None;
        }
        let at = fit[self.random.below(fit.len())];
        Some(self.call(scope, at, depth))
    }

    fn call(&mut self, scope: &Scope, at: usize, depth: usize) -> String {
        let kinds = self.procedures[at].parameters.clone();
        let name = self.procedures[at].name.clone();
        let args: Vec<String> = kinds.iter().map(|k| self.argument(scope, *k, depth)).collect();
        format!("{name}({})", args.join(", "))
    }

    fn argument(&mut self, scope: &Scope, kind: Kind, depth: usize) -> String {
        match kind {
            Kind::Int => self.int(scope, depth),
            Kind::Char => self.character(scope, depth),
            Kind::Byte => self.choose(scope, &scope.bytes, false),
            Kind::Bool => self.boolean(scope, depth),
            Kind::Real => self.real(scope, depth),
            Kind::Set => self.set(scope, depth),
            Kind::VarInt => self.choose(scope, &scope.ints, true),
            Kind::VarChar => self.choose(scope, &scope.chars, true),
            Kind::VarReal => self.choose(scope, &scope.reals, true),
            Kind::Open => self.choose(scope, &scope.arrays, false),
            Kind::VarOpen => self.choose(scope, &scope.arrays, true),
            Kind::Text if self.random.chance(30) => "\"text\"".into(),
            Kind::Text => self.choose(scope, &scope.texts, false),
            Kind::Record => self.choose(scope, &scope.records, false),
            Kind::VarRecord => self.choose(scope, &scope.records, true),
            Kind::Pointer => self.choose(scope, &scope.pointers, false),
            Kind::VarPointer => self.choose(scope, &scope.pointers, true),
        }
    }

    fn boolean(&mut self, scope: &Scope, depth: usize) -> String {
        let relation = self.random.pick(&["=", "#", "<", "<=", ">", ">="]);
        if depth == 0 {
            return match self.random.below(3) {
                0 => self.choose(scope, &scope.bools, false),
                _ => format!("({} {relation} {})", self.simple_int(scope), self.literal()),
            };
        }
        let d = depth - 1;
        match self.random.below(16) {
            0..=3 => format!("({} {relation} {})", self.int(scope, d), self.int(scope, d)),
            4 | 5 => format!("({} & {})", self.boolean(scope, d), self.boolean(scope, d)),
            6 | 7 => format!("({} OR {})", self.boolean(scope, d), self.boolean(scope, d)),
            8 => format!("~{}", self.boolean(scope, d)),
            9 => format!("({} IN {})", self.int(scope, d), self.set(scope, d)),
            10 => format!("ODD({})", self.int(scope, d)),
            11 => format!("({} {relation} {})", self.real(scope, d), self.real(scope, d)),
            12 => format!("({} {relation} {})", self.character(scope, d), self.character(scope, d)),
            13 => match self.random.below(3) {
                0 => format!("({} IS P1)", self.choose(scope, &scope.pointers, false)),
                1 => format!(
                    "({} {} {})",
                    self.choose(scope, &scope.pointers, false),
                    self.random.pick(&["=", "#"]),
                    self.choose(scope, &scope.pointers, false)
                ),
                _ => format!("({} # NIL)", self.choose(scope, &scope.pointers, false)),
            },
            14 => format!(
                "({} {relation} {})",
                self.choose(scope, &scope.texts, false),
                self.choose(scope, &scope.texts, false)
            ),
            _ => match self.function(scope, "BOOLEAN", d) {
                Some(call) => call,
                None => self.choose(scope, &scope.bools, false),
            },
        }
    }

    fn character(&mut self, scope: &Scope, depth: usize) -> String {
        match self.random.below(8) {
            0 => format!("\"{}\"", self.random.pick(&["a", "m", "z", "0"])),
            1 if depth > 0 => format!("CHR({})", self.int(scope, depth - 1)),
            2 if depth > 0 => match self.function(scope, "CHAR", depth - 1) {
                Some(call) => call,
                None => "41X".into(),
            },
            _ => self.choose(scope, &scope.chars, false),
        }
    }

    fn real(&mut self, scope: &Scope, depth: usize) -> String {
        if depth == 0 || self.random.chance(35) {
            return if self.random.chance(40) {
                self.random.pick(&["0.0", "1.0", "0.5", "3.0", "1.0E5", "0.1"]).into()
            } else {
                self.choose(scope, &scope.reals, false)
            };
        }
        let d = depth - 1;
        match self.random.below(9) {
            0 | 1 => format!("({} + {})", self.real(scope, d), self.real(scope, d)),
            2 => format!("({} - {})", self.real(scope, d), self.real(scope, d)),
            3 => format!("({} * {})", self.real(scope, d), self.real(scope, d)),
            4 => format!("({} / 4.0)", self.real(scope, d)),
            5 => format!("FLT({} MOD 1000)", self.int(scope, d)),
            6 => format!("ABS({})", self.real(scope, d)),
            7 => format!("(-{})", self.real(scope, d)),
            _ => match self.function(scope, "REAL", d) {
                Some(call) => call,
                None => self.choose(scope, &scope.reals, false),
            },
        }
    }

    fn set(&mut self, scope: &Scope, depth: usize) -> String {
        if depth == 0 || self.random.chance(40) {
            return self.choose(scope, &scope.sets, false);
        }
        let d = depth - 1;
        match self.random.below(6) {
            0 => format!("{{{} MOD 32}}", self.int(scope, d)),
            1 => format!("{{{} MOD 16 .. {} MOD 16 + 8}}", self.int(scope, d), self.int(scope, d)),
            2 => "{2, 4 .. 9, 31}".into(),
            3 => format!("(-{})", self.set(scope, d)),
            _ => {
                let op = self.random.pick(&["+", "-", "*", "/"]);
                format!("({} {op} {})", self.set(scope, d), self.set(scope, d))
            }
        }
    }

    fn block(&mut self, scope: &Scope, indent: usize, count: usize, out: &mut String) {
        for n in 0..count {
            if n > 0 {
                out.push_str(";\n");
            }
            self.statement(scope, indent, out);
        }
        out.push('\n');
    }

    fn statement(&mut self, scope: &Scope, indent: usize, out: &mut String) {
        let pad = "  ".repeat(indent);
        out.push_str(&pad);
        self.statements += 1;
        let deep = indent < 4 && self.statements < 90;
        let text = match self.random.below(40) {
            0..=8 => {
                format!("{} := {}", self.choose(scope, &scope.ints, true), self.int(scope, 3))
            }
            9 | 10 => {
                format!("{} := {}", self.choose(scope, &scope.bools, true), self.boolean(scope, 2))
            }
            11 => format!(
                "{} := {}",
                self.choose(scope, &scope.chars, true),
                self.character(scope, 2)
            ),
            12 => format!("{} := {}", self.choose(scope, &scope.bytes, true), self.int(scope, 2)),
            13 => format!("{} := {}", self.choose(scope, &scope.reals, true), self.real(scope, 2)),
            14 => format!("{} := {}", self.choose(scope, &scope.sets, true), self.set(scope, 2)),
            15 => {
                let op = self.random.pick(&["INC", "DEC"]);
                let names = if self.random.chance(25) { &scope.bytes } else { &scope.ints };
                let target = self.choose(scope, names, true);
                if self.random.chance(50) {
                    format!("{op}({target})")
                } else {
                    format!("{op}({target}, {})", self.int(scope, 1))
                }
            }
            16 => {
                let op = self.random.pick(&["INCL", "EXCL"]);
                format!(
                    "{op}({}, {} MOD 32)",
                    self.choose(scope, &scope.sets, true),
                    self.int(scope, 1)
                )
            }
            17..=22 if deep => {
                let mut text = format!("IF {} THEN\n", self.boolean(scope, 2));
                let count = 1 + self.random.below(3);
                self.block(scope, indent + 1, count, &mut text);
                if self.random.chance(30) {
                    let _ = writeln!(text, "{pad}ELSIF {} THEN", self.boolean(scope, 2));
                    self.block(scope, indent + 1, 1, &mut text);
                }
                if self.random.chance(50) {
                    let _ = writeln!(text, "{pad}ELSE");
                    self.block(scope, indent + 1, 1, &mut text);
                }
                text + &pad + "END"
            }
            23 | 24 if deep && self.loops < 3 => {
                self.loops += 1;
                let mut text =
                    format!("WHILE (fuel > 0) & {} DO DEC(fuel);\n", self.boolean(scope, 1));
                let count = 1 + self.random.below(3);
                self.block(scope, indent + 1, count, &mut text);
                if self.random.chance(30) {
                    let _ = writeln!(
                        text,
                        "{pad}ELSIF (fuel > 0) & {} DO DEC(fuel);",
                        self.boolean(scope, 1)
                    );
                    self.block(scope, indent + 1, 1, &mut text);
                }
                self.loops -= 1;
                text + &pad + "END"
            }
            25 if deep && self.loops < 3 => {
                self.loops += 1;
                let mut text = "REPEAT DEC(fuel);\n".to_string();
                let count = 1 + self.random.below(3);
                self.block(scope, indent + 1, count, &mut text);
                self.loops -= 1;
                text + &format!("{pad}UNTIL (fuel <= 0) OR {}", self.boolean(scope, 1))
            }
            26 | 27 if deep && self.loops < 3 => {
                let counter = format!("i{}", self.loops);
                let (low, high) = (self.random.below(3), 2 + self.random.below(6));
                let header = match self.random.below(4) {
                    0 => format!("FOR {counter} := {high} TO {low} BY -1 DO"),
                    1 => format!("FOR {counter} := {} MOD 3 TO {high} DO", self.int(scope, 1)),
                    2 => format!("FOR {counter} := {low} TO {} MOD 8 DO", self.int(scope, 1)),
                    _ => format!("FOR {counter} := {low} TO {high} DO"),
                };
                let mut inner = scope.clone();
                inner.counters.push(counter);
                self.loops += 1;
                let mut text = header + " DEC(fuel);\n";
                let count = 1 + self.random.below(3);
                self.block(&inner, indent + 1, count, &mut text);
                self.loops -= 1;
                text + &pad + "END"
            }
            28..=31 if !self.procedures.is_empty() => {
                let at = self.random.below(self.procedures.len());
                let call = self.call(scope, at, 1);
                match self.procedures[at].result {
                    Some("INTEGER") => {
                        format!("{} := {call}", self.choose(scope, &scope.ints, true))
                    }
                    Some("CHAR") => format!("{} := {call}", self.choose(scope, &scope.chars, true)),
                    Some("BOOLEAN") => {
                        format!("{} := {call}", self.choose(scope, &scope.bools, true))
                    }
                    Some(_) => format!("{} := {call}", self.choose(scope, &scope.reals, true)),
                    None => call,
                }
            }
            32 => match self.random.below(7) {
                4 | 5 => format!("Touch({})", self.int(scope, 1)),
                6 => {
                    let target = self.choose(scope, &scope.ints, true);
                    format!("Poke({target}, {})", self.int(scope, 1))
                }
                0 => format!("A.Set({})", self.int(scope, 1)),
                1 => format!("A.Bump({})", self.choose(scope, &scope.ints, true)),
                2 => format!(
                    "A.Turn({}, {})",
                    self.choose(scope, &scope.arrays, true),
                    self.int(scope, 1)
                ),
                _ => format!("Mix({})", self.int(scope, 2)),
            },
            33 => match self.random.below(5) {
                0 => "rec := rec2".into(),
                1 => format!("{} := rec", self.random.pick(&["recs[1]", "rec2", "p^"])),
                2 => "ga := ga".into(),
                3 => format!("{} := gu", self.random.pick(&["gt", "gu"])),
                _ => format!("{} := \"word\"", self.choose(scope, &scope.texts, true)),
            },
            34 => match self.random.below(5) {
                0 => format!("NEW({})", self.choose(scope, &scope.pointers, true)),
                1 => "NEW(p1); Clear(p1^); p1.x := 3; p1.y := p".into(),
                _ => format!(
                    "{} := {}",
                    self.choose(scope, &scope.pointers, true),
                    self.random.pick(&["p", "q", "p1", "p1", "p"])
                ),
            },
            35 => format!(
                "IF {0} IS P1 THEN {0}(P1).x := {1}; INC({0}(P1).a) END",
                self.random.pick(&["p", "q"]),
                self.int(scope, 1)
            ),
            36 if self.random.chance(15) => format!("q(P1).x := {}", self.int(scope, 1)),
            36 => format!(
                "SYSTEM.GET(SYSTEM.ADR(ga) + {} MOD 8 * 4, {})",
                self.int(scope, 0),
                self.choose(scope, &scope.ints, true)
            ),
            37 => match self.random.below(3) {
                0 => format!("SYSTEM.PUT(SYSTEM.ADR(g1), {})", self.int(scope, 2)),
                1 => format!(
                    "SYSTEM.COPY(SYSTEM.ADR(ga), SYSTEM.ADR(gm), {} MOD 9)",
                    self.int(scope, 1)
                ),
                _ => format!(
                    "PACK({}, {} MOD 4)",
                    self.random.pick(&["gr", "rec.r"]),
                    self.int(scope, 0)
                ),
            },
            38 if self.random.chance(8) => format!("ASSERT({})", self.boolean(scope, 2)),
            // What a leaf changes is read before and after it.
            38 if self.random.chance(70) => {
                let (a, b) =
                    (self.choose(scope, &scope.ints, true), self.choose(scope, &scope.ints, true));
                let value = self.int(scope, 1);
                match self.random.below(3) {
                    0 => format!("{a} := g0 + g1; Touch({value}); {b} := g0 * 3 - g1"),
                    1 => format!("{a} := g1 - Next() * 5 + g1"),
                    _ => format!("{a} := ga[1] + g2; Poke(g2, {value}); {b} := g2 - ga[1]"),
                }
            }
            38 => "f := Double".into(),
            _ => format!("RT.Int({})", self.int(scope, 2)),
        };
        out.push_str(&text);
    }

    fn procedure(&mut self, at: usize) -> String {
        let mut scope = Self::globals();
        let count = self.random.below(5);
        let mut parameters = Vec::new();
        let mut words = 0;
        let mut heading = Vec::new();
        let add = |list: &mut Vec<Name>, text: String, writable| list.push(Name { text, writable });
        for n in 0..count {
            let kind = KINDS[self.random.below(KINDS.len())];
            words += 2;
            if words > 10 {
                break;
            }
            parameters.push(kind);
            let name = format!("a{n}");
            let (mode, ty) = match kind {
                Kind::Int => ("", "INTEGER"),
                Kind::VarInt => ("VAR ", "INTEGER"),
                Kind::Char => ("", "CHAR"),
                Kind::VarChar => ("VAR ", "CHAR"),
                Kind::Byte => ("", "BYTE"),
                Kind::Bool => ("", "BOOLEAN"),
                Kind::Real => ("", "REAL"),
                Kind::VarReal => ("VAR ", "REAL"),
                Kind::Set => ("", "SET"),
                Kind::Open => ("", "ARRAY OF INTEGER"),
                Kind::VarOpen => ("VAR ", "ARRAY OF INTEGER"),
                Kind::Text => ("", "ARRAY OF CHAR"),
                Kind::Record => ("", "R"),
                Kind::VarRecord => ("VAR ", "R"),
                Kind::Pointer => ("", "P"),
                Kind::VarPointer => ("VAR ", "P"),
            };
            heading.push(format!("{mode}{name}: {ty}"));
            match kind {
                Kind::Int | Kind::VarInt => add(&mut scope.ints, name, true),
                Kind::Char | Kind::VarChar => add(&mut scope.chars, name, true),
                Kind::Byte => add(&mut scope.bytes, name, true),
                Kind::Bool => add(&mut scope.bools, name, true),
                Kind::Real | Kind::VarReal => add(&mut scope.reals, name, true),
                Kind::Set => add(&mut scope.sets, name, true),
                Kind::Open | Kind::VarOpen => {
                    add(&mut scope.ints, format!("{name}[@4]"), kind == Kind::VarOpen);
                    add(&mut scope.arrays, name, kind == Kind::VarOpen);
                }
                Kind::Text => add(&mut scope.chars, format!("{name}[@4]"), false),
                Kind::Record | Kind::VarRecord => {
                    let writable = kind == Kind::VarRecord;
                    add(&mut scope.ints, format!("{name}.a"), writable);
                    add(&mut scope.ints, format!("{name}.arr[@4]"), writable);
                    add(&mut scope.chars, format!("{name}.c"), writable);
                    add(&mut scope.records, name, writable);
                }
                Kind::Pointer | Kind::VarPointer => {
                    add(&mut scope.ints, format!("{name}.b"), true);
                    add(&mut scope.pointers, name, true);
                }
            }
        }
        for name in ["l0", "l1", "l2", "la[@4]", "lr.a", "lr.arr[@4]"] {
            add(&mut scope.ints, name.into(), true);
        }
        add(&mut scope.chars, "lc".into(), true);
        add(&mut scope.bools, "lb".into(), true);
        add(&mut scope.bytes, "ly".into(), true);
        add(&mut scope.reals, "lx".into(), true);
        add(&mut scope.sets, "ls".into(), true);
        add(&mut scope.pointers, "lp".into(), true);
        add(&mut scope.arrays, "la".into(), true);
        add(&mut scope.records, "lr".into(), true);
        add(&mut scope.texts, "lt".into(), true);
        let result = match self.random.below(8) {
            0..=2 => Some("INTEGER"),
            3 => Some("CHAR"),
            4 => Some("BOOLEAN"),
            5 => Some("REAL"),
            _ => None,
        };
        let name = format!("Q{at}");
        let mut text = format!(
            "\nPROCEDURE {name}({}){};\n  VAR i0, i1, i2, l0, l1, l2: INTEGER; lc: CHAR; lb: BOOLEAN; \
             ly: BYTE; lx: REAL; ls: SET; lp: P; la: ARRAY 4 OF INTEGER; lr: R; lt: ARRAY 12 OF CHAR;\n\
             BEGIN l0 := 1; l1 := g0; l2 := -3; lc := \"l\"; lb := TRUE; ly := 9; lx := 1.25; ls := {{2}};\n  \
             lp := p; la[0] := 8; la[1] := 7; la[2] := 6; la[3] := 5; Clear(lr); lt := \"local\";\n  \
             IF fuel > 0 THEN DEC(fuel);\n",
            heading.join("; "),
            result.map_or(String::new(), |ty| format!(": {ty}")),
        );
        self.statements = 0;
        let count = 3 + self.random.below(8);
        self.block(&scope, 1, count, &mut text);
        text.push_str("  END");
        text.push_str(";\n  Mix(l0 + l1 * l2); Mix(la[1]); Mix(ORD(lc)); Mix(ly)\n");
        match result {
            Some("INTEGER") => {
                let _ = writeln!(text, "  RETURN {}", self.int(&scope, 2));
            }
            Some("CHAR") => {
                let _ = writeln!(text, "  RETURN {}", self.choose(&scope, &scope.chars, false));
            }
            Some("BOOLEAN") => {
                let _ = writeln!(text, "  RETURN {}", self.boolean(&scope, 2));
            }
            Some(_) => {
                let _ = writeln!(text, "  RETURN {}", self.real(&scope, 1));
            }
            None => {}
        }
        let _ = writeln!(text, "END {name};");
        self.procedures.push(Procedure { name, parameters, result });
        text
    }
}

/// The program of a seed: a module `T` with a command `Run`, which imports `RT`, `A` and `SYSTEM`.
pub fn program(seed: u64) -> String {
    let mut generator =
        Generator { random: Random(seed), procedures: Vec::new(), loops: 0, statements: 0 };
    let mut text = HEAD.to_string();
    let count = 2 + generator.random.below(5);
    for at in 0..count {
        text.push_str(&generator.procedure(at));
    }
    text.push_str(TAIL);
    text.push_str("\nPROCEDURE Run*;\n  VAR i0, i1, i2: INTEGER;\nBEGIN\n");
    generator.statements = 0;
    let scope = Generator::globals();
    let count = 6 + generator.random.below(10);
    generator.block(&scope, 1, count, &mut text);
    text.push_str("  ;Dump\nEND Run;\n\nBEGIN ");
    text.push_str(BODY);
    text.push_str("END T.\n");
    text
}
