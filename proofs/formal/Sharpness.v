(** The moduli are sharp: no smaller constants will do.

    hole r                one ball with M(A) = 0, for M(B) = I: there Lambda = kappa = 1
    span u v a b          a u + b v, the plane of two orthogonal unit vectors
    H, b                  a line at height H cuts the unit ball in the chord from -b to b: H^2 + b^2 = 1 *)
From Coq Require Import Reals Lra Lia Psatz FunctionalExtensionality List.
From LMLIR Require Import Geometry Continuity Matrices Scales Refuted Integral Exact.
Import ListNotations.
Open Scope R_scope.

Opaque integral integrable.

(** ** A constant before the whole modulus *)

Definition hole (r : R) : list region := [Region (plane 0 0) r (scaled_identity 0)].

Lemma distance_around_a_hole F r x z :
  distance F (scaled_identity 1) (hole r) x z = (1 - gamma F x z (plane 0 0) r) * norm F (sub x z).
Proof.
  unfold distance, distance_with, weighted_lengths, background_share, hole, share; simpl.
  rewrite !mahalanobis_of_identity, sqrt_1, sqrt_0 by lra.
  set (g := gamma _ _ _ _ _); assert (0 <= g <= 1) by apply gamma_range.
  rewrite Rmax_left by lra; ring.
Qed.

(** Theorem A: no constant c < 1 before the modulus will do, in any dimension from 2 on, for M(A) = 0 and M(B) = I. *)
Theorem modulus_is_sharp F c : (2 <= F)%nat -> c < 1 -> exists r x y z, 0 < r /\ 0 < norm F (sub x y) /\
  c * (1 * norm F (sub x y) + 1 * shell_chord r (norm F (sub x y)))
  < Rabs (distance F (scaled_identity 1) (hole r) x z - distance F (scaled_identity 1) (hole r) y z).
