(** The scale s(M) of a metric: the Lipschitz constant of its length, which is the root of the largest eigenvalue of M.

    act F M u             the vector M u
    unit_vector i         the i-th unit vector
    scale F M s           s bounds the length under M from above ([Continuity.scale]), lower_scale F M m from below *)
From Coq Require Import Reals Lra Lia Psatz FunctionalExtensionality.
From LMLIR Require Import Geometry Continuity Matrices.
Open Scope R_scope.

Definition act F (M : matrix) (u : vector) : vector := fun i => total F (fun j => M i j * u j).
Definition unit_vector (i : nat) : vector := fun j => if Nat.eqb j i then 1 else 0.

Lemma identity_scale F c : 0 <= c -> scale F (scaled_identity c) (sqrt c).
Proof. intro P; split; [apply sqrt_pos | intro u; rewrite mahalanobis_of_identity by exact P; lra]. Qed.

(** Lemma 1: what its first step should say (E5): the length under M has slope at most sqrt ||M||_F. *)
Theorem frobenius_scale F M : scale F M (sqrt (frobenius F M)).
Proof.
  split; [apply sqrt_pos | intro u].
  set (v := act F M u).
  assert (E : form F M u u = dot F u v) by reflexivity.
  assert (V : dot F v v <= frobenius F M * frobenius F M * dot F u u).
  { unfold frobenius; rewrite sqrt_sqrt by (apply total_nonneg; intro; apply total_nonneg; intro; nra).
    rewrite Rmult_comm, <- total_scale; unfold dot at 1; apply total_le; intro i; unfold v, act.
    pose proof (cauchy_schwarz (dot F) (dot_semi_inner F) (M i) u) as C; unfold dot in *; lra. }
  pose proof (cauchy_schwarz_norms (dot F) (dot_semi_inner F) u v) as C; rewrite <- E in C.
  assert (N : sqrt (dot F v v) <= frobenius F M * norm F u).
  { assert (0 <= frobenius F M) by apply sqrt_pos; assert (0 <= norm F u) by apply sqrt_pos.
    rewrite <- (sqrt_square (frobenius F M * norm F u)) by nra; apply sqrt_le_1_alt.
    replace (frobenius F M * norm F u * (frobenius F M * norm F u)) with (frobenius F M * frobenius F M * (norm F u * norm F u))
      by ring.
    rewrite norm_square; exact V. }
  pose proof (Rle_abs (form F M u u)); fold (norm F u) in C.
  assert (P : 0 <= norm F u) by apply sqrt_pos.
  assert (Q : form F M u u <= frobenius F M * (norm F u * norm F u)).
  { pose proof (Rmult_le_compat_l (norm F u) _ _ P N); lra. }
  unfold mahalanobis; rewrite <- (sqrt_square (norm F u) P) at 1.
  rewrite <- sqrt_mult by (try apply sqrt_pos; nra); apply sqrt_le_1_alt, Q.
Qed.

(** ** The least scale is the root of the largest eigenvalue *)

(** Theorem A: the root of an eigenvalue is at most every scale. *)
Theorem eigenvalue_below_scale F M lambda v s : (forall i, (i < F)%nat -> act F M v i = lambda * v i) ->
  0 < norm F v -> scale F M s -> sqrt lambda <= s.
Proof.
  intros E P [Ps S]; specialize (S v).
  assert (Q : form F M v v = lambda * dot F v v).
  { unfold form, dot; rewrite <- total_scale; apply total_ext_below; intros i Hi; fold (act F M v i); rewrite E by exact Hi;
      ring. }
  destruct (Rle_lt_dec 0 lambda) as [L | L]; [|rewrite sqrt_neg_0 by lra; exact Ps].
  unfold mahalanobis in S; rewrite Q, sqrt_mult in S by (try apply (form_nonneg _ (dot_semi_inner F)); exact L).
  fold (norm F v) in S; apply Rmult_le_reg_r with (norm F v); assumption.
Qed.

(** Theorem A: every metric has a least scale, the Lipschitz constant of its length. *)
Theorem least_scale F M : positive_semidefinite F M ->
  exists s, scale F M s /\ forall s', scale F M s' -> s <= s'.
