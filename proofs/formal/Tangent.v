(** A segment that nearly touches a ball, in any plane: where it cuts a short chord, and where it has moved out of the ball.

    span u v a b          a u + b v, the plane of two orthogonal unit vectors
    frame o u v r a b     the point (a, b) of that plane when the ball with center o and radius r is its unit ball
    H, b                  a line at height H cuts the unit ball in the chord from -b to b: H^2 + b^2 = 1 *)
From Coq Require Import Reals Lra Lia Psatz FunctionalExtensionality.
From LMLIR Require Import Geometry Continuity Matrices Refuted.
Open Scope R_scope.

Definition span (u v : vector) (a b : R) : vector := fun i => a * u i + b * v i.
Definition frame (o u v : vector) (r a b : R) : vector := fun i => o i + r * span u v a b i.

(** Small enough a chord: b and e that leave everything but the chord behind. *)
Lemma small_chord k c L K : 0 <= c < k -> 0 <= L -> 0 <= K -> exists b H e, 0 < b <= 1 /\ 0 < H /\ 0 < e /\ b * b + H * H = 1 /\
  (1 + b) * (b * b) <= 2 * H * e /\ L * e + c * (2 * sqrt (2 * 1 * e)) + K * (2 * sqrt (2 * b * e)) < 2 * b * k.
Proof.
  intros Hc PL PK; set (d := (k - c) / k).
  assert (Ed : d * k = k - c) by (unfold d; field; lra).
  assert (Pd : 0 < d <= 1) by (split; [apply Rmult_lt_0_compat; [lra | apply Rinv_0_lt_compat; lra] | apply Rmult_le_reg_r
    with k; lra]).
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
    replace (q * ((1 + m) * (1 + m)) * (2 * m * q * (2 * m * q))) with (4 * (m * m) * (q * q) * (q * ((1 + m) * (1 + m))))
      by ring.
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
    assert (Z2 : K * (3 * p * m * n) <= K * (9 / 2 * (m * n))) by (apply Rmult_le_compat_l; [exact PK|];
      assert (0 < m * n) by nra; nra).
    assert (Z3 : 4 * m * k * (1 - n) <= 2 * (2 * m * q) * k) by (assert (0 < m * k) by nra; nra).
    assert (Z4 : m * (n * W) = m * (k - c)) by (rewrite En; reflexivity); unfold W in Z4.
    assert (0 < m * (k - c)) by nra; nra.
Qed.

(** A unit vector has an orthogonal one, from dimension 2 on. *)
Lemma orthogonal_vector F u : (2 <= F)%nat -> dot F u u = 1 -> exists v, dot F v v = 1 /\ dot F u v = 0.
Proof.
  intros HF Nu; set (a := u 0%nat); set (b := u 1%nat).
  assert (D : forall w c d, dot F w (plane c d) = w 0%nat * c + w 1%nat * d).
  { intros w c d; destruct F as [|[|F]]; try lia; clear; induction F as [|k IH]; unfold dot in *; simpl in *;
      [ring | rewrite IH; ring]. }
  destruct (Rle_lt_or_eq_dec 0 (a * a + b * b)) as [P | Z]; [nra | |].
  - set (l := sqrt (a * a + b * b)); assert (Pl : 0 < l) by (apply sqrt_lt_R0, P).
    assert (El : l * l = a * a + b * b) by (apply sqrt_sqrt; lra).
    exists (plane (- b / l) (a / l)); rewrite !D; simpl; split; [|unfold a, b; field; lra].
    replace (- b / l * (- b / l) + a / l * (a / l)) with ((a * a + b * b) / (l * l)) by (field; lra); rewrite <- El; field; lra.
  - exists (plane 1 0); rewrite !D; simpl; fold a b; split; [ring | nra].
Qed.

Lemma scaled_shell_chord r e : 0 < r -> shell_chord r (r * e) = r * shell_chord 1 e.
Proof.
  intro P; unfold shell_chord; assert (E : Rmax (r - r * e) 0 = r * Rmax (1 - e) 0) by (unfold Rmax; repeat destruct Rle_dec;
    nra).
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

