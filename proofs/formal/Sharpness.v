(** The moduli are sharp: no smaller constants will do.

    hole r                one ball with M(A) = 0, for M(B) = I: there Lambda = kappa = 1
    span u v a b          a u + b v, the plane of two orthogonal unit vectors
    frame o u v r a b     the point (a, b) of that plane when the ball with center o and radius r is its unit ball
    H, b                  a line at height H cuts the unit ball in the chord from -b to b: H^2 + b^2 = 1 *)
From Coq Require Import Reals Lra Lia Psatz FunctionalExtensionality List.
From LMLIR Require Import Geometry Continuity Matrices Scales Classifier Refuted Integral Exact Moduli Hull.
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
Definition frame (o u v : vector) (r a b : R) : vector := fun i => o i + r * span u v a b i.

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

Lemma scaled_shell_chord r e : 0 < r -> shell_chord r (r * e) = r * shell_chord 1 e.
Proof.
  intro P; unfold shell_chord; assert (E : Rmax (r - r * e) 0 = r * Rmax (1 - e) 0) by (unfold Rmax; repeat destruct Rle_dec; nra).
  rewrite E; replace (r * r - r * Rmax (1 - e) 0 * (r * Rmax (1 - e) 0))
    with (r * r * (1 * 1 - Rmax (1 - e) 0 * Rmax (1 - e) 0)) by ring.
  rewrite sqrt_mult_alt, sqrt_square by nra; ring.
Qed.

Section Tangent.
Variables (F : nat) (o u v : vector) (r : R).
Hypothesis Nu : dot F u u = 1.
Hypothesis Nv : dot F v v = 1.
Hypothesis Ouv : dot F u v = 0.
Hypothesis Pr : 0 < r.
Local Notation "⟨ a , b ⟩" := (frame o u v r a b).

Lemma dot_span a b c d : dot F (span u v a b) (span u v c d) = a * c + b * d.
Proof.
  transitivity (a * c * dot F u u + ((a * d + b * c) * dot F u v + b * d * dot F v v)); [|rewrite Nu, Nv, Ouv; ring].
  unfold dot, span; rewrite <- !total_scale, <- !total_plus; apply total_ext; intro; ring.
Qed.

Lemma sub_frame a b c d : sub ⟨a, b⟩ ⟨c, d⟩ = span u v (r * (a - c)) (r * (b - d)).
Proof. extensionality i; unfold sub, frame, span; ring. Qed.

Lemma sub_center a b : sub ⟨a, b⟩ o = span u v (r * a) (r * b).
Proof. extensionality i; unfold sub, frame, span; ring. Qed.

Lemma norm_frame a b c d l : 0 <= l -> (a - c) * (a - c) + (b - d) * (b - d) = l * l -> norm F (sub ⟨a, b⟩ ⟨c, d⟩) = r * l.
Proof.
  intros P E; unfold norm; rewrite sub_frame, dot_span.
  replace (r * (a - c) * (r * (a - c)) + r * (b - d) * (r * (b - d))) with (r * l * (r * l)).
  - apply sqrt_square, Rmult_le_pos; lra.
  - transitivity (r * r * (l * l)); [ring | rewrite <- E; ring].
Qed.

Lemma gamma_in_the_frame a b c d :
  let qa := (c - a) * (c - a) + (d - b) * (d - b) in
  let qb := 2 * ((c - a) * a + (d - b) * b) in
  let disc := qb * qb - 4 * qa * (a * a + b * b - 1 * 1) in
  gamma F ⟨a, b⟩ ⟨c, d⟩ o r
  = Rmax 0 (Rmin 1 ((- qb + sqrt disc) / (2 * qa)) - Rmax 0 ((- qb - sqrt disc) / (2 * qa))).
