(** What a yes of the checker means: the dump has the values of the game. All of this file is proof. *)
From Coq Require Import ZArith List Lia Bool.
From Tbgen Require Import Game Chess Table Checker.
Import ListNotations.
Open Scope Z_scope.

Ltac split_and H := repeat match type of H with (_ && _) = true => let L := fresh H in apply andb_true_iff in H; destruct H as [H L] end.

(** ** Squares, men, materials *)
Lemma same_is_equal : forall a b, same a b = true -> a = b.
Proof. intros [f r] [f' r'] H. unfold same in H. cbn in H. apply andb_true_iff in H. rewrite !Z.eqb_eq in H. destruct H. now subst. Qed.

Lemma on_board_in_squares : forall s, on_board s = true -> In s squares.
Proof.
  intros [f r] H. unfold on_board, within in H. cbn in H. rewrite !andb_true_iff, !Z.leb_le in H.
  unfold squares. apply in_flat_map. exists r. split; [cbn; lia|]. apply in_map_iff. exists f. split; [reflexivity | cbn; lia].
Qed.

(** ** The rank of a pair, by which the score cannot change for ever *)
Definition rank (s : pair) : nat := Z.to_nat (1000 * past (fst s) + code (snd s)).

Lemma past_not_negative : forall p, 0 <= past p.
Proof. intro p. unfold past. induction (men p) as [|m ms I]; cbn [fold_right]; [lia|]. destruct (is_pawn m); lia. Qed.

Lemma count_not_negative : forall A (l : list A), 0 <= count l.
Proof. induction l; cbn [count]; lia. Qed.

Lemma move_of : forall s t, In t (pair_moves s) -> exists y, In y (legal_plies (fst s)) /\ t = (next y, accrue (snd s) y).
Proof. intros s t H. apply in_map_iff in H. destruct H as [y [<- I]]. eauto. Qed.

(** ** Small facts about the checker *)
Lemma all_after_all : forall A B C (f : A -> option B) (g : B -> option C) (h : A -> C) l ws ts,
  all f l = Some ws -> all g ws = Some ts -> (forall a w, In a l -> f a = Some w -> g w = Some (h a) \/ g w = None) -> ts = map h l.
