(** Matrices: multiples of the identity, the Frobenius norm and its inner product, and the cone of metrics.

    scaled_identity c     c I
    frobenius, inner      ||M||_F and <M, N> = sum M_ij N_ij, with ||M||_F^2 = <M, M>
    combine M c N, times c M   M + c N and c M
    equal F M N           the same entries below F
    cleared k M           the Schur complement of the last corner, M with its last row and column eliminated *)
From Coq Require Import Reals Lra Lia Psatz FunctionalExtensionality.
From LMLIR Require Import Geometry.
Open Scope R_scope.

Definition scaled_identity (c : R) : matrix := fun i j => if Nat.eqb i j then c else 0.
Definition frobenius F (M : matrix) : R := sqrt (total F (fun i => total F (fun j => M i j * M i j))).

Definition inner F (M N : matrix) : R := total F (fun i => total F (fun j => M i j * N i j)).
Definition combine (M : matrix) (c : R) (N : matrix) : matrix := fun i j => M i j + c * N i j.
Definition times (c : R) (M : matrix) : matrix := fun i j => c * M i j.
Definition equal F (M N : matrix) : Prop := forall i j, (i < F)%nat -> (j < F)%nat -> M i j = N i j.

(** ** Multiples of the identity *)

Lemma total_of_identity F c i f : total F (fun j => scaled_identity c i j * f j) = if Nat.ltb i F then c * f i else 0.
Proof.
  unfold scaled_identity; induction F as [|k IH]; simpl; [reflexivity|]; rewrite IH.
  destruct (Nat.eqb_spec i k); destruct (Nat.ltb_spec i k); destruct (Nat.ltb_spec i (S k)); subst; try lia; lra.
Qed.

Lemma form_of_identity F c u v : form F (scaled_identity c) u v = c * dot F u v.
Proof.
  unfold form, dot; rewrite <- total_scale.
  assert (E : forall G, (G <= F)%nat -> total G (fun i => u i * total F (fun j => scaled_identity c i j * v j))
    = total G (fun i => c * (u i * v i))).
  { intro G; induction G as [|k IH]; intro H; simpl; [reflexivity|].
    rewrite IH by lia; f_equal; rewrite total_of_identity; destruct (Nat.ltb_spec k F); [ring | lia]. }
  apply E; lia.
Qed.

Lemma identity_psd F c : 0 <= c -> positive_semidefinite F (scaled_identity c).
Proof.
  intro P; split.
  - intros i j _ _; unfold scaled_identity; rewrite Nat.eqb_sym; reflexivity.
  - intro u; rewrite form_of_identity; apply Rmult_le_pos; [exact P | apply (form_nonneg _ (dot_semi_inner F))].
Qed.

Lemma mahalanobis_of_identity F c u : 0 <= c -> mahalanobis F (scaled_identity c) u = sqrt c * norm F u.
Proof.
  intro P; unfold mahalanobis, norm; rewrite form_of_identity, sqrt_mult; [reflexivity | exact P|].
  apply (form_nonneg _ (dot_semi_inner F)).
Qed.

(** ** The Frobenius inner product *)

Lemma inner_ext F M M' N N' : equal F M M' -> equal F N N' -> inner F M N = inner F M' N'.
Proof.
  intros E E'; unfold inner; apply total_ext_below; intros i Hi; apply total_ext_below; intros j Hj.
  rewrite E, E' by assumption; reflexivity.
Qed.

Lemma inner_symmetric F M N : inner F M N = inner F N M.
Proof. apply total_ext; intro; apply total_ext; intro; ring. Qed.

Lemma inner_linear F c M N P : inner F (combine M c N) P = inner F M P + c * inner F N P.
Proof.
  unfold inner; rewrite <- total_scale, <- total_plus; apply total_ext; intro i.
  rewrite <- total_scale, <- total_plus; apply total_ext; intro j; unfold combine; ring.
Qed.

Lemma inner_nonneg F M : 0 <= inner F M M.
Proof. apply total_nonneg; intro; apply total_nonneg; intro; nra. Qed.

