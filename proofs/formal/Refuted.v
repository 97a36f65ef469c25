(** Lemma 1 of the paper is false: errata E5, E6 and E7, on counterexamples in exact numbers.

    plane a b, line a     the points (a, b, 0, ...) and (a, 0, ...) of R^F
    one_ball              E6: center 0, radius 1, M(A) = 4 I; M(B) = I
    three_balls           E7: three times the ball [9, 11] of the line, M(A_s) = 0; M(B) = 1
    printed_bound         sum_s ||M(A_s)||_F + ||M(B)||_F, as printed *)
From Coq Require Import Reals Lra Lia Psatz FunctionalExtensionality List.
From LMLIR Require Import Geometry Continuity Matrices Scales Classifier.
Import ListNotations.
Open Scope R_scope.

Definition plane (a b : R) : vector := fun i => match i with O => a | S O => b | _ => 0 end.
Definition line (a : R) : vector := fun i => match i with O => a | _ => 0 end.

(** f with one instance of either class. *)
Lemma decision_between_two D z w x : decision_value D [z] [w] 1 x = D x z - D x w.
Proof. unfold decision_value, sum_k_min, sum; simpl; field. Qed.

Lemma sub_plane a b c d : sub (plane a b) (plane c d) = plane (a - c) (b - d).
Proof. extensionality i; unfold sub; destruct i as [|[|i]]; simpl; ring. Qed.

Lemma dot_plane F a b c d : (2 <= F)%nat -> dot F (plane a b) (plane c d) = a * c + b * d.
Proof.
  intro H; destruct F as [|[|F]]; try lia; induction F as [|k IH]; unfold dot in *; simpl in *; [ring|].
  rewrite IH by lia; ring.
Qed.

Lemma sub_line a b : sub (line a) (line b) = line (a - b).
Proof. extensionality i; unfold sub; destruct i as [|i]; simpl; ring. Qed.

Lemma dot_line F a b : (1 <= F)%nat -> dot F (line a) (line b) = a * b.
Proof.
  intro H; destruct F as [|F]; try lia; induction F as [|k IH]; unfold dot in *; simpl in *; [ring|].
  rewrite IH by lia; ring.
Qed.

(** ** The first step of the proof *)

(** Lemma 1: its first step, Lip(d_M) <= ||M||_F, is refuted (E5): M = 1/100 on the line. *)
Theorem frobenius_norm_does_not_bound_the_slope : ~ forall F M z x y, positive_semidefinite F M ->
  Rabs (mahalanobis F M (sub x z) - mahalanobis F M (sub y z)) <= frobenius F M * norm F (sub x y).
Proof.
  intro H; specialize (H 1%nat (scaled_identity (1 / 100)) (line 0) (line 1) (line 0) (identity_psd 1 (1 / 100) ltac:(lra))).
  rewrite !mahalanobis_of_identity, !sub_line in H by lra; unfold norm, frobenius, scaled_identity in H; simpl in H.
  rewrite !dot_line in H by lia.
  replace (0 + (0 + 1 / 100 * (1 / 100))) with (1 / 100 * (1 / 100)) in H by ring.
  replace (1 / 100) with (1 / 10 * (1 / 10)) in H at 1 2 by field.
  rewrite !sqrt_square in H by lra; rewrite Rabs_pos_eq in H by lra; lra.
Qed.

(** ** A segment that touches a ball *)

Definition one_ball : list region := [Region (plane 0 0) 1 (scaled_identity 4)].

Section Tangent.
Variable F : nat.
Hypothesis HF : (2 <= F)%nat.
Let D x z := distance F (scaled_identity 1) one_ball x z.

Lemma root_of_four : sqrt 4 = 2.
Proof. replace 4 with (2 * 2) by ring; apply sqrt_square; lra. Qed.