Proof.
  intros qa qb disc.
  assert (A : quadratic_a F ⟨a, b⟩ ⟨c, d⟩ = r * r * qa) by (unfold quadratic_a; rewrite sub_frame, dot_span; unfold qa; ring).
  assert (Q : quadratic_b F ⟨a, b⟩ ⟨c, d⟩ o = r * r * qb)
    by (unfold quadratic_b; rewrite sub_frame, sub_center, dot_span; unfold qb; ring).
  assert (D : sqrt (discriminant F ⟨a, b⟩ ⟨c, d⟩ o r) = r * r * sqrt disc).
  { transitivity (sqrt (r * r * (r * r) * disc)); [|rewrite sqrt_mult_alt, sqrt_square by nra; reflexivity].
    f_equal; unfold discriminant, quadratic_c; rewrite A, Q, sub_center, dot_span; unfold disc; ring. }
  assert (R : forall q, r * r * q / (2 * (r * r * qa)) = q / (2 * qa)).
  { intro q; unfold Rdiv; destruct (Req_dec qa 0) as [Z | Z]; [rewrite Z, !Rmult_0_r, Rinv_0; ring | field; lra]. }
  unfold gamma, lambda_u, lambda_v; rewrite A, Q, D.
  replace (- (r * r * qb) + r * r * sqrt disc) with (r * r * (- qb + sqrt disc)) by ring.
  replace (- (r * r * qb) - r * r * sqrt disc) with (r * r * (- qb - sqrt disc)) by ring.
  rewrite !R; reflexivity.
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

Lemma step_length : norm F (sub x y) = r * e.
Proof. unfold x, y; apply norm_frame; [lra | ring]. Qed.

Lemma chord_cut : gamma F y z o r = 2 * b / (1 + b).
Proof.
  unfold y, z; rewrite gamma_in_the_frame; cbv zeta.
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

Lemma ball_missed : gamma F x z o r = 0.
Proof.
  unfold x, z; rewrite gamma_in_the_frame; cbv zeta; rewrite (sqrt_neg_0 (_ - 4 * _ * _)).
  - rewrite Rplus_0_r, Rminus_0_r; match goal with |- context [?q / ?d] => set (m := q / d) end.
    unfold Rmax, Rmin; repeat destruct Rle_dec; lra.
  - apply Rle_trans with (4 * (1 + b) * ((1 + b) * (1 - H * H) - 2 * H * e)); [right; ring|].
    replace (1 - H * H) with (b * b) by lra; nra.
Qed.

Lemma length_of_the_chord M : positive_semidefinite F M ->
  gamma F y z o r * mahalanobis F M (sub y z) = 2 * b * r * mahalanobis F M u.
Proof.
  intro PM; rewrite chord_cut; unfold y, z; rewrite sub_frame.
  replace (span u v (r * (b - -1)) (r * (H - H))) with (fun i => r * (1 + b) * u i) by (extensionality i; unfold span; ring).
  unfold mahalanobis; rewrite (seminorm_scale (form F M) (form_semi_inner F M PM)), Rabs_pos_eq by nra; field; lra.
Qed.

Lemma ends_differ w : 0 < norm F (sub z ⟨b, w⟩).
Proof.
  unfold z, norm; rewrite sub_frame, dot_span; apply sqrt_lt_R0.
  assert (0 <= r * (H - w) * (r * (H - w))) by apply Rle_0_sqr; assert (0 < r * (1 + b)) by nra; nra.
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

(** Theorem A; Theorem C: whatever the metrics, in every dimension from 2 on, the constant before tau is no less than
    |n_s(u) - n_B(u)| for any unit vector u: already with one ball, wherever it is and however large, with either gamma_b;
    and no Lambda makes up for it. *)
Theorem difference_of_lengths_is_needed F o r M_A M_B u c L : (2 <= F)%nat -> 0 < r ->
  positive_semidefinite F M_A -> positive_semidefinite F M_B -> norm F u = 1 ->
  0 <= c < Rabs (mahalanobis F M_A u - mahalanobis F M_B u) ->
  exists x y z, let As := [Region o r M_A] in let e := norm F (sub x y) in 0 < e /\
    L * e + c * shell_chord r e < Rabs (distance F M_B As x z - distance F M_B As y z) /\
    L * e + c * shell_chord r e < Rabs (exact_distance F M_B As x z - exact_distance F M_B As y z).