Lemma inner_of_sum F c M N :
  inner F (combine M c N) (combine M c N) = inner F M M + 2 * c * inner F M N + c * c * inner F N N.
Proof.
  rewrite inner_linear, (inner_symmetric F M (combine _ _ _)), (inner_symmetric F N (combine _ _ _)), !inner_linear.
  rewrite (inner_symmetric F N M); ring.
Qed.

Lemma inner_times F c M N : inner F (times c M) N = c * inner F M N.
Proof.
  unfold inner; rewrite <- total_scale; apply total_ext; intro; rewrite <- total_scale; apply total_ext; intro; unfold times;
    ring.
Qed.

Lemma inner_times_right F c M N : inner F M (times c N) = c * inner F M N.
Proof. rewrite inner_symmetric, inner_times, inner_symmetric; reflexivity. Qed.

Lemma frobenius_square F M : frobenius F M * frobenius F M = inner F M M.
Proof. apply sqrt_sqrt, inner_nonneg. Qed.

Lemma frobenius_times F c M : frobenius F (times c M) = Rabs c * frobenius F M.
Proof.
  change (sqrt (inner F (times c M) (times c M)) = Rabs c * sqrt (inner F M M)).
  rewrite inner_times, inner_symmetric, inner_times, <- Rmult_assoc, sqrt_mult by (try apply inner_nonneg; nra).
  f_equal; apply sqrt_Rsqr_abs.
Qed.

Lemma frobenius_ext F M N : equal F M N -> frobenius F M = frobenius F N.
Proof. intro E; change (sqrt (inner F M M) = sqrt (inner F N N)); f_equal; apply inner_ext; assumption. Qed.

Lemma frobenius_zero F M : inner F M M <= 0 -> equal F M (fun _ _ => 0).
Proof.
  intro Z; assert (E : inner F M M = 0) by (pose proof (inner_nonneg F M); lra); intros i j Hi Hj.
  assert (E1 : total F (fun j => M i j * M i j) = 0).
  { apply (total_zero F (fun i => total F (fun j => M i j * M i j))); [|exact E | exact Hi].
    intros; apply total_nonneg; intro; nra. }
  assert (E2 : M i j * M i j = 0) by (apply (total_zero F (fun j => M i j * M i j)); [intros; nra | exact E1 | exact Hj]).
  nra.
Qed.

Lemma form_combination F M t N u v : form F (combine M t N) u v = form F M u v + t * form F N u v.
Proof.
  unfold form; rewrite <- total_scale, <- total_plus; apply total_ext; intro i.
  rewrite (total_ext F _ (fun j => M i j * v j + t * (N i j * v j))) by (intro; unfold combine; ring).
  rewrite total_plus, total_scale; ring.
Qed.

(** ** The cone: one row and column after the other *)

Lemma times_psd F c M : 0 <= c -> positive_semidefinite F M -> positive_semidefinite F (times c M).
Proof.
  intros Pc [S P]; split; [intros i j Hi Hj; unfold times; rewrite (S i j Hi Hj); reflexivity | intro u].
  replace (form F (times c M) u u) with (c * form F M u u); [apply Rmult_le_pos; [exact Pc | apply P]|].
  unfold form, times; rewrite <- total_scale; apply total_ext; intro i.
  rewrite (total_ext F (fun j => c * M i j * u j) (fun j => c * (M i j * u j))) by (intro; ring).
  rewrite total_scale; ring.
Qed.

(** The form of S k with the last entry of the vector apart. *)
Lemma form_last k M u : symmetric (S k) M ->
  form (S k) M u u = form k M u u + 2 * u k * total k (fun j => M k j * u j) + M k k * (u k * u k).
Proof.
  intro Sy; unfold form; simpl.
  rewrite (total_ext_below k (fun i => u i * (total k (fun j => M i j * u j) + M i k * u k))
    (fun i => u i * total k (fun j => M i j * u j) + u k * (M k i * u i))) by (intros i Hi; rewrite (Sy i k) by lia; ring).
  rewrite total_plus, total_scale; ring.