Lemma distance_through_one_ball x z : D x z = (1 + share F x z (Region (plane 0 0) 1 (scaled_identity 4))) * norm F (sub x z).
Proof.
  unfold D, distance, distance_with, weighted_lengths, background_share, one_ball; simpl.
  rewrite !mahalanobis_of_identity, sqrt_1, root_of_four by lra.
  set (g := share _ _ _ _); assert (0 <= g <= 1) by apply gamma_range.
  rewrite Rmax_left by lra; ring.
Qed.

Lemma gamma_of_planes a b c d r :
  let qa := (c - a) * (c - a) + (d - b) * (d - b) in
  let qb := 2 * ((c - a) * a + (d - b) * b) in
  let disc := qb * qb - 4 * qa * (a * a + b * b - r * r) in
  gamma F (plane a b) (plane c d) (plane 0 0) r
  = Rmax 0 (Rmin 1 ((- qb + sqrt disc) / (2 * qa)) - Rmax 0 ((- qb - sqrt disc) / (2 * qa))).
Proof.
  simpl; unfold gamma, lambda_u, lambda_v, discriminant, quadratic_a, quadratic_b, quadratic_c.
  rewrite !sub_plane, !Rminus_0_r, !dot_plane by exact HF; reflexivity.
Qed.

(** x = (3, 1): the segment touches the ball. *)
Lemma at_the_tangent : D (plane 3 1) (plane (-3) 1) = 6.
Proof.
  rewrite distance_through_one_ball; unfold share; simpl; rewrite gamma_of_planes; unfold norm.
  rewrite sub_plane, dot_plane by exact HF.
  match goal with |- context [sqrt ?d] => replace d with 0 by ring end; rewrite sqrt_0.
  match goal with |- context [sqrt ?d] => replace d with (6 * 6) by ring end; rewrite sqrt_square by lra.
  unfold Rmax, Rmin; repeat destruct Rle_dec; lra.
Qed.

(** y = (3, 1 - e): the segment cuts a chord of order sqrt e. *)
Lemma below_the_tangent k : 0 < k <= 1 -> 6 + k <= D (plane 3 (1 - k * k)) (plane (-3) 1).
Proof.
  intro K; rewrite distance_through_one_ball; unfold share; simpl; rewrite gamma_of_planes; unfold norm.
  rewrite sub_plane, dot_plane by exact HF.
  set (e := k * k); assert (E : 0 < e <= 1) by (unfold e; nra).
  match goal with |- context [sqrt ?d] => replace d with (144 * e - 32 * (e * e)) by ring end.
  match goal with |- context [?a / (2 * ?b)] => replace b with (36 + e * e) by ring end.
  match goal with |- context [_ * sqrt ?d] => replace d with (36 + e * e) by ring end.
  match goal with |- context [- ?b + sqrt _] => replace b with (- (36 - 2 * e + 2 * (e * e))) by ring end.
  set (d := 144 * e - 32 * (e * e)).
  assert (S1 : 10 * k <= sqrt d).
  { rewrite <- (sqrt_square (10 * k)) by lra; apply sqrt_le_1_alt; unfold d, e in *; nra. }
  assert (S2 : sqrt d <= 12).
  { rewrite <- (sqrt_square 12) by lra; apply sqrt_le_1_alt; unfold d; nra. }
  assert (N : 6 <= sqrt (36 + e * e)).
  { rewrite <- (sqrt_square 6) by lra; apply sqrt_le_1_alt; nra. }
  set (j := / (2 * (36 + e * e))); unfold Rdiv; fold j.
  assert (J : / 74 <= j <= / 72) by (split; apply Rinv_le_contravar; nra).
  set (p := - - (36 - 2 * e + 2 * (e * e))).
  assert (P : 34 <= p <= 36) by (unfold p; nra).
  assert (V : (p + sqrt d) * j <= 1).
  { apply Rle_trans with (72 * / 72); [apply Rmult_le_compat; lra | lra]. }
  assert (U : 0 <= (p - sqrt d) * j) by (apply Rmult_le_pos; lra).
  assert (W : 20 * k * / 74 <= (p + sqrt d) * j - (p - sqrt d) * j).
  { replace ((p + sqrt d) * j - (p - sqrt d) * j) with (2 * sqrt d * j) by ring.
    apply Rmult_le_compat; lra. }
  rewrite Rmin_right, (Rmax_right 0 ((p - sqrt d) * j)), Rmax_right by lra.
  nra.
