(** What the value of a game is, when a score accrues.

    TO BE BELIEVED: every definition of this file. Nothing here is a proof.

    The game is abstract: chess comes in Chess.v. A state has a side to move, some moves, and the outcome that has
    accrued so far. Outcomes are numbers; White likes great ones, Black small ones. *)
From Coq Require Import ZArith List.
Import ListNotations.
Open Scope Z_scope.

Inductive player := White | Black.

Definition other (w : player) : player := match w with White => Black | Black => White end.

(** The outcome as a side likes it: the greater, the better for [w]. *)
Definition gain (w : player) (outcome : Z) : Z := match w with White => outcome | Black => - outcome end.

Section Game.
  Variable state : Type.
  Variable mover : state -> player.
  Variable moves : state -> list state.
  Variable accrued : state -> Z.

  (** ** Plays

      A play is an endless row of states. Where no move is left, it stays where it is. *)
  Definition step (s t : state) : Prop := In t (moves s) \/ (moves s = [] /\ t = s).
  Definition is_play (f : nat -> state) : Prop := forall n, step (f n) (f (S n)).

  (** A play pays [o] if from some ply on [o] is what has accrued. *)
  Definition pays (f : nat -> state) (o : Z) : Prop := exists N, forall n, (N <= n)%nat -> accrued (f n) = o.

  (** ** Strategies

      A strategy of [w] names a move in each state where [w] is to move and can move. *)
  Definition is_strategy (w : player) (choose : state -> state) : Prop :=
    forall s, mover s = w -> moves s <> [] -> In (choose s) (moves s).
  Definition follows (w : player) (choose : state -> state) (f : nat -> state) : Prop :=
    forall n, mover (f n) = w -> moves (f n) <> [] -> f (S n) = choose (f n).

  (** Side [w] can secure [v] if with some strategy it never gets less, whatever the other side plays. *)
  Definition secures (w : player) (v : Z) (s : state) : Prop :=
    exists choose, is_strategy w choose /\
      forall f o, is_play f -> f 0%nat = s -> follows w choose f -> pays f o -> gain w v <= gain w o.

  (** No play from [s] pays nothing. *)
  Definition always_pays (s : state) : Prop := forall f, is_play f -> f 0%nat = s -> ~ forall o, ~ pays f o.

  (** ** The value

      Both sides can secure it, so neither can hope for more. *)
  Definition is_value (s : state) (v : Z) : Prop := always_pays s /\ secures White v s /\ secures Black v s.

  (** ** The plies to the outcome

      Given the value of each state: 0 if the value has accrued. Else one side makes progress, the side that likes
      the value better than what has accrued. It takes the shortest way among the moves that keep the value, and the
      other side takes the longest. *)
  Definition makes_progress (w : player) (value : state -> Z) (s : state) : Prop :=
    gain w (accrued s) < gain w (value s).
  Definition keeps (value : state -> Z) (s t : state) : Prop := In t (moves s) /\ value t = value s.

  Definition counts_plies (value plies : state -> Z) (s : state) : Prop :=
    0 <= plies s /\
    (value s = accrued s -> plies s = 0) /\
    (value s <> accrued s ->
      (exists t, keeps value s t /\ plies s = plies t + 1) /\
      (makes_progress (mover s) value s -> forall t, keeps value s t -> plies s <= plies t + 1) /\
      (makes_progress (other (mover s)) value s -> forall t, keeps value s t -> plies t + 1 <= plies s)).
End Game.