Qed.

Definition set_last (k : nat) (u : vector) (c : R) : vector := fun i => if Nat.eqb i k then c else u i.

Lemma set_last_total k u c f : total k (fun i => f i * set_last k u c i) = total k (fun i => f i * u i).
Proof. apply total_ext_below; intros i H; unfold set_last; destruct (Nat.eqb_spec i k); [lia | reflexivity]. Qed.

Lemma set_last_form k M u c : form k M (set_last k u c) (set_last k u c) = form k M u u.
Proof.
  unfold form; apply total_ext_below; intros i H; rewrite set_last_total.
  unfold set_last; destruct (Nat.eqb_spec i k); [lia | reflexivity].
Qed.

(** What is left of M when its last row and column are cleared: M - v v^T. *)
Definition cleared (k : nat) (M : matrix) : matrix := fun i j => M i j - M i k * M j k / M k k.

Lemma psd_quadratic k M u c : positive_semidefinite (S k) M ->
  0 <= form k M u u + 2 * c * total k (fun j => M k j * u j) + M k k * (c * c).
Proof.
  intros [Sy P]; specialize (P (set_last k u c)); rewrite form_last, set_last_form, set_last_total in P by exact Sy.
  unfold set_last in P; rewrite Nat.eqb_refl in P; exact P.
Qed.

Lemma psd_smaller k M : positive_semidefinite (S k) M -> positive_semidefinite k M.
Proof. intro H; split; [intros i j Hi Hj; apply (proj1 H); lia | intro u; pose proof (psd_quadratic k M u 0 H); lra]. Qed.

Lemma psd_corner k M : positive_semidefinite (S k) M -> 0 <= M k k.
Proof.
  intro H; pose proof (psd_quadratic k M (fun _ => 0) 1 H) as Q.
  unfold form in Q; rewrite (total_ext k _ (fun _ => 0 * 0)), total_scale in Q by (intro; ring).
  rewrite (total_ext k (fun j => M k j * 0) (fun _ => 0 * 0)), total_scale in Q by (intro; ring); lra.
Qed.

Lemma cleared_form k M u : symmetric (S k) M ->
  form k (cleared k M) u u = form k M u u - total k (fun j => M k j * u j) * total k (fun j => M k j * u j) / M k k.
Proof.
  intro Sy; unfold form at 1, cleared; set (w := total k (fun j => M k j * u j)).
  rewrite (total_ext_below k _ (fun i => u i * total k (fun j => M i j * u j) + (- (w / M k k)) * (M k i * u i))).
  - rewrite total_plus, total_scale; fold w; unfold form, Rdiv; ring.
  - intros i Hi; rewrite (total_ext_below k (fun j => (M i j - M i k * M j k / M k k) * u j)
      (fun j => M i j * u j + (- (M i k / M k k)) * (M k j * u j))) by (intros j Hj; rewrite (Sy j k) by lia; unfold Rdiv;
        ring).
    rewrite total_plus, total_scale; fold w; rewrite (Sy k i) by lia; unfold Rdiv; ring.
Qed.

Lemma cleared_psd k M : 0 < M k k -> positive_semidefinite (S k) M -> positive_semidefinite k (cleared k M).
Proof.
  intros C H; pose proof (proj1 H) as Sy; split.
  { intros i j Hi Hj; unfold cleared, Rdiv; rewrite (Sy i j) by lia; ring. }
  intro u.
  rewrite cleared_form by exact Sy; set (w := total k (fun j => M k j * u j)).
  pose proof (psd_quadratic k M u (- (w / M k k)) H) as Q; fold w in Q.
  replace (form k M u u - w * w / M k k) with (form k M u u + 2 * - (w / M k k) * w + M k k * (- (w / M k k) * - (w / M k k)))
    by (field; lra); exact Q.
Qed.