Proof.
  induction l as [|a l IH]; intros ws ts F G H; cbn in F; [inversion F; subst ws; now inversion G|].
  destruct (f a) as [w|] eqn:E; [|discriminate]. destruct (all f l) as [ws'|]; [|discriminate]. inversion F. subst ws. cbn in G.
  destruct (H a w (or_introl eq_refl) E) as [X | X]; rewrite X in G; [|discriminate].
  destruct (all g ws') as [ts'|] eqn:T; [|discriminate]. inversion G. cbn. f_equal.
  apply (IH ws' ts' eq_refl T). intros. apply H; [now right | assumption].
Qed.

Lemma all_have : forall A B (f : A -> option B) l bs a, all f l = Some bs -> In a l -> f a <> None.
Proof.
  induction l as [|x l IH]; intros bs a H I; [contradiction|]. cbn in H. destruct (f x) as [b|] eqn:F; [|discriminate].
  destruct (all f l) as [rest|]; [|discriminate]. destruct I as [<-|I]; [congruence | exact (IH rest a eq_refl I)].
Qed.

Lemma all_given : forall A B (f : A -> option B) g l, (forall a, In a l -> f a = Some (g a)) -> all f l = Some (map g l).
Proof.
  induction l as [|a l IH]; intro H; [reflexivity|]. cbn. rewrite (H a) by now left.
  rewrite IH by (intros x X; apply H; now right). reflexivity.
Qed.

Lemma codes_checked : forall fuel k top f, check_codes fuel k top f = true -> forall j, k <= j <= top -> f j = true.
Proof.
  induction fuel as [|fuel IH]; intros k top f H j J; cbn in H;
    replace (top <? k) with false in H by (symmetry; apply Z.ltb_ge; lia); cbn in H; [discriminate H|].
  apply andb_true_iff in H. destruct H as [F H].
  destruct (Z.eq_dec j k) as [->|N]; [exact F|]. apply (IH (k + 1) top f H). lia.
Qed.

Lemma placements_checked : forall check ms placed, Forall (fun m => In (place m) squares) ms ->
  check_placements (map (fun m => (owner m, kind m)) ms) placed check = true -> check (placed ++ ms) = true.
Proof.
  intros check. induction ms as [|[w r s] ms IH]; intros placed S H; cbn [map check_placements] in H; [now rewrite app_nil_r|].
  inversion S as [|x l Sx Sl]. subst. rewrite forallb_forall in H. specialize (H s Sx). apply IH in H; [|exact Sl].
  now rewrite <- app_assoc in H.
Qed.

(** Where the value's code is lower than the accrued one, the accrued score has no say. *)
Lemma agrees_beyond : forall w x c ts, Z.abs x < Z.abs (fst c) -> agrees w 0 c ts = true -> agrees w x c ts = true.
Proof.
  intros w x [v d] ts L H. unfold agrees in *. cbn in L.
  destruct (Z.eqb_spec v x), (Z.eqb_spec v 0); try lia.
  replace (gain w x <? gain w v) with (gain w 0 <? gain w v); [exact H|].
  destruct w; cbn; destruct (Z.ltb_spec 0 v), (Z.ltb_spec x v), (Z.ltb_spec (- 0) (- v)), (Z.ltb_spec (- x) (- v)); lia.
Qed.

Section Sound.
  Variables (dump_entry : position -> option cell) (dump_held : position -> score -> option cell) (dump_own : position -> Z).
  Variable materials : list material.
  Notation cells_of := (cells_of dump_entry dump_held).
  Notation cells_after := (cells_after dump_entry dump_held dump_own).
  Notation table := (table dump_entry dump_held).
  Notation is_covered := (is_covered materials).

  (** The checker has said yes to each of the materials. *)
  Hypothesis said_yes : forall m, In m materials -> check_material dump_entry dump_held dump_own materials m = true.

  (** The pairs of which the dump tells the value. *)
  Definition listed (s : pair) : Prop :=
    legal (fst s) = true /\ is_covered (fst s) = true /\ cells_of (fst s) <> None /\
    can_hold (material_of (fst s)) (snd s) = true /\
    (snd s = own_score (fst s) \/ (passed (fst s) = None /\ 2 <= code (snd s) <= own_code (fst s))).

  Definition cell_in (s : pair) : cell := match table s with Some c => c | None => (0, 0) end.

  Lemma position_checked : forall p, legal p = true -> is_covered p = true ->
    check_position dump_entry dump_held dump_own materials p = true.
  Proof.
    intros p L C. unfold Checker.is_covered in C. destruct (in_dec _ _ _) as [I|]; [|discriminate].
    specialize (said_yes _ I). unfold check_material in said_yes.
    pose proof L as L'. unfold legal in L'. split_and L'.
    assert (S : Forall (fun m => In (place m) squares) (men p)).
    { apply Forall_forall. intros m M. rewrite forallb_forall in L'. specialize (L' m M). unfold stands_well in L'.
      apply andb_true_iff in L'. now apply on_board_in_squares. }
    apply (placements_checked _ _ [] S) in said_yes. cbn [app] in said_yes. unfold check_men in said_yes.
    rewrite forallb_forall in said_yes. specialize (said_yes (turn p) ltac:(destruct (turn p); cbn; auto)).
    rewrite forallb_forall in said_yes.
    assert (R : In (passed p) (rights (men p))).
    { unfold rights. destruct (passed p) as [e|]; [right | now left]. unfold has_passed in L'0. apply existsb_exists in L'0.
      destruct L'0 as [m [M H]]. split_and H. apply in_map_iff. exists m. apply same_is_equal in H3. subst e.
      split; [reflexivity|]. apply filter_In. auto. }
    specialize (said_yes (passed p) R). now destruct p.
  Qed.

  (** What the check of one position says. *)
  Lemma legal_checked : forall p here, legal p = true -> is_covered p = true -> cells_of p = Some here ->
    dump_own p = own_code p /\ own_code p < 1000 /\ can_hold (material_of p) (own_score p) = true /\
    cell_at (own_score p) here = Some (entry here) /\
    (forall y, In y (legal_plies p) -> check_ply materials p y = true) /\
    exists ways, all cells_after (legal_plies p) = Some ways /\
      check_pair p here ways (own_score p) = true /\
      (passed p = None -> check_scores p (own_code p) here ways = true).
  Proof.
    intros p here L C E. pose proof (position_checked p L C) as H. unfold check_position in H. rewrite L, E in H. cbn [negb orb] in H.
    unfold check_legal in H. apply andb_true_iff in H. destruct H as [H W]. split_and H.
    apply Z.eqb_eq in H. change (dump_own p = own_code p) in H. rewrite H in *. fold (own_score p) in *.
    apply Z.ltb_lt in H3. rewrite forallb_forall in H0.
    destruct (all cells_after (legal_plies p)) as [ways|]; [|discriminate]. apply andb_true_iff in W. destruct W as [W1 W2].
    repeat split; auto.
    - unfold is_cell in H1. destruct (cell_at (own_score p) here) as [[v d]|]; [|discriminate]. destruct (entry here) as [v' d'].
      cbn in H1. apply andb_true_iff in H1. rewrite !Z.eqb_eq in H1. destruct H1. now subst.
    - exists ways. repeat split; auto. intro P. now rewrite P in W2.
  Qed.

  Lemma table_of : forall p here b, cells_of p = Some here -> table (p, b) = cell_at b here.
  Proof. intros p here b E. unfold Checker.table. cbn [fst snd]. now rewrite E. Qed.

  Lemma moves_need_a_code : forall p b y, listed (p, b) -> In y (legal_plies p) -> 2 <= code b.
  Proof.
    intros p b y (_ & _ & _ & _ & B) I. cbn [fst snd] in B. destruct B as [-> | [_ B]]; [|lia]. cbn. unfold own_code, code_with.
    destruct (legal_plies p) as [|x l]; [contradiction|]. pose proof (count_not_negative _ l). cbn [count].
    destruct (in_check _ _); lia.
  Qed.

  (** What the check of a ply says, beside its cells. *)
  Lemma ply_checked : forall p b y, listed (p, b) -> In y (legal_plies p) ->
    listed (next y, accrue b y) /\ is_covered (next y) = true /\ own_code (next y) < 1000 /\
    (is_reset y = true -> past (next y) < past p) /\ (is_reset y = false -> past (next y) = past p).
  Proof.
    intros p b y S I. pose proof S as (L & C & N & B & O). cbn [fst snd] in *.
    pose proof (moves_need_a_code p b y S I) as K. destruct (cells_of p) as [here|] eqn:E; [|congruence].
    destruct (legal_checked p here L C E) as (_ & _ & _ & _ & CN & ways & W & _). specialize (CN y I).
    pose proof (proj2 (proj1 (filter_In _ _ _) I)) as LN. pose proof (all_have _ _ _ _ _ y W I) as Y. unfold Checker.cells_after in Y.
    destruct (cells_of (next y)) as [there|] eqn:T; [|congruence].
    assert (X : is_covered (next y) = true /\ (is_reset y = true -> past (next y) < past p) /\ (is_reset y = false ->
      past (next y) = past p /\ material_of (next y) = material_of p /\ passed (next y) = None)).
    { unfold check_ply in CN. destruct (is_reset y); [apply andb_true_iff in CN; destruct CN as [CN1 CN2]; apply Z.ltb_lt in CN1; repeat split; auto; discriminate|].
      split_and CN. apply Z.eqb_eq in CN. destruct (same_material _ _) as [CM|]; [|discriminate]. destruct (passed (next y)); [discriminate|].
      split; [unfold Checker.is_covered in *; now rewrite CM | split; [discriminate | auto]]. }
    destruct X as (V & R & Q). destruct (legal_checked (next y) there LN V T) as (_ & U & BN & _).
    split; [|split; [exact V | split; [exact U | split; [exact R | intro X; now apply Q]]]].
    unfold listed. cbn [fst snd]. rewrite T. split; [exact LN|]. split; [exact V|]. split; [discriminate|].
    unfold accrue. destruct (is_reset y) eqn:Z; cbn [orb]; [auto|]. destruct (Q eq_refl) as (_ & M & P).
    destruct (Z.ltb_spec (own_code (next y)) (code b)) as [G | G]; [auto|]. rewrite M. auto.
  Qed.

  Theorem plays_stay_listed : forall s t, listed s -> In t (pair_moves s) -> listed t.
  Proof. intros [p b] t S H. apply move_of in H. destruct H as [y [I ->]]. exact (proj1 (ply_checked p b y S I)). Qed.

  Lemma rank_falls : forall s t, listed s -> In t (pair_moves s) ->
    (rank t <= rank s)%nat /\ (rank t = rank s -> pair_accrued t = pair_accrued s).
  Proof.
    intros [p b] t S H. apply move_of in H. destruct H as [y [I ->]]. cbn [fst snd] in *.
    destruct (ply_checked p b y S I) as (_ & _ & U & R & Q). pose proof (moves_need_a_code p b y S I).
    pose proof (past_not_negative p).
    unfold rank, pair_accrued, accrue. cbn [fst snd]. destruct (is_reset y); cbn [orb].
    - specialize (R eq_refl). cbn [own_score code]. split; lia.
    - specialize (Q eq_refl). destruct (Z.ltb_spec (own_code (next y)) (code b)); cbn [own_score code]; split; try reflexivity; lia.
  Qed.

  (** The cell that a move leads to is that of the pair. *)
  Lemma cell_after : forall p b y c, listed (p, b) -> In y (legal_plies p) -> cells_after y = Some c ->
    cell_at b c = table (next y, accrue b y).
  Proof.
    intros p b y c S I Y. pose proof (moves_need_a_code p b y S I) as K. destruct (ply_checked p b y S I) as (_ & V & _).
    unfold Checker.cells_after in Y. destruct (cells_of (next y)) as [there|] eqn:T; [|discriminate]. inversion Y. subst c.
    destruct (legal_checked (next y) there (proj2 (proj1 (filter_In _ _ _) I)) V T) as (O & _ & _ & A & _).
    rewrite (table_of _ _ _ T), O. unfold accrue. destruct (is_reset y); cbn [orb].
    - rewrite A. unfold cell_at. cbn [least entry]. destruct (Z.ltb_spec 0 (code b)); [reflexivity | lia].
    - destruct (Z.ltb_spec (own_code (next y)) (code b)) as [G | G]; [rewrite A|]; unfold cell_at; cbn [least entry later];
        destruct (Z.ltb_spec (Z.min (own_code (next y)) (least there)) (code b)), (Z.ltb_spec (least there) (code b)); auto; lia.
  Qed.

  Lemma greatest_least : forall ways n, n <= fold_right (fun c n => Z.max (least c) n) n ways /\
    forall c, In c ways -> least c <= fold_right (fun c n => Z.max (least c) n) n ways.
  Proof.
    induction ways as [|w ways IH]; intro n; cbn; [split; [lia | contradiction]|]. destruct (IH n) as [A B].
    split; [lia|]. intros c [<-|I]; [lia|]. specialize (B c I). lia.
  Qed.

  (** Each listed pair agrees with the cells that its moves lead to. *)
  Lemma pair_agrees : forall s, listed s -> table s = Some (cell_in s) /\
    agrees (pair_mover s) (pair_accrued s) (cell_in s) (map cell_in (pair_moves s)) = true.
  Proof.
    intros [p b] S. pose proof S as (L & C & N & B & O). cbn [fst snd] in *. destruct (cells_of p) as [here|] eqn:E; [|congruence].
    destruct (legal_checked p here L C E) as (_ & U & _ & _ & _ & ways & W & P & Q).
    assert (X : exists c ts, cell_at b here = Some c /\ all (cell_at b) ways = Some ts /\ agrees (turn p) (outcome b) c ts = true).
    { match goal with |- ?G => assert (X : check_pair p here ways b = true -> G) end.
      { intro H. unfold check_pair in H. rewrite B in H. cbn [negb orb] in H.
        destruct (cell_at b here) as [c|]; [|discriminate]. destruct (all (cell_at b) ways) as [ts|]; [eauto | discriminate]. }
      destruct O as [-> | [N' K]]; [now apply X|]. specialize (Q N'). unfold check_scores in Q.
      set (top := fold_right _ _ ways) in Q. apply andb_true_iff in Q. destruct Q as [Q R].
      destruct (greatest_least ways (least here)) as [T1 T2]. fold top in T1, T2.
      destruct (Z.leb_spec (own_code p) top) as [G' | G'], (Z.le_gt_cases (code b) top) as [G | G]; try lia; cbn [orb] in R.
      1, 2: apply X; pose proof (codes_checked _ _ _ _ Q (code b) ltac:(lia)) as Y; cbn beta in Y; apply andb_true_iff in Y;
        destruct Y, b as [[] k]; assumption.
      exists (entry here), (map entry ways). split; [|split].
      - unfold cell_at. destruct (Z.ltb_spec (least here) (code b)); [reflexivity | lia].
      - apply all_given. intros c I. specialize (T2 c I). unfold cell_at. destruct (Z.ltb_spec (least c) (code b)); [reflexivity | lia].
      - apply agrees_beyond; [|exact R]. unfold Checker.cells_of in E. destruct (dump_entry p) as [e|]; [|discriminate].
        inversion E. subst here. cbn [entry least] in *. unfold code_of in T1. unfold outcome. destruct (holder b); lia. }
    destruct X as (c & ts & H & A & G). unfold cell_in at 1 2. rewrite (table_of p here b E), H. split; [reflexivity|].
    unfold pair_moves. cbn [fst snd]. rewrite map_map. erewrite <- all_after_all; [exact G | exact W | exact A|].
    intros y w I Y. unfold cell_in. rewrite (cell_after p b y w S I Y). destruct (table _); auto.
  Qed.

  (** ** What follows

      The dump tells the value of every listed pair, and its plies. *)
  Theorem dump_is_right : forall s, listed s -> table s = Some (cell_in s) /\ is_value_of s (fst (cell_in s)) /\
    counts_plies_of (fun t => fst (cell_in t)) (fun t => snd (cell_in t)) s.
  Proof.
    intros s S. pose proof (fun t T => proj2 (pair_agrees t T)) as A. split; [now apply pair_agrees|]. split.
    - exact (table_has_the_value _ _ _ _ listed cell_in plays_stay_listed A rank rank_falls s S).
    - exact (proj2 (proj2 (proj2 (laws _ _ _ _ listed cell_in A s S)))).
  Qed.

  (** Every legal position of the materials is listed with its own score, unless a pawn has just passed a square;
      and so is every pair that play leads to from a listed pair (plays_stay_listed). *)
  Theorem positions_are_listed : forall p, legal p = true -> is_covered p = true -> passed p = None -> listed (p, own_score p).
  Proof.
    intros p L C P. pose proof (position_checked p L C) as H. unfold check_position in H. rewrite L, P in H.
    unfold listed. cbn [fst snd]. destruct (cells_of p) as [here|] eqn:E; [|discriminate].
    destruct (legal_checked p here L C E) as (_ & _ & B & _). repeat split; auto; discriminate.
  Qed.
End Sound.

Print Assumptions dump_is_right.
Print Assumptions positions_are_listed.
Print Assumptions plays_stay_listed.
Print Assumptions one_value.
Print Assumptions one_count.