Proof.
  intros HF C.
  assert (exists k, 3 <= k /\ c * (k + 4) < k) as (k & K & KC).
  { set (q := / (1 - c)); assert (Q : 0 < q) by (apply Rinv_0_lt_compat; lra).
    assert (E : q * (1 - c) = 1) by (unfold q; field; lra).
    exists (3 + 4 * q); split; [lra | nra]. }
  set (r := k * k + 1); set (b := k * k - 1); set (w := (k + 1) * (k + 1)).
  set (e := 2 * (k * k) * (k + 1) / ((k - 1) * (k * k + 1))).
  assert (D1 : 0 < (k - 1) * (k * k + 1)) by (apply Rmult_lt_0_compat; nra).
  assert (Ee : e * ((k - 1) * (k * k + 1)) = 2 * (k * k) * (k + 1)) by (unfold e; field; nra).
  assert (Pe : 0 < e) by (unfold e; apply Rmult_lt_0_compat; [nra | apply Rinv_0_lt_compat, D1]).
  exists r, (plane (2 * k) (b + e)), (plane (2 * k) b), (plane (- r) b).
  assert (N : norm F (sub (plane (2 * k) (b + e)) (plane (2 * k) b)) = e).
  { unfold norm; rewrite sub_plane, dot_plane by exact HF.
    match goal with |- sqrt ?d = _ => replace d with (e * e) by ring end; apply sqrt_square; lra. }
  rewrite N; repeat split; [unfold r; nra | exact Pe|].
  assert (W : r + 2 * k = w) by (unfold r, w; ring); assert (Pw : 0 < w /\ 4 * k <= w) by (unfold w; split; nra); destruct Pw as [Pw Wk].
  assert (DX : w <= distance F (scaled_identity 1) (hole r) (plane (2 * k) (b + e)) (plane (- r) b)).
  { rewrite distance_around_a_hole, gamma_of_planes by exact HF; cbv zeta; rewrite (sqrt_neg_0 (_ - 4 * _ * _)).
    - rewrite Rplus_0_r, Rminus_0_r; match goal with |- context [?q / ?d] => set (m := q / d) end.
      replace (Rmax 0 (Rmin 1 m - Rmax 0 m)) with 0 by (unfold Rmax, Rmin; repeat destruct Rle_dec; lra).
      unfold norm; rewrite sub_plane, dot_plane by exact HF.
      rewrite Rminus_0_r, Rmult_1_l, <- (sqrt_square w) by lra; apply sqrt_le_1_alt; rewrite <- W; nra.
    - right; transitivity (8 * w * (k + 1) * (2 * (k * k) * (k + 1) - e * ((k - 1) * (k * k + 1)))).
      + unfold w, b, r; ring.
      + rewrite Ee; ring. }
  assert (DY : distance F (scaled_identity 1) (hole r) (plane (2 * k) b) (plane (- r) b) = w - 4 * k).
  { rewrite distance_around_a_hole, gamma_of_planes by exact HF; cbv zeta.
    match goal with |- context [sqrt ?d] => replace d with ((4 * k * w) * (4 * k * w)) by (unfold w, b, r; ring) end.
    rewrite sqrt_square by nra.
    replace (- r - 2 * k) with (- w) by lra; replace (b - b) with 0 by ring; clearbody w.
    match goal with |- context [Rmin 1 ?q] => replace q with (4 * k / w) by (field; nra) end.
    match goal with |- context [Rmax 0 (?q / ?d)] => replace (q / d) with 0 by (field; nra) end.
    assert (G : 0 <= 4 * k / w <= 1).
    { split; [apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat, Pw]|].
      apply Rmult_le_reg_r with w; [exact Pw|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra. }
    rewrite (Rmax_left 0 0), Rmin_right, Rmax_right by lra.
    unfold norm; rewrite sub_plane, dot_plane by exact HF.
    match goal with |- context [sqrt ?d] => replace d with (w * w) by (rewrite <- W; ring) end.
    rewrite sqrt_square by lra; field; lra. }
  assert (T : shell_chord r e <= 4 * k + 12).
  { eapply Rle_trans; [apply shell_chord_below_a_root; unfold r; nra|].
    replace (4 * k + 12) with (2 * sqrt ((2 * k + 6) * (2 * k + 6))) by (rewrite sqrt_square; lra).
    apply Rmult_le_compat_l; [lra|]; apply sqrt_le_1_alt; apply Rmult_le_reg_r with (k - 1); [lra|].
    replace (2 * r * e * (k - 1)) with (2 * (e * ((k - 1) * (k * k + 1)))) by (unfold r; ring); rewrite Ee; nra. }
  assert (E4 : e <= 4).
  { apply Rmult_le_reg_r with ((k - 1) * (k * k + 1)); [exact D1|]; rewrite Ee.
    assert (0 <= k * k * (k - 3)) by (apply Rmult_le_pos; nra); nra. }
  rewrite DY; match goal with |- _ < Rabs ?d => pose proof (Rle_abs d) end.
  pose proof (shell_chord_nonneg r e); set (t := shell_chord r e) in *.
  assert (c * (1 * e + 1 * t) < 4 * k); [|lra].
  destruct (Rle_lt_dec c 0); [nra|].
  apply Rle_lt_trans with (c * (4 * k + 16)); [apply Rmult_le_compat_l; lra | lra].
Qed.

(** ** The constants before the shell chords, for any metrics *)

Definition span (u v : vector) (a b : R) : vector := fun i => a * u i + b * v i.

(** Small enough a chord: b and e that leave everything but the chord behind. *)
Lemma small_chord k c L K : 0 <= c < k -> 0 <= L -> 0 <= K -> exists b H e, 0 < b <= 1 /\ 0 < H /\ 0 < e /\ b * b + H * H = 1 /\
  (1 + b) * (b * b) <= 2 * H * e /\ L * e + c * (2 * sqrt (2 * 1 * e)) + K * (2 * sqrt (2 * b * e)) < 2 * b * k.
