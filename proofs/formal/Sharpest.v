(** Theorem A: |D(x, z) - D(y, z)| <= Lambda e + sum kappa_s tau_s(e) for the exact gamma_b, and so for both; with it the
    classifier, and a line, where D is a metric.

    z, x, y               |x - z| = l <= m = |y - z|; y' is the point of zy at the distance l from z, h = m - l
    q, qx, g              the shares of zy', of zx and of y'y in one ball
    coupled               what a ball costs when every point of the end piece y'y is compared with every point of zy' and zx
    uncoupled             ... and when it is compared only where zy' lies in the background *)
From Coq Require Import Reals Lra Lia Psatz FunctionalExtensionality List.
From Coquelicot Require Import Coquelicot.
From LMLIR Require Import Geometry Continuity Matrices Scales Classifier Integral Exact Moduli Hull Segments.
Import ListNotations.
Open Scope R_scope.

Opaque integral integrable.

(** ** Two lengths whose squares differ by at most 4 E^2 *)

Lemma two_chords p q L E h : 0 <= q <= p -> p <= L -> 0 < L -> 0 <= h <= E -> p * p - q * q <= 4 * (E * E) ->
  p - q + h * (q / L) <= 2 * E.
Proof.
  intros Hq HL PL Hh H; destruct (Rle_lt_or_eq_dec 0 p) as [P | <-]; [lra | | ].
  2:{ assert (q = 0) by lra; subst q; unfold Rdiv; rewrite Rmult_0_l; lra. }
  assert (J : q / L <= q / p).
  { apply Rmult_le_compat_l; [lra | apply Rinv_le_contravar; lra]. }
  assert (J0 : 0 <= q / L) by (apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat, PL]).
  assert (K : h * (q / L) <= E * (q / p)) by (apply Rmult_le_compat; lra).
  assert (S : p * (p - q) <= E * (2 * p - q)).
  { apply Rsqr_incr_0_var; [|apply Rmult_le_pos; lra]; unfold Rsqr.
    assert (A : (p - q) * (4 * (p * p) * (p - q)) <= (p - q) * ((p + q) * ((2 * p - q) * (2 * p - q)))).
    { apply Rmult_le_compat_l; [lra|].
      assert (0 <= q * (4 * (p * p) - 3 * p * q + q * q)) by (apply Rmult_le_pos; [lra | nra]); lra. }
    assert (B : (p * p - q * q) * ((2 * p - q) * (2 * p - q)) <= 4 * (E * E) * ((2 * p - q) * (2 * p - q))).
    { apply Rmult_le_compat_r; [nra | exact H]. }
    nra. }
  assert (T : (p - q + E * (q / p)) * p <= 2 * E * p).
  { replace ((p - q + E * (q / p)) * p) with (p * (p - q) + E * q) by (field; lra); lra. }
  apply Rmult_le_reg_r in T; lra.
Qed.

(** ** One ball *)

Section Squares.
Variable F : nat.

Lemma root_square d : sqrt d * sqrt d = Rmax d 0.
Proof.
  destruct (Rle_lt_dec 0 d) as [P | N]; [rewrite sqrt_sqrt, Rmax_left by lra; reflexivity|].
  rewrite sqrt_neg_0, Rmax_right by lra; ring.
Qed.

(** Between the spheres of radii r' <= r the squares of the parts of a segment differ by at most 4 (r^2 - r'^2). *)
Lemma shell_squares x_i x_j o r r' : 0 <= r' <= r ->
  let p := gamma F x_i x_j o r * norm F (sub x_j x_i) in
  let q := gamma F x_i x_j o r' * norm F (sub x_j x_i) in
  p * p - q * q <= 4 * (r * r - r' * r').
