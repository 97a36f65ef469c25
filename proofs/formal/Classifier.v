(** Section 4.1, sumKmin and equation (10): the classifier moves by at most twice what the distance moves by.

    sum_k_min l K         the sum of the K smallest of a list, equal ones counted as often as they occur (E13); where K is
                          more than there are, of all of them (the package refuses that)
    decision_value        f of equation (10), for any distance D
    shattered             as in the bound that Corollary 1 cites: every part of the points is told from the rest *)
From Coq Require Import Reals Lra Lia Psatz List.
From LMLIR Require Import Geometry Continuity.
Import ListNotations.
Open Scope R_scope.

Fixpoint insert (a : R) (l : list R) : list R :=
  match l with nil => [a] | b :: rest => if Rle_dec a b then a :: l else b :: insert a rest end.
Definition sort (l : list R) : list R := fold_right insert nil l.
Definition sum (l : list R) : R := fold_right Rplus 0 l.

Definition sum_k_min (l : list R) (K : nat) : R := sum (firstn K (sort l)).

Inductive sorted : list R -> Prop :=
  | sorted_nil : sorted nil
  | sorted_cons a l : (forall b, In b l -> a <= b) -> sorted l -> sorted (a :: l).

Lemma in_insert a b l : In b (insert a l) -> b = a \/ In b l.
Proof.
  induction l as [|c l IH]; simpl; [intuition|].
  destruct Rle_dec; simpl; intuition.
Qed.

Lemma insert_sorted a l : sorted l -> sorted (insert a l).
Proof.
  induction 1 as [|b l Hb Hl IH]; simpl; [constructor; [intros ? [] | constructor]|].
  destruct Rle_dec as [L | L]; constructor; auto.
  - intros c [<- | I]; [exact L | specialize (Hb c I); lra].
  - constructor; assumption.
  - intros c I; apply in_insert in I; destruct I as [-> | I]; [lra | auto].
Qed.

Lemma sort_sorted l : sorted (sort l).
Proof. induction l; simpl; [constructor | apply insert_sorted; assumption]. Qed.

Lemma insert_least b l : (forall c, In c l -> b <= c) -> insert b l = b :: l.
Proof. destruct l as [|c l]; simpl; [reflexivity|]; intro H; destruct Rle_dec as [L | L]; [reflexivity | exfalso; apply L, H;
  auto]. Qed.

Lemma insert_monotone a a' l l' : a <= a' -> sorted l -> sorted l' -> Forall2 Rle l l' ->
  Forall2 Rle (insert a l) (insert a' l').
