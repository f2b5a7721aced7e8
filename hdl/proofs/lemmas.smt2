; Identities of integer arithmetic that join what the circuit proofs leave apart. Each is a goal
; whose negation has no solution.

; The weighted sum of products of half words is the product (multiplier.sv).
(push 1)
(declare-const a0 Int) (declare-const a1 Int) (declare-const b0 Int) (declare-const b1 Int)
(assert (not (= (* (+ (* 65536 a1) a0) (+ (* 65536 b1) b0))
  (+ (* 4294967296 (* a1 b1)) (* 65536 (+ (* a1 b0) (* a0 b1))) (* a0 b0)))))
(check-sat)
(pop 1)

; A quotient that takes two digits more: its product with the divisor, by Horner's rule (divider.sv,
; float_divider.sv).
(push 1)
(declare-const q Int) (declare-const digits Int) (declare-const divisor Int)
(assert (not (= (* (+ (* 4 q) digits) divisor) (+ (* 4 (* q divisor)) (* digits divisor)))))
(check-sat)
(pop 1)
