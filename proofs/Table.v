(** A table that agrees with the moves, one ply at a time, has the values of the game. All of this file is proof. *)
From Coq Require Import ZArith List Lia Bool Wf_nat.
From Tbgen Require Import Game.
Import ListNotations.
Open Scope Z_scope.

(** A natural number that never rises stays the same from some ply on: the contrary is absurd. *)
Lemma comes_to_rest : forall r : nat -> nat, (forall n, (r (S n) <= r n)%nat) -> ~ ~ exists N, forall n, (N <= n)%nat -> r n = r N.
Proof.
  intros r H A. assert (X : forall m N, r N = m -> False); [|exact (X _ 0%nat eq_refl)].
  induction m as [m IH] using lt_wf_ind. intros N R. apply A. exists N. induction n as [|n I]; intro G; [f_equal; lia|].
  destruct (Nat.eq_dec N (S n)) as [->|]; [reflexivity|]. specialize (I ltac:(lia)). pose proof (H n).
  destruct (Nat.eq_dec (r (S n)) (r n)); [congruence|]. exfalso. apply (IH (r (S n)) ltac:(lia) (S n) eq_refl).
Qed.

(** What a table says of a state: the value, as an outcome, and the plies to it. *)
Definition cell := (Z * Z)%type.

(** What is checked of a state: does [c], with [w] to move and [x] accrued, agree with the cells that the moves lead to? *)
Definition agrees (w : player) (x : Z) (c : cell) (ts : list cell) : bool :=
  let '(v, d) := c in
  (Z.abs v <=? 1000) && (0 <=? d) &&
  forallb (fun t => gain w (fst t) <=? gain w v) ts &&
  match ts with [] => true | _ => existsb (fun t => fst t =? v) ts end &&
  if v =? x then d =? 0
  else
    existsb (fun t => (fst t =? v) && (d =? snd t + 1)) ts &&
    forallb (fun t => negb (fst t =? v) || if gain w x <? gain w v then d <=? snd t + 1 else snd t + 1 <=? d) ts.