Proof.
  intros Hc PL PK; set (d := (k - c) / k).
  assert (Ed : d * k = k - c) by (unfold d; field; lra).
  assert (Pd : 0 < d <= 1) by (split; [apply Rmult_lt_0_compat; [lra | apply Rinv_0_lt_compat; lra] | apply Rmult_le_reg_r with k; lra]).
  set (W := 5 * L + 9 * K + 4 * k); assert (PW : 4 * k <= W) by (unfold W; lra).
  set (n := (k - c) / W); assert (En : n * W = k - c) by (unfold n; field; lra).
  assert (Pn : 0 < n) by (apply Rmult_lt_0_compat; [lra | apply Rinv_0_lt_compat; lra]).
  assert (N1 : n * 4 <= d) by (apply Rmult_le_reg_r with k; [lra|]; rewrite Ed; nra).
  set (p := 1 + d / 2); assert (Pp : 1 < p <= 3 / 2) by (unfold p; lra).
  assert (Cp : c * p <= (c + k) / 2) by (unfold p; nra).
  set (m := n * n); assert (Pm : 0 < m) by (unfold m; nra); assert (Mn : m <= n / 4) by (unfold m; nra).
  set (q := / (1 + m * m)); assert (Eq : q * (1 + m * m) = 1) by (unfold q; field; nra).
  assert (Pq : 0 < q) by (apply Rinv_0_lt_compat; nra); assert (Q1 : q <= 1) by nra; assert (Q2 : 1 - n <= q) by nra.
  assert (Em : m = n * n) by reflexivity; assert (Ep : p = 1 + d / 2) by reflexivity; clearbody d n p m q.
  exists (2 * m * q), ((1 - m * m) * q), (2 * (p * p) * (m * m) * q).
  assert (Pe : 0 < 2 * (p * p) * (m * m) * q) by (repeat apply Rmult_lt_0_compat; lra).
  assert (Pb : 0 < 2 * m * q) by (repeat apply Rmult_lt_0_compat; lra).
  repeat split; [exact Pb | nra | apply Rmult_lt_0_compat; [nra | exact Pq] | exact Pe | | |].
  - replace (2 * m * q * (2 * m * q) + (1 - m * m) * q * ((1 - m * m) * q)) with (q * (1 + m * m) * (q * (1 + m * m))) by ring.
    rewrite Eq; ring.
  - assert (P2 : 1 + d <= p * p) by (rewrite Ep; nra); assert (M1 : m <= 1 / 16) by lra.
    assert (T : 1 + m <= p * p * (1 - m)).
    { apply Rle_trans with ((1 + d) * (1 - m)); [|apply Rmult_le_compat_r; lra].
      assert (d * m <= 1 * m) by (apply Rmult_le_compat_r; lra); lra. }
    replace (1 + 2 * m * q) with (q * ((1 + m) * (1 + m))) by
      (transitivity (q * (1 + m * m) + 2 * m * q); [ring | rewrite Eq; ring]).
    assert (S : (1 + m) * (1 + m) <= p * p * (1 - m * m)).
    { apply Rle_trans with (p * p * (1 - m) * (1 + m)); [apply Rmult_le_compat_r; lra | right; ring]. }
    assert (Q3 : 0 <= 4 * (m * m) * (q * q)) by (repeat apply Rmult_le_pos; lra).
    apply Rle_trans with (4 * (m * m) * (q * q) * (p * p * (1 - m * m))); [|right; ring].
    apply Rle_trans with (4 * (m * m) * (q * q) * ((1 + m) * (1 + m))); [|apply Rmult_le_compat_l; assumption].
    replace (q * ((1 + m) * (1 + m)) * (2 * m * q * (2 * m * q))) with (4 * (m * m) * (q * q) * (q * ((1 + m) * (1 + m)))) by ring.
    apply Rmult_le_compat_l; [exact Q3|]; assert (0 <= (1 + m) * (1 + m)) by nra; nra.
  - assert (R1 : sqrt (2 * 1 * (2 * (p * p) * (m * m) * q)) <= 2 * p * m).
    { rewrite <- (sqrt_square (2 * p * m)) by (repeat apply Rmult_le_pos; lra); apply sqrt_le_1_alt.
      assert (0 <= 4 * (p * p) * (m * m)) by (repeat apply Rmult_le_pos; lra); nra. }
    assert (R2 : sqrt (2 * (2 * m * q) * (2 * (p * p) * (m * m) * q)) <= 3 * p * m * n).
    { rewrite <- (sqrt_square (3 * p * m * n)) by (repeat apply Rmult_le_pos; lra); apply sqrt_le_1_alt.
      replace (3 * p * m * n * (3 * p * m * n)) with (9 * (p * p * (m * m) * (n * n))) by ring; rewrite <- Em.
      replace (2 * (2 * m * q) * (2 * (p * p) * (m * m) * q)) with (8 * (p * p * (m * m) * m) * (q * q)) by ring.
      assert (0 <= p * p * (m * m) * m) by (repeat apply Rmult_le_pos; lra); assert (q * q <= 1) by nra; nra. }
    assert (R3 : 2 * (p * p) * (m * m) * q <= 5 * m * n).
    { assert (p * p <= 9 / 4) by nra; assert (m * m <= m * n) by nra.
      assert (0 <= m * n) by nra; assert (p * p * (m * m) <= 9 / 4 * (m * n)) by (apply Rmult_le_compat; nra); nra. }
    apply Rmult_le_compat_l with (r := L) in R3; [|exact PL]; apply Rmult_le_compat_l with (r := c) in R1; [|lra].
    apply Rmult_le_compat_l with (r := K) in R2; [|exact PK].
    assert (Z1 : 4 * (c * p) * m <= 2 * (c + k) * m) by nra.
    assert (Z2 : K * (3 * p * m * n) <= K * (9 / 2 * (m * n))) by (apply Rmult_le_compat_l; [exact PK|]; assert (0 < m * n) by nra; nra).
    assert (Z3 : 4 * m * k * (1 - n) <= 2 * (2 * m * q) * k) by (assert (0 < m * k) by nra; nra).
    assert (Z4 : m * (n * W) = m * (k - c)) by (rewrite En; reflexivity); unfold W in Z4.
    assert (0 < m * (k - c)) by nra; nra.
