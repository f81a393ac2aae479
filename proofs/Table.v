(** A table that agrees with the moves, one ply at a time, has the values of the game. All of this file is proof. *)
From Coq Require Import ZArith List Lia Bool Wf_nat.
From Tbgen Require Import Game.
Import ListNotations.
Open Scope Z_scope.

Lemma find_if_any : forall A (p : A -> bool) l x, In x l -> p x = true -> exists y, find p l = Some y /\ In y l /\ p y = true.
Proof.
  intros A p l x I X. destruct (find p l) as [y|] eqn:F.
  - exists y. split; [reflexivity|]. now apply find_some in F.
  - pose proof (find_none _ _ F x I). congruence.
Qed.

(** A natural number that never rises stays the same from some ply on: the contrary is absurd. *)
Lemma comes_to_rest : forall (r : nat -> nat) start, (forall n, (start <= n)%nat -> (r (S n) <= r n)%nat) ->
  ~ ~ exists N, (start <= N)%nat /\ forall n, (N <= n)%nat -> r n = r N.
Proof.
  intros r start H. assert (X : forall m N, (start <= N)%nat -> r N = m -> ~ ~ exists N, (start <= N)%nat /\ forall n, (N <= n)%nat -> r n = r N).
  { induction m as [m IH] using lt_wf_ind. intros N L R A.
    assert (Y : forall n, (N <= n)%nat -> r n = r N).
    { induction n as [|n I]; intro G; [f_equal; lia|].
      destruct (Nat.eq_dec N (S n)) as [->|D]; [reflexivity|].
      assert (G' : (N <= n)%nat) by lia. specialize (I G'). pose proof (H n ltac:(lia)).
      destruct (Nat.eq_dec (r (S n)) (r n)); [congruence|].
      exfalso. refine (IH (r (S n)) _ (S n) _ eq_refl A); lia. }
    apply A. exists N. auto. }
  apply (X (r start) start); auto.
Qed.