(** The segment from z = (-A, H) to y = (B, H) takes the chord from -b to b along; that to x = (B, H + e) misses the ball. *)
Variables (A B b H e : R).
Hypothesis HA : 1 <= A.
Hypothesis Hb : 0 < b <= 1.
Hypothesis HB : b <= B.
Hypothesis PH : 0 < H.
Hypothesis Pe : 0 < e.
Hypothesis circle : b * b + H * H = 1.
Hypothesis high : (A + B) * (b * b) <= 2 * H * e * A.
Let x := ⟨B, H + e⟩.
Let y := ⟨B, H⟩.
Let z := ⟨- A, H⟩.

Lemma step_length : norm F (sub x y) = r * e.
Proof. unfold x, y; apply norm_frame; [lra | ring]. Qed.

Lemma chord_cut : gamma F y z o r = 2 * b / (A + B).
Proof.
  unfold y, z; rewrite gamma_in_the_frame; cbv zeta.
  match goal with |- context [sqrt ?d] => replace d with ((2 * b * (A + B)) * (2 * b * (A + B))) by
    (replace (B * B + H * H - 1 * 1) with (B * B - b * b) by lra; ring) end.
  rewrite sqrt_square by nra.
  match goal with |- context [Rmin 1 ?q] => replace q with ((B + b) / (A + B)) by (field; nra) end.
  match goal with |- context [Rmax 0 (?q / ?d)] => replace (q / d) with ((B - b) / (A + B)) by (field; nra) end.
  assert (G : forall q, 0 <= q <= A + B -> 0 <= q / (A + B) <= 1).
  { intros q Q; split; [apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra]|].
    apply Rmult_le_reg_r with (A + B); [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra. }
  pose proof (G (B + b) ltac:(lra)); pose proof (G (B - b) ltac:(lra)); pose proof (G (2 * b) ltac:(lra)).
  assert (D : (B + b) / (A + B) - (B - b) / (A + B) = 2 * b / (A + B)) by (field; lra).
  rewrite Rmin_right, (Rmax_right 0 ((B - b) / (A + B))), Rmax_right by lra; exact D.
Qed.

Lemma ball_missed : gamma F x z o r = 0.
Proof.
  unfold x, z; rewrite gamma_in_the_frame; cbv zeta; rewrite (sqrt_neg_0 (_ - 4 * _ * _)).
  - rewrite Rplus_0_r, Rminus_0_r; match goal with |- context [?q / ?d] => set (m := q / d) end.
    unfold Rmax, Rmin; repeat destruct Rle_dec; lra.
  - apply Rle_trans with (4 * ((A + B) * ((A + B) * (1 - H * H) - 2 * H * e * A) + e * e * (1 - A * A))); [right; ring|].
    replace (1 - H * H) with (b * b) by lra.
    assert ((A + B) * (2 * H * e * A - (A + B) * (b * b)) >= 0) by (apply Rle_ge, Rmult_le_pos; lra).
    assert (0 <= e * e * (A * A - 1)) by (apply Rmult_le_pos; nra); lra.
Qed.

Lemma length_of_the_chord M : positive_semidefinite F M ->
  gamma F y z o r * mahalanobis F M (sub y z) = 2 * b * r * mahalanobis F M u.
Proof.
  intro PM; rewrite chord_cut; unfold y, z; rewrite sub_frame.
  replace (span u v (r * (B - - A)) (r * (H - H))) with (fun i => r * (A + B) * u i) by (extensionality i; unfold span; ring).
  unfold mahalanobis; rewrite (seminorm_scale (form F M) (form_semi_inner F M PM)), Rabs_pos_eq by nra; field; lra.
Qed.

Lemma ends_differ w : 0 < norm F (sub z ⟨B, w⟩).
Proof.
  unfold z, norm; rewrite sub_frame, dot_span; apply sqrt_lt_R0.
  assert (0 <= r * (H - w) * (r * (H - w))) by apply Rle_0_sqr; assert (0 < r * (A + B)) by nra; nra.
Qed.
End Tangent.