Qed.

(** A unit vector has an orthogonal one, from dimension 2 on. *)
Lemma orthogonal_vector F u : (2 <= F)%nat -> dot F u u = 1 -> exists v, dot F v v = 1 /\ dot F u v = 0.
Proof.
  intros HF Nu; set (a := u 0%nat); set (b := u 1%nat).
  assert (D : forall w c d, dot F w (plane c d) = w 0%nat * c + w 1%nat * d).
  { intros w c d; destruct F as [|[|F]]; try lia; clear; induction F as [|k IH]; unfold dot in *; simpl in *; [ring | rewrite IH; ring]. }
  destruct (Rle_lt_or_eq_dec 0 (a * a + b * b)) as [P | Z]; [nra | |].
  - set (l := sqrt (a * a + b * b)); assert (Pl : 0 < l) by (apply sqrt_lt_R0, P).
    assert (El : l * l = a * a + b * b) by (apply sqrt_sqrt; lra).
    exists (plane (- b / l) (a / l)); rewrite !D; simpl; split; [|unfold a, b; field; lra].
    replace (- b / l * (- b / l) + a / l * (a / l)) with ((a * a + b * b) / (l * l)) by (field; lra); rewrite <- El; field; lra.
  - exists (plane 1 0); rewrite !D; simpl; fold a b; split; [ring | nra].
Qed.

Section Tangent.
Variables (F : nat) (u v : vector).
Hypothesis Nu : dot F u u = 1.
Hypothesis Nv : dot F v v = 1.
Hypothesis Ouv : dot F u v = 0.
Local Notation "⟨ a , b ⟩" := (span u v a b).

Lemma sub_span a b c d : sub ⟨a, b⟩ ⟨c, d⟩ = ⟨a - c, b - d⟩.
Proof. extensionality i; unfold sub, span; ring. Qed.

Lemma dot_span a b c d : dot F ⟨a, b⟩ ⟨c, d⟩ = a * c + b * d.
Proof.
  transitivity (a * c * dot F u u + ((a * d + b * c) * dot F u v + b * d * dot F v v)); [|rewrite Nu, Nv, Ouv; ring].
  unfold dot, span; rewrite <- !total_scale, <- !total_plus; apply total_ext; intro; ring.
Qed.

Lemma norm_span a b l : 0 <= l -> a * a + b * b = l * l -> norm F ⟨a, b⟩ = l.
Proof. intros P E; unfold norm; rewrite dot_span, E; apply sqrt_square, P. Qed.

Lemma gamma_of_span a b c d :
  let qa := (c - a) * (c - a) + (d - b) * (d - b) in
  let qb := 2 * ((c - a) * a + (d - b) * b) in
  let disc := qb * qb - 4 * qa * (a * a + b * b - 1 * 1) in
  gamma F ⟨a, b⟩ ⟨c, d⟩ ⟨0, 0⟩ 1
  = Rmax 0 (Rmin 1 ((- qb + sqrt disc) / (2 * qa)) - Rmax 0 ((- qb - sqrt disc) / (2 * qa))).
Proof.
  simpl; unfold gamma, lambda_u, lambda_v, discriminant, quadratic_a, quadratic_b, quadratic_c.
  rewrite !sub_span, !Rminus_0_r, !dot_span; reflexivity.