Proof.
  intros HF Pr PA PB N1 Hc; assert (Nu : dot F u u = 1) by (rewrite <- norm_square, N1; ring).
  destruct (orthogonal_vector F u HF Nu) as (v & Nv & O).
  set (k := Rabs (mahalanobis F M_A u - mahalanobis F M_B u)) in *; set (s := sqrt (frobenius F M_B)).
  assert (S : scale F M_B s) by apply frobenius_scale; assert (Ps : 0 <= s) by apply S.
  pose proof (Rmax_r L 0) as PL.
  destruct (small_chord k c (Rmax L 0 + s) 0 Hc ltac:(lra) ltac:(lra)) as (b & H & e & Hb & PH & Pe & Ci & Hi & Small).
  set (x := frame o u v r b (H + e)); set (y := frame o u v r b H); set (z := frame o u v r (-1) H).
  assert (N : norm F (sub x y) = r * e) by (apply step_length; assumption).
  exists x, y, z; cbv zeta; rewrite N; split; [nra|]; set (A := Region o r M_A).
  assert (Gx : share F x z A = 0) by (apply (ball_missed F o u v r); assumption).
  assert (Gy : forall M, positive_semidefinite F M -> share F y z A * mahalanobis F M (sub y z) = 2 * b * r * mahalanobis F M u)
    by (intros M PM; apply (length_of_the_chord F o u v r); assumption).
  assert (Ry : 0 <= share F y z A <= 1) by apply gamma_range.
  assert (Dx : distance F M_B [A] x z = mahalanobis F M_B (sub x z)).
  { unfold distance, distance_with, weighted_lengths, background_share; simpl; rewrite Gx, Rmax_left by lra; ring. }
  assert (Dy : distance F M_B [A] y z = mahalanobis F M_B (sub y z) + 2 * b * r * (mahalanobis F M_A u - mahalanobis F M_B u)).
  { unfold distance, distance_with, weighted_lengths, background_share; simpl; rewrite Rmax_left by lra.
    pose proof (Gy M_A PA); pose proof (Gy M_B PB); lra. }
  assert (Low : L * (r * e) + c * shell_chord r (r * e) < Rabs (distance F M_B [A] x z - distance F M_B [A] y z)).
  { rewrite Dx, Dy, scaled_shell_chord by exact Pr.
    pose proof (mahalanobis_moves F M_B x y z PB) as Mv; destruct S as [_ S]; specialize (S (sub x y)); rewrite N in S.
    pose proof (shell_chord_below_a_root 1 e ltac:(lra) ltac:(lra)) as T.
    pose proof (nonneg_part_le L e ltac:(lra)) as LL; apply Rmult_le_compat_l with (r := c) in T; [|lra].
    set (g := mahalanobis F M_B (sub x z) - mahalanobis F M_B (sub y z)) in *.
    set (dl := mahalanobis F M_A u - mahalanobis F M_B u) in *.
    replace (mahalanobis F M_B (sub x z) - (mahalanobis F M_B (sub y z) + 2 * b * r * dl)) with (- (2 * b * r * dl - g)) by (unfold g; ring).
    rewrite Rabs_Ropp; pose proof (Rabs_triang_inv (2 * b * r * dl) g) as R; rewrite Rabs_mult, (Rabs_pos_eq (2 * b * r)) in R by nra.
    fold k in R; assert (r * (L * e + c * shell_chord 1 e) < r * (2 * b * k - s * e)) by (apply Rmult_lt_compat_l; lra); lra. }
  split; [exact Low|]; unfold exact_distance.
  rewrite !exact_is_approximate; try exact Low; try (apply pairwise_disjoint; repeat constructor);
    try (intros C [<- | []]; simpl; lra); apply ends_differ; assumption.
Qed.

(** Lemma 1: with one ball, wherever it is and however large, and in every dimension from 2 on, D is Lipschitz for no metrics
    that measure some direction differently (E6); with either gamma_b. *)
Corollary one_ball_is_never_lipschitz F o r M_A M_B u L : (2 <= F)%nat -> 0 < r ->
  positive_semidefinite F M_A -> positive_semidefinite F M_B -> mahalanobis F M_A u <> mahalanobis F M_B u ->
  ~ (forall x y z, Rabs (distance F M_B [Region o r M_A] x z - distance F M_B [Region o r M_A] y z) <= L * norm F (sub x y)) /\
  ~ (forall x y z, Rabs (exact_distance F M_B [Region o r M_A] x z - exact_distance F M_B [Region o r M_A] y z)
                   <= L * norm F (sub x y)).
