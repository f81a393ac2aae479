(** What a yes of the checker means: the dump has the values of the game. All of this file is proof. *)
From Coq Require Import ZArith List Lia Bool.
From Tbgen Require Import Game Chess Table Checker.
Import ListNotations.
Open Scope Z_scope.

Ltac split_and H := repeat match type of H with (_ && _) = true => let L := fresh H in apply andb_true_iff in H; destruct H as [H L] end.

(** ** Squares, men, materials *)
Lemma same_is_equal : forall a b, same a b = true -> a = b.
Proof. intros [f r] [f' r'] H. unfold same in H. cbn in H. apply andb_true_iff in H. rewrite !Z.eqb_eq in H. destruct H. now subst. Qed.

Lemma in_coordinates : forall z, 0 <= z <= 7 -> In z coordinates.
Proof. intros z H. unfold coordinates. cbn. lia. Qed.

Lemma on_board_in_squares : forall s, on_board s = true -> In s squares.
Proof.
  intros [f r] H. unfold on_board, within in H. cbn in H. rewrite !andb_true_iff, !Z.leb_le in H.
  unfold squares. apply in_flat_map. exists r. split; [apply in_coordinates; lia|].
  apply in_map_iff. exists f. split; [reflexivity | apply in_coordinates; lia].
Qed.

Lemma squares_on_board : forall s, In s squares -> 0 <= file s <= 7 /\ 0 <= rank s <= 7.
Proof.
  intros s H. unfold squares in H. apply in_flat_map in H. destruct H as [r [R H]]. apply in_map_iff in H.
  destruct H as [f [<- F]]. unfold coordinates in *. cbn in *. lia.
Qed.

Lemma same_material_is_equal : forall a b, is_same_material a b = true -> a = b.
Proof.
  induction a as [|[w r] a IH]; intros [|[w' r'] b] H; cbn in H; try discriminate; [reflexivity|].
  unfold is_same_man in H. cbn in H. apply andb_true_iff in H. destruct H as [M H]. rewrite (IH b H).
  apply andb_true_iff in M. destruct M as [M N]. destruct w, w', r, r'; discriminate || reflexivity.
Qed.

(** ** Plies *)
Lemma picked : forall ms pre before m after, In (before, m, after) (picks pre ms) -> pre ++ ms = before ++ m :: after.
Proof.
  induction ms as [|x ms IH]; intros pre before m after H; [contradiction|]. destruct H as [E | H].
  - now inversion E.
  - apply IH in H. now rewrite <- app_assoc in H.
Qed.

Lemma ply_of : forall p y, In y (plies_of p) -> exists before m after s r,
  men p = before ++ m :: after /\ In s squares /\ reaches p m s = true /\ In r (becomes m s) /\ y = go p before m after s r.
Proof.
  intros p y H. unfold plies_of in H. apply in_flat_map in H. destruct H as [[[before m] after] [P H]].
  destruct (is_of (turn p) m); [|contradiction]. apply in_flat_map in H. destruct H as [s [S H]].
  destruct (reaches p m s) eqn:R; [|contradiction]. apply in_map_iff in H. destruct H as [r [<- B]].
  exists before, m, after, s, r. apply picked in P. auto.
Qed.

Lemma none_without : forall s ms, is_empty ms s = true -> without s ms = ms.
Proof.
  intros s ms H. induction ms as [|m ms IH]; [reflexivity|]. unfold is_empty in *. cbn in *.
  apply negb_true_iff, orb_false_iff in H. destruct H as [M H]. rewrite M. cbn. f_equal. apply IH. now rewrite H.
Qed.

Lemma empty_app : forall a b s, is_empty (a ++ b) s = is_empty a s && is_empty b s.
Proof. intros. unfold is_empty. rewrite existsb_app. apply negb_orb. Qed.

(** A move that is no reset leaves men and pawns as they are. *)
Lemma quiet_keeps_material : forall p y, In y (plies_of p) -> is_reset y = false ->
  material_of (next y) = material_of p /\ passed (next y) = None.
Proof.
  intros p y I Q. destruct (ply_of p y I) as (before & m & after & s & r & M & _ & _ & B & ->).
  cbn in *. apply orb_false_iff in Q. destruct Q as [P E]. apply negb_false_iff in E. rewrite empty_app in E.
  apply andb_true_iff in E. destruct E as [E1 E2]. rewrite P. split; [|reflexivity].
  unfold material_of. cbn. rewrite M, (none_without _ _ E1), (none_without _ _ E2), !map_app. cbn.
  unfold becomes in B. rewrite P in B. destruct B as [<-|[]]. reflexivity.