Qed.

(** From z = (-1, H) the segment to y = (b, H) ends with the chord from -b to b; that to x = (b, H + e) misses the ball. *)
Variables (b H e : R).
Hypothesis Hb : 0 < b <= 1.
Hypothesis PH : 0 < H.
Hypothesis Pe : 0 < e.
Hypothesis circle : b * b + H * H = 1.
Hypothesis high : (1 + b) * (b * b) <= 2 * H * e.
Let x := ⟨b, H + e⟩.
Let y := ⟨b, H⟩.
Let z := ⟨-1, H⟩.

Lemma step_length : norm F (sub x y) = e.
Proof. unfold x, y; rewrite sub_span; apply norm_span; [lra | ring]. Qed.

Lemma chord_cut : gamma F y z ⟨0, 0⟩ 1 = 2 * b / (1 + b).
Proof.
  unfold y, z; rewrite gamma_of_span; cbv zeta.
  match goal with |- context [sqrt ?d] => replace d with ((2 * b * (1 + b)) * (2 * b * (1 + b))) by
    (replace (b * b + H * H - 1 * 1) with 0 by lra; ring) end.
  rewrite sqrt_square by nra.
  match goal with |- context [Rmin 1 ?q] => replace q with (2 * b / (1 + b)) by (field; nra) end.
  match goal with |- context [Rmax 0 (?q / ?d)] => replace (q / d) with 0 by (field; nra) end.
  assert (G : 0 <= 2 * b / (1 + b) <= 1).
  { split; [apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra]|].
    apply Rmult_le_reg_r with (1 + b); [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra. }
  rewrite (Rmax_left 0 0), Rmin_right, Rmax_right by lra; ring.
Qed.

Lemma ball_missed : gamma F x z ⟨0, 0⟩ 1 = 0.
Proof.
  unfold x, z; rewrite gamma_of_span; cbv zeta; rewrite (sqrt_neg_0 (_ - 4 * _ * _)).
  - rewrite Rplus_0_r, Rminus_0_r; match goal with |- context [?q / ?d] => set (m := q / d) end.
    unfold Rmax, Rmin; repeat destruct Rle_dec; lra.
  - apply Rle_trans with (4 * (1 + b) * ((1 + b) * (1 - H * H) - 2 * H * e)); [right; ring|].
    replace (1 - H * H) with (b * b) by lra; nra.
Qed.

Lemma length_of_the_chord M : positive_semidefinite F M ->
  gamma F y z ⟨0, 0⟩ 1 * mahalanobis F M (sub y z) = 2 * b * mahalanobis F M u.
Proof.
  intro PM; rewrite chord_cut; unfold y, z; rewrite sub_span.
  replace ⟨b - -1, H - H⟩ with (fun i => (1 + b) * u i) by (extensionality i; unfold span; ring).
  unfold mahalanobis; rewrite (seminorm_scale (form F M) (form_semi_inner F M PM)), Rabs_pos_eq by lra; field; lra.
Qed.
End Tangent.

(** A ball that the segment misses adds nothing to D; one within the others adds gamma_s n_s, and takes nothing from the
    background (exact gamma_b). *)
Lemma missed_ball F B A As x z : 0 < norm F (sub z x) -> (forall C, In C (A :: As) -> 0 <= radius C) -> share F x z A = 0 ->
  exact_distance F B (A :: As) x z = exact_distance F B As x z.
