(** The rules of r-mobility, for positions of a few men without castling rights.

    TO BE BELIEVED: every definition of this file. Nothing here is a proof. It says the same as docs/rules.md. *)
From Coq Require Import ZArith List Bool.
From Tbgen Require Import Game.
Import ListNotations.
Open Scope Z_scope.

(** ** Squares, men and positions

    Files a to h and ranks 1 to 8 are the numbers 0 to 7. *)
Record square := Square { file : Z; rank : Z }.
Inductive role := King | Queen | Rook | Bishop | Knight | Pawn.
Record man := Man { owner : player; kind : role; place : square }.

(** [passed] is the square that a pawn has passed by a double step just now: it may be taken there. *)
Record position := Position { turn : player; men : list man; passed : option square }.

Definition coordinates : list Z := [0; 1; 2; 3; 4; 5; 6; 7].
Definition squares : list square := flat_map (fun r => map (fun f => Square f r) coordinates) coordinates.

Definition same (a b : square) : bool := (file a =? file b) && (rank a =? rank b).
Definition is_on (s : square) (m : man) : bool := same (place m) s.
Definition is_empty (ms : list man) (s : square) : bool := negb (existsb (is_on s) ms).
Definition is_of (w : player) (m : man) : bool :=
  match w, owner m with White, White | Black, Black => true | _, _ => false end.
Definition is_king (m : man) : bool := match kind m with King => true | _ => false end.
Definition is_pawn (m : man) : bool := match kind m with Pawn => true | _ => false end.

(** ** How men move *)
Definition forward (w : player) : Z := match w with White => 1 | Black => -1 end.
Definition pawns_rank (w : player) : Z := match w with White => 1 | Black => 6 end.
Definition last_rank (w : player) : Z := match w with White => 7 | Black => 0 end.

(** [o] lies on the line from [a] to [b], between them. *)
Definition within (x y z : Z) : bool := (Z.min x z <=? y) && (y <=? Z.max x z).
Definition is_between (a b o : square) : bool :=
  within (file a) (file o) (file b) && within (rank a) (rank o) (rank b) &&
  ((file o - file a) * (rank b - rank a) =? (rank o - rank a) * (file b - file a)) &&
  negb (same o a) && negb (same o b).
Definition is_clear (ms : list man) (a b : square) : bool :=
  negb (existsb (fun m => is_between a b (place m)) ms).

(** Man [m] attacks square [s], among the men [ms]. *)
Definition attacks (ms : list man) (m : man) (s : square) : bool :=
  let a := place m in
  let right := file s - file a in
  let up := rank s - rank a in
  let straight := (right =? 0) || (up =? 0) in
  let diagonal := Z.abs right =? Z.abs up in
  negb (same a s) &&
  match kind m with
  | King => (Z.abs right <=? 1) && (Z.abs up <=? 1)
  | Queen => (straight || diagonal) && is_clear ms a s
  | Rook => straight && is_clear ms a s
  | Bishop => diagonal && is_clear ms a s
  | Knight => Z.abs (right * up) =? 2
  | Pawn => (Z.abs right =? 1) && (up =? forward (owner m))
  end.

(** The king of [w] is attacked. *)
Definition in_check (w : player) (ms : list man) : bool :=
  existsb (fun k => is_of w k && is_king k &&
    existsb (fun m => is_of (other w) m && attacks ms m (place k)) ms) ms.

(** The square so many steps ahead of pawn [m], as its side sees the board. *)
Definition ahead (m : man) (steps : Z) : square := Square (file (place m)) (rank (place m) + steps * forward (owner m)).

Definition advances (ms : list man) (m : man) (s : square) : bool :=
  is_empty ms s &&
  (same s (ahead m 1) ||
   (same s (ahead m 2) && (rank (place m) =? pawns_rank (owner m)) && is_empty ms (ahead m 1))).

Definition takes_in_passing (p : position) (m : man) (s : square) : bool :=
  match passed p with Some e => is_pawn m && same e s | None => false end.

(** Man [m] of position [p] can go to [s], but for what happens to its king. *)
Definition reaches (p : position) (m : man) (s : square) : bool :=
  let ms := men p in
  if is_pawn m then
    advances ms m s ||
    (attacks ms m s && (existsb (fun o => is_on s o && is_of (other (owner m)) o) ms || takes_in_passing p m s))
  else attacks ms m s && negb (existsb (fun o => is_on s o && is_of (owner m) o) ms).

Definition becomes (m : man) (s : square) : list role :=
  if is_pawn m && (rank s =? last_rank (owner m)) then [Queen; Rook; Bishop; Knight] else [kind m].