Qed.

Lemma steep L : exists k, 0 < k <= 1 /\ L * (k * k) < k.
Proof.
  set (m := Rmax L 0 + 1); assert (M : 1 <= m /\ L < m) by (unfold m, Rmax; destruct Rle_dec; lra).
  exists (/ m); assert (K : 0 < / m <= 1).
  { split; [apply Rinv_0_lt_compat; lra | rewrite <- Rinv_1; apply Rinv_le_contravar; lra]. }
  split; [exact K|]; assert (E : m * / m = 1) by (field; lra); set (k := / m) in *.
  apply Rlt_le_trans with (m * (k * k)); [apply Rmult_lt_compat_r; nra | right; rewrite <- Rmult_assoc, E; ring].
Qed.

Lemma length_of_the_step k : norm F (sub (plane 3 (1 - k * k)) (plane 3 1)) = k * k.
Proof.
  unfold norm; rewrite sub_plane, dot_plane by exact HF.
  match goal with |- context [sqrt ?d] => replace d with (k * k * (k * k)) by ring end; apply sqrt_square; nra.
Qed.

(** Lemma 1: its second step is refuted (E6): with one ball, in every dimension from 2 on and for a fixed z, no constant
    bounds the slope of D(., z). *)
Theorem distance_is_not_lipschitz : ~ exists L, forall x y,
  Rabs (D x (plane (-3) 1) - D y (plane (-3) 1)) <= L * norm F (sub x y).
Proof.
  intros [L H]; destruct (steep L) as (k & K & S); specialize (H (plane 3 (1 - k * k)) (plane 3 1)).
  rewrite at_the_tangent, length_of_the_step in H; pose proof (below_the_tangent k K).
  pose proof (Rle_abs (D (plane 3 (1 - k * k)) (plane (-3) 1) - 6)); lra.
Qed.

(** Lemma 1: the lemma itself is refuted (E6): no constant bounds the slope of f with K = 1, X- = {(-3, 1)}, X+ = {(3, 3)}. *)
Theorem classifier_is_not_lipschitz : ~ exists L, forall x y,
  let f := decision_value D [plane (-3) 1] [plane 3 3] 1 in Rabs (f x - f y) <= L * norm F (sub x y).
Proof.
  assert (A : forall b, b <= 1 -> D (plane 3 b) (plane 3 3) = 3 - b).
  { intros b Hb; rewrite distance_through_one_ball; unfold share; simpl; rewrite gamma_of_planes; unfold norm.
    rewrite sub_plane, dot_plane by exact HF; rewrite (sqrt_neg_0 (_ - 4 * _ * _)).
    - rewrite Rplus_0_r, Rminus_0_r; match goal with |- context [?q / ?r] => set (m := q / r) end.
      match goal with |- context [sqrt ?d] => replace d with ((3 - b) * (3 - b)) by ring end; rewrite sqrt_square by lra.
      replace (Rmax 0 (Rmin 1 m - Rmax 0 m)) with 0 by (unfold Rmax, Rmin; repeat destruct Rle_dec; lra); ring.
    - nra. }
  intros [L H]; destruct (steep (L + 1)) as (k & K & S); specialize (H (plane 3 (1 - k * k)) (plane 3 1)).
  cbv zeta in H; rewrite !decision_between_two in H; rewrite at_the_tangent, length_of_the_step, !A in H by nra;
    pose proof (below_the_tangent k K).
  match type of H with Rabs ?d <= _ => pose proof (Rle_abs d) end; lra.
Qed.
End Tangent.

(** ** Three balls in one place *)

Definition three_balls : list region :=
  let A := Region (line 10) 1 (scaled_identity 0) in [A; A; A].

(** Lemma 1; Equation (9): on a line D falls from 9 to 5 while a point moves away from 0, and rises from 5 to 9 while it
    comes nearer to 20 (E7, approximate gamma_b). *)