Section Table.
  Variables (state : Type) (mover : state -> player) (moves : state -> list state) (accrued : state -> Z).
  Notation is_play := (is_play state moves).
  Notation follows := (follows state mover moves).

  (** The table: some states, out of which no move leads, each with a cell that was checked. *)
  Variable listed : state -> Prop.
  Variable cell_of : state -> cell.
  Definition value (s : state) : Z := fst (cell_of s).
  Definition plies (s : state) : Z := snd (cell_of s).
  Hypothesis closed : forall s t, listed s -> In t (moves s) -> listed t.
  Hypothesis checked : forall s, listed s -> agrees (mover s) (accrued s) (cell_of s) (map cell_of (moves s)) = true.

  (** What shows that the score cannot change for ever: a rank that never rises, and as long as it stays, so does what
      has accrued. *)
  Variable rank : state -> nat.
  Hypothesis rank_falls : forall s t, listed s -> In t (moves s) ->
    (rank t <= rank s)%nat /\ (rank t = rank s -> accrued t = accrued s).

  Lemma laws : forall s, listed s ->
    Z.abs (value s) <= 1000 /\
    (forall t, In t (moves s) -> gain (mover s) (value t) <= gain (mover s) (value s)) /\
    (moves s <> [] -> exists t, keeps state moves value s t) /\
    counts_plies state mover moves accrued value plies s.
  Proof.
    intros s L. pose proof (checked s L) as C. unfold agrees, counts_plies, makes_progress, keeps, value, plies in *.
    destruct (cell_of s) as [v d]. cbn [fst snd] in *. rewrite !andb_true_iff, !Z.leb_le, forallb_forall in C.
    destruct C as [[[[A D] B] K] P]. split; [exact A|]. split; [|split; [|split; [exact D|]]].
    - intros t I. apply Z.leb_le, (B (cell_of t)), in_map, I.
    - intro E. destruct (moves s) as [|t0 l]; [congruence|]. cbn [map] in K. change (cell_of t0 :: map cell_of l) with (map cell_of (t0 :: l)) in K.
      apply existsb_exists in K. destruct K as [c [I V]]. apply in_map_iff in I. destruct I as [t [<- I]]. apply Z.eqb_eq in V. eauto.
    - destruct (Z.eqb_spec v (accrued s)) as [V | V]; [apply Z.eqb_eq in P; split; [auto | congruence]|].
      split; [congruence|]. intros _. apply andb_true_iff in P. destruct P as [E F]. rewrite forallb_forall in F. split.
      + apply existsb_exists in E. destruct E as [c [I E]]. apply in_map_iff in I. destruct I as [t [<- I]].
        apply andb_true_iff in E. rewrite !Z.eqb_eq in E. exists t. tauto.
      + split; intros G t [I U]; specialize (F _ (in_map _ _ _ I)); rewrite U, Z.eqb_refl in F; cbn [negb orb] in F;
          destruct (Z.ltb_spec (gain (mover s) (accrued s)) (gain (mover s) v)); try (now apply Z.leb_le in F);
          destruct (mover s); cbn in *; lia.
  Qed.

  (** The strategy: keep the value, and come nearer where there is progress to make. *)
  Definition good (w : player) (s t : state) : bool :=
    (value t =? value s) && implb (gain w (accrued s) <? gain w (value s)) (plies t <? plies s).
  Definition choose (w : player) (s : state) : state :=
    match find (good w s) (moves s) with Some t => t | None => hd s (moves s) end.

  Lemma play_stays_listed : forall f, is_play f -> listed (f 0%nat) -> forall n, listed (f n).
  Proof.
    intros f P L. induction n as [|n I]; [exact L|].
    destruct (P n) as [M | [_ E]]; [exact (closed _ _ I M) | now rewrite E].
  Qed.

  Lemma chosen_is_move : forall w s, moves s <> [] -> In (choose w s) (moves s).
  Proof.
    intros w s E. unfold choose. destruct (find (good w s) (moves s)) eqn:F.
    - now apply find_some in F.
    - destruct (moves s); [congruence | now left].
  Qed.

  Lemma chosen_is_good : forall w s, listed s -> mover s = w -> moves s <> [] ->
    value (choose w s) = value s /\
    (makes_progress state accrued w value s -> plies (choose w s) < plies s).
  Proof.
    intros w s L M E. destruct (laws s L) as (_ & _ & K & Q & _ & D).
    assert (G : exists t, In t (moves s) /\ good w s t = true).
    { unfold good. destruct (Z.ltb_spec (gain w (accrued s)) (gain w (value s))) as [P | P]; cbn.
      - destruct (D ltac:(intro X; rewrite X in P; lia)) as [[t [[I V] N]] _]. exists t. split; [exact I|].
        apply andb_true_iff. split; [now apply Z.eqb_eq | apply Z.ltb_lt; lia].
      - destruct (K E) as [t [I V]]. exists t. split; [exact I|]. now rewrite andb_true_r, Z.eqb_eq. }
    destruct G as [t [I X]]. unfold choose. destruct (find (good w s) (moves s)) as [c|] eqn:F;
      [|pose proof (find_none _ _ F t I); congruence]. apply find_some in F. destruct F as [_ C]. unfold good in C. apply andb_true_iff in C. destruct C as [V N]. apply Z.eqb_eq in V. split; [exact V|].
    intro P. unfold makes_progress in P. apply Z.ltb_lt in P. rewrite P in N. cbn in N. lia.
  Qed.

  (** One ply of a play that follows the strategy of [w]. *)
  Lemma one_ply : forall w f n, is_play f -> follows w (choose w) f -> listed (f n) ->
    gain w (value (f n)) <= gain w (value (f (S n))) /\
    (makes_progress state accrued w value (f n) ->
      gain w (value (f n)) < gain w (value (f (S n))) \/
      (value (f (S n)) = value (f n) /\ plies (f (S n)) < plies (f n))).
  Proof.
    intros w f n P F L. destruct (laws _ L) as (_ & B & _ & _ & Z0 & D).
    destruct (P n) as [I | [E Q]].
    - assert (E : moves (f n) <> []) by (intro X; rewrite X in I; contradiction).
      assert (W : mover (f n) = w \/ mover (f n) = other w) by (destruct (mover (f n)), w; auto).
      destruct W as [W | W].
      + destruct (chosen_is_good w (f n) L W E) as [V N]. rewrite (F n W E), V. split; [lia | auto].
      + pose proof (B _ I) as B'. rewrite W in B'.
        assert (O : gain w (value (f n)) <= gain w (value (f (S n)))) by (destruct w; unfold gain, other in *; lia).
        split; [exact O|]. intro G. destruct (Z.eq_dec (value (f (S n))) (value (f n))) as [V | V].
        * right. split; [exact V|]. unfold makes_progress in G.
          destruct (D ltac:(intro X; rewrite X in G; lia)) as (_ & _ & D').
          assert (W' : other (mover (f n)) = w) by (rewrite W; now destruct w).
          rewrite W' in D'. specialize (D' G (f (S n)) (conj I V)). lia.
        * left. destruct w; unfold gain in *; lia.
    - rewrite Q. split; [lia|]. intro G. unfold makes_progress in G.
      destruct (D ltac:(intro X; rewrite X in G; lia)) as [[t [[I _] _]] _]. rewrite E in I. contradiction.
  Qed.

  Lemma never_worse : forall w f, is_play f -> follows w (choose w) f -> listed (f 0%nat) ->
    forall n, gain w (value (f 0%nat)) <= gain w (value (f n)).
  Proof.
    intros w f P F L. induction n as [|n I]; [lia|].
    destruct (one_ply w f n P F (play_stays_listed f P L n)). lia.
  Qed.

  Lemma no_endless_progress : forall w f N, is_play f -> follows w (choose w) f -> listed (f 0%nat) ->
    ~ forall n, (N <= n)%nat -> makes_progress state accrued w value (f n).
  Proof.
    intros w f N P F L G.
    assert (X : forall a b n, (N <= n)%nat -> Z.to_nat (1000 - gain w (value (f n))) = a -> Z.to_nat (plies (f n)) = b -> False).
    { induction a as [a IHa] using lt_wf_ind. induction b as [b IHb] using lt_wf_ind. intros n G' A B.
      pose proof (play_stays_listed f P L n) as L1. pose proof (play_stays_listed f P L (S n)) as L2.
      destruct (laws _ L1) as (B1 & _ & _ & P1 & _). destruct (laws _ L2) as (B2 & _ & _ & P2 & _).
      destruct (one_ply w f n P F L1) as [_ O]. destruct (O (G n G')) as [U | [V U]].
      - refine (IHa (Z.to_nat (1000 - gain w (value (f (S n))))) _ _ (S n) _ eq_refl eq_refl); [|lia].
        destruct w; unfold gain in *; lia.
      - refine (IHb (Z.to_nat (plies (f (S n)))) _ (S n) _ _ eq_refl); [lia | lia | now rewrite V]. }
    exact (X _ _ N (le_n N) eq_refl eq_refl).
  Qed.

  Lemma secured : forall w s, listed s -> secures state mover moves accrued w (value s) s.
  Proof.
    intros w s L. exists (choose w). split.
    - intros t _ E. now apply chosen_is_move.
    - intros f o P S F [N H]. subst s.
      destruct (Z_le_gt_dec (gain w (value (f 0%nat))) (gain w o)) as [Y | Y]; [exact Y|]. exfalso.
      apply (no_endless_progress w f N P F L). intros n G. unfold makes_progress. rewrite (H n G).
      pose proof (never_worse w f P F L n). lia.
  Qed.

  Lemma plays_pay : forall s, listed s -> always_pays state moves accrued s.
  Proof.
    intros s L f P <- A.
    assert (M : forall n, (rank (f (S n)) <= rank (f n))%nat /\ (rank (f (S n)) = rank (f n) -> accrued (f (S n)) = accrued (f n))).
    { intro n. destruct (P n) as [I | [_ ->]]; [apply rank_falls; [now apply play_stays_listed | exact I] | auto]. }
    apply (comes_to_rest (fun n => rank (f n))); [intro n; apply M|]. intros [N H]. cbn beta in H. apply (A (accrued (f N))).
    exists N. induction n as [|n I]; intro G; [replace N with 0%nat by lia; reflexivity|].
    destruct (Nat.eq_dec N (S n)) as [->|]; [reflexivity|]. rewrite <- I by lia. apply M. rewrite (H (S n)), (H n) by lia. reflexivity.
  Qed.

  Theorem table_has_the_value : forall s, listed s -> is_value state mover moves accrued s (value s).
  Proof. intros s L. repeat split; [now apply plays_pay | now apply secured | now apply secured]. Qed.
End Table.

(** ** No state has two values, and no state has two numbers of plies. *)
Section Unique.
  Variables (state : Type) (mover : state -> player) (moves : state -> list state) (accrued : state -> Z).

  Theorem one_value : forall s u v,
    is_value state mover moves accrued s u -> is_value state mover moves accrued s v -> u = v.
  Proof.
    assert (X : forall s u v, is_value state mover moves accrued s u -> is_value state mover moves accrued s v -> u <= v).
    { intros s u v (A & (g & G & GU) & _) (_ & _ & (h & H & HV)).
      set (next t := match moves t with [] => t | _ => match mover t with White => g t | Black => h t end end).
      set (f := fix f n := match n with O => s | S n => next (f n) end).
      assert (P : is_play state moves f).
      { intro n. change (f (S n)) with (next (f n)). unfold step, next. pose proof (G (f n)) as GN. pose proof (H (f n)) as HN.
        destruct (moves (f n)); [auto|]. left. destruct (mover (f n)); [apply GN | apply HN]; congruence. }
      assert (FW : follows state mover moves White g f /\ follows state mover moves Black h f).
      { split; intros n M E; change (f (S n)) with (next (f n)); unfold next; rewrite M; destruct (moves (f n)); congruence. }
      destruct (Z_le_gt_dec u v) as [L | L]; [exact L|]. exfalso. apply (A f P eq_refl). intros o Q.
      pose proof (GU f o P eq_refl (proj1 FW) Q). pose proof (HV f o P eq_refl (proj2 FW) Q). cbn in *. lia. }
    intros. apply Z.le_antisymm; eauto.
  Qed.

  Variables (listed : state -> Prop) (value : state -> Z).
  Hypothesis closed : forall s t, listed s -> In t (moves s) -> listed t.

  Theorem one_count : forall plies plies',
    (forall s, listed s -> counts_plies state mover moves accrued value plies s) ->
    (forall s, listed s -> counts_plies state mover moves accrued value plies' s) ->
    forall s, listed s -> plies s = plies' s.
  Proof.
    assert (X : forall n, forall p p',
      (forall s, listed s -> counts_plies state mover moves accrued value p s) ->
      (forall s, listed s -> counts_plies state mover moves accrued value p' s) ->
      forall s, listed s -> Z.to_nat (p s) = n -> p' s <= p s).
    { induction n as [n IH] using lt_wf_ind. intros p p' C C' s L N.
      destruct (C s L) as (P & A & B). destruct (C' s L) as (P' & A' & B').
      destruct (Z.eq_dec (value s) (accrued s)) as [E | E]; [rewrite (A E), (A' E); lia|].
      destruct (B E) as [[t [[I V] Q]] [_ U]]. destruct (B' E) as [[t' [[I' V'] Q']] [U' _]].
      assert (W : makes_progress state accrued (mover s) value s \/ makes_progress state accrued (other (mover s)) value s)
        by (unfold makes_progress; destruct (mover s); cbn; lia).
      destruct W as [W | W].
      - pose proof (U' W t (conj I V)). destruct (C t (closed _ _ L I)) as [T _].
        pose proof (IH (Z.to_nat (p t)) ltac:(lia) p p' C C' t (closed _ _ L I) eq_refl). lia.
      - pose proof (U W t' (conj I' V')). destruct (C t' (closed _ _ L I')) as [T _].
        pose proof (IH (Z.to_nat (p t')) ltac:(lia) p p' C C' t' (closed _ _ L I') eq_refl). lia. }
    intros p p' C C' s L. apply Z.le_antisymm; eapply X; eauto.
  Qed.
End Unique.