Qed.

(** The past: men, and steps that are left to pawns. It falls with a reset, and stays without. *)
Definition weight (m : man) : nat :=
  match kind m with Pawn => S (Z.to_nat (Z.abs (last_rank (owner m) - rank (place m)))) | _ => 1 end.
Definition past (s : pair) : nat := list_sum (map weight (men (fst s))).

Lemma fewer_without : forall s ms, (list_sum (map weight (without s ms)) <= list_sum (map weight ms))%nat /\
  (is_empty ms s = false -> (list_sum (map weight (without s ms)) < list_sum (map weight ms))%nat).
Proof.
  intros s ms. induction ms as [|m ms [L E]]; [split; [cbn; lia | discriminate]|].
  assert (W : (1 <= weight m)%nat) by (unfold weight; destruct (kind m); lia).
  unfold is_empty, without, list_sum in *. cbn in *. destruct (is_on s m); cbn; [lia|]. split; [lia|]. intro H. specialize (E H). lia.
Qed.

Lemma pawn_comes_nearer : forall p m s r, In s squares -> is_pawn m = true -> reaches p m s = true -> In r (becomes m s) ->
  (weight (Man (owner m) r s) < weight m)%nat.
Proof.
  intros p m s r I P R B. apply squares_on_board in I. unfold reaches in R. rewrite P in R.
  assert (F : rank s = rank (place m) + forward (owner m) \/ rank s = rank (place m) + 2 * forward (owner m)).
  { apply orb_true_iff in R. destruct R as [R | R].
    - unfold advances in R. apply andb_true_iff in R. destruct R as [_ R]. apply orb_true_iff in R. destruct R as [R | R].
      + apply same_is_equal in R. subst s. unfold ahead. cbn [rank]. lia.
      + split_and R. apply same_is_equal in R. subst s. unfold ahead. cbn [rank]. lia.
    - apply andb_true_iff in R. destruct R as [R _]. unfold attacks in R. apply andb_true_iff in R. destruct R as [_ R].
      unfold is_pawn in P. destruct (kind m); try discriminate. split_and R. apply Z.eqb_eq in R0. lia. }
  assert (W : weight m = S (Z.to_nat (Z.abs (last_rank (owner m) - rank (place m))))).
  { unfold weight. unfold is_pawn in P. now destruct (kind m). }
  rewrite W. unfold becomes in B. rewrite P in B. unfold weight. cbn [owner kind place andb] in *.
  destruct (rank s =? last_rank (owner m)) eqn:L.
  - apply Z.eqb_eq in L. unfold forward, last_rank in *.
    destruct B as [<-|[<-|[<-|[<-|[]]]]]; destruct (owner m); lia.
  - destruct B as [<-|[]]. unfold is_pawn in P. destruct (kind m); try discriminate.
    unfold forward, last_rank in *. destruct (owner m); lia.
Qed.

Lemma past_after : forall p b b' y, In y (plies_of p) ->
  (past (next y, b') <= past (p, b))%nat /\ (is_reset y = true -> (past (next y, b') < past (p, b))%nat).
