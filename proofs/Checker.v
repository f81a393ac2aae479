(** The checker: a program that goes over a dump and says yes or no. Sound.v proves what a yes means.

    Nothing here has to be believed. The dump may be anything: it is three functions, of which nothing is assumed. *)
From Coq Require Import ZArith List Bool.
From Tbgen Require Import Game Chess Table.
Import ListNotations.
Open Scope Z_scope.

(** The code of a cell's value. *)
Definition code_of (c : cell) : Z := 1000 - Z.abs (fst c).

(** The cells of a position, for each accrued score: [entry] if its code is greater than [least], else [later]. *)
Record cells := Cells { entry : cell; least : Z; later : score -> option cell }.
Definition cell_at (b : score) (c : cells) : option cell := if least c <? code b then Some (entry c) else later c b.

Fixpoint all {A B : Type} (f : A -> option B) (l : list A) : option (list B) :=
  match l with
  | [] => Some []
  | a :: rest => match f a, all f rest with Some b, Some bs => Some (b :: bs) | _, _ => None end
  end.

(** ** Materials *)
Definition material := list (player * role).
Definition material_of (p : position) : material := map (fun m => (owner m, kind m)) (men p).
Definition same_man : forall a b : player * role, {a = b} + {a <> b}.
Proof. repeat decide equality. Defined.
Definition same_material : forall a b : material, {a = b} + {a <> b} := list_eq_dec same_man.

(** A bare king never gives check, so it holds no even code: such pairs do not occur, and have no cell. *)
Definition can_hold (ms : material) (b : score) : bool :=
  let king := (holder b, King) in
  Z.odd (code b) || existsb (fun m => if same_man m king then false else if same_man (fst m, King) king then true else false) ms.

(** Men, and steps that are left to pawns: a reset lessens it, and no other ply changes it. *)
Definition past (p : position) : Z :=
  fold_right (fun m n => n + if is_pawn m then 1 + Z.abs (last_rank (owner m) - rank (place m)) else 1) 0 (men p).

Section Checker.
  (** What the dump says of a position: the cell of its own score, the cells of other scores, and its own code. *)
  Variable dump_entry : position -> option cell.
  Variable dump_held : position -> score -> option cell.
  Variable dump_own : position -> Z.
  Variable materials : list material.

  Definition is_covered (p : position) : bool := if in_dec same_material (material_of p) materials then true else false.

  (** At a score with a higher code than the entry value's, the value is the entry value. *)
  Definition cells_of (p : position) : option cells :=
    match dump_entry p with Some e => Some (Cells e (code_of e) (dump_held p)) | None => None end.
  Definition table (s : pair) : option cell :=
    match cells_of (fst s) with Some c => cell_at (snd s) c | None => None end.

  (** After a reset, and at a score with a higher code than the own code, the own score accrues. *)
  Definition cells_after (m : ply) : option cells :=
    let q := next m in
    match cells_of q with
    | Some c => Some (Cells (entry c) (if is_reset m then 0 else Z.min (dump_own q) (least c)) (later c))
    | None => None
    end.

  Definition check_pair (p : position) (here : cells) (ways : list cells) (b : score) : bool :=
    negb (can_hold (material_of p) b) ||
    match cell_at b here, all (cell_at b) ways with
    | Some c, Some ts => agrees (turn p) (outcome b) c ts
    | _, _ => false
    end.

  Fixpoint check_codes (fuel : nat) (k top : Z) (check : Z -> bool) : bool :=
    (top <? k) || match fuel with O => false | S less => check k && check_codes less (k + 1) top check end.

  Definition is_cell (c : cell) (o : option cell) : bool :=
    match o with Some d => (fst c =? fst d) && (snd c =? snd d) | None => false end.

  (** ** One position *)
  Definition check_ply (p : position) (y : ply) : bool :=
    let q := next y in
    if is_reset y then (past q <? past p) && is_covered q
    else (past q =? past p) && (if same_material (material_of q) (material_of p) then true else false) &&
      match passed q with None => true | Some _ => false end.

  Definition check_scores (p : position) (own : Z) (here : cells) (ways : list cells) : bool :=
    (** Above this code all cells are entries, and no accrued score is as good as one: 0, which is no outcome,
        stands for each of them. *)
    let top := fold_right (fun c n => Z.max (least c) n) (least here) ways in
    check_codes 1000 2 (Z.min own top)
      (fun k => check_pair p here ways (Score White k) && check_pair p here ways (Score Black k)) &&
    ((own <=? top) || agrees (turn p) 0 (entry here) (map entry ways)).

  Definition check_legal (p : position) (here : cells) : bool :=
    let plies := legal_plies p in
    let own := dump_own p in
    let b := Score (other (turn p)) own in
    (own =? code_with p (count plies)) && (own <? 1000) &&
    can_hold (material_of p) b && is_cell (entry here) (cell_at b here) &&
    forallb (check_ply p) plies &&
    match all cells_after plies with
    | None => false
    | Some ways =>
        check_pair p here ways b &&
        match passed p with Some _ => true | None => check_scores p own here ways end
    end.

  Definition check_position (p : position) : bool :=
    negb (legal p) ||
    match cells_of p, passed p with
    | Some here, _ => check_legal p here
    | None, Some _ => true
    | None, None => false
    end.

  (** ** All positions of a material *)
  Fixpoint check_placements (m : material) (placed : list man) (check : list man -> bool) : bool :=
    match m with
    | [] => check placed
    | (w, r) :: rest => forallb (fun s => check_placements rest (placed ++ [Man w r s]) check) squares
    end.

  Definition rights (ms : list man) : list (option square) :=
    None :: map (fun m => Some (ahead m (-1))) (filter is_pawn ms).

  Definition check_men (ms : list man) : bool :=
    forallb (fun w => forallb (fun e => check_position (Position w ms e)) (rights ms)) [White; Black].

  Definition check_material (m : material) : bool := check_placements m [] check_men.
End Checker.
