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

(** Orthogonal vectors: the metrics M - m^2 I and s^2 I - M bound the mixed term. *)
Lemma mixed_term F M m s w d : positive_semidefinite F M -> lower_scale F M m -> scale F M s -> dot F w d = 0 ->
  Rabs (form F M w d) <= (s - m) * norm F d * mahalanobis F M w.
Proof.
  intros H [Pm Lo] [Ps Up] O.
  assert (Square : forall u, mahalanobis F M u * mahalanobis F M u = form F M u u) by (intro; apply sqrt_sqrt, H).
  assert (Length : forall u, 0 <= mahalanobis F M u) by (intro; apply sqrt_pos).
  assert (Norm : forall u, 0 <= norm F u) by (intro; apply sqrt_pos).
  assert (L2 : forall u, m * m * dot F u u <= form F M u u).
  { intro u; rewrite <- norm_square, <- Square; replace (m * m * (norm F u * norm F u)) with (m * norm F u * (m * norm F u))
      by ring.
    apply Rmult_le_compat; try apply Rmult_le_pos; auto. }
  assert (U2 : forall u, form F M u u <= s * s * dot F u u).
  { intro u; rewrite <- norm_square, <- Square; replace (s * s * (norm F u * norm F u)) with (s * norm F u * (s * norm F u))
      by ring.
    apply Rmult_le_compat; auto. }
  assert (Sym : forall c, symmetric F (combine (scaled_identity c) (-1) M)).
  { intros c i j Hi Hj; unfold combine, scaled_identity; rewrite Nat.eqb_sym, (proj1 H i j) by assumption; reflexivity. }
  assert (Upper : semi_inner (form F (combine (scaled_identity (s * s)) (-1) M))).
  { apply form_semi_inner; split; [apply Sym | intro u; rewrite form_difference; specialize (U2 u); lra]. }
  assert (Lower : semi_inner (fun u v => form F M u v - m * m * dot F u v)).
  { split; intros; rewrite ?(form_linear _ (form_semi_inner F M H)), ?(form_linear _ (dot_semi_inner F)).
    - ring.
    - rewrite (form_symmetric _ (form_semi_inner F M H) u), (form_symmetric _ (dot_semi_inner F) u); reflexivity.
    - specialize (L2 u); lra. }
  pose proof (cauchy_schwarz _ Lower w d) as C1; pose proof (cauchy_schwarz _ Upper w d) as C2.
  rewrite !form_difference, O in C2; cbv beta in C1; rewrite O in C1.
  pose proof (L2 w) as Lw; pose proof (L2 d) as Ld; pose proof (U2 w) as Uw; pose proof (U2 d) as Ud.
  set (beta := form F M w d) in *; set (alpha := form F M w w) in *; set (delta := form F M d d) in *.
  set (W := dot F w w) in *; set (E := dot F d d) in *.
  set (p := alpha - m * m * W) in *; set (q := s * s * W - alpha) in *.
  set (p' := delta - m * m * E) in *; set (q' := s * s * E - delta) in *.
  assert (B1 : beta * beta <= p * p') by (replace (beta * beta) with ((beta - m * m * 0) * (beta - m * m * 0)) by ring;
    exact C1).
  assert (B2 : beta * beta <= q * q') by (replace (beta * beta) with ((s * s * 0 - beta) * (s * s * 0 - beta)) by ring;
    exact C2).
  assert (Pp : 0 <= p) by (unfold p; lra); assert (Pq : 0 <= q) by (unfold q; lra).
  assert (Pp' : 0 <= p') by (unfold p'; lra); assert (Pq' : 0 <= q') by (unfold q'; lra).
  assert (PE : 0 <= E) by apply (form_nonneg _ (dot_semi_inner F));
    assert (PW : 0 <= W) by apply (form_nonneg _ (dot_semi_inner F)).
  assert (Pa : 0 <= alpha) by apply H.
  destruct (Req_dec beta 0) as [Z | NZ].
  { destruct (Rle_lt_or_eq_dec 0 (norm F d) (Norm d)) as [Pd | Zd].
    - assert (m <= s); [|rewrite Z, Rabs_R0; repeat apply Rmult_le_pos; auto; lra].
      apply Rmult_le_reg_r with (norm F d); [exact Pd | eapply Rle_trans; [apply Lo | apply Up]].
    - rewrite Z, Rabs_R0, <- Zd; lra. }
  assert (Pb : 0 < beta * beta) by (destruct (Rtotal_order beta 0) as [? | [? | ?]]; nra).
  assert (P0 : 0 < p) by (destruct (Rle_lt_or_eq_dec _ _ Pp) as [X | X]; [exact X | rewrite <- X in B1; lra]).
  assert (Q0 : 0 < q) by (destruct (Rle_lt_or_eq_dec _ _ Pq) as [X | X]; [exact X | rewrite <- X in B2; lra]).
  assert (Sum : (s * s - m * m) * W = p + q) by (unfold p, q; ring).
  assert (Sum' : (s * s - m * m) * E = p' + q') by (unfold p', q'; ring).
  assert (W0 : 0 < W) by (destruct (Rle_lt_or_eq_dec _ _ PW) as [X | X]; [exact X | rewrite <- X in Sum; lra]).
  assert (S0 : 0 < s * s - m * m) by (apply Rmult_lt_reg_r with W; [exact W0 | lra]).
  assert (SM : 0 <= s - m) by (destruct (Rle_lt_dec m s); [lra | nra]).
  assert (Key : W * (beta * beta) <= p * q * E).
  { apply Rmult_le_reg_l with (s * s - m * m); [exact S0|].
    replace ((s * s - m * m) * (W * (beta * beta))) with ((p + q) * (beta * beta)) by (rewrite <- Sum; ring).
    replace ((s * s - m * m) * (p * q * E)) with (p * q * (p' + q')) by (rewrite <- Sum'; ring).
    pose proof (Rmult_le_compat_l q _ _ Pq B1); pose proof (Rmult_le_compat_l p _ _ Pp B2); lra. }
  assert (PQ : p * q <= (s - m) * (s - m) * alpha * W).
  { pose proof (Rle_0_sqr (alpha - s * m * W)) as R; unfold Rsqr in R; unfold p, q; lra. }
  assert (Fin : beta * beta <= (s - m) * (s - m) * alpha * E).
  { apply Rmult_le_reg_l with W; [exact W0|]; eapply Rle_trans; [exact Key|].
    pose proof (Rmult_le_compat_r E _ _ PE PQ); lra. }
  apply Rsqr_incr_0_var; [|repeat apply Rmult_le_pos; auto].
  rewrite <- Rsqr_abs; unfold Rsqr; eapply Rle_trans; [exact Fin|]; right.
  unfold alpha, E; rewrite <- Square, <- norm_square; ring.
Qed.

(** Theorem C: a vector that turns and keeps its Euclidean length changes its length under M by at most (s - m) |u - v|, where
    m and s bound the length under M from below and from above: by nothing where M is a multiple of the identity. *)
Theorem turning_scale F M m s u v : positive_semidefinite F M -> lower_scale F M m -> scale F M s -> norm F u = norm F v ->
  Rabs (mahalanobis F M u - mahalanobis F M v) <= (s - m) * norm F (sub u v).
Proof.
  intros H Lo Up N; pose proof (form_semi_inner F M H) as I; pose proof (dot_semi_inner F) as J.
  set (w := fun i => v i + / 2 * sub u v i); set (d := sub u v).
  assert (Square : forall x, mahalanobis F M x * mahalanobis F M x = form F M x x) by (intro; apply sqrt_sqrt, H).
  assert (Eu : u = fun i => w i + / 2 * d i) by (extensionality i; unfold w, d, sub; field).
  assert (Ev : v = fun i => w i + (- / 2) * d i) by (extensionality i; unfold w, d, sub; field).
  assert (O : dot F w d = 0).
  { assert (E : dot F u u = dot F v v) by (rewrite <- !norm_square, N; reflexivity).
    rewrite Eu, Ev, !(square_of_sum _ J) in E; lra. }
  assert (Diff : mahalanobis F M u * mahalanobis F M u - mahalanobis F M v * mahalanobis F M v = 2 * form F M w d).
  { rewrite !Square, Eu at 1; rewrite Eu at 1; rewrite Ev at 1; rewrite Ev at 1; rewrite !(square_of_sum _ I); field. }
  assert (Mid : 2 * mahalanobis F M w <= mahalanobis F M u + mahalanobis F M v).
  { pose proof (triangle (form F M) I u v) as T; fold (mahalanobis F M u) (mahalanobis F M v) in T.
    replace (fun i => u i + v i) with (fun i => 2 * w i) in T by (extensionality i; unfold w, sub; field).
    rewrite (seminorm_scale _ I), Rabs_pos_eq in T by lra; exact T. }
  pose proof (mixed_term F M m s w d H Lo Up O) as X.
  assert (Pu : 0 <= mahalanobis F M u) by apply sqrt_pos; assert (Pv : 0 <= mahalanobis F M v) by apply sqrt_pos.
  assert (Pw : 0 <= mahalanobis F M w) by apply sqrt_pos; assert (Pd : 0 <= norm F d) by apply sqrt_pos.
  set (a := mahalanobis F M u) in *; set (b := mahalanobis F M v) in *; set (n := mahalanobis F M w) in *.
  assert (K : 0 <= (s - m) * norm F d).
  { destruct (Rle_lt_or_eq_dec _ _ Pd) as [P | Z]; [|rewrite <- Z; lra]; apply Rmult_le_pos; [|exact Pd].
    destruct Lo as [_ Lo]; destruct Up as [_ Up]; assert (m <= s); [|lra].
    apply Rmult_le_reg_r with (norm F d); [exact P | eapply Rle_trans; [apply Lo | apply Up]]. }
  destruct (Rle_lt_or_eq_dec 0 (a + b) ltac:(lra)) as [P | Z].
  - apply Rmult_le_reg_r with (a + b); [exact P|].
    assert (E : Rabs (a - b) * (a + b) = 2 * Rabs (form F M w d)).
    { rewrite <- (Rabs_pos_eq (a + b)) at 1 by lra; rewrite <- Rabs_mult, <- (Rabs_pos_eq 2) by lra; rewrite <- Rabs_mult;
        f_equal; lra. }
    rewrite E; eapply Rle_trans; [apply Rmult_le_compat_l; [lra | exact X]|].
    apply Rle_trans with ((s - m) * norm F d * (2 * n)); [right; ring | apply Rmult_le_compat_l; assumption].
  - assert (a = 0) by lra; assert (b = 0) by lra; replace (a - b) with 0 by lra; rewrite Rabs_R0; exact K.
Qed.

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