Lemma total_unit k i (f : nat -> R) : (i < k)%nat -> total k (fun j => f j * (if Nat.eqb j i then 1 else 0)) = f i.
Proof.
  intro H; induction k as [|m IH]; simpl; [lia|].
  destruct (Nat.eq_dec i m) as [-> | N].
  - rewrite Nat.eqb_refl, (total_ext_below m _ (fun _ => 0 * 0)), total_scale; [ring|].
    intros j Hj; destruct (Nat.eqb_spec j m); [lia | ring].
  - destruct (Nat.eqb_spec m i); [lia|]; rewrite IH by lia; ring.
Qed.

(** A zero corner has a zero row. *)
Lemma zero_corner k M i : positive_semidefinite (S k) M -> M k k = 0 -> (i < k)%nat -> M k i = 0.
Proof.
  intros H Z Hi; destruct (Req_dec (M k i) 0) as [E | N]; [exact E | exfalso].
  set (u := fun j => if Nat.eqb j i then 1 else 0).
  pose proof (psd_quadratic k M u (- (form k M u u + 1) / (2 * M k i)) H) as Q.
  assert (W : total k (fun j => M k j * u j) = M k i) by (apply total_unit, Hi); rewrite W, Z in Q.
  replace (form k M u u + _ + _) with (-1) in Q by (field; exact N); lra.
Qed.

Lemma inner_last k M N : symmetric (S k) M -> symmetric (S k) N ->
  inner (S k) M N = inner k M N + 2 * total k (fun j => M k j * N k j) + M k k * N k k.
Proof.
  intros SM SN; unfold inner; simpl.
  rewrite (total_ext_below k (fun i => total k (fun j => M i j * N i j) + M i k * N i k)
    (fun i => total k (fun j => M i j * N i j) + M k i * N k i)) by (intros i Hi; rewrite (SM i k), (SN i k) by lia;
      reflexivity).
  rewrite total_plus; ring.
Qed.

(** Theorem E: the inner product of two metrics is not negative. *)
Theorem inner_of_psd F M N : positive_semidefinite F M -> positive_semidefinite F N -> 0 <= inner F M N.
Proof.
  revert M; induction F as [|k IH]; intros M HM HN; [unfold inner; simpl; lra|].
  pose proof (proj1 HM) as SM; pose proof (proj1 HN) as SN; rewrite inner_last by assumption.
  destruct (Rle_lt_or_eq_dec _ _ (psd_corner k M HM)) as [C | C].
  - pose proof (IH (cleared k M) (cleared_psd k M C HM) (psd_smaller k N HN)) as I.
    pose proof (psd_quadratic k N (M k) (M k k) HN) as Q.
    assert (E : inner k M N = inner k (cleared k M) N + form k N (M k) (M k) / M k k).
    { unfold form, Rdiv; rewrite (Rmult_comm _ (/ M k k)); unfold inner.
      rewrite <- total_scale, <- total_plus; apply total_ext_below; intros i Hi.
      rewrite <- Rmult_assoc, <- total_scale, <- total_plus; apply total_ext_below; intros j Hj.
      unfold cleared, Rdiv; rewrite (SM i k), (SM j k) by lia; ring. }
    rewrite (total_ext k (fun j => N k j * M k j) (fun j => M k j * N k j)) in Q by (intro; ring).
    set (w := total k (fun j => M k j * N k j)) in *; set (f := form k N (M k) (M k)) in *.
    assert (Q' : 0 <= (f + 2 * M k k * w + N k k * (M k k * M k k)) / M k k)
      by (apply Rmult_le_pos; [exact Q | left; apply Rinv_0_lt_compat, C]).
    replace ((f + 2 * M k k * w + N k k * (M k k * M k k)) / M k k) with (f / M k k + 2 * w + M k k * N k k) in Q' by (field;
      lra).
    lra.
  - pose proof (IH M (psd_smaller k M HM) (psd_smaller k N HN)).
    rewrite (total_ext_below k _ (fun _ => 0 * 0)), total_scale, <- C; [lra|].
    intros i Hi; rewrite (zero_corner k M i HM (eq_sym C) Hi); ring.
Qed.