Proof.
  intros HF Pr PA PB Ne.
  assert (Pn : 0 < norm F u).
  { destruct (Rle_lt_or_eq_dec 0 (norm F u)) as [P | Z]; [apply sqrt_pos | exact P | exfalso; apply Ne].
    rewrite !(mahalanobis_zero F _ _ u (frobenius_scale F _)) by (symmetry; exact Z); reflexivity. }
  set (w := fun i => / norm F u * u i); assert (Pi : 0 < / norm F u) by (apply Rinv_0_lt_compat, Pn).
  assert (Nw : norm F w = 1).
  { unfold norm, w; rewrite (seminorm_scale (dot F) (dot_semi_inner F)), Rabs_pos_eq by lra; fold (norm F u); field; lra. }
  assert (Ew : forall M, positive_semidefinite F M -> mahalanobis F M w = / norm F u * mahalanobis F M u).
  { intros M PM; unfold mahalanobis, w; rewrite (seminorm_scale (form F M) (form_semi_inner F M PM)), Rabs_pos_eq by lra; reflexivity. }
  assert (D : 0 < Rabs (mahalanobis F M_A w - mahalanobis F M_B w)).
  { apply Rabs_pos_lt; rewrite !Ew by assumption; intro Z; apply Ne; nra. }
  destruct (difference_of_lengths_is_needed F o r M_A M_B w 0 L HF Pr PA PB Nw ltac:(lra)) as (x & y & z & _ & H1 & H2).
  split; intro X; specialize (X x y z); cbv zeta in *; lra.
Qed.

(** Equation (9): with one ball and in every dimension from 2 on, the triangle inequality holds only where the ball's metric
    and that of the background measure all directions alike; with either gamma_b. *)
Corollary triangle_inequality_with_one_ball F o r M_A M_B D : (2 <= F)%nat -> 0 < r ->
  positive_semidefinite F M_A -> positive_semidefinite F M_B ->
  D = distance F M_B [Region o r M_A] \/ D = exact_distance F M_B [Region o r M_A] ->
  (pseudometric D <-> forall u, mahalanobis F M_A u = mahalanobis F M_B u).
Proof.
  intros HF Pr PA PB HD; set (s_A := sqrt (frobenius F M_A)); set (s_B := sqrt (frobenius F M_B)).
  assert (SA : scale F M_A s_A) by apply frobenius_scale; assert (SB : scale F M_B s_B) by apply frobenius_scale.
  assert (Adm : forall A, In A [Region o r M_A] -> admissible F (fun _ => s_A) A)
    by (intros A [<- | []]; split; simpl; [lra | split; assumption]).
  assert (L : covers_cost F [Region o r M_A] s_B (fun _ => s_A) (s_B + s_A)).
  { assert (0 <= s_A) by apply SA; assert (0 <= s_B) by apply SB; split; [lra | intro p; simpl].
    destruct (in_ball_cases F p o r) as [E | E]; rewrite E; lra. }
  split.
  - intros (_ & _ & Sy & T) u; destruct (Req_dec (mahalanobis F M_A u) (mahalanobis F M_B u)) as [E | Ne]; [exact E | exfalso].
    destruct (one_ball_is_never_lipschitz F o r M_A M_B u (s_B + s_A) HF Pr PA PB Ne) as [N1 N2].
    assert (Lip : forall x y z, D x y <= (s_B + s_A) * norm F (sub x y) -> Rabs (D x z - D y z) <= (s_B + s_A) * norm F (sub x y)).
    { intros x y z U; pose proof (T x y z); pose proof (T y x z); pose proof (Sy y x); apply Rabs_le; lra. }
    destruct HD as [-> | ->]; [apply N1 | apply N2]; intros x y z; apply Lip;
      [apply (approximate_le F M_B _ s_B (fun _ => s_A)) | apply (exact_le F M_B _ s_B (fun _ => s_A))]; assumption.
  - intro E; assert (X : forall x y, D x y = mahalanobis F M_B (sub x y)).
    { intros x y; destruct (either_zero F x y) as [Z | [_ P]].
      - rewrite (mahalanobis_zero F M_B s_B) by assumption; destruct HD as [-> | ->]; apply Rle_antisym.
        + eapply Rle_trans; [apply (approximate_le F M_B _ s_B (fun _ => s_A) (s_B + s_A)); assumption | rewrite Z; lra].
        + apply (approximate_dissimilarity F M_B [Region o r M_A] s_B (fun _ => s_A)); assumption.
        + eapply Rle_trans; [apply (exact_le F M_B _ s_B (fun _ => s_A) (s_B + s_A)); assumption | rewrite Z; lra].
        + apply (exact_dissimilarity F M_B [Region o r M_A] s_B (fun _ => s_A)); assumption.
      - assert (Dis : disjoint F [Region o r M_A]) by (apply pairwise_disjoint; repeat constructor).
        assert (PR : forall A, In A [Region o r M_A] -> 0 <= radius A) by (intros A [<- | []]; simpl; lra).
        assert (Ap : distance F M_B [Region o r M_A] x y = mahalanobis F M_B (sub x y)).
        { unfold distance, distance_with, weighted_lengths, background_share; simpl; rewrite E.
          pose proof (gamma_range F x y o r); change (share F x y (Region o r M_A)) with (gamma F x y o r).
          rewrite Rmax_left by lra; ring. }
        destruct HD as [-> | ->]; [exact Ap|]; rewrite <- Ap; unfold exact_distance.
        rewrite exact_is_approximate by assumption; reflexivity. }
    assert (P : pseudometric (fun x y => mahalanobis F M_B (sub x y))).
    { repeat split; intros; [apply sqrt_pos | | apply mahalanobis_swap, PB|].
      - apply (mahalanobis_zero F M_B s_B _ SB), norm_of_nothing.
      - replace (sub x z) with (fun i => sub x y i + sub y z i) by (extensionality i; unfold sub; ring).
        apply (triangle (form F M_B) (form_semi_inner F M_B PB)). }
    destruct P as (P1 & P2 & P3 & P4); repeat split; intros; rewrite ?X; auto.
