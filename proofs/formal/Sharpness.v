(** The moduli are sharp: no smaller constants will do.

    hole r                one ball with M(A) = 0, for M(B) = I: there Lambda = kappa = 1 *)
From Coq Require Import Reals Lra Lia Psatz FunctionalExtensionality List.
From LMLIR Require Import Geometry Continuity Matrices Scales Refuted.
Import ListNotations.
Open Scope R_scope.

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