Proof.
  intros Hr p q.
  destruct (Rle_lt_or_eq_dec 0 (norm F (sub x_j x_i))) as [P | E]; [apply sqrt_pos | |].
  2:{ unfold p, q; rewrite <- E, !Rmult_0_r; nra. }
  pose proof (a_positive F _ _ P) as Pa; pose proof (norm_square F (sub x_j x_i)) as Na.
  fold (quadratic_a F x_i x_j) in Na; set (a := quadratic_a F x_i x_j) in *.
  set (d := discriminant F x_i x_j o r); set (d' := discriminant F x_i x_j o r').
  assert (Ed : d = d' + 4 * a * (r * r - r' * r')) by (unfold d, d', discriminant, quadratic_c; fold a; ring).
  assert (Pk : 0 <= 4 * a * (r * r - r' * r')) by (apply Rmult_le_pos; nra).
  assert (S1 : sqrt d' <= sqrt d) by (apply sqrt_le_1_alt; lra).
  pose proof (sqrt_pos d') as Pd'.
  set (j := / (2 * a)); assert (Pj : 0 < j) by (apply Rinv_0_lt_compat; lra).
  assert (Eu : lambda_u F x_i x_j o r = lambda_u F x_i x_j o r' - (sqrt d - sqrt d') * j)
    by (unfold lambda_u, Rdiv; fold a; fold j; fold d; fold d'; ring).
  assert (Ev : lambda_v F x_i x_j o r = lambda_v F x_i x_j o r' + (sqrt d - sqrt d') * j)
    by (unfold lambda_v, Rdiv; fold a; fold j; fold d; fold d'; ring).
  assert (Ew : lambda_v F x_i x_j o r' - lambda_u F x_i x_j o r' = 2 * (sqrt d' * j))
    by (unfold lambda_u, lambda_v, Rdiv; fold a; fold j; fold d'; ring).
  assert (M1 : 0 <= (sqrt d - sqrt d') * j) by (apply Rmult_le_pos; lra).
  assert (M2 : 0 <= sqrt d' * j) by (apply Rmult_le_pos; lra).
  pose proof (gamma_range F x_i x_j o r) as R1; pose proof (gamma_range F x_i x_j o r') as R2.
  pose proof (gamma_grows_with_the_radius F x_i x_j o r r' Hr) as Mono.
  assert (D : gamma F x_i x_j o r - gamma F x_i x_j o r' <= 2 * ((sqrt d - sqrt d') * j)).
  { unfold gamma; rewrite Eu, Ev; unfold Rmax, Rmin; repeat destruct Rle_dec; lra. }
  assert (S : gamma F x_i x_j o r + gamma F x_i x_j o r' <= 2 * ((sqrt d + sqrt d') * j)).
  { assert (G1 : gamma F x_i x_j o r <= 2 * (sqrt d' * j) + 2 * ((sqrt d - sqrt d') * j))
      by (unfold gamma; rewrite Eu, Ev; unfold Rmax, Rmin; repeat destruct Rle_dec; lra).
    assert (G2 : gamma F x_i x_j o r' <= 2 * (sqrt d' * j))
      by (unfold gamma; unfold Rmax, Rmin; repeat destruct Rle_dec; lra).
    lra. }
  assert (T : (gamma F x_i x_j o r - gamma F x_i x_j o r') * (gamma F x_i x_j o r + gamma F x_i x_j o r')
            <= 2 * ((sqrt d - sqrt d') * j) * (2 * ((sqrt d + sqrt d') * j))) by (apply Rmult_le_compat; lra).
  replace (2 * ((sqrt d - sqrt d') * j) * (2 * ((sqrt d + sqrt d') * j)))
    with (4 * (j * j) * (sqrt d * sqrt d - sqrt d' * sqrt d')) in T by ring.
  rewrite !root_square in T.
  assert (V : Rmax d 0 - Rmax d' 0 <= 4 * a * (r * r - r' * r')) by (unfold Rmax; repeat destruct Rle_dec; lra).
  assert (J : 0 <= 4 * (j * j)) by nra.
  pose proof (Rmult_le_compat_l _ _ _ J V) as W.
  assert (X : (gamma F x_i x_j o r * gamma F x_i x_j o r - gamma F x_i x_j o r' * gamma F x_i x_j o r') * a
              <= 4 * (j * j) * (4 * a * (r * r - r' * r')) * a).
  { apply Rmult_le_compat_r; [lra|]; eapply Rle_trans; [|exact W]; lra. }
  replace (4 * (j * j) * (4 * a * (r * r - r' * r')) * a) with (4 * (r * r - r' * r')) in X by (unfold j; field; lra).
  unfold p, q; rewrite <- Na in X; lra.
Qed.

(** The parts of a segment add up. *)
Lemma shares_add u v o r theta : 0 <= r -> 0 <= theta <= 1 ->
  let p := point_on_line u v theta in
  gamma F u v o r * norm F (sub u v) = gamma F u p o r * norm F (sub u p) + gamma F p v o r * norm F (sub p v).
Proof.
  intros Pr T p; set (A := Region o r (scaled_identity 1)).
  assert (PA : forall C, In C [A] -> admissible F (fun _ => sqrt 1) C).
  { intros C [<- | []]; split; simpl; [exact Pr | split; [apply identity_psd; lra | apply identity_scale; lra]]. }
  pose proof (exact_is_additive F (scaled_identity 0) [A] (sqrt 0) (fun _ => sqrt 1) (identity_psd F 0 ltac:(lra))
    (identity_scale F 0 ltac:(lra)) PA u v theta T) as H; cbv zeta in H; fold p in H.
  assert (E : forall s t, exact_distance F (scaled_identity 0) [A] s t = gamma F s t o r * norm F (sub s t)).
  { intros s t; unfold exact_distance, distance_with, weighted_lengths; simpl.
    rewrite !mahalanobis_of_identity, sqrt_0, sqrt_1 by lra; unfold share; simpl; ring. }
  rewrite !E in H; exact H.
Qed.

Lemma gamma_le u v u' v' o r : 0 <= r -> 0 < norm F (sub v u) -> 0 < norm F (sub v' u') ->
  (forall t, 0 <= t <= 1 -> norm F (sub (point_on_line u v t) o) <= r -> norm F (sub (point_on_line u' v' t) o) <= r) ->
  gamma F u v o r <= gamma F u' v' o r.
Proof.
  intros Pr P P' H.
  destruct (ball_multiplier F u v o r Pr P) as [M <-]; destruct (ball_multiplier F u' v' o r Pr P') as [M' <-].
  apply integral_le; try (apply multiplier_integrable; assumption).
  intros t T; specialize (H t T); unfold in_ball; destruct Rle_dec as [I | I]; destruct Rle_dec as [I' | I'];
    first [lra | exfalso; apply I', H, I].
Qed.

Lemma in_the_ball u v o r : 0 <= r -> 0 < norm F (sub v u) -> 0 < gamma F u v o r ->
  exists t, 0 <= t <= 1 /\ norm F (sub (point_on_line u v t) o) <= r.
Proof.
  intros Pr P G; destruct (gamma_is_the_length_inside F u v o r Pr P) as [(p & q & Hp & Hpq & Hq & _ & I) | [E _]]; [|lra].
  exists p; split; [lra | apply I; lra].
Qed.

Lemma not_in_the_ball u v o r : 0 <= r -> 0 < norm F (sub v u) ->
  (forall t, 0 <= t <= 1 -> ~ norm F (sub (point_on_line u v t) o) <= r) -> gamma F u v o r = 0.
Proof.
  intros Pr P N; destruct (Rle_lt_or_eq_dec 0 (gamma F u v o r)) as [G | G]; [apply gamma_range | | lra].
  destruct (in_the_ball u v o r Pr P G) as (t & T & I); exfalso; apply (N t T I).
Qed.

Lemma chord u v o r : 0 <= r -> 0 < norm F (sub v u) -> gamma F u v o r * norm F (sub v u) <= 2 * r.
Proof.
  intros Pr P; pose proof (chord_length F u v o r 0 P ltac:(lra) (fun t => sqrt_pos _)) as H.
  replace (r * r - 0 * 0) with (r * r) in H by ring; rewrite sqrt_square in H by lra; exact H.
Qed.

(** A segment that ends in the ball, and one that comes there later: the first has at most sqrt(r^2 - (r - a)^2) more,
  unless its
    line misses the ball of radius r - a. *)
Lemma one_sided z w1 w0 o r a t0 : 0 <= a <= r -> 0 < norm F (sub w1 z) -> norm F (sub w1 z) = norm F (sub w0 z) ->
  norm F (sub w1 w0) <= a -> norm F (sub w1 o) <= r -> 1 <= t0 -> norm F (sub (point_on_line z w0 t0) o) <= r ->
  (gamma F z w1 o r - gamma F z w0 o r) * norm F (sub w1 z) <= sqrt (r * r - (r - a) * (r - a))
  \/ discriminant F z w1 o (r - a) < 0.
Proof.
  intros Ha P El Hd H1 T0 H0; assert (Pr : 0 <= r) by lra; assert (P0 : 0 < norm F (sub w0 z)) by lra.
  destruct (Rlt_le_dec (discriminant F z w1 o (r - a)) 0) as [N | D']; [right; exact N | left].
  pose proof (a_positive F _ _ P) as Pa.
  assert (E1 : point_on_line z w1 1 = w1) by (extensionality i; unfold point_on_line; ring).
  assert (B1 : 0 <= discriminant F z w1 o r /\ lambda_u F z w1 o r <= 1 <= lambda_v F z w1 o r).
  { apply (in_ball_iff F z w1 o r 1 Pr P); rewrite E1; exact H1. }
  assert (B0 : 0 <= discriminant F z w0 o r /\ lambda_u F z w0 o r <= t0 <= lambda_v F z w0 o r).
  { apply (in_ball_iff F z w0 o r t0 Pr P0); exact H0. }
  assert (G1 : gamma F z w1 o r = 1 - Rmax 0 (lambda_u F z w1 o r)).
  { unfold gamma; unfold Rmax, Rmin; repeat destruct Rle_dec; lra. }
  assert (G0 : 1 - Rmax 0 (lambda_u F z w0 o r) <= gamma F z w0 o r).
  { unfold gamma; unfold Rmax, Rmin; repeat destruct Rle_dec; lra. }
  set (t' := lambda_u F z w1 o (r - a)).
  set (d := discriminant F z w1 o r) in *; set (d' := discriminant F z w1 o (r - a)) in *.
  set (aq := quadratic_a F z w1) in *.
  assert (Ed : d = d' + 4 * aq * (r * r - (r - a) * (r - a))) by (unfold d, d', discriminant, quadratic_c; fold aq; ring).
  assert (Pk : 0 <= r * r - (r - a) * (r - a)) by nra.
  set (j := / (2 * aq)); assert (Pj : 0 < j) by (apply Rinv_0_lt_compat; lra).
  assert (Et : t' - lambda_u F z w1 o r = (sqrt d - sqrt d') * j)
    by (unfold t', lambda_u, Rdiv; fold aq; fold j; fold d; fold d'; ring).
  assert (S : sqrt d - sqrt d' <= 2 * sqrt aq * sqrt (r * r - (r - a) * (r - a))).
  { rewrite <- root_of_product by lra; pose proof (sqrt_pos d'); set (k := 4 * aq * (r * r - (r - a) * (r - a))) in *.
    assert (Pk' : 0 <= k) by (unfold k; apply Rmult_le_pos; lra).
    pose proof (sqrt_pos k).
    assert (sqrt d <= sqrt d' + sqrt k); [|lra].
    rewrite <- (sqrt_square (sqrt d' + sqrt k)) by lra; apply sqrt_le_1_alt.
    pose proof (sqrt_sqrt k Pk'); pose proof (sqrt_sqrt d' D'); nra. }
  assert (S0 : sqrt d' <= sqrt d) by (apply sqrt_le_1_alt; nra).
  assert (A : (t' - lambda_u F z w1 o r) * norm F (sub w1 z) <= sqrt (r * r - (r - a) * (r - a))).
  { rewrite Et, norm_root_a; fold aq; pose proof (sqrt_lt_R0 aq Pa) as Pq.
    apply Rle_trans with (2 * sqrt aq * sqrt (r * r - (r - a) * (r - a)) * j * sqrt aq).
    - repeat apply Rmult_le_compat_r; lra.
    - right; set (K := sqrt (r * r - (r - a) * (r - a))).
      replace (2 * sqrt aq * K * j * sqrt aq) with (K * (2 * (sqrt aq * sqrt aq) * j)) by ring.
      rewrite sqrt_sqrt by lra; unfold j; field; lra. }
  assert (A0 : 0 <= (t' - lambda_u F z w1 o r)) by (rewrite Et; apply Rmult_le_pos; lra).
  set (l := norm F (sub w1 z)) in *; pose proof (sqrt_pos (r * r - (r - a) * (r - a))) as Ps.
  pose proof (gamma_range F z w0 o r) as R0.
  destruct (Rle_lt_dec 1 t') as [C1 | C1].
  { (* the inner ball comes later *)
    apply Rle_trans with ((t' - lambda_u F z w1 o r) * l); [|exact A]; apply Rmult_le_compat_r; [lra|].
    rewrite G1; unfold Rmax; destruct Rle_dec; lra. }
  destruct (Rle_lt_dec 0 t') as [C2 | C2].
  - (* the inner ball is met between z and w1: there the other segment is in the ball *)
    assert (I : norm F (sub (point_on_line z w0 t') o) <= r).
    { pose proof (same_parameter F z w1 w0 o t' ltac:(lra)) as SP.
      assert (norm F (sub (point_on_line z w1 t') o) <= r - a); [|lra].
      apply (in_ball_iff F z w1 o (r - a) t'); [lra | exact P|]; split; [exact D'|]; fold t'; split; [lra|].
      unfold t', lambda_u, lambda_v, Rdiv; fold aq; fold j; fold d'; apply Rmult_le_compat_r; [lra|].
      pose proof (sqrt_pos d'); lra. }
    apply (in_ball_iff F z w0 o r t' Pr P0) in I.
    apply Rle_trans with ((t' - lambda_u F z w1 o r) * l); [|exact A]; apply Rmult_le_compat_r; [lra|].
    rewrite G1; assert (1 - t' <= gamma F z w0 o r).
    { eapply Rle_trans; [|exact G0]; unfold Rmax; destruct Rle_dec; lra. }
    unfold Rmax; destruct Rle_dec; lra.
  - (* z lies in the ball *)
    assert (I : norm F (sub (point_on_line z w1 0) o) <= r) 
      by (apply (in_ball_iff F z w1 o r 0 Pr P); split; [exact (proj1 B1) | lra]).
    assert (Ez : point_on_line z w1 0 = point_on_line z w0 0) by (extensionality i; unfold point_on_line; ring).
    rewrite Ez in I; apply (in_ball_iff F z w0 o r 0 Pr P0) in I.
    assert (gamma F z w0 o r = 1).
    { apply Rle_antisym; [lra|]; eapply Rle_trans; [|exact G0]; unfold Rmax; destruct Rle_dec; lra. }
    rewrite G1; apply Rle_trans with 0; [|exact Ps].
    assert (1 - Rmax 0 (lambda_u F z w1 o r) - gamma F z w0 o r <= 0) by (unfold Rmax; destruct Rle_dec; lra).
    nra.
Qed.
End Squares.

Section OneBall.
Variables (F : nat) (z x y o : vector) (r e : R).
Let l := norm F (sub x z).
Let m := norm F (sub y z).
Hypothesis Pr : 0 <= r.
Hypothesis Pl : 0 < l.
Hypothesis Lm : l <= m.
Hypothesis He : norm F (sub x y) <= e.
Let theta := l / m.
Let y' := point_on_line z y theta.
Let x' := point_on_line z x (m / l).
Let h := m - l.
Let a := norm F (sub x y').
Let q := gamma F z y' o r.
Let qx := gamma F z x o r.
Let g := gamma F y' y o r.

Lemma theta_times : theta * m = l.
Proof. unfold theta; field; lra. Qed.

Lemma theta_range : 0 < theta <= 1.
Proof.
  pose proof theta_times; split; [apply Rmult_lt_0_compat; [exact Pl | apply Rinv_0_lt_compat; lra]|].
  apply Rmult_le_reg_r with m; lra.
Qed.

Lemma length_of_y' : norm F (sub y' z) = l.
Proof.
  pose proof (norm_between F z y 0 theta ltac:(pose proof theta_range; lra)) as N.
  rewrite first_point, (norm_swap F z y) in N; fold y' m in N; rewrite norm_swap, N, Rminus_0_r; apply theta_times.
Qed.

Lemma length_of_the_end : norm F (sub y y') = h.
Proof.
  pose proof (norm_between F z y theta 1 ltac:(pose proof theta_range; lra)) as N.
  rewrite last_point, (norm_swap F z y) in N; fold y' m in N; rewrite norm_swap, N; unfold h; pose proof theta_times; lra.
Qed.

Lemma sides : 0 <= a /\ 0 <= h /\ a * a + h * h <= e * e /\ a <= e /\ h <= e /\ 0 <= e.
Proof.
  pose proof theta_range as T; pose proof theta_times as Tm.
  assert (Pa : 0 <= a) by apply sqrt_pos; assert (Ph : 0 <= h) by (unfold h; lra).
  assert (Pe : 0 <= e) by (eapply Rle_trans; [apply sqrt_pos | exact He]).
  pose proof (pulled_back F x y z theta ltac:(fold l m; lra) ltac:(lra)) as H; cbv zeta in H.
  fold y' in H; fold a m in H; replace ((1 - theta) * m) with h in H by (unfold h; lra).
  assert (0 <= norm F (sub x y)) by apply sqrt_pos.
  assert (S : a * a + h * h <= e * e) by nra.
  repeat split; try assumption; nra.
Qed.

Lemma point_of_the_end s : point_on_line y' y s = point_on_line z y' (1 + s * ((1 - theta) / theta)).
Proof. pose proof theta_range; extensionality i; unfold y', point_on_line; field; lra. Qed.

Lemma point_of_x' s : point_on_line x x' s = point_on_line z x (1 + s * ((1 - theta) / theta)).
Proof. extensionality i; unfold x', theta, point_on_line; field; lra. Qed.

Lemma x_on_the_way : point_on_line z x' theta = x.
Proof. extensionality i; unfold x', theta, point_on_line; field; lra. Qed.

Lemma length_of_x' : norm F (sub x' z) = m.
Proof.
  pose proof (seminorm_scale (dot F) (dot_semi_inner F) (sub x z) (m / l)) as S.
  replace (fun i => m / l * sub x z i) with (sub x' z) in S by (extensionality i; unfold x', sub, point_on_line; ring).
  change (norm F (sub x' z) = Rabs (m / l) * l) in S; rewrite S, Rabs_pos_eq; [field; lra|].
  left; apply Rmult_lt_0_compat; [lra | apply Rinv_0_lt_compat, Pl].
Qed.

Lemma length_beyond_x : norm F (sub x' x) = h.
Proof.
  pose proof (norm_between F z x' theta 1 ltac:(pose proof theta_range; lra)) as N.
  rewrite last_point, x_on_the_way, (norm_swap F z x'), length_of_x' in N; rewrite norm_swap, N; unfold h.
  pose proof theta_times; lra.
Qed.

Lemma later s : 0 <= s -> 1 <= 1 + s * ((1 - theta) / theta).
Proof.
  intro S; pose proof theta_range; assert (0 <= (1 - theta) / theta) by (apply Rmult_le_pos; [lra | left;
    apply Rinv_0_lt_compat;
    lra]).
  nra.
Qed.

(** Which of the two rays is the nearer one to the center. *)
Definition y_is_nearer := quadratic_b F z y' o <= quadratic_b F z x o.
Definition x_is_nearer := quadratic_b F z x o <= quadratic_b F z y' o.

Lemma one_is_nearer : y_is_nearer \/ x_is_nearer.
Proof. unfold y_is_nearer, x_is_nearer; destruct (Rle_lt_dec (quadratic_b F z y' o) (quadratic_b F z x o)); [left | right];
  lra.
  Qed.

Lemma nearer_y t : y_is_nearer -> 0 <= t -> norm F (sub (point_on_line z x t) o) <= r ->
  norm F (sub (point_on_line z y' t) o) <= r.
Proof. intros N T; apply (parts_are_nested F x y' z o r t); [rewrite length_of_y'; reflexivity | exact N | exact T]. Qed.

Lemma nearer_x t : x_is_nearer -> 0 <= t -> norm F (sub (point_on_line z y' t) o) <= r ->
  norm F (sub (point_on_line z x t) o) <= r.
Proof. intros N T; apply (parts_are_nested F y' x z o r t); [rewrite length_of_y'; reflexivity | exact N | exact T]. Qed.

Lemma Py' : 0 < norm F (sub y' z).
Proof. rewrite length_of_y'; exact Pl. Qed.

Lemma y_has_more : y_is_nearer -> qx <= q.
Proof. intro N; apply gamma_le; [exact Pr | exact Pl | exact Py' | intros t T; apply (nearer_y t N); lra]. Qed.

Lemma x_has_more : x_is_nearer -> q <= qx.
Proof. intro N; apply gamma_le; [exact Pr | exact Py' | exact Pl | intros t T; apply (nearer_x t N); lra]. Qed.

(** The parts along the nearer ray add up. *)
Lemma along_y r' : 0 <= r' -> gamma F z y o r' * m = gamma F z y' o r' * l + gamma F y' y o r' * h.
Proof.
  intro P; pose proof theta_range as T; pose proof (shares_add F z y o r' theta P ltac:(lra)) as H; cbv zeta in H;
    fold y' in H.
  rewrite (norm_swap F z y), (norm_swap F z y'), (norm_swap F y' y), length_of_y', length_of_the_end in H; exact H.
Qed.

Lemma along_x r' : 0 <= r' -> gamma F z x' o r' * m = gamma F z x o r' * l + gamma F x x' o r' * h.
Proof.
  intro P; pose proof theta_range as T; pose proof (shares_add F z x' o r' theta P ltac:(lra)) as H; cbv zeta in H.
  rewrite x_on_the_way, (norm_swap F z x'), (norm_swap F z x), (norm_swap F x x'), length_of_x', length_beyond_x in H; exact H.
Qed.

Lemma end_of_x : x_is_nearer -> h * g <= h * gamma F x x' o r.
Proof.
  intro N; destruct sides as (_ & Ph & _); destruct (Rle_lt_or_eq_dec _ _ Ph) as [P | E]; [|rewrite <- E; lra].
  apply Rmult_le_compat_l; [exact Ph|]; apply gamma_le; [exact Pr | rewrite length_of_the_end; exact P |
    rewrite length_beyond_x; exact P|].
  intros t T; rewrite point_of_the_end, point_of_x'; apply (nearer_x _ N); pose proof (later t (proj1 T)); lra.
Qed.

Lemma whole : l * Rmax q qx + h * g <= 2 * r /\
  (forall r', 0 <= r' <= r -> y_is_nearer /\ discriminant F z y' o r' < 0 \/ x_is_nearer /\ discriminant F z x o r' < 0 ->
     l * Rmax q qx + h * g <= 2 * sqrt (r * r - r' * r')).
Proof.
  assert (Pm : 0 < m) by lra; pose proof theta_range as T.
  assert (Half : forall p k, 0 <= p -> 0 <= k -> p * p <= 4 * k -> p <= 2 * sqrt k).
  { intros p k Pp Pk H; pose proof (sqrt_pos k); pose proof (sqrt_sqrt k Pk); nra. }
  assert (Y : y_is_nearer -> l * Rmax q qx + h * g = gamma F z y o r * m).
  { intro N; rewrite Rmax_left by (apply y_has_more, N); rewrite along_y by exact Pr; unfold q, g; ring. }
  assert (X : x_is_nearer -> l * Rmax q qx + h * g <= gamma F z x' o r * m).
  { intro N; rewrite Rmax_right by (apply x_has_more, N); rewrite along_x by exact Pr; pose proof (end_of_x N); unfold qx;
    lra. }
  pose proof (chord F z y o r Pr ltac:(fold m; lra)) as Cy; fold m in Cy.
  pose proof (chord F z x' o r Pr ltac:(rewrite length_of_x'; lra)) as Cx; rewrite length_of_x' in Cx.
  split.
  - destruct one_is_nearer as [N | N]; [rewrite (Y N); exact Cy | pose proof (X N); lra].
  - intros r' Hr [[N D] | [N D]].
    + rewrite (Y N); pose proof (shell_squares F z y o r r' Hr) as S; cbv zeta in S; fold m in S.
      rewrite (not_in_the_ball F z y o r' ltac:(lra) ltac:(fold m; lra)) in S.
      * apply Half; [apply Rmult_le_pos; [apply gamma_range | lra] | nra | lra].
      * intros t Ht I; replace (point_on_line z y t) with (point_on_line z y' (t / theta)) in I
          by (extensionality i; unfold y', point_on_line; field; lra).
        apply (in_ball_iff F z y' o r' _ ltac:(lra) Py') in I; lra.
    + eapply Rle_trans; [apply (X N)|]; pose proof (shell_squares F z x' o r r' Hr) as S; cbv zeta in S;
      rewrite length_of_x' in S.
      rewrite (not_in_the_ball F z x' o r' ltac:(lra) ltac:(rewrite length_of_x'; lra)) in S.
      * apply Half; [apply Rmult_le_pos; [apply gamma_range | lra] | nra | lra].
      * intros t Ht I; replace (point_on_line z x' t) with (point_on_line z x (t * (m / l))) in I
          by (extensionality i; unfold x', point_on_line; field; lra).
        apply (in_ball_iff F z x o r' _ ltac:(lra) Pl) in I; lra.
Qed.

Lemma thick_shell : r <= e -> shell_chord r e = 2 * r.
Proof.
  intro H; unfold shell_chord; rewrite Rmax_right by lra; replace (r * r - 0 * 0) with (r * r) by ring.
  rewrite sqrt_square by exact Pr; reflexivity.
Qed.

Lemma thin_shell : e < r -> shell_chord r e = 2 * sqrt (r * r - (r - e) * (r - e)).
Proof. intro H; unfold shell_chord; rewrite Rmax_left by lra; reflexivity. Qed.

(** What the ball costs when the end piece is compared only where zy' lies in the background. *)
Lemma uncoupled_part : l < h -> l * Rmax q qx + h * g <= shell_chord r e.
Proof.
  intro H; destruct sides as (_ & Ph & _ & _ & Hh & Pe); destruct (Rle_lt_dec r e) as [R1 | R1].
  - rewrite (thick_shell R1); apply whole.
  - rewrite (thin_shell R1); pose proof (gamma_range F z y' o r) as G1; pose proof (gamma_range F z x o r) as G2;
      pose proof (gamma_range F y' y o r) as G3; fold q in G1; fold qx in G2; fold g in G3.
    assert (E : e <= sqrt (r * r - (r - e) * (r - e))).
    { rewrite <- (sqrt_square e) at 1 by exact Pe; apply sqrt_le_1_alt; nra. }
    assert (Rmax q qx <= 1) by (apply Rmax_lub; lra); assert (0 <= Rmax q qx) by (eapply Rle_trans; [apply G1 | apply Rmax_l]).
    assert (l * Rmax q qx <= l * 1) by (apply Rmult_le_compat_l; lra); assert (h * g <= h * 1) by (apply Rmult_le_compat_l;
      lra).
    lra.
Qed.

(** ... and when every point of the end piece is compared with every point of zy' and of zx. *)
Definition coupled := l * Rabs (q - qx) + h * (g * (1 - Rmin q qx) + (1 - g) * Rmin q qx).

Lemma coupled_part : h <= l -> coupled <= shell_chord r e.
Proof.
  intro Hl; destruct sides as (Pa & Ph & S & Ha & Hh & Pe); unfold coupled.
  pose proof (gamma_range F z y' o r) as G1; pose proof (gamma_range F z x o r) as G2;
    pose proof (gamma_range F y' y o r) as G3;
    fold q in G1; fold qx in G2; fold g in G3.
  assert (Q : Rabs (q - qx) = Rmax q qx - Rmin q qx) by (unfold Rabs, Rmax, Rmin; destruct Rcase_abs; destruct Rle_dec; lra).
  assert (Q0 : 0 <= Rmin q qx <= Rmax q qx) by (unfold Rmax, Rmin; destruct Rle_dec; lra).
  assert (Q1 : Rmax q qx <= 1) by (apply Rmax_lub; lra).
  rewrite Q; set (q1 := Rmax q qx) in *; set (q0 := Rmin q qx) in *.
  assert (C1 : l * (q1 - q0) + h * (g * (1 - q0) + (1 - g) * q0) <= l * q1 + h * g).
  { assert (0 <= h * (g * q0)) by (apply Rmult_le_pos; [exact Ph | apply Rmult_le_pos; lra]).
    assert (h * q0 <= l * q0) by (apply Rmult_le_compat_r; lra); nra. }
  assert (C2 : l * (q1 - q0) + h * (g * (1 - q0) + (1 - g) * q0) <= l * (q1 - q0) + h).
  { assert (g * (1 - q0) + (1 - g) * q0 <= 1) by nra.
    assert (h * (g * (1 - q0) + (1 - g) * q0) <= h * 1) by (apply Rmult_le_compat_l; lra); lra. }
  destruct (Rle_lt_dec r e) as [R1 | R1].
  { rewrite (thick_shell R1); eapply Rle_trans; [exact C1 | apply whole]. }
  rewrite (thin_shell R1).
  assert (PE : 0 <= r * r - (r - e) * (r - e)) by nra.
  pose proof (sqrt_sqrt _ PE) as EE; pose proof (sqrt_pos (r * r - (r - e) * (r - e))) as E0.
  assert (Ee : e <= sqrt (r * r - (r - e) * (r - e))).
  { rewrite <- (sqrt_square e) at 1 by exact Pe; apply sqrt_le_1_alt; nra. }
  assert (AE : sqrt (r * r - (r - a) * (r - a)) <= sqrt (r * r - (r - e) * (r - e))) by (apply sqrt_le_1_alt; nra).
  set (E := sqrt (r * r - (r - e) * (r - e))) in *.
  assert (Hxy : norm F (sub y' x) = a) by apply norm_swap.
  destruct (Rle_lt_or_eq_dec 0 g) as [Pg | Zg]; [lra | |].
  2:{ (* the end piece misses the ball *)
    rewrite <- Zg; replace (l * (q1 - q0) + h * (0 * (1 - q0) + (1 - 0) * q0)) with (l * q1 - l * q0 + h * (l * q0 / l))
      by (field; lra).
    apply two_chords; try lra; try nra.
    assert (Hr : 0 <= r - a <= r) by lra.
    destruct one_is_nearer as [N | N].
    - pose proof (y_has_more N) as M; unfold q1, q0; rewrite Rmax_left, Rmin_right by exact M.
      pose proof (shell_squares F z y' o r (r - a) Hr) as K; cbv zeta in K; rewrite length_of_y' in K; fold q in K.
      pose proof (shrunk_ball F y' x z o r a Pr ltac:(lra) Py' Pl) as B; rewrite Rmax_left in B by lra; fold qx in B.
      pose proof (gamma_range F z y' o (r - a)) as G.
      assert (gamma F z y' o (r - a) * l <= qx * l) by (apply Rmult_le_compat_r; lra).
      assert (0 <= gamma F z y' o (r - a) * l) by (apply Rmult_le_pos; lra); nra.
    - pose proof (x_has_more N) as M; unfold q1, q0; rewrite Rmax_right, Rmin_left by exact M.
      pose proof (shell_squares F z x o r (r - a) Hr) as K; cbv zeta in K; fold l in K; fold qx in K.
      pose proof (shrunk_ball F x y' z o r a Pr ltac:(fold a; lra) Pl Py') as B; rewrite Rmax_left in B by lra; fold q in B.
      pose proof (gamma_range F z x o (r - a)) as G.
      assert (gamma F z x o (r - a) * l <= q * l) by (apply Rmult_le_compat_r; lra).
      assert (0 <= gamma F z x o (r - a) * l) by (apply Rmult_le_pos; lra); nra. }
  assert (Ph' : 0 < norm F (sub y y')).
  { destruct (Rle_lt_or_eq_dec 0 (norm F (sub y y'))) as [P | Z]; [apply sqrt_pos | exact P|].
    exfalso; symmetry in Z; pose proof (gamma_of_equal_ends F y' y o r Z) as G; fold g in G; lra. }
  assert (Beyond : exists t, 1 <= t /\ norm F (sub (point_on_line z y' t) o) <= r).
  { destruct (in_the_ball F y' y o r Pr Ph' Pg) as (t & T & I); rewrite point_of_the_end in I.
    exists (1 + t * ((1 - theta) / theta)); split; [apply later; lra | exact I]. }
  destruct (Rle_lt_dec (norm F (sub x o)) r) as [Ix | Ox].
  - (* x lies in the ball *)
    assert (D : (q1 - q0) * l <= sqrt (r * r - (r - a) * (r - a)) \/
      (y_is_nearer /\ discriminant F z y' o (r - a) < 0 \/ x_is_nearer /\ discriminant F z x o (r - a) < 0)).
    { assert (E1 : point_on_line z x 1 = x) by (extensionality i; unfold point_on_line; ring).
      assert (E2 : point_on_line z y' 1 = y') by (extensionality i; unfold point_on_line; ring).
      destruct one_is_nearer as [N | N].
      - pose proof (y_has_more N) as M; unfold q1, q0; rewrite Rmax_left, Rmin_right by exact M.
        assert (Iy : norm F (sub y' o) <= r) by (rewrite <- E2; apply (nearer_y 1 N); [lra | rewrite E1; exact Ix]).
        destruct (one_sided F z y' x o r a 1) as [K | K]; try lra; try exact Iy; try exact Py'.
        + rewrite length_of_y'; reflexivity.
        + rewrite E1; exact Ix.
        + left; rewrite length_of_y' in K; exact K.
        + right; left; split; [exact N | exact K].
      - pose proof (x_has_more N) as M; unfold q1, q0; rewrite Rmax_right, Rmin_left by exact M.
        destruct Beyond as (t & T & I).
        destruct (one_sided F z x y' o r a t) as [K | K]; try lra; try exact Ix; try exact Pl; try exact I; try exact T.
        + rewrite length_of_y'; reflexivity.
        + fold a; lra.
        + left; exact K.
        + right; right; split; [exact N | exact K]. }
    destruct D as [D | D].
    + eapply Rle_trans; [exact C2 | lra].
    + eapply Rle_trans; [exact C1|]; eapply Rle_trans; [apply (proj2 whole (r - a) ltac:(lra) D) | lra].
  - (* x lies outside: what zy has more lies in the shell of thickness e *)
    assert (Z : gamma F y' y o (r - e) = 0).
    { apply not_in_the_ball; [lra | exact Ph'|]; intros t T I.
      assert (W : norm F (sub (point_on_line y' y t) x) <= e).
      { assert (W0 : norm F (sub (point_on_line y' y 0) x) <= e).
        { replace (point_on_line y' y 0) with y' by (extensionality i; unfold point_on_line; ring); lra. }
        assert (W1 : norm F (sub (point_on_line y' y 1) x) <= e).
        { replace (point_on_line y' y 1) with y by (extensionality i; unfold point_on_line; ring); rewrite norm_swap;
          exact He. }
        apply (in_ball_iff F y' y x e 0 Pe Ph') in W0; apply (in_ball_iff F y' y x e 1 Pe Ph') in W1.
        apply (in_ball_iff F y' y x e t Pe Ph'); split; [apply W0 | lra]. }
      rewrite norm_swap in W; pose proof (triangle (dot F) (dot_semi_inner F) (sub x (point_on_line y' y t))
        (sub (point_on_line y' y t) o)) as Tr.
      replace (fun i => sub x (point_on_line y' y t) i + sub (point_on_line y' y t) o i) with (sub x o) in Tr
        by (extensionality i; unfold sub; ring).
      fold (norm F (sub x o)) (norm F (sub x (point_on_line y' y t))) (norm F (sub (point_on_line y' y t) o)) in Tr; lra. }
    pose proof (along_y (r - e) ltac:(lra)) as Ae; rewrite Z, Rmult_0_l, Rplus_0_r in Ae.
    pose proof (shrunk_ball F y' x z o r e Pr ltac:(lra) Py' Pl) as B; rewrite Rmax_left in B by lra; fold qx in B.
    pose proof (gamma_range F z y' o (r - e)) as G.
    assert (B' : 0 <= gamma F z y' o (r - e) * l <= qx * l)
      by (split; [apply Rmult_le_pos; lra | apply Rmult_le_compat_r; lra]).
    pose proof (shell_squares F z y o r (r - e) ltac:(lra)) as K; cbv zeta in K; fold m in K; rewrite Ae in K.
    pose proof (along_y r Pr) as Ar; fold q g in Ar; rewrite Ar in K.
    destruct (Rle_lt_dec qx q) as [M | M].
    + unfold q1, q0; rewrite Rmax_left, Rmin_right by exact M.
      assert (Pg' : 0 < h * g) by (apply Rmult_lt_0_compat; [rewrite <- length_of_the_end; exact Ph' | exact Pg]).
      assert (Mq : qx * l <= q * l) by (apply Rmult_le_compat_r; lra).
      assert (Mq' : q * l <= 1 * l) by (apply Rmult_le_compat_r; lra).
      assert (Mx : 0 <= qx * l) by (apply Rmult_le_pos; lra).
      pose proof (two_chords (q * l + g * h) (qx * l) (l + h * g) E h ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)) as TC.
      assert (KE : (q * l + g * h) * (q * l + g * h) - qx * l * (qx * l) <= 4 * (E * E)) by (rewrite EE; nra).
      specialize (TC KE).
      assert (X : (h - 2 * (h * g)) * qx <= h * (qx * l / (l + h * g))).
      { apply Rmult_le_reg_r with (l + h * g); [lra|].
        replace (h * (qx * l / (l + h * g)) * (l + h * g)) with (h * qx * l) by (field; lra).
        assert (0 <= h * qx * g * (2 * l - h + 2 * (h * g))).
        { apply Rmult_le_pos; [apply Rmult_le_pos; [apply Rmult_le_pos; lra | lra] | lra]. }
        nra. }
      nra.
    + (* then x is nearer, and its ray, in the ball before x and behind, is there at x *)
      exfalso; destruct one_is_nearer as [N | N]; [pose proof (y_has_more N); lra|].
      destruct (in_the_ball F z x o r Pr Pl ltac:(fold qx; lra)) as (t0 & T0 & I0); destruct Beyond as (t1 & T1 & I1).
      apply (nearer_x t1 N ltac:(lra)) in I1.
      apply (in_ball_iff F z x o r t0 Pr Pl) in I0; apply (in_ball_iff F z x o r t1 Pr Pl) in I1.
      assert (I : norm F (sub (point_on_line z x 1) o) <= r)
        by (apply (in_ball_iff F z x o r 1 Pr Pl); split; [apply I0 | lra]).
      replace (point_on_line z x 1) with x in I by (extensionality i; unfold point_on_line; ring); lra.
Qed.
End OneBall.

(** ** What a point costs when it is known which balls hold it *)

Definition free (As : list region) (i : region -> R) : R := fold_right (fun A rest => (1 - i A) * rest) 1 As.
Definition price As (i : region -> R) c_B c : R := weighted_lengths As (free As i) i c_B c.
Definition binary As (i : region -> R) : Prop := forall A, In A As -> i A = 0 \/ i A = 1.

Lemma binary_tail A As i : binary (A :: As) i -> binary As i.
Proof. intros H C I; apply H; right; exact I. Qed.

Lemma free_cases As i : binary As i ->
  (free As i = 1 /\ forall A, In A As -> i A = 0) \/ (free As i = 0 /\ exists A, In A As /\ i A = 1).
Proof.
  induction As as [|A As IH]; intro H; simpl; [left; split; [reflexivity | intros A []]|].
  destruct (H A (or_introl eq_refl)) as [E | E]; rewrite E.
  - destruct (IH (binary_tail A As i H)) as [[U N] | [U (C & I & EC)]]; [left | right]; rewrite U; (split; [ring|]).
    + intros C [<- | I]; auto.
    + exists C; auto.
  - right; split; [ring | exists A; auto].
Qed.

Lemma free_range As i : binary As i -> 0 <= free As i <= 1.
Proof. intro H; destruct (free_cases As i H) as [[E _] | [E _]]; lra. Qed.

Lemma price_exchange As i j c_B c K w : binary As i -> binary As j -> 0 <= w <= 1 ->
  (forall A v, In A As -> 0 <= v <= 1 -> Rabs (c A - v * c_B) <= K A) ->
  Rabs (w * (free As i - free As j) * c_B + sum_over (fun A => (i A - j A) * c A) As)
  <= sum_over (fun A => Rabs (i A - j A) * K A) As.
Proof.
  revert w; induction As as [|A As IH]; intros w Hi Hj Hw HK; simpl.
  - replace (w * (1 - 1) * c_B + 0) with 0 by ring; rewrite Rabs_R0; lra.
  - pose proof (free_range As i (binary_tail A As i Hi)) as Ri.
    assert (W' : 0 <= w * (1 - j A) <= 1) by (destruct (Hj A (or_introl eq_refl)) as [E | E]; rewrite E; lra).
    pose proof (IH (w * (1 - j A)) (binary_tail A As i Hi) (binary_tail A As j Hj) W'
      (fun C v I => HK C v (or_intror I))) as H1.
    assert (W : 0 <= w * free As i <= 1) by nra.
    pose proof (HK A (w * free As i) (or_introl eq_refl) W) as H2.
    replace (w * ((1 - i A) * free As i - (1 - j A) * free As j) * c_B
             + ((i A - j A) * c A + sum_over (fun A => (i A - j A) * c A) As))
      with ((i A - j A) * (c A - w * free As i * c_B)
            + (w * (1 - j A) * (free As i - free As j) * c_B + sum_over (fun A => (i A - j A) * c A) As)) by ring.
    eapply Rle_trans; [apply Rabs_triang|]; apply Rplus_le_compat; [|exact H1].
    rewrite Rabs_mult; apply Rmult_le_compat_l; [apply Rabs_pos | exact H2].
Qed.

Lemma price_le As i j c_B c K : binary As i -> binary As j ->
  (forall A v, In A As -> 0 <= v <= 1 -> Rabs (c A - v * c_B) <= K A) ->
  price As i c_B c <= price As j c_B c + sum_over (fun A => Rabs (i A - j A) * K A) As.
Proof.
  intros Hi Hj HK; pose proof (price_exchange As i j c_B c K 1 Hi Hj ltac:(lra) HK) as H.
  unfold price, weighted_lengths; eapply Rle_trans in H; [|apply Rle_abs].
  rewrite (sum_ext (fun A => (i A - j A) * c A) (fun A => i A * c A + (-1) * (j A * c A))), sum_plus, sum_scale in H
    by (intros; ring).
  lra.
Qed.

Lemma price_scale As i c_B c k : price As i (k * c_B) (fun A => k * c A) = k * price As i c_B c.
Proof.
  unfold price, weighted_lengths; rewrite (sum_ext (fun A => i A * (k * c A)) (fun A => k * (i A * c A))), sum_scale
    by (intros; ring); ring.
Qed.

Lemma price_nonneg As i c_B c : binary As i -> 0 <= c_B -> (forall A, In A As -> 0 <= c A) -> 0 <= price As i c_B c.
Proof.
  intros Hi PB PA; pose proof (free_range As i Hi) as R; unfold price, weighted_lengths; apply Rplus_le_le_0_compat;
    [apply Rmult_le_pos; lra|].
  apply sum_nonneg; intros A I; specialize (PA A I); destruct (Hi A I) as [E | E]; rewrite E; lra.
Qed.

(** ** Families of indicators along a segment *)

Definition family As (I : region -> R -> R) : Prop :=
  (forall t, binary As (fun A => I A t)) /\ forall A, In A As -> multiplier (I A).

Lemma multiplier_const c : multiplier (fun _ => c).
Proof. intros f H; apply integrable_ext with (fun t => c * f t); [intros; ring | apply integrable_scale, H]. Qed.

Lemma constant_family As i : binary As i -> family As (fun A _ => i A).
Proof. intro H; split; [intro; exact H | intros A _; apply multiplier_const]. Qed.

Lemma product_family As I J : family As I -> family As J -> family As (fun A t => I A t * J A t).
Proof.
  intros [HI MI] [HJ MJ]; split.
  - intros t A IA; destruct (HI t A IA) as [E | E]; destruct (HJ t A IA) as [E' | E']; rewrite E, E'; lra.
  - intros A IA; apply multiplier_times; auto.
Qed.

Lemma free_multiplier As I : (forall A, In A As -> multiplier (I A)) -> multiplier (fun t => free As (fun A => I A t)).
Proof.
  induction As as [|A As IH]; intro H; [apply multiplier_one|].
  apply (multiplier_times (fun t => 1 - I A t) (fun t => free As (fun C => I C t))).
  - apply multiplier_complement, H; left; reflexivity.
  - apply IH; intros C IC; apply H; right; exact IC.
Qed.

Lemma price_integrable As I c_B c : family As I -> integrable (fun t => price As (fun A => I A t) c_B c).
Proof.
  intros [_ M]; unfold price, weighted_lengths; apply integrable_plus.
  - apply integrable_ext with (fun t => c_B * free As (fun A => I A t)); [intros; ring|].
    apply integrable_scale, multiplier_integrable, free_multiplier, M.
  - apply (sum_integral (fun A t => I A t * c A)); intros A IA.
    apply integrable_ext with (fun t => c A * I A t); [intros; ring | apply integrable_scale, multiplier_integrable, M, IA].
Qed.

Lemma gap_integrable As I J A : family As I -> family As J -> In A As -> integrable (fun t => Rabs (I A t - J A t)).
Proof.
  intros [HI MI] [HJ MJ] IA; apply integrable_ext with (fun t => I A t * (1 - J A t) + J A t * (1 - I A t)).
  - intros t _; destruct (HI t A IA) as [E | E]; destruct (HJ t A IA) as [E' | E']; rewrite E, E'; unfold Rabs;
    destruct Rcase_abs;
      lra.
  - apply integrable_plus.
    + apply (multiplier_complement (J A) (MJ A IA)), multiplier_integrable, MI, IA.
    + apply (multiplier_complement (I A) (MI A IA)), multiplier_integrable, MJ, IA.
Qed.

Lemma integral_exchange As I J c_B c K : family As I -> family As J ->
  (forall A v, In A As -> 0 <= v <= 1 -> Rabs (c A - v * c_B) <= K A) ->
  integral (fun t => price As (fun A => I A t) c_B c)
  <= integral (fun t => price As (fun A => J A t) c_B c)
     + sum_over (fun A => K A * integral (fun t => Rabs (I A t - J A t))) As.
Proof.
  intros HI HJ HK.
  assert (G : forall A, In A As -> integrable (fun t => K A * Rabs (I A t - J A t)))
    by (intros A IA; apply integrable_scale, (gap_integrable As); assumption).
  destruct (sum_integral (fun A t => K A * Rabs (I A t - J A t)) As G) as [S1 S2].
  rewrite (sum_ext _ (fun A => integral (fun t => K A * Rabs (I A t - J A t))))
    by (intros A IA; symmetry; apply integral_scale, (gap_integrable As); assumption).
  rewrite <- S2, <- integral_plus by (try apply price_integrable; assumption).
  apply integral_le; [apply price_integrable, HI | apply integrable_plus; [apply price_integrable, HJ | exact S1]|].
  intros t _; eapply Rle_trans; [apply (price_le As (fun A => I A t) (fun A => J A t) c_B c K (proj1 HI t) (proj1 HJ t) HK)|].
  right; f_equal; apply sum_ext; intros; ring.
Qed.

(** ** The theorem *)

Section Sharpest.
Variables (F : nat) (B : matrix) (As : list region) (s_B : R) (s kappa : region -> R) (Lambda : R).
Hypothesis PB : positive_semidefinite F B.
Hypothesis SB : scale F B s_B.
Hypothesis PA : forall A, In A As -> admissible F s A.
Hypothesis L : covers_cost F As s_B s Lambda.
Hypothesis K1 : forall A u, In A As -> mahalanobis F (metric A) u <= kappa A * norm F u.
Hypothesis K2 : forall A u, In A As -> Rabs (mahalanobis F (metric A) u - mahalanobis F B u) <= kappa A * norm F u.
Hypothesis K0 : forall A, In A As -> 0 <= kappa A.
Let D := exact_distance F B As.
Let n_B u := mahalanobis F B u.
Let n u := fun A => mahalanobis F (metric A) u.

Lemma radii A : In A As -> 0 <= radius A.
Proof. intro I; apply (PA A I). Qed.

Lemma Lambda_nonneg : 0 <= Lambda.
Proof. destruct L; destruct SB; lra. Qed.

Lemma exchange_of u A v : In A As -> 0 <= v <= 1 -> Rabs (n u A - v * n_B u) <= kappa A * norm F u.
Proof. intros I V; apply (exchange_constant F B A (kappa A) v V); intro w; [apply K1, I | apply K2, I]. Qed.

Lemma inside_family u v : 0 < norm F (sub v u) -> family As (inside F u v).
Proof. intro P; split; [intros t A _; apply inside_cases | intros A I; apply (inside_multiplier F u v As P radii A I)]. Qed.

(** Balls among those that hold some point weigh at most Lambda. *)
Lemma weight_le i p : binary As i -> (forall A, In A As -> i A <= in_ball F p (center A) (radius A)) ->
  price As i s_B s <= Lambda.
Proof.
  intros Hi H; destruct L as [LB LA]; destruct (free_cases As i Hi) as [[E N] | [E _]]; unfold price, weighted_lengths;
    rewrite E.
  - rewrite (sum_ext _ (fun A => 0 * s A)), sum_scale; [lra | intros A I; rewrite (N A I); reflexivity].
  - rewrite Rmult_0_l, Rplus_0_l; eapply Rle_trans; [|apply (LA p)].
    apply sum_le; intros A I; apply Rmult_le_compat_r; [apply (PA A I) | apply H, I].
Qed.

Lemma price_moves i p u v : binary As i -> (forall A, In A As -> i A <= in_ball F p (center A) (radius A)) ->
  price As i (n_B u) (n u) - price As i (n_B v) (n v) <= Lambda * norm F (sub u v).
Proof.
  intros Hi H; eapply Rle_trans; [apply Rle_abs|].
  assert (M : forall M c, positive_semidefinite F M -> scale F M c ->
            Rabs (mahalanobis F M u - mahalanobis F M v) <= c * norm F (sub u v)).
  { intros M c P [_ S]; eapply Rle_trans; [apply (reverse_triangle (form F M) (form_semi_inner F M P)) | apply S]. }
  eapply Rle_trans; [apply (moving_lengths F B As (free As i) i s_B s (norm F (sub u v)) u v)|].
  - apply free_range, Hi.
  - intros A I; destruct (Hi A I) as [E | E]; rewrite E; lra.
  - apply M; assumption.
  - intros A I; apply M; apply (PA A I).
  - apply Rmult_le_compat_r; [apply sqrt_pos | apply (weight_le i p Hi H)].
Qed.

Lemma price_at_most i p u : binary As i -> (forall A, In A As -> i A <= in_ball F p (center A) (radius A)) ->
  price As i (n_B u) (n u) <= Lambda * norm F u.
Proof.
  intros Hi H; pose proof (price_moves i p u (fun _ => 0) Hi H) as M.
  assert (Z : norm F (fun _ => 0) = 0).
  { pose proof (seminorm_scale (dot F) (dot_semi_inner F) u 0) as S; rewrite Rabs_R0, Rmult_0_l in S.
    replace (fun i => 0 * u i) with (fun _ : nat => 0) in S by (extensionality k; ring); exact S. }
  assert (E : price As i (n_B (fun _ => 0)) (n (fun _ => 0)) = 0) by apply (phi_zero F B As s_B s SB PA _ _ _ Z).
  replace (sub u (fun _ => 0)) with u in M by (extensionality k; unfold sub; ring); lra.
Qed.

(** Two segments from z, and their end points. *)
Variables (x y z : vector) (e : R).
Let l := norm F (sub x z).
Let m := norm F (sub y z).
Hypothesis Pl : 0 < l.
Hypothesis Lm : l < m.
Hypothesis He : norm F (sub x y) <= e.
Let theta := l / m.
Let y' := point_on_line z y theta.
Let h := m - l.
Let u := sub z y.
Let v := sub z x.
Let P A t := inside F z y' A t.
Let P' A t := inside F z x A t.
Let Q A t := inside F y' y A t.

Lemma theta_between : 0 < theta < 1 /\ theta * m = l /\ (1 - theta) * m = h.
Proof.
  assert (T : theta * m = l) by (unfold theta; field; lra).
  repeat split; [apply Rmult_lt_0_compat; [exact Pl | apply Rinv_0_lt_compat; lra] | | exact T | unfold h; lra].
  apply Rmult_lt_reg_r with m; lra.
Qed.

Lemma Ly' : norm F (sub y' z) = l.
Proof. apply (length_of_y' F z x y Pl); fold m l; lra. Qed.

Lemma Lend : norm F (sub y y') = h.
Proof. apply (length_of_the_end F z x y Pl); fold m l; lra. Qed.

Lemma Lu : norm F u = m.
Proof. apply norm_swap. Qed.

Lemma Lv : norm F v = l.
Proof. apply norm_swap. Qed.

Lemma Luv : norm F (sub u v) = norm F (sub x y).
Proof. replace (sub u v) with (sub x y) by (extensionality i; unfold u, v, sub; ring); reflexivity. Qed.

Lemma fP : family As P.
Proof. apply inside_family; rewrite Ly'; exact Pl. Qed.

Lemma fP' : family As P'.
Proof. apply inside_family; exact Pl. Qed.

Lemma fQ : family As Q.
Proof. apply inside_family; rewrite Lend; unfold h; lra. Qed.

Lemma D_zx : D z x = integral (fun t => price As (fun A => P' A t) (n_B v) (n v)).
Proof. symmetry; apply (weighted_is_integral F z x As (n_B v) (n v) Pl radii). Qed.

Lemma D_zy : D z y = theta * integral (fun t => price As (fun A => P A t) (n_B u) (n u))
                    + (1 - theta) * integral (fun t => price As (fun A => Q A t) (n_B u) (n u)).
Proof.
  destruct theta_between as (T & _ & _).
  assert (E : forall p q k f, 0 < norm F (sub q p) -> family As f -> (forall A t, inside F p q A t = f A t) ->
    (forall M, positive_semidefinite F M -> mahalanobis F M (sub p q) = k * mahalanobis F M u) ->
    D p q = k * integral (fun t => price As (fun A => f A t) (n_B u) (n u))).
  { intros p q k f Pp Ff Ef Ek.
    destruct (weighted_is_integral F p q As (mahalanobis F B (sub p q)) (fun A => mahalanobis F (metric A) (sub p q)) Pp radii)
      as [_ W].
    unfold D, exact_distance, distance_with; rewrite <- W, <- integral_scale by (apply price_integrable, Ff).
    apply integral_ext; intros t _; rewrite <- price_scale.
    change (price As (fun A => inside F p q A t) (mahalanobis F B (sub p q)) (fun A => mahalanobis F (metric A) (sub p q))
      = price As (fun A => f A t) (k * n_B u) (fun A => k * n u A)).
    replace (fun A => inside F p q A t) with (fun A => f A t) by (extensionality A; symmetry; apply Ef).
    rewrite (Ek B PB); unfold price, weighted_lengths; f_equal; apply sum_ext; intros A I; rewrite (Ek (metric A));
      [reflexivity|].
    apply (PA A I). }
  unfold D; rewrite (exact_is_additive F B As s_B s PB SB PA z y theta ltac:(lra)); fold D; fold y'; f_equal.
  - apply E; [rewrite Ly'; exact Pl | exact fP | reflexivity|].
    intros M PM; pose proof (mahalanobis_between F z y M 0 theta PM ltac:(lra)) as H; rewrite first_point in H.
    fold y' in H; rewrite H; unfold u; ring.
  - apply E; [rewrite Lend; unfold h; lra | exact fQ | reflexivity|].
    intros M PM; pose proof (mahalanobis_between F z y M theta 1 PM ltac:(lra)) as H; rewrite last_point in H.
    fold y' in H; rewrite H; unfold u; ring.
Qed.

Lemma nested A : (forall t, 0 <= t -> P' A t <= P A t) \/ (forall t, 0 <= t -> P A t <= P' A t).
Proof. apply (nested_inside F x y' z A); rewrite Ly'; reflexivity. Qed.

Lemma integral_P A : In A As -> integral (P A) = share F z y' A.
Proof. intro I; apply (inside_integral F z y' As ltac:(rewrite Ly'; exact Pl) radii A I). Qed.

Lemma integral_P' A : In A As -> integral (P' A) = share F z x A.
Proof. intro I; apply (inside_integral F z x As Pl radii A I). Qed.

Lemma integral_Q A : In A As -> integral (Q A) = share F y' y A.
Proof. intro I; apply (inside_integral F y' y As ltac:(rewrite Lend; unfold h; lra) radii A I). Qed.

(** What one ball has of both segments, and of one alone. *)
Lemma shares_of_both A : In A As ->
  let q := share F z y' A in let qx := share F z x A in
  integral (fun t => P A t * P' A t) = Rmin q qx /\
  integral (fun t => Rabs (P A t - P A t * P' A t)) + integral (fun t => Rabs (P A t * P' A t - P' A t)) = Rabs (q - qx) /\
  integral (fun t => P A t + (1 - P A t) * P' A t) = Rmax q qx.
Proof.
  intros I q qx; pose proof (integral_P A I) as E; pose proof (integral_P' A I) as E'; fold q in E; fold qx in E'.
  assert (IP : integrable (P A)) by (apply multiplier_integrable, fP, I).
  assert (IP' : integrable (P' A)) by (apply multiplier_integrable, fP', I).
  assert (C : forall t, P A t = 0 \/ P A t = 1) by (intro; apply inside_cases).
  assert (C' : forall t, P' A t = 0 \/ P' A t = 1) by (intro; apply inside_cases).
  assert (Z : integral (fun _ => 0) = 0) by apply integral_const.
  destruct (nested A) as [N | N].
  - assert (M : qx <= q) by (rewrite <- E, <- E'; apply integral_le; try assumption; intros t T; apply N; lra).
    rewrite Rmin_right, Rmax_left, Rabs_pos_eq by lra; repeat split.
    + rewrite <- E'; apply integral_ext; intros t T; specialize (N t ltac:(lra)); destruct (C t) as [W | W];
        destruct (C' t) as [W' | W']; rewrite W, W' in *; lra.
    + rewrite (integral_ext (fun t => Rabs (P A t - _)) (fun t => P A t - P' A t)),
        (integral_ext (fun t => Rabs (P A t * _ - _)) (fun _ => 0)), integral_minus, Z, E, E' by
        (assumption || (intros t T; specialize (N t ltac:(lra)); destruct (C t) as [W | W]; destruct (C' t) as [W' | W'];
           rewrite W, W' in *; unfold Rabs; destruct Rcase_abs; lra)).
      ring.
    + rewrite <- E; apply integral_ext; intros t T; specialize (N t ltac:(lra)); destruct (C t) as [W | W];
        destruct (C' t) as [W' | W']; rewrite W, W' in *; lra.
  - assert (M : q <= qx) by (rewrite <- E, <- E'; apply integral_le; try assumption; intros t T; apply N; lra).
    rewrite Rmin_left, Rmax_right by lra; rewrite Rabs_minus_sym, Rabs_pos_eq by lra; repeat split.
    + rewrite <- E; apply integral_ext; intros t T; specialize (N t ltac:(lra)); destruct (C t) as [W | W];
        destruct (C' t) as [W' | W']; rewrite W, W' in *; lra.
    + rewrite (integral_ext (fun t => Rabs (P A t - _)) (fun _ => 0)),
        (integral_ext (fun t => Rabs (P A t * _ - _)) (fun t => P' A t - P A t)), integral_minus, Z, E, E' by
        (assumption || (intros t T; specialize (N t ltac:(lra)); destruct (C t) as [W | W]; destruct (C' t) as [W' | W'];
           rewrite W, W' in *; unfold Rabs; destruct Rcase_abs; lra)).
      ring.
    + rewrite <- E'; apply integral_ext; intros t T; specialize (N t ltac:(lra)); destruct (C t) as [W | W];
        destruct (C' t) as [W' | W']; rewrite W, W' in *; lra.
Qed.

(** Every point of the end piece against every point of zy' and zx: a ball costs what [coupled] says. *)
Lemma by_coupling : D z y - D z x <= Lambda * norm F (sub x y)
  + sum_over (fun A => kappa A * coupled F z x y (center A) (radius A)) As.
Proof.
  destruct theta_between as (T & Tl & Th); rewrite D_zy, D_zx.
  set (R A t := P A t * P' A t); assert (fR : family As R) by (apply product_family; [apply fP | apply fP']).
  set (IP := integral (fun t => price As (fun A => P A t) (n_B u) (n u))).
  set (IQ := integral (fun t => price As (fun A => Q A t) (n_B u) (n u))).
  set (IR := integral (fun t => price As (fun A => R A t) (n_B u) (n u))).
  set (JR := integral (fun t => price As (fun A => R A t) (n_B v) (n v))).
  set (JP := integral (fun t => price As (fun A => P' A t) (n_B v) (n v))).
  set (KU A := kappa A * m); set (KV A := kappa A * l).
  assert (EU : forall A w, In A As -> 0 <= w <= 1 -> Rabs (n u A - w * n_B u) <= KU A)
    by (intros A w I W; unfold KU; rewrite <- Lu; apply exchange_of; assumption).
  assert (EV : forall A w, In A As -> 0 <= w <= 1 -> Rabs (n v A - w * n_B v) <= KV A)
    by (intros A w I W; unfold KV; rewrite <- Lv; apply exchange_of; assumption).
  assert (H1 : IP <= IR + sum_over (fun A => KU A * integral (fun t => Rabs (P A t - R A t))) As)
    by (apply integral_exchange; [apply fP | exact fR | exact EU]).
  assert (H2 : JR <= JP + sum_over (fun A => KV A * integral (fun t => Rabs (R A t - P' A t))) As)
    by (apply integral_exchange; [exact fR | apply fP' | exact EV]).
  assert (H3 : IR - JR <= Lambda * norm F (sub x y)).
  { unfold IR, JR; rewrite <- integral_minus by (apply price_integrable, fR); rewrite <- (integral_const (Lambda * _)).
    apply integral_le; [apply integrable_minus; apply price_integrable, fR | apply integrable_const|].
    intros t _; rewrite <- Luv; apply price_moves with (point_on_line z y' t); [apply fR|].
    intros A I; unfold R, P, P'; change (in_ball F (point_on_line z y' t) (center A) (radius A)) with (inside F z y' A t).
    destruct (inside_cases F z y' A t) as [E | E]; destruct (inside_cases F z x A t) as [E' | E']; rewrite E, E'; lra. }
  set (w A := share F y' y A * (1 - Rmin (share F z y' A) (share F z x A))
              + (1 - share F y' y A) * Rmin (share F z y' A) (share F z x A)).
  assert (H4 : IQ <= IR + sum_over (fun A => KU A * w A) As).
  { set (c A t := KU A * (Q A t * (1 - Rmin (share F z y' A) (share F z x A)) + (1 - Q A t) * Rmin (share F z y' A) (share F z
    x A))).
    assert (Ic : forall A, In A As -> integrable (c A) /\ integral (c A) = KU A * w A).
    { intros A I; set (k := Rmin (share F z y' A) (share F z x A)).
      assert (IQA : integrable (Q A)) by (apply multiplier_integrable, fQ, I).
      assert (Ec : forall t, c A t = KU A * k + KU A * (1 - 2 * k) * Q A t) by (intro t; unfold c; fold k; ring).
      split.
      - apply integrable_ext with (fun t => KU A * k + KU A * (1 - 2 * k) * Q A t); [intros t _; symmetry; apply Ec|].
        apply integrable_plus; [apply integrable_const | apply integrable_scale, IQA].
      - rewrite (integral_ext (c A) (fun t => KU A * k + KU A * (1 - 2 * k) * Q A t)) by (intros t _; apply Ec).
        rewrite integral_plus, integral_const, integral_scale, integral_Q by
          (assumption || apply integrable_const || apply integrable_scale; assumption).
        unfold w; fold k; ring. }
    destruct (sum_integral c As (fun A I => proj1 (Ic A I))) as [S1 S2].
    rewrite (sum_ext _ (fun A => integral (c A))) by (intros A I; symmetry; apply Ic, I).
    rewrite <- S2, <- (integral_const IR), <- integral_plus by (apply integrable_const || exact S1).
    apply integral_le; [apply price_integrable, fQ | apply integrable_plus; [apply integrable_const | exact S1]|].
    intros t _.
    pose proof (integral_exchange As (fun A _ => Q A t) R (n_B u) (n u) KU (constant_family As (fun A => Q A t) (proj1 fQ t))
      fR EU)
      as X; cbv beta in X; rewrite integral_const in X; fold IR in X.
    eapply Rle_trans; [exact X | right; f_equal; apply sum_ext; intros A I; unfold c; f_equal].
    assert (IRA : integrable (R A)) by (apply multiplier_integrable, fR, I).
    pose proof (shares_of_both A I) as [ER _]; cbv zeta in ER; fold (R A) in ER.
    change (integral (R A) = Rmin (share F z y' A) (share F z x A)) in ER; rewrite <- ER.
    destruct (proj1 fQ t A I) as [E | E]; rewrite E.
    - rewrite (integral_ext _ (R A)); [ring|]; intros t' _; destruct (proj1 fR t' A I) as [W | W]; rewrite W; unfold Rabs;
        destruct Rcase_abs; lra.
    - rewrite (integral_ext _ (fun t' => 1 - R A t')), integral_minus, integral_const;
      [ring | apply integrable_const | exact IRA |].
      intros t' _; destruct (proj1 fR t' A I) as [W | W]; rewrite W; unfold Rabs; destruct Rcase_abs; lra. }
  assert (Sum : theta * sum_over (fun A => KU A * integral (fun t => Rabs (P A t - R A t))) As
    + sum_over (fun A => KV A * integral (fun t => Rabs (R A t - P' A t))) As + (1 - theta) * sum_over (fun A => KU A * w A) As
    = sum_over (fun A => kappa A * coupled F z x y (center A) (radius A)) As).
  { rewrite <- !sum_scale, <- !sum_plus; apply sum_ext; intros A I; pose proof (shares_of_both A I) as [_ [E2 _]];
    cbv zeta in E2.
    fold (R A) in E2.
    change (integral (fun t => Rabs (P A t - R A t)) + integral (fun t => Rabs (R A t - P' A t))
      = Rabs (share F z y' A - share F z x A)) in E2.
    unfold coupled; fold l m; fold theta; fold y' h.
    change (gamma F z y' (center A) (radius A)) with (share F z y' A);
      change (gamma F z x (center A) (radius A)) with (share F z x A).
    change (gamma F y' y (center A) (radius A)) with (share F y' y A); rewrite <- E2; fold (w A); unfold KU, KV;
      rewrite <- Th, <- Tl.
    ring. }
  rewrite <- Sum.
  assert (X1 : theta * IP <= theta * (IR + sum_over (fun A => KU A * integral (fun t => Rabs (P A t - R A t))) As))
    by (apply Rmult_le_compat_l; lra).
  assert (X2 : (1 - theta) * IQ <= (1 - theta) * (IR + sum_over (fun A => KU A * w A) As)) by (apply Rmult_le_compat_l; lra).
  lra.
Qed.

(** ... and only where zy' lies in the background. *)
Lemma by_uncoupling : D z y - D z x <= Lambda * norm F (sub x y)
  + sum_over (fun A => kappa A * (l * Rmax (share F z y' A) (share F z x A) + h * share F y' y A)) As.
Proof.
  destruct theta_between as (T & Tl & Th); rewrite D_zy, D_zx.
  set (IQ := integral (fun t => price As (fun A => Q A t) (n_B u) (n u))).
  set (IP := integral (fun t => price As (fun A => P A t) (n_B u) (n u))).
  set (JP := integral (fun t => price As (fun A => P' A t) (n_B v) (n v))).
  assert (Hh : h <= norm F (sub x y)).
  { destruct (sides F z x y (norm F (sub x y)) Pl ltac:(fold m l; lra) ltac:(lra)) as (_ & _ & _ & _ & H & _); exact H. }
  pose proof Lambda_nonneg as PL.
  assert (EU : forall A w, In A As -> 0 <= w <= 1 -> Rabs (n u A - w * n_B u) <= kappa A * m)
    by (intros A w I W; rewrite <- Lu; apply exchange_of; assumption).
  assert (EV : forall A w, In A As -> 0 <= w <= 1 -> Rabs (n v A - w * n_B v) <= kappa A * l)
    by (intros A w I W; rewrite <- Lv; apply exchange_of; assumption).
  assert (B0 : binary As (fun _ => 0)) by (intros A _; left; reflexivity).
  assert (price_of_none : forall c_B c, price As (fun _ => 0) c_B c = c_B).
  { intros c_B c; unfold price, weighted_lengths; destruct (free_cases As (fun _ => 0) B0) as [[E _] | [_ (A & _ & E)]];
    [|lra].
    rewrite E, sum_scale; ring. }
  (* at one point of zy' and zx, and one of the end piece *)
  assert (Pt : forall t t', theta * price As (fun A => P A t) (n_B u) (n u) - price As (fun A => P' A t) (n_B v) (n v)
                + (1 - theta) * price As (fun A => Q A t') (n_B u) (n u)
              <= Lambda * norm F (sub x y)
                + sum_over (fun A => kappa A * (l * (P A t + (1 - P A t) * P' A t) + h * Q A t')) As).
  { intros t t'; destruct (free_cases As (fun A => P A t) (proj1 fP t)) as [[E N] | [E _]].
    - assert (H1 : price As (fun A => P A t) (n_B u) (n u) <= n_B u).
      { eapply Rle_trans; [apply (price_le As _ (fun _ => 0) _ _ _ (proj1 fP t) B0 EU)|]; rewrite price_of_none.
        rewrite (sum_ext _ (fun A => 0 * kappa A)), sum_scale; [lra|].
        intros A I; rewrite (N A I); rewrite Rminus_0_r, Rabs_R0; ring. }
      pose proof (price_le As (fun _ => 0) (fun A => P' A t) _ _ _ B0 (proj1 fP' t) EV) as H2; rewrite price_of_none in H2.
      pose proof (price_le As (fun A => Q A t') (fun _ => 0) _ _ _ (proj1 fQ t') B0 EU) as H3; rewrite price_of_none in H3.
      assert (H4 : n_B u - n_B v <= Lambda * norm F (sub x y)).
      { pose proof (price_moves (fun _ => 0) z u v B0) as M; rewrite !price_of_none, Luv in M; apply M.
        intros A _; destruct (in_ball_cases F z (center A) (radius A)) as [W | W]; rewrite W; lra. }
      assert (X1 : theta * price As (fun A => P A t) (n_B u) (n u) <= theta * n_B u) by (apply Rmult_le_compat_l; lra).
      apply (Rmult_le_compat_l (1 - theta)) in H3; [|lra].
      assert (Sum : sum_over (fun A => Rabs (0 - P' A t) * (kappa A * l)) As
        + (1 - theta) * sum_over (fun A => Rabs (Q A t' - 0) * (kappa A * m)) As
        = sum_over (fun A => kappa A * (l * (P A t + (1 - P A t) * P' A t) + h * Q A t')) As).
      { rewrite <- sum_scale, <- sum_plus; apply sum_ext; intros A I; rewrite (N A I), <- Th.
        destruct (proj1 fP' t A I) as [W | W]; destruct (proj1 fQ t' A I) as [W' | W']; rewrite W, W'; unfold Rabs;
          repeat destruct Rcase_abs; lra. }
      rewrite <- Sum; lra.
    - assert (H1 : price As (fun A => P A t) (n_B u) (n u) <= sum_over (fun A => P A t * (kappa A * m)) As).
      { unfold price, weighted_lengths; rewrite E, Rmult_0_l, Rplus_0_l; apply sum_le; intros A I.
        pose proof (K1 A u I) as K; rewrite Lu in K; fold (n u A) in K; destruct (proj1 fP t A I) as [W | W]; rewrite W; lra. }
      assert (H2 : 0 <= price As (fun A => P' A t) (n_B v) (n v))
        by (apply price_nonneg; [apply fP' | apply sqrt_pos | intros; apply sqrt_pos]).
      assert (H3 : price As (fun A => Q A t') (n_B u) (n u) <= Lambda * m).
      { rewrite <- Lu; apply price_at_most with (point_on_line y' y t'); [apply fQ | intros A _; unfold Q, inside; lra]. }
      apply (Rmult_le_compat_l theta) in H1; [|lra]; apply (Rmult_le_compat_l (1 - theta)) in H3; [|lra].
      assert (X : (1 - theta) * (Lambda * m) <= Lambda * norm F (sub x y)).
      { replace ((1 - theta) * (Lambda * m)) with (Lambda * h) by (rewrite <- Th; ring); apply Rmult_le_compat_l; lra. }
      assert (Sum : theta * sum_over (fun A => P A t * (kappa A * m)) As
        <= sum_over (fun A => kappa A * (l * (P A t + (1 - P A t) * P' A t) + h * Q A t')) As).
      { rewrite <- sum_scale; apply sum_le; intros A I; pose proof (K0 A I) as K; rewrite <- Tl.
        assert (0 <= theta * m) by (rewrite Tl; lra); assert (0 <= h) by (unfold h; lra).
        replace (theta * (P A t * (kappa A * m))) with (kappa A * (theta * m * P A t)) by ring.
        apply Rmult_le_compat_l; [exact K|].
        destruct (proj1 fP t A I) as [W | W]; destruct (proj1 fP' t A I) as [W' | W']; destruct (proj1 fQ t' A I) as [W2 | W2];
          rewrite W, W', W2; lra. }
      lra. }
  (* over zy' and zx *)
  assert (Pt2 : forall t', theta * IP - JP + (1 - theta) * price As (fun A => Q A t') (n_B u) (n u)
              <= Lambda * norm F (sub x y)
                + sum_over (fun A => kappa A * (l * Rmax (share F z y' A) (share F z x A) + h * Q A t')) As).
  { intro t'; set (k := (1 - theta) * price As (fun A => Q A t') (n_B u) (n u)).
    set (c A t := kappa A * (l * (P A t + (1 - P A t) * P' A t) + h * Q A t')).
    assert (Ic : forall A, In A As -> integrable (c A) /\
      integral (c A) = kappa A * (l * Rmax (share F z y' A) (share F z x A) + h * Q A t')).
    { intros A I; pose proof (shares_of_both A I) as [_ [_ E3]]; cbv zeta in E3.
      assert (IM : integrable (fun t => P A t + (1 - P A t) * P' A t)).
      { apply integrable_plus; [apply multiplier_integrable, fP, I|].
        apply integrable_ext with (fun t => P' A t * (1 - P A t)); [intros; ring|].
        apply (multiplier_complement (P A)); [apply fP, I | apply multiplier_integrable, fP', I]. }
      assert (Ec : forall t, c A t = kappa A * l * (P A t + (1 - P A t) * P' A t) + kappa A * (h * Q A t'))
        by (intro; unfold c; ring).
      split.
      - apply integrable_ext with (fun t => kappa A * l * (P A t + (1 - P A t) * P' A t) + kappa A * (h * Q A t'));
          [intros; symmetry; apply Ec | apply integrable_plus; [apply integrable_scale, IM | apply integrable_const]].
      - rewrite (integral_ext (c A) _ (fun t _ => Ec t)), integral_plus, integral_scale, integral_const, E3 by
          (assumption || apply integrable_const || apply integrable_scale; assumption); ring. }
    destruct (sum_integral c As (fun A I => proj1 (Ic A I))) as [S1 S2].
    rewrite (sum_ext _ (fun A => integral (c A))) by (intros A I; symmetry; apply Ic, I); rewrite <- S2.
    assert (G1 : integrable (fun t => price As (fun A => P A t) (n_B u) (n u))) by apply price_integrable, fP.
    assert (G2 : integrable (fun t => price As (fun A => P' A t) (n_B v) (n v))) by apply price_integrable, fP'.
    assert (E : theta * IP - JP + k = integral (fun t => theta * price As (fun A => P A t) (n_B u) (n u)
      - price As (fun A => P' A t) (n_B v) (n v) + k)).
    { rewrite integral_plus, integral_minus, integral_scale, integral_const by
        (assumption || apply integrable_const || (try apply integrable_minus; try apply integrable_scale; assumption));
          reflexivity. }
    rewrite E, <- (integral_const (Lambda * _)), <- integral_plus by (apply integrable_const || exact S1).
    apply integral_le.
    - apply integrable_plus; [apply integrable_minus; [apply integrable_scale, G1 | exact G2] | apply integrable_const].
    - apply integrable_plus; [apply integrable_const | exact S1].
    - intros t _; apply Pt. }
  (* over the end piece *)
  set (k := theta * IP - JP).
  set (c A t := kappa A * (l * Rmax (share F z y' A) (share F z x A) + h * Q A t)).
  assert (Ic : forall A, In A As -> integrable (c A) /\
    integral (c A) = kappa A * (l * Rmax (share F z y' A) (share F z x A) + h * share F y' y A)).
  { intros A I; assert (IQA : integrable (Q A)) by (apply multiplier_integrable, fQ, I).
    assert (Ec : forall t, c A t = kappa A * (l * Rmax (share F z y' A) (share F z x A)) + kappa A * h * Q A t)
      by (intro; unfold c; ring).
    split.
    - apply integrable_ext with (fun t => kappa A * (l * Rmax (share F z y' A) (share F z x A)) + kappa A * h * Q A t);
        [intros; symmetry; apply Ec | apply integrable_plus; [apply integrable_const | apply integrable_scale, IQA]].
    - rewrite (integral_ext (c A) _ (fun t _ => Ec t)), integral_plus, integral_const, integral_scale, integral_Q by
        (assumption || apply integrable_const || apply integrable_scale; assumption); ring. }
  destruct (sum_integral c As (fun A I => proj1 (Ic A I))) as [S1 S2].
  rewrite (sum_ext _ (fun A => integral (c A))) by (intros A I; symmetry; apply Ic, I); rewrite <- S2.
  assert (G : integrable (fun t => price As (fun A => Q A t) (n_B u) (n u))) by apply price_integrable, fQ.
  assert (E : theta * IP + (1 - theta) * IQ - JP = integral (fun t => k + (1 - theta) * price As (fun A => Q A t) (n_B u) (n
    u))).
  { rewrite integral_plus, integral_const, integral_scale by (assumption || apply integrable_const || apply integrable_scale;
    assumption).
    unfold k; fold IQ; ring. }
  rewrite E, <- (integral_const (Lambda * _)), <- integral_plus by (apply integrable_const || exact S1).
  apply integral_le.
  - apply integrable_plus; [apply integrable_const | apply integrable_scale, G].
  - apply integrable_plus; [apply integrable_const | exact S1].
  - intros t _; apply Pt2.
Qed.

Lemma rise : D z y - D z x <= Lambda * e + sum_over (fun A => kappa A * shell_chord (radius A) e) As.
Proof.
  assert (PL := Lambda_nonneg); assert (X : Lambda * norm F (sub x y) <= Lambda * e) by (apply Rmult_le_compat_l; lra).
  destruct (Rle_lt_dec h l) as [C | C].
  - eapply Rle_trans; [apply by_coupling|]; apply Rplus_le_compat; [exact X|]; apply sum_le; intros A I.
    apply Rmult_le_compat_l; [apply K0, I|].
    apply (coupled_part F z x y (center A) (radius A) e (radii A I) Pl ltac:(fold m l; lra) He); fold m l; fold h; lra.
  - eapply Rle_trans; [apply by_uncoupling|]; apply Rplus_le_compat; [exact X|]; apply sum_le; intros A I.
    apply Rmult_le_compat_l; [apply K0, I|].
    apply (uncoupled_part F z x y (center A) (radius A) e (radii A I) Pl ltac:(fold m l; lra) He); fold m l; fold h; lra.
Qed.
End Sharpest.

Section Main.
Variables (F : nat) (B : matrix) (As : list region) (s_B : R) (s kappa : region -> R) (Lambda : R).
Hypothesis PB : positive_semidefinite F B.
Hypothesis SB : scale F B s_B.
Hypothesis PA : forall A, In A As -> admissible F s A.
Hypothesis L : covers_cost F As s_B s Lambda.
Hypothesis K1 : forall A u, In A As -> mahalanobis F (metric A) u <= kappa A * norm F u.
Hypothesis K2 : forall A u, In A As -> Rabs (mahalanobis F (metric A) u - mahalanobis F B u) <= kappa A * norm F u.
Hypothesis K0 : forall A, In A As -> 0 <= kappa A.

Lemma sharpest_at_the_shorter x y z e : norm F (sub x y) <= e -> norm F (sub x z) <= norm F (sub y z) ->
  Rabs (exact_distance F B As z x - exact_distance F B As z y)
  <= Lambda * e + sum_over (fun A => kappa A * shell_chord (radius A) e) As.
Proof.
  intros He Hl; assert (Pe : 0 <= e) by (eapply Rle_trans; [apply sqrt_pos | exact He]).
  assert (PL : 0 <= Lambda) by (destruct L; destruct SB; lra).
  assert (PT : 0 <= sum_over (fun A => kappa A * shell_chord (radius A) e) As)
    by (apply bound_is_nonneg; [exact K0 | intros; apply shell_chord_nonneg]).
  destruct (exact_dissimilarity F B As s_B s PB SB PA) as (D0 & _ & Sy).
  pose proof (exact_le F B As s_B s Lambda SB PA L) as U.
  assert (Px : 0 <= norm F (sub x z)) by apply sqrt_pos.
  destruct (Rle_lt_or_eq_dec _ _ Px) as [Q | Q].
  2:{ (* x = z *)
    assert (Ez : exact_distance F B As z x = 0).
    { apply Rle_antisym; [|apply D0]; eapply Rle_trans; [apply U|]; rewrite norm_swap, <- Q; lra. }
    assert (Ny : norm F (sub z y) <= e).
    { eapply Rle_trans; [|exact He]; pose proof (triangle (dot F) (dot_semi_inner F) (sub z x) (sub x y)) as Tr.
      replace (fun i => sub z x i + sub x y i) with (sub z y) in Tr by (extensionality i; unfold sub; ring).
      fold (norm F (sub z y)) (norm F (sub z x)) (norm F (sub x y)) in Tr; rewrite (norm_swap F z x), <- Q in Tr; lra. }
    rewrite Ez, Rminus_0_l, Rabs_Ropp, Rabs_pos_eq by apply D0.
    pose proof (U z y); pose proof (Rmult_le_compat_l Lambda _ _ PL Ny); lra. }
  destruct (Rle_lt_or_eq_dec _ _ Hl) as [Lt | Eq].
  2:{ pose proof (equal_lengths F B As s_B s kappa Lambda PB SB PA L K1 K2 x y z e He Q Eq) as H1.
      pose proof (Rmult_le_compat_l Lambda _ _ PL He); lra. }
  set (m := norm F (sub y z)) in *; set (theta := norm F (sub x z) / m); assert (Pm : 0 < m) by lra.
  assert (Et : norm F (sub x z) = theta * m) by (unfold theta; field; lra).
  assert (Th : 0 < theta <= 1).
  { split; [apply Rmult_lt_0_compat; [exact Q | apply Rinv_0_lt_compat, Pm]|]; apply Rmult_le_reg_r with m; lra. }
  set (y' := point_on_line z y theta).
  destruct (sides F z x y e Q ltac:(fold m; lra) He) as (Pa & _ & _ & Ha & _); fold m in Pa, Ha; fold theta in Pa, Ha;
    fold y' in Pa, Ha.
  assert (El : norm F (sub x z) = norm F (sub y' z)) by (symmetry; apply (length_of_y' F z x y Q); fold m; lra).
  apply Rabs_le; split.
  - pose proof (rise F B As s_B s kappa Lambda PB SB PA L K1 K2 K0 x y z e Q Lt He); lra.
  - (* the other way: y pulled back *)
    pose proof (equal_lengths F B As s_B s kappa Lambda PB SB PA L K1 K2 x y' z e Ha Q El) as H1.
    pose proof (along_a_ray F B As s_B s PB SB PA Lambda z y theta L ltac:(lra)) as H2; fold y' in H2.
    pose proof (Rle_abs (exact_distance F B As z x - exact_distance F B As z y')) as H3.
    pose proof (Rmult_le_compat_l Lambda _ _ PL Ha); lra.
Qed.

(** Theorem A: the exact gamma_b, any number of balls, overlapping or not. *)
Theorem modulus_exact_sharpest x y z e : norm F (sub x y) <= e ->
  Rabs (exact_distance F B As x z - exact_distance F B As y z)
  <= Lambda * e + sum_over (fun A => kappa A * shell_chord (radius A) e) As.
Proof.
  intro He; destruct (exact_dissimilarity F B As s_B s PB SB PA) as (_ & _ & S); rewrite (S x), (S y).
  destruct (Rle_lt_dec (norm F (sub x z)) (norm F (sub y z))).
  - apply sharpest_at_the_shorter; assumption.
  - rewrite Rabs_minus_sym; apply sharpest_at_the_shorter; [rewrite norm_swap; assumption | lra].
Qed.

(** Theorem A: one modulus for both kinds of gamma_b, with kappa_s = max(s(M(A_s)), sup |n_s - n_B|). *)
Theorem modulus_of_continuity x y z e : norm F (sub x y) <= e ->
  let w := Lambda * e + sum_over (fun A => kappa A * shell_chord (radius A) e) As in
  Rabs (distance F B As x z - distance F B As y z) <= w /\
  Rabs (exact_distance F B As x z - exact_distance F B As y z) <= w.
Proof.
  intros He w; split; [|apply modulus_exact_sharpest, He].
  apply modulus_approximate with (s_B := s_B) (s := s); assumption.
Qed.

(** Theorem A; Equation (10): f moves by at most twice the modulus of D. *)
Theorem classifier_modulus X_minus X_plus K x y e D : (1 <= K)%nat -> norm F (sub x y) <= e ->
  D = distance F B As \/ D = exact_distance F B As ->
  let f := decision_value D X_minus X_plus K in
  Rabs (f x - f y) <= 2 * (Lambda * e + sum_over (fun A => kappa A * shell_chord (radius A) e) As).
Proof.
  intros HK He HD f.
  assert (W : forall z, Rabs (D x z - D y z) <= Lambda * e + sum_over (fun A => kappa A * shell_chord (radius A) e) As)
    by (intro z; destruct (modulus_of_continuity x y z e He); destruct HD; subst D; assumption).
  apply decision_moves; [exact HK | eapply Rle_trans; [apply Rabs_pos | apply (W x)] | exact W].
Qed.
End Main.

(** Theorem A: Lambda as the package computes it, for both kinds of gamma_b. *)
Theorem modulus_with_the_overlapping_scale F B As s_B s kappa x y z e :
  positive_semidefinite F B -> scale F B s_B -> (forall A, In A As -> admissible F s A) ->
  (forall A u, In A As -> mahalanobis F (metric A) u <= kappa A * norm F u) ->
  (forall A u, In A As -> Rabs (mahalanobis F (metric A) u - mahalanobis F B u) <= kappa A * norm F u) ->
  (forall A, In A As -> 0 <= kappa A) ->
  norm F (sub x y) <= e ->
  let w := Rmax s_B (overlapping_scale F s As) * e + sum_over (fun A => kappa A * shell_chord (radius A) e) As in
  Rabs (distance F B As x z - distance F B As y z) <= w /\
  Rabs (exact_distance F B As x z - exact_distance F B As y z) <= w.
Proof.
  intros PB SB PA K1 K2 K0 He; apply modulus_of_continuity with (s_B := s_B) (s := s); try assumption.
  apply overlapping_scale_covers; intros A I; apply (PA A I).
Qed.

(** ** On a line *)

Section Line.
Variables (F : nat) (B : matrix) (As : list region) (s_B : R) (s : region -> R).
Hypothesis PB : positive_semidefinite F B.
Hypothesis SB : scale F B s_B.
Hypothesis PA : forall A, In A As -> admissible F s A.
Let D := exact_distance F B As.

(** D does not tell points at distance 0 apart. *)
Lemma exact_same_point u v w : norm F (sub u v) = 0 -> D u w = D v w.
Proof.
  intro E; destruct (modulus_with_the_overlapping_scale F B As s_B s (fun A => Rmax (s A) s_B) u v w 0 PB SB PA) as [_ H];
    try lra; try (intros A p I; apply (larger_scale F B A); [apply (PA A I) | exact SB]).
  { intros A I; eapply Rle_trans; [apply SB | apply Rmax_r]. }
  rewrite (sum_ext _ (fun A => 0 * s A)), sum_scale in H.
  - pose proof (Rle_abs (D u w - D v w)); pose proof (Rle_abs (- (D u w - D v w))); rewrite Rabs_Ropp in *; unfold D in *; lra.
  - intros A I; unfold shell_chord; rewrite Rminus_0_r, (Rmax_left (radius A)) by apply (PA A I).
    replace (radius A * radius A - radius A * radius A) with 0 by ring; rewrite sqrt_0; ring.
Qed.

(** Equation (9): on a line the D with the exact gamma_b is a pseudometric. *)
Theorem exact_is_a_metric_on_a_line : F = 1%nat -> pseudometric D.
Proof.
  intro F1; destruct (exact_dissimilarity F B As s_B s PB SB PA) as (D0 & Z & S); fold D in D0, Z, S.
  assert (N : forall u v, u O = v O -> norm F (sub u v) = 0).
  { intros u v E; rewrite F1; unfold norm, dot, sub; simpl; rewrite E.
    replace (0 + (v O - v O) * (v O - v O)) with 0 by ring; apply sqrt_0. }
  assert (X : forall u v w, u O <= v O <= w O -> D u w = D u v + D v w).
  { intros u v w H; set (theta := (v O - u O) / (w O - u O)).
    destruct (Req_dec (u O) (w O)) as [E | Ne].
    - rewrite (exact_same_point u v) by (apply N; lra); rewrite (exact_same_point u v v) by (apply N; lra); rewrite Z; ring.
    - assert (T : theta * (w O - u O) = v O - u O) by (unfold theta; field; lra).
      assert (Tr : 0 <= theta <= 1) by (split; apply Rmult_le_reg_r with (w O - u O); lra).
      pose proof (exact_is_additive F B As s_B s PB SB PA u w theta Tr) as Add; cbv zeta in Add; fold D in Add.
      rewrite Add, (S u).
      rewrite !(exact_same_point (point_on_line u w theta) v) by (apply N; unfold point_on_line; lra); rewrite (S v u);
        reflexivity. }
  repeat split; try assumption; intros x y z; pose proof (D0 x y); pose proof (D0 y z).
  pose proof (S x y); pose proof (S y z); pose proof (S x z).
  destruct (Rle_lt_dec (x O) (y O)); destruct (Rle_lt_dec (y O) (z O)); destruct (Rle_lt_dec (x O) (z O)); try (exfalso; lra).
  - pose proof (X x y z ltac:(lra)); lra.
  - pose proof (X x z y ltac:(lra)); lra.
  - pose proof (X z x y ltac:(lra)); lra.
  - pose proof (X y x z ltac:(lra)); lra.
  - pose proof (X y z x ltac:(lra)); lra.
  - pose proof (X z y x ltac:(lra)); lra.
Qed.

(** Lemma 1: with the exact gamma_b and on a line it holds with the square roots of E5, and even with Lambda (E7). *)
Corollary lemma_1_holds_on_a_line Lambda x y z : F = 1%nat -> covers_cost F As s_B s Lambda ->
  Rabs (D x z - D y z) <= Lambda * norm F (sub x y).
Proof.
  intros F1 L; destruct (exact_is_a_metric_on_a_line F1) as (_ & _ & S & T).
  pose proof (T x y z); pose proof (T y x z); pose proof (S y x); pose proof (exact_le F B As s_B s Lambda SB PA L x y).
  unfold D in *; apply Rabs_le; lra.
Qed.
End Line.