Qed.

(** Theorem C: nor is it less than n_s(u), for the exact gamma_b: a second ball, small and with any metric, covers the chord,
    and neither Lambda nor any constant before the second tau makes up for it. With [difference_of_lengths_is_needed], kappa'_s
    is the best constant for every choice of metrics. *)
Theorem length_in_the_region_is_needed F o r M_A M_B M_C u c L K : (2 <= F)%nat -> 0 < r ->
  positive_semidefinite F M_A -> positive_semidefinite F M_B -> positive_semidefinite F M_C -> norm F u = 1 ->
  0 <= c < mahalanobis F M_A u ->
  exists o' rho x y z, let As := [Region o r M_A; Region o' rho M_C] in let e := norm F (sub x y) in 0 < e /\ 0 < rho /\
    L * e + c * shell_chord r e + K * shell_chord rho e < Rabs (exact_distance F M_B As x z - exact_distance F M_B As y z).
Proof.
  intros HF Pr PA PB PC N1 Hc; assert (Nu : dot F u u = 1) by (rewrite <- norm_square, N1; ring).
  destruct (orthogonal_vector F u HF Nu) as (v & Nv & O).
  set (k := mahalanobis F M_A u) in *; set (s_B := sqrt (frobenius F M_B)); set (s_C := sqrt (frobenius F M_C)).
  assert (SB : scale F M_B s_B) by apply frobenius_scale; assert (SC : scale F M_C s_C) by apply frobenius_scale.
  set (Lambda := Rmax s_B s_C); assert (LB : s_B <= Lambda) by apply Rmax_l; assert (LC : s_C <= Lambda) by apply Rmax_r.
  assert (Ps : 0 <= s_B) by apply SB; pose proof (Rmax_r L 0) as PL; pose proof (Rmax_r K 0) as PK.
  destruct (small_chord k c (Rmax L 0 + Lambda) (Rmax K 0 + Lambda) Hc ltac:(lra) ltac:(lra))
    as (b & H & e & Hb & PH & Pe & Ci & Hi & Small).
  set (x := frame o u v r b (H + e)); set (y := frame o u v r b H); set (z := frame o u v r (-1) H); set (o' := frame o u v r 0 H).
  assert (N : norm F (sub x y) = r * e) by (apply step_length; assumption).
  exists o', (r * b), x, y, z; cbv zeta; rewrite N; split; [nra | split; [nra|]].
  set (A := Region o r M_A); set (C := Region o' (r * b) M_C).
  assert (PR : forall R, In R [A; C] -> 0 <= radius R) by (intros R [<- | [<- | []]]; simpl; nra).
  rewrite (missed_ball F M_B A [C] x z); [|apply ends_differ; assumption | exact PR | apply (ball_missed F o u v r); assumption].
  rewrite (covered_ball F M_B A [C] y z).
  2:{ intros t _ I; unfold inside, in_ball in I; destruct Rle_dec as [In1 | _]; [|lra]; simpl.
      unfold inside, in_ball; destruct Rle_dec as [_ | Out]; [ring | exfalso; apply Out; clear Out].
      assert (Pt : point_on_line y z t = frame o u v r (b - t * (1 + b)) H)
        by (extensionality i; unfold point_on_line, y, z, frame, span; ring).
      rewrite Pt in *; simpl in *; set (a := b - t * (1 + b)) in *.
      unfold norm in In1; rewrite sub_center, dot_span in In1 by assumption.
      replace (r * a * (r * a) + r * H * (r * H)) with (r * r * (a * a + H * H)) in In1 by ring.
      rewrite sqrt_mult_alt, sqrt_square in In1 by nra.
      assert (In2 : sqrt (a * a + H * H) <= 1) by (apply Rmult_le_reg_l with r; lra).
      assert (Q : a * a + H * H <= 1 * 1).
      { assert (Pq : 0 <= a * a + H * H) by nra; rewrite <- (sqrt_sqrt _ Pq).
        apply Rmult_le_compat; try exact In2; apply sqrt_pos. }
      unfold o'; rewrite (norm_frame F o u v r Nu Nv O Pr a H 0 H (Rabs a)).
      - apply Rmult_le_compat_l; [lra | apply Rabs_le; split; nra].
      - apply Rabs_pos.
      - rewrite <- Rabs_mult, Rabs_pos_eq by nra; ring. }
  change (share F y z A * mahalanobis F (metric A) (sub y z)) with (gamma F y z o r * mahalanobis F M_A (sub y z)).
  unfold y, z; rewrite (length_of_the_chord F o u v r) by assumption; fold y z k.
  assert (Mod : Rabs (exact_distance F M_B [C] x z - exact_distance F M_B [C] y z)
                <= Lambda * (r * e) + Lambda * shell_chord (r * b) (r * e)).
  { pose proof (modulus_exact F M_B [C] s_B (fun _ => s_C) Lambda x y z (r * e) PB SB) as M; simpl in M.
    rewrite Rplus_0_r, (Rmax_comm s_C) in M; apply M.
    - intros R [<- | []]; repeat split; simpl; try nra; try apply PC; apply SC.
    - split; [exact LB | intro p; simpl; rewrite Rplus_0_r; assert (0 <= s_C) by apply SC].
      destruct (in_ball_cases F p o' (r * b)) as [E | E]; rewrite E; lra.
    - rewrite N; lra. }
  assert (T0 : shell_chord (r * b) (r * e) <= r * (2 * sqrt (2 * b * e))).
  { eapply Rle_trans; [apply shell_chord_below_a_root; nra|].
    replace (2 * (r * b) * (r * e)) with (r * r * (2 * b * e)) by ring; rewrite sqrt_mult_alt, sqrt_square by nra; lra. }
  pose proof (shell_chord_below_a_root 1 e ltac:(lra) ltac:(lra)) as T1; rewrite (scaled_shell_chord r e Pr).
  pose proof (shell_chord_nonneg (r * b) (r * e)) as T3; pose proof (nonneg_part_le L e ltac:(lra)) as LL; pose proof (nonneg_part_le K _ T3) as KK.
  apply Rmult_le_compat_l with (r := c) in T1; [|lra]; apply Rmult_le_compat_l with (r := Rmax K 0 + Lambda) in T0; [|lra].
  set (g := exact_distance F M_B [C] x z - exact_distance F M_B [C] y z) in *.
  replace (exact_distance F M_B [C] x z - (exact_distance F M_B [C] y z + 2 * b * r * k)) with (- (2 * b * r * k - g)) by (unfold g; ring).
  rewrite Rabs_Ropp; pose proof (Rabs_triang_inv (2 * b * r * k) g) as R.
  assert (Pk : 0 <= 2 * b * r * k) by (repeat apply Rmult_le_pos; lra).
  rewrite (Rabs_pos_eq _ Pk) in R.
  assert (r * (L * e + Lambda * e + c * shell_chord 1 e + (Rmax K 0 + Lambda) * (2 * sqrt (2 * b * e))) < r * (2 * b * k))
    by (apply Rmult_lt_compat_l; lra); lra.
Qed.