Proof.
  intros Ha Sl Sl' H; revert a a' Ha Sl Sl'; induction H as [|b b' l l' Hb H IH]; intros a a' Ha Sl Sl'; simpl;
    [constructor; auto|].
  inversion Sl as [|? ? Lb Sl1]; inversion Sl' as [|? ? Lb' Sl1']; subst.
  destruct (Rle_dec a b); destruct (Rle_dec a' b').
  - constructor; [exact Ha | constructor; assumption].
  - constructor; [lra|]; rewrite <- (insert_least b l Lb); apply IH; auto; lra.
  - constructor; [lra|]; rewrite <- (insert_least b' l' Lb'); apply IH; auto; lra.
  - constructor; [lra|]; apply IH; auto.
Qed.

Lemma sort_monotone l l' : Forall2 Rle l l' -> Forall2 Rle (sort l) (sort l').
Proof. induction 1; simpl; [constructor | apply insert_monotone; auto using sort_sorted]. Qed.

Lemma insert_shift w a l : insert (a + w) (map (fun b => b + w) l) = map (fun b => b + w) (insert a l).
Proof.
  induction l as [|b l IH]; simpl; [reflexivity|].
  destruct (Rle_dec a b); destruct (Rle_dec (a + w) (b + w)); try lra; simpl; [reflexivity | rewrite IH; reflexivity].
Qed.

Lemma sort_shift w l : sort (map (fun b => b + w) l) = map (fun b => b + w) (sort l).
Proof. induction l as [|a l IH]; simpl; [reflexivity | rewrite IH, insert_shift; reflexivity]. Qed.

Lemma sum_monotone K l l' : Forall2 Rle l l' -> sum (firstn K l) <= sum (firstn K l').
Proof. intro H; revert K; induction H; intros [|K]; simpl; try lra; specialize (IHForall2 K); unfold sum in *; simpl; lra. Qed.

Lemma sum_shift w K l : 0 <= w -> sum (firstn K (map (fun b => b + w) l)) <= sum (firstn K l) + INR K * w.
Proof.
  intro P; revert K; induction l as [|a l IH]; intros K; pose proof (pos_INR K) as PK.
  - destruct K; unfold sum; cbn [map firstn fold_right]; pose proof (Rmult_le_pos _ _ PK P); lra.
  - destruct K as [|K]; [unfold sum; simpl; lra|]; specialize (IH K); rewrite S_INR.
    unfold sum in *; cbn [map firstn fold_right]; lra.
Qed.

(** Proposition 4 for functions that move by at most w. *)
Lemma sum_k_min_one_side (f g : vector -> R) X K w : 0 <= w -> (forall z, In z X -> f z <= g z + w) ->
  sum_k_min (map f X) K <= sum_k_min (map g X) K + INR K * w.
Proof.
  intros P H; eapply Rle_trans; [|apply sum_shift, P].
  unfold sum_k_min; rewrite <- sort_shift; apply sum_monotone, sort_monotone.
  rewrite map_map; induction X as [|z X IH]; simpl; constructor; [apply H; left; reflexivity | apply IH; intros; apply H; right;
    assumption].
Qed.

Lemma sum_k_min_moves (f g : vector -> R) X K w : 0 <= w -> (forall z, In z X -> Rabs (f z - g z) <= w) ->
  Rabs (sum_k_min (map f X) K - sum_k_min (map g X) K) <= INR K * w.
Proof.
  intros P H; assert (Q : forall z, In z X -> f z - g z <= w /\ g z - f z <= w).
  { intros z I; specialize (H z I); pose proof (Rle_abs (f z - g z)); pose proof (Rle_abs (- (f z - g z)));
      rewrite Rabs_Ropp in *; lra. }
  pose proof (sum_k_min_one_side f g X K w P) as A; pose proof (sum_k_min_one_side g f X K w P) as B.
  apply Rabs_le; split; [assert (sum_k_min (map g X) K <= sum_k_min (map f X) K + INR K * w) by (apply B; intros z I;
    specialize (Q z I); lra)
    | assert (sum_k_min (map f X) K <= sum_k_min (map g X) K + INR K * w) by (apply A; intros z I; specialize (Q z I); lra)];
      lra.
Qed.

Definition decision_value (D : vector -> vector -> R) (X_minus X_plus : list vector) (K : nat) (x : vector) : R :=
  sum_k_min (map (D x) X_minus) K / INR K - sum_k_min (map (D x) X_plus) K / INR K.

Lemma decision_moves D X_minus X_plus K x y w : (1 <= K)%nat -> 0 <= w -> (forall z, Rabs (D x z - D y z) <= w) ->
  Rabs (decision_value D X_minus X_plus K x - decision_value D X_minus X_plus K y) <= 2 * w.
Proof.
  intros HK P H; unfold decision_value.
  assert (PK : 0 < INR K) by (apply lt_0_INR; lia).
  pose proof (sum_k_min_moves (D x) (D y) X_minus K w P (fun z _ => H z)) as A.
  pose proof (sum_k_min_moves (D x) (D y) X_plus K w P (fun z _ => H z)) as B.
  set (a := sum_k_min (map (D x) X_minus) K) in *; set (a' := sum_k_min (map (D y) X_minus) K) in *.
  set (b := sum_k_min (map (D x) X_plus) K) in *; set (b' := sum_k_min (map (D y) X_plus) K) in *.
  replace (a / INR K - b / INR K - (a' / INR K - b' / INR K)) with (((a - a') - (b - b')) * / INR K) by (field; lra).
  rewrite Rabs_mult, (Rabs_pos_eq (/ INR K)) by (left; apply Rinv_0_lt_compat, PK).
  apply Rmult_le_reg_r with (INR K); [exact PK|]; rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  unfold Rminus at 1; eapply Rle_trans; [apply Rabs_triang|]; rewrite Rabs_Ropp; lra.
Qed.

(** ** Shattering *)

(** The functions of a class tell any part S of the points from the rest, by a margin m around thresholds a. *)
Definition shattered (class : (vector -> R) -> Prop) (points : list vector) (m : R) : Prop :=
  exists a : vector -> R, forall S : vector -> Prop, exists f, class f /\
    forall x, In x points -> (S x -> a x + m <= f x) /\ (~ S x -> f x <= a x - m).

(** Corollary 1: points that are shattered with margin m, by functions that move by at most w(e) between points e apart, have
    w(e) >= 2 m for each two of them. *)
Theorem shattered_points_are_apart F class points m w x y : shattered class points m ->
  (forall f u v, class f -> Rabs (f u - f v) <= w (norm F (sub u v))) ->
  In x points -> In y points -> x <> y -> 2 * m <= w (norm F (sub x y)).
Proof.
  intros [a Sh] W Ix Iy Ne.
  destruct (Sh (fun p => p = x)) as (f & Cf & Hf); destruct (Sh (fun p => p = y)) as (g & Cg & Hg).
  pose proof (proj1 (Hf x Ix) eq_refl); pose proof (proj2 (Hf y Iy) (fun E => Ne (eq_sym E))).
  pose proof (proj1 (Hg y Iy) eq_refl); pose proof (proj2 (Hg x Ix) Ne).
  pose proof (W f x y Cf) as Wf; pose proof (W g x y Cg) as Wg.
  pose proof (Rle_abs (f x - f y)); pose proof (Rle_abs (- (g x - g y))); rewrite Rabs_Ropp in *; lra.
Qed.
