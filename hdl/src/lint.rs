//! Refuses expressions that rust-hdl 0.46 prints as Verilog with another meaning.
//!
//! Verilog widens operands where Rust does not, and binds some operators differently, so the same text
//! can mean two things: `(a + 1) == 0` with six bits is true in Rust for a = 63 and false in Verilog;
//! `a & b == c` groups differently. What is left after this lint means the same in both.
//!
//! The rules: compare, shift right, cast, slice and match only plain signals, slices and literals;
//! shift only by signals and literals; parenthesise mixed operators.
//!
//! Every export goes through it ([`crate::export`]).

use rust_hdl::prelude::ast::*;
use rust_hdl::prelude::*;

use VerilogExpression as Expression;

/// Findings of one walk through a circuit.
#[derive(Default)]
struct Lint {
    path: Vec<String>,
    findings: Vec<String>,
}

/// All suspicious expressions of a circuit, each with the path of its block. Empty if it is clean.
pub fn lint(top: &dyn Block) -> Vec<String> {
    let mut lint = Lint::default();
    top.accept("top", &mut lint);
    lint.findings
}

fn strip(expression: &Expression) -> &Expression {
    match expression {
        Expression::Paren(inner) => strip(inner),
        other => other,
    }
}

/// The width does not depend on the context, or is the type's own.
fn is_simple(expression: &Expression) -> bool {
    match strip(expression) {
        Expression::Signal(_)
        | Expression::Literal(_)
        | Expression::Slice(..)
        | Expression::Index(..) => true,
        Expression::Cast(inner, _) | Expression::Signed(inner) | Expression::Unsigned(inner) => {
            is_simple(inner)
        }
        _ => false,
    }
}

fn is_comparison(op: &VerilogOp) -> bool {
    matches!(
        op,
        VerilogOp::Eq
            | VerilogOp::Ne
            | VerilogOp::Lt
            | VerilogOp::Le
            | VerilogOp::Gt
            | VerilogOp::Ge
    )
}

fn same(a: &VerilogOp, b: &VerilogOp) -> bool {
    std::mem::discriminant(a) == std::mem::discriminant(b)
}

impl Lint {
    fn report(&mut self, rule: &str, expression: &Expression) {
        let path = self.path.join(".");
        self.findings.push(format!("{path}: {rule}: {expression:?}"));
    }

    fn binary(&mut self, whole: &Expression, l: &Expression, op: &VerilogOp, r: &Expression) {
        for side in [l, r] {
            if let Expression::Binary(_, inner, _) = side
                && !same(inner, op)
            {
                self.report("mixed operators need parentheses", whole);
            }
        }
        if is_comparison(op) && !(is_simple(l) && is_simple(r)) {
            self.report("compare only signals, slices and literals", whole);
        }
        if matches!(op, VerilogOp::Shr) && !is_simple(l) {
            self.report("shift only a signal to the right", whole);
        }
        if matches!(op, VerilogOp::Shl | VerilogOp::Shr) && !is_simple(r) {
            self.report("shift only by a signal or literal", whole);
        }
        self.expression(l);
        self.expression(r);
    }

    fn expression(&mut self, expression: &Expression) {
        match expression {
            Expression::Binary(l, op, r) => self.binary(expression, l, op, r),
            Expression::Cast(inner, _) => {
                if !is_simple(inner) {
                    self.report("cast only a signal", expression);
                }
                self.expression(inner);
            }
            Expression::Index(base, at) | Expression::Slice(base, _, at) => {
                if !matches!(**base, Expression::Signal(_)) {
                    self.report("index and slice only a signal", expression);
                }
                self.expression(base);
                self.expression(at);
            }
            Expression::Paren(inner)
            | Expression::Signed(inner)
            | Expression::Unsigned(inner)
            | Expression::Unary(_, inner) => self.expression(inner),
            Expression::IndexReplace(base, at, value) => {
                for part in [base, at, value] {
                    self.expression(part);
                }
            }
            Expression::Signal(_) | Expression::Literal(_) => {}
        }
    }

    fn block(&mut self, block: &VerilogBlock) {
        for statement in block {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &VerilogStatement) {
        match statement {
            VerilogStatement::Assignment(_, value) => self.expression(value),
            VerilogStatement::SliceAssignment { replacement, .. } => self.expression(replacement),
            VerilogStatement::If(conditional) => {
                self.expression(&conditional.test);
                self.block(&conditional.then);
                match &conditional.otherwise {
                    VerilogBlockOrConditional::Block(block) => self.block(block),
                    VerilogBlockOrConditional::Conditional(inner) => self.statement(inner),
                    VerilogBlockOrConditional::None => {}
                }
            }
            VerilogStatement::Match(selection) => {
                if !is_simple(&selection.test) {
                    self.report("match only a signal", &selection.test);
                }
                for case in &selection.cases {
                    self.block(&case.block);
                }
            }
            VerilogStatement::Loop(repeated) => self.block(&repeated.block),
            VerilogStatement::Macro(block) => self.block(block),
            _ => {}
        }
    }
}

impl Probe for Lint {
    fn visit_start_scope(&mut self, name: &str, node: &dyn Block) {
        self.path.push(name.into());
        if let Verilog::Combinatorial(block) = node.hdl() {
            self.block(&block);
        }
    }
    fn visit_start_namespace(&mut self, _: &str, _: &dyn Block) {}
    fn visit_atom(&mut self, _: &str, _: &dyn Atom) {}
    fn visit_end_namespace(&mut self, _: &str, _: &dyn Block) {}
    fn visit_end_scope(&mut self, _: &str, _: &dyn Block) {
        self.path.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(LogicBlock, Default)]
    struct Suspect {
        a: Signal<In, Bits<6>>,
        b: Signal<In, Bit>,
        grown: Signal<Out, Bit>,
        negated: Signal<Out, Bit>,
        halved: Signal<Out, Bits<6>>,
    }

    impl Logic for Suspect {
        #[hdl_gen]
        fn update(&mut self) {
            self.grown.next = (self.a.val() + 1) == 0;
            self.negated.next = !self.a.val() == 0;
            self.halved.next = (self.a.val() + 1) >> 1;
        }
    }

    #[test]
    fn finds_what_changes_its_meaning() {
        let mut uut = Suspect::default();
        uut.connect_all();
        let findings = lint(&uut);
        assert_eq!(findings.len(), 3, "{findings:#?}");
        assert!(findings.iter().all(|finding| finding.starts_with("top: ")), "{findings:#?}");
    }

    /// The units that have no circuit around them yet are looked at one by one.
    #[test]
    fn units_are_clean() {
        fn check<B: Block + Default>() -> Vec<String> {
            let mut uut = B::default();
            uut.connect_all();
            lint(&uut)
        }
        use crate::units::*;
        let findings: Vec<String> = [
            check::<Alu>(),
            check::<Condition>(),
            check::<Decoder>(),
            check::<Divider>(),
            check::<FloatAdder>(),
            check::<FloatDivider>(),
            check::<FloatMultiplier>(),
            check::<Interrupts>(),
            check::<Multiplier>(),
            check::<RegisterFile>(),
        ]
        .concat();
        assert!(findings.is_empty(), "{findings:#?}");
    }
}