Proof.
  intros P PR G; pose proof (inside_multiplier F x z (A :: As) P PR A (or_introl eq_refl)) as Mi.
  assert (MU : multiplier (uncovered F x z As)) by (apply uncovered_multiplier; [exact P | intros; apply PR; right; assumption]).
  assert (E : exact_background_share F (A :: As) x z = exact_background_share F As x z).
  { unfold exact_background_share; pose proof (inside_integral F x z (A :: As) P PR A (or_introl eq_refl)) as I; rewrite G in I.
    set (i := inside F x z A) in *; set (U := uncovered F x z As) in *.
    assert (Ui : integrable (fun t => U t * i t)) by (apply Mi, multiplier_integrable, MU).
    assert (Z : integral (fun t => U t * i t) = 0).
    { apply Rle_antisym.
      - rewrite <- I; apply integral_le; [exact Ui | apply multiplier_integrable, Mi|]; intros t _.
        pose proof (uncovered_range F x z As t) as R; fold (U t) in R.
        destruct (inside_cases F x z A t) as [E | E]; unfold i; rewrite E; lra.
      - rewrite <- (integral_const 0); apply integral_le; [apply integrable_const | exact Ui|]; intros t _.
        pose proof (uncovered_range F x z As t) as R; fold (U t) in R.
        destruct (inside_cases F x z A t) as [E | E]; unfold i; rewrite E; lra. }
    rewrite (integral_ext _ (fun t => U t - U t * i t)) by (intros; simpl; fold (i t) (U t); ring).
    rewrite integral_minus by (try exact Ui; apply multiplier_integrable, MU); rewrite Z; ring. }
  unfold exact_distance, distance_with, weighted_lengths; rewrite E; simpl; rewrite G; ring.
Qed.

Lemma covered_ball F B A As y z : (forall t, 0 <= t <= 1 -> inside F y z A t = 1 -> uncovered F y z As t = 0) ->
  exact_distance F B (A :: As) y z = exact_distance F B As y z + share F y z A * mahalanobis F (metric A) (sub y z).
Proof.
  intro Cov; assert (E : exact_background_share F (A :: As) y z = exact_background_share F As y z).
  { apply integral_ext; intros t T; simpl; destruct (inside_cases F y z A t) as [E | E]; rewrite E; [ring|].
    rewrite (Cov t T E); ring. }
  unfold exact_distance, distance_with, weighted_lengths; rewrite E; simpl; ring.
Qed.

Lemma nonneg_part_le L e : 0 <= e -> L * e <= Rmax L 0 * e.
Proof. intro P; apply Rmult_le_compat_r; [exact P | apply Rmax_l]. Qed.

Lemma far_apart F u v b H w : dot F u u = 1 -> dot F v v = 1 -> dot F u v = 0 -> 0 < b ->
  0 < norm F (sub (span u v (-1) H) (span u v b w)).
Proof.
  intros Nu Nv O P; unfold norm; rewrite sub_span, dot_span by assumption; apply sqrt_lt_R0.
  assert (0 <= (H - w) * (H - w)) by apply Rle_0_sqr; nra.
Qed.

(** Theorem A; Theorem C: whatever the metrics, in every dimension from 2 on, the constant before tau is no less than
    |n_s(u) - n_B(u)| for any unit vector u: already with one ball of radius 1, with either gamma_b, and no Lambda makes up
    for it. *)
Theorem difference_of_lengths_is_needed F M_A M_B u c L : (2 <= F)%nat ->
  positive_semidefinite F M_A -> positive_semidefinite F M_B -> norm F u = 1 ->
  0 <= c < Rabs (mahalanobis F M_A u - mahalanobis F M_B u) ->
  exists o x y z, let As := [Region o 1 M_A] in let e := norm F (sub x y) in 0 < e /\
    L * e + c * shell_chord 1 e < Rabs (distance F M_B As x z - distance F M_B As y z) /\
    L * e + c * shell_chord 1 e < Rabs (exact_distance F M_B As x z - exact_distance F M_B As y z).