(** ** What a move leads to

    A ply is the position that a move leads to, and whether the move was a reset: a capture or a pawn move. *)
Record ply := Ply { is_reset : bool; next : position }.

Definition without (s : square) (ms : list man) : list man := filter (fun m => negb (is_on s m)) ms.

(** Man [m], which stands between the men [before] and [after] in the list, goes to [s] and becomes [r]. *)
Definition go (p : position) (before : list man) (m : man) (after : list man) (s : square) (r : role) : ply :=
  let taken := if takes_in_passing p m s then Square (file s) (rank (place m)) else s in
  let is_double := is_pawn m && same s (ahead m 2) in
  {| is_reset := is_pawn m || negb (is_empty (before ++ after) taken);
     next := {| turn := other (turn p);
                men := without taken before ++ Man (owner m) r s :: without taken after;
                passed := if is_double then Some (ahead m 1) else None |} |}.

(** Each way to pick a man: those before it, the man, those after it. *)
Fixpoint picks (before ms : list man) : list (list man * man * list man) :=
  match ms with
  | [] => []
  | m :: after => (before, m, after) :: picks (before ++ [m]) after
  end.

Definition plies_of (p : position) : list ply :=
  flat_map (fun '(before, m, after) =>
    if is_of (turn p) m then
      flat_map (fun s => if reaches p m s then map (go p before m after s) (becomes m s) else []) squares
    else []) (picks [] (men p)).

(** ** Legal positions and legal moves *)
Definition on_board (s : square) : bool := within 0 (file s) 7 && within 0 (rank s) 7.
Definition stands_well (m : man) : bool :=
  on_board (place m) && negb (is_pawn m && ((rank (place m) =? 0) || (rank (place m) =? 7))).
Fixpoint are_apart (ms : list man) : bool :=
  match ms with [] => true | m :: rest => is_empty rest (place m) && are_apart rest end.

(** A pawn of the side that has just moved stands ahead of the square that it has passed, and came through it. *)
Definition has_passed (w : player) (ms : list man) (e : square) : bool :=
  existsb (fun m => is_of w m && is_pawn m && same e (ahead m (-1)) && (rank (place m) =? pawns_rank w + 2 * forward w) &&
    is_empty ms (ahead m (-1)) && is_empty ms (ahead m (-2))) ms.

Definition legal (p : position) : bool :=
  forallb stands_well (men p) && are_apart (men p) && negb (in_check (other (turn p)) (men p)) &&
  match passed p with None => true | Some e => has_passed (other (turn p)) (men p) e end.

Definition legal_plies (p : position) : list ply := filter (fun m => legal (next m)) (plies_of p).

(** ** Scores

    The code is twice the number of legal moves, and one more if the side to move is not in check. *)
Record score := Score { holder : player; code : Z }.

Fixpoint count {A : Type} (l : list A) : Z := match l with [] => 0 | _ :: rest => 1 + count rest end.
Definition code_with (p : position) (moves : Z) : Z := 2 * moves + (if in_check (turn p) (men p) then 0 else 1).
Definition own_code (p : position) : Z := code_with p (count (legal_plies p)).
Definition own_score (p : position) : score := Score (other (turn p)) (own_code p).

(** The one order of outcomes, as numbers: G0.0 is 1000, G0.5 is 999, ..., -G0.5 is -999, -G0.0 is -1000. *)
Definition outcome (b : score) : Z := match holder b with White => 1000 - code b | Black => code b - 1000 end.

(** After a reset the new position's own score has accrued. After any other ply it replaces what had accrued
    if it is strictly lower. *)
Definition accrue (b : score) (m : ply) : score :=
  if is_reset m || (own_code (next m) <? code b) then own_score (next m) else b.

(** ** The game: pairs of a position and what has accrued *)
Definition pair := (position * score)%type.
Definition pair_mover (s : pair) : player := turn (fst s).
Definition pair_moves (s : pair) : list pair := map (fun m => (next m, accrue (snd s) m)) (legal_plies (fst s)).
Definition pair_accrued (s : pair) : Z := outcome (snd s).

Definition is_value_of (s : pair) (v : Z) : Prop := is_value pair pair_mover pair_moves pair_accrued s v.
Definition counts_plies_of (value plies : pair -> Z) (s : pair) : Prop :=
  counts_plies pair pair_mover pair_moves pair_accrued value plies s.

(** ** The number of move sequences, to compare with other programs *)
Fixpoint perft (depth : nat) (p : position) : Z :=
  match depth with
  | O => 1
  | S d => fold_left (fun n m => n + perft d (next m)) (legal_plies p) 0
  end.