Theorem distance_falls_as_points_part F : (1 <= F)%nat -> let D := distance F (scaled_identity 1) three_balls in
  D (line 9) (line 0) = 9 /\ D (line 11) (line 0) = 5 /\ D (line 9) (line 20) = 5 /\ D (line 11) (line 20) = 9.
Proof.
  intros HF D.
  assert (G : forall b z, 9 <= b <= 11 -> z = 0 \/ z = 20 ->
    gamma F (line b) (line z) (line 10) 1 = (if Rle_dec z 10 then b - 9 else 11 - b) / Rabs (b - z)).
  { intros b z Hb Hz; unfold gamma, lambda_u, lambda_v, discriminant, quadratic_a, quadratic_b, quadratic_c.
    rewrite !sub_line, !dot_line by exact HF.
    match goal with |- context [sqrt ?d] => replace d with ((2 * (b - z)) * (2 * (b - z))) by ring end.
    destruct Hz as [-> | ->]; destruct Rle_dec; try lra.
    - rewrite sqrt_square, Rabs_pos_eq by lra.
      match goal with |- context [Rmin 1 ?q] => replace q with ((b - 9) / b) by (field; lra) end.
      match goal with |- context [Rmax 0 (?q / ?r)] => replace (q / r) with ((b - 11) / b) by (field; lra) end.
      set (j := / b); assert (J : 0 < j) by (apply Rinv_0_lt_compat; lra); unfold Rdiv; rewrite Rminus_0_r; fold j.
      assert (b * j = 1) by (unfold j; field; lra).
      rewrite Rmin_right, (Rmax_left 0 ((b - 11) * j)), Rmax_right by nra; ring.
    - replace (2 * (b - 20) * (2 * (b - 20))) with (2 * (20 - b) * (2 * (20 - b))) by ring.
      rewrite sqrt_square, Rabs_left by lra.
      match goal with |- context [Rmin 1 ?q] => replace q with ((11 - b) / (20 - b)) by (field; lra) end.
      match goal with |- context [Rmax 0 (?q / ?r)] => replace (q / r) with ((9 - b) / (20 - b)) by (field; lra) end.
      replace (- (b - 20)) with (20 - b) by ring.
      set (j := / (20 - b)); assert (J : 0 < j) by (apply Rinv_0_lt_compat; lra); unfold Rdiv; fold j.
      assert ((20 - b) * j = 1) by (unfold j; field; lra).
      rewrite Rmin_right, (Rmax_left 0 ((9 - b) * j)), Rmax_right by nra; ring. }
  unfold D, distance, distance_with, weighted_lengths, background_share, three_balls, share; simpl.
  rewrite !G, !mahalanobis_of_identity, sqrt_0, sqrt_1, !sub_line by (lra || auto); unfold norm; rewrite !dot_line by exact HF.
  assert (Q : forall a, sqrt (a * a) = Rabs a) by (intro; apply sqrt_Rsqr_abs); rewrite !Q.
  replace (9 - 0) with 9 by ring; replace (11 - 0) with 11 by ring.
  replace (9 - 20) with (- 11) by ring; replace (11 - 20) with (- 9) by ring; rewrite !(Rabs_left (- 11)), !(Rabs_left (- 9)),
    !Rabs_pos_eq by lra.
  replace (- (- 11)) with 11 by ring; replace (- (- 9)) with 9 by ring.
  repeat split; repeat destruct (Rle_dec _ 10); try lra; unfold Rmax; destruct Rle_dec; lra.
Qed.

(** ** Lemma 1 *)

Definition printed_bound F B As : R := sum_over (fun A => frobenius F (metric A)) As + frobenius F B.

(** Lemma 1: refuted as printed (E5, E6, E7), in every dimension from 2 on, for its statement on f and for its second step
    on D. *)