Proof.
  intros p b b' y I. destruct (ply_of p y I) as (before & m & after & s & r & M & I' & R & B & ->).
  unfold past, go. cbn [fst next men is_reset]. rewrite M, !map_app, !list_sum_app.
  set (taken := if takes_in_passing p m s then _ else _).
  destruct (fewer_without taken before) as [L1 E1]. destruct (fewer_without taken after) as [L2 E2].
  unfold list_sum in *. cbn [map fold_right].
  destruct (is_pawn m) eqn:P.
  - pose proof (pawn_comes_nearer p m s r I' P R B). split; [|intros _]; lia.
  - assert (W : weight (Man (owner m) r s) = weight m).
    { unfold becomes in B. rewrite P in B. destruct B as [<-|[]]. unfold weight. cbn. unfold is_pawn in P. now destruct (kind m). }
    rewrite W. split; [lia|]. intro H. apply negb_true_iff in H. rewrite empty_app in H. apply andb_false_iff in H.
    destruct H as [H | H]; [specialize (E1 H) | specialize (E2 H)]; lia.
Qed.

Lemma count_not_negative : forall A (l : list A), 0 <= count l.
Proof. induction l; cbn [count]; lia. Qed.
Lemma own_code_not_negative : forall p, 0 <= own_code p.
Proof. intro p. unfold own_code, code_with. pose proof (count_not_negative _ (legal_plies p)). destruct (in_check _ _); lia. Qed.

Definition code_in (s : pair) : nat := Z.to_nat (code (snd s)).

Lemma move_of : forall s t, In t (pair_moves s) -> exists y, In y (legal_plies (fst s)) /\ t = (next y, accrue (snd s) y).
Proof. intros s t H. apply in_map_iff in H. destruct H as [y [<- I]]. eauto. Qed.

Lemma legal_ply : forall p y, In y (legal_plies p) -> In y (plies_of p) /\ legal (next y) = true.
Proof. intros p y H. now apply filter_In in H. Qed.

Lemma past_never_rises : forall s t, In t (pair_moves s) -> (past t <= past s)%nat.
Proof.
  intros [p b] t H. apply move_of in H. destruct H as [y [I ->]]. apply legal_ply in I. now apply past_after.
Qed.

Lemma accrue_within_past : forall s t, In t (pair_moves s) -> past t = past s ->
  (code_in t <= code_in s)%nat /\ (code_in t = code_in s -> pair_accrued t = pair_accrued s).
Proof.
  intros [p b] t H E. apply move_of in H. destruct H as [y [I ->]]. apply legal_ply in I. destruct I as [I _].
  destruct (past_after p b (accrue b y) y I) as [_ F]. unfold code_in, pair_accrued, accrue in *. cbn [fst snd] in *.
  destruct (is_reset y) eqn:R; [specialize (F eq_refl); lia|]. cbn.
  destruct (Z.ltb_spec (own_code (next y)) (code b)) as [L | L]; cbn; [|lia].
  pose proof (own_code_not_negative (next y)). lia.
Qed.

(** ** Small facts about the checker *)
Lemma all_some : forall A B (f : A -> option B) l bs, all f l = Some bs ->
  (forall a, In a l -> exists b, In b bs /\ f a = Some b) /\ (forall b, In b bs -> exists a, In a l /\ f a = Some b).
Proof.
  induction l as [|a l IH]; intros bs H; cbn in H.
  - inversion H. split; intros x [].
  - destruct (f a) as [b|] eqn:F; [|discriminate]. destruct (all f l) as [rest|]; [|discriminate]. inversion H. subst bs.
    destruct (IH rest eq_refl) as [L R]. split.
    + intros x [<-|X]; [exists b; split; [now left | exact F]|]. destruct (L x X) as [y [Y Z]]. exists y. split; [now right | exact Z].
    + intros y [<-|Y]; [exists a; split; [now left | exact F]|]. destruct (R y Y) as [x [X Z]]. exists x. split; [now right | exact Z].
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
  replace (v =? x) with false by (symmetry; apply Z.eqb_neq; lia).
  replace (v =? 0) with false in H by (symmetry; apply Z.eqb_neq; lia).
  replace (gain w x <? gain w v) with (gain w 0 <? gain w v); [exact H|].
  destruct w; cbn; destruct (Z.ltb_spec 0 v), (Z.ltb_spec x v), (Z.ltb_spec (- 0) (- v)), (Z.ltb_spec (- x) (- v)); lia.
Qed.

Section Sound.
  Variable dump_entry : position -> option cell.
  Variable dump_held : position -> score -> option cell.
  Variable dump_own : position -> Z.
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

  Definition value_in (s : pair) : Z := match table s with Some c => fst c | None => 0 end.
  Definition plies_in (s : pair) : Z := match table s with Some c => snd c | None => 0 end.

  Lemma position_checked : forall p, legal p = true -> is_covered p = true ->
    check_position dump_entry dump_held dump_own materials p = true.
  Proof.
    intros p L C. unfold Checker.is_covered in C. apply existsb_exists in C. destruct C as [m [I E]].
    apply same_material_is_equal in E. subst m. specialize (said_yes _ I). unfold check_material in said_yes.
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

  Lemma cells_of_known : forall p, legal p = true -> is_covered p = true -> passed p = None -> cells_of p <> None.
  Proof.
    intros p L C P. pose proof (position_checked p L C) as H. unfold check_position in H. rewrite L, P in H. cbn in H.
    now destruct (cells_of p).
  Qed.

  (** What the check of one position says. *)
  Lemma legal_checked : forall p here, legal p = true -> is_covered p = true -> cells_of p = Some here ->
    dump_own p = own_code p /\ own_code p < 1000 /\ can_hold (material_of p) (own_score p) = true /\
    cell_at (own_score p) here = Some (entry here) /\
    (forall y, In y (legal_plies p) -> is_covered (next y) = true) /\
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

  Lemma listed_closed : forall s t, listed s -> In t (pair_moves s) -> listed t.
  Proof.
    intros [p b] t S H. apply move_of in H. destruct H as [y [I ->]]. cbn [fst snd] in *.
    pose proof (moves_need_a_code p b y S I) as K. destruct S as (L & C & N & B & O). cbn [fst snd] in *.
    destruct (cells_of p) as [here|] eqn:E; [|congruence].
    destruct (legal_checked p here L C E) as (_ & _ & _ & _ & CN & ways & W & _).
    destruct (legal_ply p y I) as [IP LN]. specialize (CN y I).
    destruct (all_some _ _ _ _ _ W) as [WA _]. destruct (WA y I) as [c [_ Y]]. unfold Checker.cells_after in Y.
    destruct (cells_of (next y)) as [there|] eqn:T; [|discriminate].
    destruct (legal_checked (next y) there LN CN T) as (_ & _ & BN & _).
    unfold listed. cbn [fst snd]. rewrite T. split; [exact LN|]. split; [exact CN|]. split; [discriminate|].
    unfold accrue. destruct (is_reset y || (own_code (next y) <? code b)) eqn:R; [auto|].
    apply orb_false_iff in R. destruct R as [R G]. apply Z.ltb_ge in G.
    destruct (quiet_keeps_material p y IP R) as [M P]. rewrite M. split; [exact B|]. right. auto.
  Qed.

  (** The cell that a move leads to is that of the pair. *)
  Lemma cell_after : forall p b y c, listed (p, b) -> In y (legal_plies p) -> cells_after y = Some c ->
    cell_at b c = table (next y, accrue b y).
  Proof.
    intros p b y c S I Y. pose proof (moves_need_a_code p b y S I) as K. pose proof S as (L & C & N & _). cbn [fst snd] in *.
    destruct (cells_of p) as [here|] eqn:E; [|congruence].
    destruct (legal_checked p here L C E) as (_ & _ & _ & _ & CN & _). destruct (legal_ply p y I) as [_ LN].
    unfold Checker.cells_after in Y. destruct (cells_of (next y)) as [there|] eqn:T; [|discriminate]. inversion Y. subst c.
    destruct (legal_checked (next y) there LN (CN y I) T) as (O & _ & _ & A & _).
    rewrite (table_of _ _ _ T), O. unfold accrue. destruct (is_reset y); cbn [orb].
    - rewrite A. unfold cell_at. cbn [least entry]. now replace (0 <? code b) with true by (symmetry; apply Z.ltb_lt; lia).
    - destruct (Z.ltb_spec (own_code (next y)) (code b)) as [G | G].
      + rewrite A. unfold cell_at. cbn [least entry].
        now replace (Z.min (own_code (next y)) (least there) <? code b) with true by (symmetry; apply Z.ltb_lt; lia).
      + unfold cell_at. cbn [least entry later].
        destruct (Z.ltb_spec (Z.min (own_code (next y)) (least there)) (code b)), (Z.ltb_spec (least there) (code b)); auto; lia.
  Qed.

  Lemma greatest_least : forall ways n, n <= fold_right (fun c n => Z.max (least c) n) n ways /\
    forall c, In c ways -> least c <= fold_right (fun c n => Z.max (least c) n) n ways.
  Proof.
    induction ways as [|w ways IH]; intro n; cbn; [split; [lia | contradiction]|]. destruct (IH n) as [A B].
    split; [lia|]. intros c [<-|I]; [lia|]. specialize (B c I). lia.
  Qed.

  (** Each listed pair agrees with the cells that its moves lead to. *)
  Lemma pair_agrees : forall p b here ways, listed (p, b) -> cells_of p = Some here -> all cells_after (legal_plies p) = Some ways ->
    exists c ts, cell_at b here = Some c /\ all (cell_at b) ways = Some ts /\ agrees (turn p) (outcome b) c ts = true.
  Proof.
    intros p b here ways S E W. pose proof S as (L & C & _ & B & O). cbn [fst snd] in *.
    destruct (legal_checked p here L C E) as (_ & U & _ & _ & _ & ways' & W' & P & Q). rewrite W in W'. inversion W'. subst ways'.
    assert (X : check_pair p here ways b = true ->
      exists c ts, cell_at b here = Some c /\ all (cell_at b) ways = Some ts /\ agrees (turn p) (outcome b) c ts = true).
    { intro H. unfold check_pair in H. rewrite B in H. cbn [negb orb] in H.
      destruct (cell_at b here) as [c|]; [|discriminate]. destruct (all (cell_at b) ways) as [ts|]; [|discriminate]. eauto. }
    destruct O as [-> | [N K]]; [now apply X|]. specialize (Q N). unfold check_scores in Q.
    set (top := fold_right _ _ ways) in Q. apply andb_true_iff in Q. destruct Q as [Q R].
    destruct (greatest_least ways (least here)) as [T1 T2]. fold top in T1, T2.
    destruct (Z.le_gt_cases (code b) top) as [G | G].
    - apply X. pose proof (codes_checked _ _ _ _ Q (code b) ltac:(lia)) as Y. cbn beta in Y. apply andb_true_iff in Y.
      destruct Y as [YW YB]. destruct b as [[] k]; assumption.
    - replace (own_code p <=? top) with false in R by (symmetry; apply Z.leb_gt; lia). cbn [orb] in R.
      exists (entry here), (map entry ways). split; [|split].
      + unfold cell_at. now replace (least here <? code b) with true by (symmetry; apply Z.ltb_lt; lia).
      + apply all_given. intros c I. unfold cell_at. specialize (T2 c I).
        now replace (least c <? code b) with true by (symmetry; apply Z.ltb_lt; lia).
      + apply agrees_beyond; [|exact R]. unfold Checker.cells_of in E. destruct (dump_entry p) as [e|]; [|discriminate].
        inversion E. subst here. cbn [entry least] in *. unfold code_of in T1. unfold outcome. destruct (holder b); lia.
  Qed.

  Lemma listed_obeys : forall s, listed s -> obeys pair pair_mover pair_moves pair_accrued value_in plies_in 1000 s.
  Proof.
    intros [p b] S. pose proof S as (L & C & N & _). cbn [fst snd] in *.
    destruct (cells_of p) as [here|] eqn:E; [|congruence].
    destruct (legal_checked p here L C E) as (_ & _ & _ & _ & _ & ways & W & _).
    destruct (pair_agrees p b here ways S E W) as ([v d] & ts & H & A & G). rewrite <- (table_of p here b E) in H.
    destruct (all_some _ _ _ _ _ W) as [WL WR]. destruct (all_some _ _ _ _ _ A) as [AL AR].
    (** The cells [ts] are those of the moves, and the other way round. *)
    assert (M : forall t, In t (pair_moves (p, b)) -> exists c, In c ts /\ table t = Some c).
    { intros t T. apply move_of in T. destruct T as [y [I ->]]. cbn [fst snd] in *. destruct (WL y I) as [c [CI CY]].
      destruct (AL c CI) as [x [XI XC]]. exists x. split; [exact XI|]. now rewrite <- (cell_after p b y c S I CY). }
    assert (M' : forall c, In c ts -> exists t, In t (pair_moves (p, b)) /\ table t = Some c).
    { intros c T. destruct (AR c T) as [w [WI WC]]. destruct (WR w WI) as [y [YI YW]].
      exists (next y, accrue b y). split; [now apply (in_map (fun m => (next m, accrue b m)))|].
      now rewrite <- (cell_after p b y w S YI YW). }
    assert (VS : value_in (p, b) = v) by (unfold value_in; now rewrite H).
    assert (PS : plies_in (p, b) = d) by (unfold plies_in; now rewrite H).
    unfold agrees in G. apply andb_true_iff in G. destruct G as [G GP]. split_and G.
    apply Z.leb_le in G. apply Z.leb_le in G2. rewrite forallb_forall in G1.
    change (pair_mover (p, b)) with (turn p). unfold obeys, counts_plies, makes_progress, keeps. rewrite VS, PS.
    change (pair_mover (p, b)) with (turn p). change (pair_accrued (p, b)) with (outcome b).
    split; [exact G|]. split; [|split; [|split; [exact G2|]]].
    - intros t T. destruct (M t T) as [c [I X]]. unfold value_in. rewrite X. apply Z.leb_le. now apply G1.
    - intro X. destruct ts as [|c0 ts']; [destruct (pair_moves (p, b)) as [|t l]; [congruence|]; destruct (M t (or_introl eq_refl)) as [? [[] _]]|].
      apply existsb_exists in G0. destruct G0 as [c [I V]]. apply Z.eqb_eq in V. destruct (M' c I) as [t [T TC]].
      exists t. split; [exact T|]. unfold value_in. now rewrite TC.
    - destruct (Z.eqb_spec v (outcome b)) as [V | V].
      + apply Z.eqb_eq in GP. split; [auto | congruence].
      + split; [congruence|]. intros _. apply andb_true_iff in GP. destruct GP as [GE GA]. rewrite forallb_forall in GA. split; [|split].
        * apply existsb_exists in GE. destruct GE as [c [I X]]. apply andb_true_iff in X. rewrite !Z.eqb_eq in X. destruct X as [X Y].
          destruct (M' c I) as [t [T TC]]. exists t. unfold value_in, plies_in. rewrite TC. auto.
        * intros P t [T TV]. destruct (M t T) as [c [I X]]. specialize (GA c I). unfold value_in in TV. unfold plies_in. rewrite X in *.
          apply Z.eqb_eq in TV. rewrite TV in GA. cbn [negb orb] in GA. apply Z.ltb_lt in P. rewrite P in GA. now apply Z.leb_le.
        * intros P t [T TV]. destruct (M t T) as [c [I X]]. specialize (GA c I). unfold value_in in TV. unfold plies_in. rewrite X in *.
          apply Z.eqb_eq in TV. rewrite TV in GA. cbn [negb orb] in GA.
          replace (gain (turn p) (outcome b) <? gain (turn p) v) with false in GA
            by (symmetry; apply Z.ltb_ge; destruct (turn p); cbn in *; lia).
          now apply Z.leb_le.
  Qed.

  (** ** What follows

      The dump tells the value of every listed pair, and its plies. *)
  Theorem dump_is_right : forall s, listed s -> exists c, table s = Some c /\
    is_value_of s (fst c) /\ counts_plies_of value_in plies_in s /\ plies_in s = snd c.
  Proof.
    intros s S. destruct (listed_obeys s S) as (_ & _ & _ & D).
    assert (V : is_value_of s (value_in s)).
    { apply (table_has_the_value pair pair_mover pair_moves pair_accrued listed value_in plies_in 1000
        listed_closed listed_obeys past code_in past_never_rises); [| |exact S]; intros; now apply accrue_within_past. }
    pose proof S as (L & C & N & _). destruct s as [p b]. cbn [fst snd] in *.
    destruct (cells_of p) as [here|] eqn:E; [|congruence].
    destruct (legal_checked p here L C E) as (_ & _ & _ & _ & _ & ways & W & _).
    destruct (pair_agrees p b here ways S E W) as (c & ts & H & _). rewrite <- (table_of p here b E) in H.
    exists c. unfold value_in, plies_in in *. rewrite H in *. auto.
  Qed.

  (** Every legal position of the materials is listed with its own score, if no pawn has just passed a square;
      and so is every pair that play from a listed pair leads to. *)
  Theorem positions_are_listed : forall p, legal p = true -> is_covered p = true -> passed p = None -> listed (p, own_score p).
  Proof.
    intros p L C P. pose proof (cells_of_known p L C P) as N. unfold listed. cbn [fst snd].
    destruct (cells_of p) as [here|] eqn:E; [|congruence]. destruct (legal_checked p here L C E) as (_ & _ & B & _).
    repeat split; auto; discriminate.
  Qed.

  Theorem plays_stay_listed : forall s t, listed s -> In t (pair_moves s) -> listed t.
  Proof. exact listed_closed. Qed.
End Sound.

Print Assumptions dump_is_right.
Print Assumptions positions_are_listed.
Print Assumptions plays_stay_listed.
Print Assumptions one_value.
Print Assumptions one_count.
