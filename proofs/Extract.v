(** Writes the checker as OCaml. What follows is trusted: it says which OCaml stands for numbers and lists.

    Z becomes OCaml's int of 63 bits. No number here comes near 2^62. *)
From Coq Require Import ZArith Extraction ExtrOcamlBasic.
From Tbgen Require Import Game Chess Checker.

Extract Inductive positive => int
  ["(fun p -> 1 + 2 * p)" "(fun p -> 2 * p)" "1"]
  "(fun odd even one p -> if p <= 1 then one () else if p land 1 = 0 then even (p / 2) else odd (p / 2))".
Extract Inductive Z => int ["0" "" "(~-)"]
  "(fun zero plus minus z -> if z = 0 then zero () else if z > 0 then plus z else minus (- z))".
Extract Inlined Constant Z.add => "(+)".
Extract Inlined Constant Z.sub => "(-)".
Extract Inlined Constant Z.mul => "( * )".
Extract Inlined Constant Z.opp => "(~-)".
Extract Inlined Constant Z.abs => "abs".
Extract Inlined Constant Z.odd => "(fun n -> n land 1 = 1)".
Extract Inlined Constant Z.eqb => "(fun (a : int) b -> a = b)".
Extract Inlined Constant Z.leb => "(fun (a : int) b -> a <= b)".
Extract Inlined Constant Z.ltb => "(fun (a : int) b -> a < b)".
Extract Inlined Constant Z.min => "(fun (a : int) b -> if a <= b then a else b)".
Extract Inlined Constant Z.max => "(fun (a : int) b -> if a >= b then a else b)".

Extraction "checker.ml" check_material check_position can_hold legal own_code legal_plies perft.