Theorem lemma_1_as_printed_is_false F : (2 <= F)%nat ->
  (~ forall B As X_minus X_plus K x y,
     positive_semidefinite F B -> (forall A, In A As -> 0 <= radius A /\ positive_semidefinite F (metric A)) ->
     (1 <= K <= length X_minus)%nat -> (K <= length X_plus)%nat ->
     let f := decision_value (distance F B As) X_minus X_plus K in
     Rabs (f x - f y) <= 2 * printed_bound F B As * norm F (sub x y)) /\
  (~ forall B As x y z,
     positive_semidefinite F B -> (forall A, In A As -> 0 <= radius A /\ positive_semidefinite F (metric A)) ->
     Rabs (distance F B As x z - distance F B As y z) <= printed_bound F B As * norm F (sub x y)).
Proof.
  intro HF; assert (PB : positive_semidefinite F (scaled_identity 1)) by (apply identity_psd; lra).
  assert (PA : forall A, In A one_ball -> 0 <= radius A /\ positive_semidefinite F (metric A)).
  { intros A [<- | []]; simpl; split; [lra | apply identity_psd; lra]. }
  split; intro H.
  - apply (classifier_is_not_lipschitz F HF); exists (2 * printed_bound F (scaled_identity 1) one_ball); intros x y.
    apply (H _ _ [plane (-3) 1] [plane 3 3] 1%nat); simpl; auto.
  - apply (distance_is_not_lipschitz F HF); exists (printed_bound F (scaled_identity 1) one_ball); intros x y; auto.
Qed.

(** Lemma 1: refuted with the square roots of E5 too, even on a line (E7, approximate gamma_b), for f and for D. *)
Theorem lemma_1_with_square_roots_is_false F : (1 <= F)%nat ->
  (~ forall B As s_B s X_minus X_plus K x y,
     positive_semidefinite F B -> scale F B s_B -> (forall A, In A As -> admissible F s A) ->
     (1 <= K <= length X_minus)%nat -> (K <= length X_plus)%nat ->
     let f := decision_value (distance F B As) X_minus X_plus K in
     Rabs (f x - f y) <= 2 * (s_B + sum_over s As) * norm F (sub x y)) /\
  (~ forall B As s_B s x y z,
     positive_semidefinite F B -> scale F B s_B -> (forall A, In A As -> admissible F s A) ->
     Rabs (distance F B As x z - distance F B As y z) <= (s_B + sum_over s As) * norm F (sub x y)).
Proof.
  intro HF; destruct (distance_falls_as_points_part F HF) as (E1 & E2 & E3 & E4).
  assert (PB : positive_semidefinite F (scaled_identity 1)) by (apply identity_psd; lra).
  assert (SB : scale F (scaled_identity 1) 1) by (rewrite <- sqrt_1 at 2; apply identity_scale; lra).
  assert (PA : forall A, In A three_balls -> admissible F (fun _ => 0) A).
  { intros A I; assert (E : A = Region (line 10) 1 (scaled_identity 0)) by (simpl in I; intuition).
    rewrite E; unfold admissible; simpl; split; [lra | split; [apply identity_psd; lra | split; [lra|]]].
    intro u; rewrite mahalanobis_of_identity, sqrt_0 by lra; lra. }
  assert (N : norm F (sub (line 9) (line 11)) = 2).
  { unfold norm; rewrite sub_line, dot_line by exact HF; replace ((9 - 11) * (9 - 11)) with (2 * 2) by ring; apply sqrt_square;
      lra. }
  split; intro H.
  - specialize (H (scaled_identity 1) three_balls 1 (fun _ => 0) [line 0] [line 20] 1%nat (line 9) (line 11) PB SB PA).
    cbv zeta in H; rewrite !decision_between_two, E1, E2, E3, E4, N in H; simpl in H; specialize (H ltac:(lia) ltac:(lia)).
    rewrite Rabs_pos_eq in H by lra; lra.
  - specialize (H (scaled_identity 1) three_balls 1 (fun _ => 0) (line 9) (line 11) (line 0) PB SB PA).
    rewrite E1, E2, N in H; simpl in H; rewrite Rabs_pos_eq in H by lra; lra.
Qed.