Proof.
  intros HF PA PB N1 Hc; assert (Nu : dot F u u = 1) by (rewrite <- norm_square, N1; ring).
  destruct (orthogonal_vector F u HF Nu) as (v & Nv & O).
  set (k := Rabs (mahalanobis F M_A u - mahalanobis F M_B u)) in *; set (s := sqrt (frobenius F M_B)).
  assert (S : scale F M_B s) by apply frobenius_scale; assert (Ps : 0 <= s) by apply S.
  pose proof (Rmax_r L 0) as PL.
  destruct (small_chord k c (Rmax L 0 + s) 0 Hc ltac:(lra) ltac:(lra)) as (b & H & e & Hb & PH & Pe & Ci & Hi & Small).
  exists (span u v 0 0), (span u v b (H + e)), (span u v b H), (span u v (-1) H); cbv zeta.
  rewrite (step_length F u v Nu Nv O b H e Pe); split; [exact Pe|].
  set (x := span u v b (H + e)); set (y := span u v b H); set (z := span u v (-1) H); set (A := Region (span u v 0 0) 1 M_A).
  assert (Gx : share F x z A = 0) by (apply (ball_missed F u v Nu Nv O b H e); assumption).
  assert (Gy : forall M, positive_semidefinite F M -> share F y z A * mahalanobis F M (sub y z) = 2 * b * mahalanobis F M u)
    by (intros M PM; apply (length_of_the_chord F u v); assumption).
  assert (Ry : 0 <= share F y z A <= 1) by apply gamma_range.
  assert (Dx : distance F M_B [A] x z = mahalanobis F M_B (sub x z)).
  { unfold distance, distance_with, weighted_lengths, background_share; simpl; rewrite Gx, Rmax_left by lra; ring. }
  assert (Dy : distance F M_B [A] y z = mahalanobis F M_B (sub y z) + 2 * b * (mahalanobis F M_A u - mahalanobis F M_B u)).
  { unfold distance, distance_with, weighted_lengths, background_share; simpl; rewrite Rmax_left by lra.
    pose proof (Gy M_A PA); pose proof (Gy M_B PB); lra. }
  assert (Low : L * e + c * shell_chord 1 e < Rabs (distance F M_B [A] x z - distance F M_B [A] y z)).
  { rewrite Dx, Dy; pose proof (mahalanobis_moves F M_B x y z PB) as Mv; destruct S as [_ S]; specialize (S (sub x y)).
    assert (N : norm F (sub x y) = e) by (apply step_length; assumption); rewrite N in S.
    pose proof (shell_chord_below_a_root 1 e ltac:(lra) ltac:(lra)) as T.
    pose proof (nonneg_part_le L e ltac:(lra)); apply Rmult_le_compat_l with (r := c) in T; [|lra].
    set (g := mahalanobis F M_B (sub x z) - mahalanobis F M_B (sub y z)) in *.
    set (dl := mahalanobis F M_A u - mahalanobis F M_B u) in *.
    replace (mahalanobis F M_B (sub x z) - (mahalanobis F M_B (sub y z) + 2 * b * dl)) with (- (2 * b * dl - g)) by (unfold g; ring).
    rewrite Rabs_Ropp; pose proof (Rabs_triang_inv (2 * b * dl) g) as R; rewrite Rabs_mult, (Rabs_pos_eq (2 * b)) in R by lra.
    fold k in R; lra. }
  split; [exact Low|]; unfold exact_distance.
  rewrite !exact_is_approximate; try exact Low; try (apply pairwise_disjoint; repeat constructor);
    try (intros C [<- | []]; simpl; lra); apply far_apart; try assumption; lra.
Qed.

(** Theorem C: nor is it less than n_s(u), for the exact gamma_b: a second ball, small and with any metric, covers the chord,
    and neither Lambda nor any constant before the second tau makes up for it. With [difference_of_lengths_is_needed], kappa'_s
    is the best constant for every choice of metrics. *)
Theorem length_in_the_region_is_needed F M_A M_B M_C u c L K : (2 <= F)%nat ->
  positive_semidefinite F M_A -> positive_semidefinite F M_B -> positive_semidefinite F M_C -> norm F u = 1 ->
  0 <= c < mahalanobis F M_A u ->
  exists o o' rho x y z, let As := [Region o 1 M_A; Region o' rho M_C] in let e := norm F (sub x y) in 0 < e /\ 0 < rho /\
    L * e + c * shell_chord 1 e + K * shell_chord rho e < Rabs (exact_distance F M_B As x z - exact_distance F M_B As y z).