Proof.
  intro P; set (E := fun q => q = 0 \/ exists u, norm F u = 1 /\ q = mahalanobis F M u).
  assert (U : forall s, scale F M s -> is_upper_bound E s).
  { intros s [Ps S] q [-> | (u & N & ->)]; [exact Ps | specialize (S u); rewrite N in S; lra]. }
  destruct (completeness E) as (s & [U1 U2]).
  - exists (sqrt (frobenius F M)); apply U, frobenius_scale.
  - exists 0; left; reflexivity.
  - exists s; split; [|intros s' S'; apply U2, U, S'].
    split; [apply U1; left; reflexivity | intro u].
    destruct (Rle_lt_or_eq_dec 0 (norm F u)) as [L | Z]; [apply sqrt_pos | |].
    + assert (H : mahalanobis F M (fun i => / norm F u * u i) <= s).
      { apply U1; right; exists (fun i => / norm F u * u i); split; [|reflexivity].
        unfold norm at 1; rewrite (seminorm_scale (dot F) (dot_semi_inner F)); fold (norm F u).
        rewrite Rabs_pos_eq by (left; apply Rinv_0_lt_compat, L); field; lra. }
      unfold mahalanobis in *; rewrite (seminorm_scale (form F M) (form_semi_inner F M P)) in H.
      rewrite Rabs_pos_eq in H by (left; apply Rinv_0_lt_compat, L).
      apply Rmult_le_compat_l with (r := norm F u) in H; [|lra].
      rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l in H by lra; lra.
    + rewrite (mahalanobis_zero F M _ u (frobenius_scale F M)) by (symmetry; exact Z); rewrite <- Z; lra.
Qed.

(** A metric is 0 on some vector, or it is at least a positive multiple of the Euclidean one: eliminate the last row. *)
Lemma null_or_definite F N : positive_semidefinite F N ->
  (exists v, 0 < dot F v v /\ form F N v v = 0) \/ (exists c, 0 < c /\ forall u, c * dot F u u <= form F N u u).
Proof.
  revert N; induction F as [|k IH]; intros N H.
  { right; exists 1; split; [lra | intro u; unfold form, dot; simpl; lra]. }
  pose proof (proj1 H) as Sy.
  assert (D : forall u, dot (S k) u u = dot k u u + u k * u k) by reflexivity.
  assert (Z : forall M, form k M (unit_vector k) (unit_vector k) = 0 /\ dot k (unit_vector k) (unit_vector k) = 0).
  { assert (U : forall i, (i < k)%nat -> unit_vector k i = 0) by (intros i Hi; unfold unit_vector; destruct (Nat.eqb_spec i k);
      [lia | reflexivity]).
    intro M; unfold form, dot; split; rewrite (total_ext_below k _ (fun _ => 0 * 0)), total_scale by
      (intros i Hi; rewrite (U i Hi); ring); ring. }
  destruct (Rle_lt_or_eq_dec _ _ (psd_corner k N H)) as [C | C].
  - assert (E : forall u, form (S k) N u u = form k (cleared k N) u u
                + N k k * ((u k + total k (fun j => N k j * u j) / N k k) * (u k + total k (fun j => N k j * u j) / N k k))).
    { intro u; rewrite form_last, cleared_form by exact Sy; field; lra. }
    destruct (IH (cleared k N) (cleared_psd k N C H)) as [(v & Pv & Zv) | (c & Pc & Hc)]; [left | right].
    + exists (set_last k v (- (total k (fun j => N k j * v j) / N k k))); rewrite E, set_last_form, set_last_total, Zv, D.
      assert (Dv : forall c, dot k (set_last k v c) (set_last k v c) = dot k v v).
      { intro c; apply total_ext_below; intros i Hi; unfold set_last; destruct (Nat.eqb_spec i k); [lia | reflexivity]. }
      rewrite Dv; unfold set_last at 1 2 3 4; rewrite Nat.eqb_refl; split; [nra | ring].
    + set (b := dot k (N k) (N k) / (N k k * N k k)).
      assert (Pb : 0 <= b) by (apply Rmult_le_pos; [apply (form_nonneg _ (dot_semi_inner k)) | left; apply Rinv_0_lt_compat;
        nra]).
      set (K := (1 + 2 * b) / c + 2 / N k k).
      assert (PK1 : 0 < (1 + 2 * b) / c) by (apply Rmult_lt_0_compat; [lra | apply Rinv_0_lt_compat, Pc]).
      assert (PK2 : 0 < 2 / N k k) by (apply Rmult_lt_0_compat; [lra | apply Rinv_0_lt_compat, C]).
      exists (/ K); split; [apply Rinv_0_lt_compat; unfold K; lra | intro u].
      rewrite E, D; specialize (Hc u); set (f := form k (cleared k N) u u) in *; set (d := dot k u u) in *.
      set (w := total k (fun j => N k j * u j) / N k k); set (q := u k).
      assert (W : w * w <= b * d).
      { pose proof (cauchy_schwarz (dot k) (dot_semi_inner k) (N k) u) as CS; fold d in CS.
        change (total k (fun j => N k j * u j)) with (dot k (N k) u) in *.
        unfold w, b; apply Rmult_le_reg_r with (N k k * N k k); [nra|].
        replace (dot k (N k) u / N k k * (dot k (N k) u / N k k) * (N k k * N k k)) with (dot k (N k) u * dot k (N k) u)
          by (field; lra).
        replace (dot k (N k) (N k) / (N k k * N k k) * d * (N k k * N k k)) with (dot k (N k) (N k) * d) by (field; lra);
          exact CS. }
      assert (Pd : 0 <= d) by apply (form_nonneg _ (dot_semi_inner k)).
      set (s := (q + w) * (q + w)); assert (Ps : 0 <= s) by apply Rle_0_sqr.
      assert (Q : q * q <= 2 * s + 2 * (b * d)) by (pose proof (Rle_0_sqr (q + 2 * w)) as R; unfold s, Rsqr in *; lra).
      apply Rmult_le_reg_l with K; [unfold K; lra|]; rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by (unfold K; lra).
      assert (F1 : (1 + 2 * b) * d <= (1 + 2 * b) / c * f).
      { replace ((1 + 2 * b) * d) with ((1 + 2 * b) / c * (c * d)) by (field; lra); apply Rmult_le_compat_l; lra. }
      assert (F2 : 2 * s = 2 / N k k * (N k k * s)) by (field; lra).
      assert (Pf : 0 <= f) by nra; assert (Pn : 0 <= N k k * s) by nra.
      assert (0 <= (1 + 2 * b) / c * (N k k * s)) by (apply Rmult_le_pos; lra).
      assert (0 <= 2 / N k k * f) by (apply Rmult_le_pos; lra).
      unfold K; lra.
  - left; exists (unit_vector k); rewrite D, (form_last k N (unit_vector k) Sy), <- C; destruct (Z N) as [-> ->].
    rewrite (total_ext_below k _ (fun _ => 0 * 0)), total_scale by
      (intros j Hj; unfold unit_vector; destruct (Nat.eqb_spec j k); [lia | ring]).
    unfold unit_vector; rewrite Nat.eqb_refl; split; lra.
Qed.

Lemma form_difference F mu M u v : form F (combine (scaled_identity mu) (-1) M) u v = mu * dot F u v - form F M u v.
Proof. rewrite form_combination, form_of_identity; ring. Qed.

Lemma act_form F N v i : (i < F)%nat -> act F N v i = form F N (unit_vector i) v.
Proof.
  intro H; unfold form; rewrite (total_ext F _ (fun j => act F N v j * unit_vector i j)) by (intro; unfold act; ring).
  symmetry; apply total_unit, H.
Qed.

(** Where a metric has length 0 it maps to 0. *)
Lemma null_vector F N v : positive_semidefinite F N -> form F N v v = 0 -> forall i, (i < F)%nat -> act F N v i = 0.
Proof.
  intros H Z i Hi; pose proof (cauchy_schwarz (form F N) (form_semi_inner F N H) (unit_vector i) v) as C;
    rewrite Z, Rmult_0_r in C.
  rewrite act_form by exact Hi; nra.
Qed.

(** Theorem A: in dimension 1 or more, the square of the least scale is an eigenvalue, and no eigenvalue is larger: s(M) is
    the root of the largest eigenvalue of M. *)
Theorem largest_eigenvalue F M : (1 <= F)%nat -> positive_semidefinite F M -> exists s v,
  scale F M s /\ (forall s', scale F M s' -> s <= s') /\
  0 < norm F v /\ (forall i, (i < F)%nat -> act F M v i = s * s * v i) /\
  (forall lambda w, 0 < norm F w -> (forall i, (i < F)%nat -> act F M w i = lambda * w i) -> lambda <= s * s).
Proof.
  intros HF H; destruct (least_scale F M H) as (s & Hs & Least); exists s.
  assert (Ps : 0 <= s) by apply Hs.
  assert (U : forall u, form F M u u <= s * s * dot F u u).
  { intro u; destruct Hs as [_ S]; specialize (S u); rewrite <- norm_square.
    assert (0 <= mahalanobis F M u) by apply sqrt_pos; rewrite <- (seminorm_square _ (form_semi_inner F M H) u).
    fold (mahalanobis F M u); replace (s * s * (norm F u * norm F u)) with (s * norm F u * (s * norm F u)) by ring.
    apply Rmult_le_compat; assumption. }
  set (N := combine (scaled_identity (s * s)) (-1) M).
  assert (HN : positive_semidefinite F N).
  { split; [|intro u; unfold N; rewrite form_difference; specialize (U u); lra].
    intros i j Hi Hj; unfold N, combine, scaled_identity; rewrite Nat.eqb_sym, (proj1 H i j) by assumption; reflexivity. }
  destruct (null_or_definite F N HN) as [(v & Pv & Zv) | (c & Pc & Hc)].
  - exists v; split; [exact Hs|]; split; [exact Least|]; split; [apply sqrt_lt_R0, Pv|]; split.
    + intros i Hi; pose proof (null_vector F N v HN Zv i Hi) as E; unfold act in *.
      rewrite (total_ext F _ (fun j => scaled_identity (s * s) i j * v j + (-1) * (M i j * v j))) in E by (intro;
        unfold N, combine; ring).
      rewrite total_plus, total_scale, total_of_identity in E; destruct (Nat.ltb_spec i F); [lra | lia].
    + intros lambda w Pw E; destruct (Rle_lt_dec lambda 0); [nra|].
      pose proof (eigenvalue_below_scale F M lambda w s E Pw Hs); pose proof (sqrt_pos lambda).
      rewrite <- (sqrt_sqrt lambda) by lra; nra.
  - exfalso.
    assert (D : 0 < dot F (unit_vector 0) (unit_vector 0)).
    { unfold dot, unit_vector; rewrite (total_unit F 0 (fun j => if Nat.eqb j 0 then 1 else 0)) by lia; simpl; lra. }
    assert (B : forall u, form F M u u <= (s * s - c) * dot F u u).
    { intro u; specialize (Hc u); unfold N in Hc; rewrite form_difference in Hc; lra. }
    assert (Q : 0 <= s * s - c).
    { specialize (B (unit_vector 0)); pose proof (proj2 H (unit_vector 0)); destruct (Rle_lt_dec 0 (s * s - c));
        [assumption | nra]. }
    assert (S' : scale F M (sqrt (s * s - c))).
    { split; [apply sqrt_pos | intro u]; unfold mahalanobis, norm;
        rewrite <- sqrt_mult by (try apply (form_nonneg _ (dot_semi_inner F)); exact Q).
      apply sqrt_le_1_alt, B. }
    apply Least in S'; pose proof (sqrt_sqrt _ Q); pose proof (sqrt_pos (s * s - c)); nra.
Qed.

(** ** Turning a vector *)

Definition lower_scale F (M : matrix) (m : R) : Prop := 0 <= m /\ forall u, m * norm F u <= mahalanobis F M u.

(** ** The difference of two lengths *)

(** Theorem A: with M = P^T P and N = Q^T Q, as with square roots, |n_M - n_N| is at most the operator norm of P - Q. *)
Theorem scale_difference F M N P Q k :
  (forall u, form F M u u = dot F (act F P u) (act F P u)) -> (forall u, form F N u u = dot F (act F Q u) (act F Q u)) ->
  (forall u, norm F (act F (fun i j => P i j - Q i j) u) <= k * norm F u) ->
  forall u, Rabs (mahalanobis F M u - mahalanobis F N u) <= k * norm F u.
Proof.
  intros EM EN K u; eapply Rle_trans; [|apply K].
  replace (act F (fun i j => P i j - Q i j) u) with (sub (act F P u) (act F Q u)).
  - unfold mahalanobis; rewrite EM, EN; apply (reverse_triangle (dot F) (dot_semi_inner F)).
  - extensionality i; unfold sub, act.
    rewrite (total_ext F (fun j => (P i j - Q i j) * u j) (fun j => P i j * u j + -1 * (Q i j * u j))) by (intro; ring).
    rewrite total_plus, total_scale; ring.
Qed.