Section Table.
  Variable state : Type.
  Variable mover : state -> player.
  Variable moves : state -> list state.
  Variable accrued : state -> Z.
  Notation is_play := (is_play state moves).
  Notation follows := (follows state mover moves).
  Notation pays := (pays state accrued).

  (** The table: some states, among which the moves lead, each with a value and plies. *)
  Variable listed : state -> Prop.
  Variable value : state -> Z.
  Variable plies : state -> Z.
  Variable bound : Z.

  (** What is checked of a state. *)
  Definition obeys (s : state) : Prop :=
    Z.abs (value s) <= bound /\
    (forall t, In t (moves s) -> gain (mover s) (value t) <= gain (mover s) (value s)) /\
    (moves s <> [] -> exists t, keeps state moves value s t) /\
    counts_plies state mover moves accrued value plies s.

  Hypothesis closed : forall s t, listed s -> In t (moves s) -> listed t.
  Hypothesis checked : forall s, listed s -> obeys s.

  (** What shows that the score cannot change for ever: the [past] never rises, and while it stays, nor does the
      [code]; while both stay, so does what has accrued. *)
  Variable past code : state -> nat.
  Hypothesis past_falls : forall s t, In t (moves s) -> (past t <= past s)%nat.
  Hypothesis code_falls : forall s t, In t (moves s) -> past t = past s -> (code t <= code s)%nat.
  Hypothesis rest_stays : forall s t, In t (moves s) -> past t = past s -> code t = code s -> accrued t = accrued s.

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
    intros w s L M E. destruct (checked s L) as (_ & _ & K & Q & _ & D).
    assert (G : exists t, In t (moves s) /\ good w s t = true).
    { unfold good. destruct (Z.ltb_spec (gain w (accrued s)) (gain w (value s))) as [P | P]; cbn.
      - destruct (D ltac:(intro X; rewrite X in P; lia)) as [[t [[I V] N]] _]. exists t. split; [exact I|].
        apply andb_true_iff. split; [now apply Z.eqb_eq | apply Z.ltb_lt; lia].
      - destruct (K E) as [t [I V]]. exists t. split; [exact I|]. now rewrite andb_true_r, Z.eqb_eq. }
    destruct G as [t [I X]]. unfold choose. destruct (find_if_any _ _ _ _ I X) as [c [F [_ C]]]. rewrite F.
    unfold good in C. apply andb_true_iff in C. destruct C as [V N]. apply Z.eqb_eq in V. split; [exact V|].
    intro P. unfold makes_progress in P. apply Z.ltb_lt in P. rewrite P in N. cbn in N. lia.
  Qed.

  (** One ply of a play that follows the strategy of [w]. *)
  Lemma one_ply : forall w f n, is_play f -> follows w (choose w) f -> listed (f n) ->
    gain w (value (f n)) <= gain w (value (f (S n))) /\
    (makes_progress state accrued w value (f n) ->
      gain w (value (f n)) < gain w (value (f (S n))) \/
      (value (f (S n)) = value (f n) /\ plies (f (S n)) < plies (f n))).
  Proof.
    intros w f n P F L. destruct (checked _ L) as (_ & B & _ & _ & Z0 & D).
    destruct (P n) as [I | [E Q]].
    - assert (E : moves (f n) <> []) by (intro X; rewrite X in I; contradiction).
      assert (W : mover (f n) = w \/ mover (f n) = other w) by (destruct (mover (f n)), w; auto).
      destruct W as [W | W].
      + destruct (chosen_is_good w (f n) L W E) as [V N]. rewrite (F n W E), V. split; [lia | auto].
      + pose proof (B _ I) as B'. rewrite W in B'.
        assert (O : gain w (value (f n)) <= gain w (value (f (S n)))) by (destruct w; cbn in *; lia).
        split; [exact O|]. intro G. destruct (Z.eq_dec (value (f (S n))) (value (f n))) as [V | V].
        * right. split; [exact V|]. unfold makes_progress in G.
          destruct (D ltac:(intro X; rewrite X in G; lia)) as (_ & _ & D').
          assert (W' : other (mover (f n)) = w) by (rewrite W; now destruct w).
          rewrite W' in D'. specialize (D' G (f (S n)) (conj I V)). lia.
        * left. destruct w; cbn in *; lia.
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
    assert (X : forall a b n, (N <= n)%nat -> Z.to_nat (bound - gain w (value (f n))) = a -> Z.to_nat (plies (f n)) = b -> False).
    { induction a as [a IHa] using lt_wf_ind. induction b as [b IHb] using lt_wf_ind. intros n G' A B.
      pose proof (play_stays_listed f P L n) as L1. pose proof (play_stays_listed f P L (S n)) as L2.
      destruct (checked _ L1) as (B1 & _ & _ & P1 & _). destruct (checked _ L2) as (B2 & _ & _ & P2 & _).
      destruct (one_ply w f n P F L1) as [_ O]. destruct (O (G n G')) as [U | [V U]].
      - refine (IHa (Z.to_nat (bound - gain w (value (f (S n))))) _ _ (S n) _ eq_refl eq_refl); [|lia].
        destruct w; cbn in *; lia.
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

  Lemma plays_pay : forall s, always_pays state moves accrued s.
  Proof.
    intros s f P _ A.
    assert (M : forall n, (past (f (S n)) <= past (f n))%nat).
    { intro n. destruct (P n) as [I | [_ E]]; [now apply past_falls | rewrite E; lia]. }
    apply (comes_to_rest (fun n => past (f n)) 0%nat); [auto|]. intros [N [_ H]].
    assert (C : forall n, (N <= n)%nat -> (code (f (S n)) <= code (f n))%nat).
    { intros n G. destruct (P n) as [I | [_ E]]; [|rewrite E; lia]. apply code_falls; [exact I|].
      rewrite (H n), (H (S n)) by lia. reflexivity. }
    apply (comes_to_rest (fun n => code (f n)) N C). intros [K [G R]].
    apply (A (accrued (f K))). exists K. induction n as [|n I]; intro Y; [replace K with 0%nat by lia; reflexivity|].
    destruct (Nat.eq_dec K (S n)) as [->|]; [reflexivity|]. rewrite <- I by lia.
    destruct (P n) as [J | [_ E]]; [|now rewrite E].
    apply rest_stays; [exact J | rewrite (H (S n)), (H n) by lia | rewrite (R (S n)), (R n) by lia]; reflexivity.
  Qed.

  Theorem table_has_the_value : forall s, listed s -> is_value state mover moves accrued s (value s).
  Proof. intros s L. repeat split; [apply plays_pay | now apply secured | now apply secured]. Qed.
End Table.

(** ** No state has two values, and no state has two numbers of plies. *)
Section Unique.
  Variable state : Type.
  Variable mover : state -> player.
  Variable moves : state -> list state.
  Variable accrued : state -> Z.

  Theorem one_value : forall s u v,
    is_value state mover moves accrued s u -> is_value state mover moves accrued s v -> u = v.
  Proof.
    assert (X : forall s u v, is_value state mover moves accrued s u -> is_value state mover moves accrued s v -> u <= v).
    { intros s u v (A & (g & G & GU) & _) (_ & _ & (h & H & HV)).
      set (next t := match moves t with [] => t | _ => match mover t with White => g t | Black => h t end end).
      set (f := fix f n := match n with O => s | S n => next (f n) end).
      assert (N : forall t, moves t <> [] -> next t = match mover t with White => g t | Black => h t end).
      { intros t E. unfold next. destruct (moves t); congruence. }
      assert (P : is_play state moves f).
      { intro n. change (f (S n)) with (next (f n)). destruct (moves (f n)) eqn:E.
        - right. split; [exact E|]. unfold next. now rewrite E.
        - left. assert (E' : moves (f n) <> []) by congruence. rewrite (N _ E').
          destruct (mover (f n)) eqn:M; [now apply G | now apply H]. }
      assert (FW : follows state mover moves White g f).
      { intros n M E. change (f (S n)) with (next (f n)). now rewrite (N _ E), M. }
      assert (FB : follows state mover moves Black h f).
      { intros n M E. change (f (S n)) with (next (f n)). now rewrite (N _ E), M. }
      destruct (Z_le_gt_dec u v) as [L | L]; [exact L|]. exfalso. apply (A f P eq_refl). intros o Q.
      pose proof (GU f o P eq_refl FW Q). pose proof (HV f o P eq_refl FB Q). cbn in *. lia. }
    intros. apply Z.le_antisymm; eauto.
  Qed.

  Variable listed : state -> Prop.
  Variable value : state -> Z.
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