Proof.
  intros HF PA PB PC N1 Hc; assert (Nu : dot F u u = 1) by (rewrite <- norm_square, N1; ring).
  destruct (orthogonal_vector F u HF Nu) as (v & Nv & O).
  set (k := mahalanobis F M_A u) in *; set (s_B := sqrt (frobenius F M_B)); set (s_C := sqrt (frobenius F M_C)).
  assert (SB : scale F M_B s_B) by apply frobenius_scale; assert (SC : scale F M_C s_C) by apply frobenius_scale.
  set (Lambda := Rmax s_B s_C); assert (LB : s_B <= Lambda) by apply Rmax_l; assert (LC : s_C <= Lambda) by apply Rmax_r.
  assert (Ps : 0 <= s_B) by apply SB; pose proof (Rmax_r L 0) as PL; pose proof (Rmax_r K 0) as PK.
  destruct (small_chord k c (Rmax L 0 + Lambda) (Rmax K 0 + Lambda) Hc ltac:(lra) ltac:(lra))
    as (b & H & e & Hb & PH & Pe & Ci & Hi & Small).
  exists (span u v 0 0), (span u v 0 H), b, (span u v b (H + e)), (span u v b H), (span u v (-1) H); cbv zeta.
  rewrite (step_length F u v Nu Nv O b H e Pe); split; [exact Pe | split; [lra|]].
  set (x := span u v b (H + e)); set (y := span u v b H); set (z := span u v (-1) H).
  set (A := Region (span u v 0 0) 1 M_A); set (C := Region (span u v 0 H) b M_C).
  assert (PR : forall R, In R [A; C] -> 0 <= radius R) by (intros R [<- | [<- | []]]; simpl; lra).
  rewrite (missed_ball F M_B A [C] x z); [|apply far_apart; assumption || lra | exact PR|].
  2:{ apply (ball_missed F u v Nu Nv O b H e); assumption. }
  rewrite (covered_ball F M_B A [C] y z).
  2:{ intros t _ I; unfold inside, in_ball in I; destruct Rle_dec as [In1 | _]; [|lra]; simpl.
      unfold inside, in_ball; destruct Rle_dec as [_ | Out]; [ring | exfalso; apply Out; clear Out].
      assert (Pt : point_on_line y z t = span u v (b - t * (1 + b)) H)
        by (extensionality i; unfold point_on_line, y, z, span; ring).
      rewrite Pt in *; simpl in *; unfold norm in *; rewrite sub_span, dot_span in * by assumption.
      rewrite !Rminus_0_r in In1; replace (H - H) with 0 by ring; rewrite Rminus_0_r, Rmult_0_r, Rplus_0_r.
      set (a := b - t * (1 + b)) in *; change (a * a) with (Rsqr a); rewrite sqrt_Rsqr_abs; unfold Rsqr.
      assert (Q : a * a + H * H <= 1 * 1).
      { assert (Pq : 0 <= a * a + H * H) by nra; rewrite <- (sqrt_sqrt _ Pq).
        apply Rmult_le_compat; try exact In1; apply sqrt_pos. }
      apply Rabs_le; split; nra. }
  change (share F y z A * mahalanobis F (metric A) (sub y z)) with (gamma F y z (span u v 0 0) 1 * mahalanobis F M_A (sub y z)).
  unfold y, z; rewrite (length_of_the_chord F u v) by assumption; fold y z k.
  assert (Mod : Rabs (exact_distance F M_B [C] x z - exact_distance F M_B [C] y z) <= Lambda * e + Lambda * shell_chord b e).
  { pose proof (modulus_exact F M_B [C] s_B (fun _ => s_C) Lambda x y z e PB SB) as M; simpl in M.
    rewrite Rplus_0_r, (Rmax_comm s_C) in M; apply M.
    - intros R [<- | []]; repeat split; simpl; try lra; try apply PC; apply SC.
    - split; [exact LB | intro p; simpl; rewrite Rplus_0_r; assert (0 <= s_C) by apply SC].
      destruct (in_ball_cases F p (span u v 0 H) b) as [E | E]; rewrite E; lra.
    - unfold x, y; rewrite (step_length F u v Nu Nv O b H e Pe); lra. }
  pose proof (shell_chord_below_a_root 1 e ltac:(lra) ltac:(lra)) as T1.
  pose proof (shell_chord_below_a_root b e ltac:(lra) ltac:(lra)) as T2.
  pose proof (shell_chord_nonneg b e) as T3; pose proof (nonneg_part_le L e ltac:(lra)); pose proof (nonneg_part_le K _ T3).
  apply Rmult_le_compat_l with (r := c) in T1; [|lra]; apply Rmult_le_compat_l with (r := Rmax K 0 + Lambda) in T2; [|lra].
  set (g := exact_distance F M_B [C] x z - exact_distance F M_B [C] y z) in *.
  replace (exact_distance F M_B [C] x z - (exact_distance F M_B [C] y z + 2 * b * k)) with (- (2 * b * k - g)) by (unfold g; ring).
  rewrite Rabs_Ropp; pose proof (Rabs_triang_inv (2 * b * k) g) as R; assert (Pk : 0 <= 2 * b * k) by nra.
  rewrite (Rabs_pos_eq (2 * b * k) Pk) in R; lra.
Qed.
