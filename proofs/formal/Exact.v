(** Section 3.2, the exact gamma_b: one minus the measure of what the balls cover, as an integral over the segment; and Lambda,
    the largest cost of a point. Needs Coquelicot.

    in_ball, inside       1 at a point of a closed ball, 0 elsewhere; along a segment
    uncovered             1 where a point of the segment lies in no ball, 0 elsewhere
    exact_background_share, exact_distance   gamma_b and D with it
    cost                  what a point of the segment costs: gamma_b c_B + sum gamma_s c_s is its integral
    covers_cost           Lambda: at least s(M(B)), and at least the sum of s(M(A_s)) over the balls of every point
    overlapping_scale     the code's bound for that sum: a ball and the later ones that meet it
    disjoint              no point lies in two balls *)
From Coq Require Import Reals Lra Lia Psatz FunctionalExtensionality List.
From LMLIR Require Import Geometry Continuity Integral.
Import ListNotations.
Open Scope R_scope.

Opaque integral integrable.

(** ** What the balls cover *)

Definition in_ball F (p o : vector) (r : R) : R := if Rle_dec (norm F (sub p o)) r then 1 else 0.
Definition inside F x_i x_j A (t : R) : R := in_ball F (point_on_line x_i x_j t) (center A) (radius A).

Definition uncovered F x_i x_j As (t : R) : R := fold_right (fun A rest => (1 - inside F x_i x_j A t) * rest) 1 As.

Definition exact_background_share F As x_i x_j : R := integral (uncovered F x_i x_j As).
Definition exact_distance F B As x_i x_j : R := distance_with F B As (exact_background_share F As x_i x_j) x_i x_j.

Lemma in_ball_cases F p o r : in_ball F p o r = 0 \/ in_ball F p o r = 1.
Proof. unfold in_ball; destruct Rle_dec; auto. Qed.

Lemma inside_cases F x_i x_j A t : inside F x_i x_j A t = 0 \/ inside F x_i x_j A t = 1.
Proof. apply in_ball_cases. Qed.

Lemma uncovered_range F x_i x_j As t : 0 <= uncovered F x_i x_j As t <= 1.
Proof.
  induction As as [|A As IH]; simpl; [lra|].
  destruct (inside_cases F x_i x_j A t) as [E | E]; rewrite E; lra.
Qed.

(** Definition 5; Equation (3): what [uncovered] integrates is the background's part: 1 at the points that lie in no ball. *)
Theorem uncovered_means F x_i x_j As t :
  (uncovered F x_i x_j As t = 1 /\ forall A, In A As -> ~ norm F (sub (point_on_line x_i x_j t) (center A)) <= radius A)
  \/ (uncovered F x_i x_j As t = 0 /\ exists A, In A As /\ norm F (sub (point_on_line x_i x_j t) (center A)) <= radius A).
Proof.
  induction As as [|A As IH]; simpl; [left; split; [reflexivity | intros A []]|].
  unfold inside, in_ball; destruct Rle_dec as [H | H].
  - right; split; [ring | exists A; auto].
  - destruct IH as [[E N] | [E (C & I & HC)]]; [left | right]; rewrite E; (split; [ring|]).
    + intros C [<- | I]; auto.
    + exists C; auto.
Qed.

Lemma ball_multiplier F x_i x_j o r : 0 <= r -> 0 < norm F (sub x_j x_i) ->
  multiplier (fun t => in_ball F (point_on_line x_i x_j t) o r)
  /\ integral (fun t => in_ball F (point_on_line x_i x_j t) o r) = gamma F x_i x_j o r.
Proof.
  intros Pr P; destruct (gamma_is_the_length_inside F x_i x_j o r Pr P) as [(p & q & Hp & Hpq & Hq & E & I) | [E I]].
  - rewrite E; apply multiplier_interval; auto; intros t T; unfold in_ball; destruct Rle_dec as [H | H]; auto.
    + exfalso; apply H, I; lra.
    + intro O; apply I in H; lra.
  - split.
    + intros f _; apply integrable_ext with (fun _ => 0); [|apply integrable_const].
      intros t T; unfold in_ball; destruct Rle_dec as [H | H]; [exfalso; apply (I t); lra | ring].
    + rewrite E, <- (integral_const 0); apply integral_ext; intros t T.
      unfold in_ball; destruct Rle_dec as [H | H]; [exfalso; apply (I t); assumption | ring].
Qed.

Section Segment.
Variables (F : nat) (x_i x_j : vector) (As : list region).
Hypothesis P : 0 < norm F (sub x_j x_i).
Hypothesis PA : forall A, In A As -> 0 <= radius A.

Lemma inside_multiplier A : In A As -> multiplier (inside F x_i x_j A).
Proof. intro I; apply (ball_multiplier F x_i x_j (center A) (radius A) (PA A I) P). Qed.

Lemma inside_integral A : In A As -> integral (inside F x_i x_j A) = share F x_i x_j A.
Proof. intro I; apply (ball_multiplier F x_i x_j (center A) (radius A) (PA A I) P). Qed.
End Segment.

Lemma uncovered_multiplier F x_i x_j As : 0 < norm F (sub x_j x_i) -> (forall A, In A As -> 0 <= radius A) ->
  multiplier (uncovered F x_i x_j As).
Proof.
  intros P PA; induction As as [|A As IH]; [apply multiplier_one|].
  apply (multiplier_times (fun t => 1 - inside F x_i x_j A t) (uncovered F x_i x_j As)).
  - apply multiplier_complement, (inside_multiplier F x_i x_j (A :: As)); [assumption | assumption | left; reflexivity].
  - apply IH; intros; apply PA; right; assumption.
Qed.

(** Weights integrate: gamma_b c_B + sum gamma_s c_s is the integral of the cost of a point. *)
Definition cost F x_i x_j As c_B (c : region -> R) t : R :=
  uncovered F x_i x_j As t * c_B + sum_over (fun A => inside F x_i x_j A t * c A) As.

Lemma sum_integral (f : region -> R -> R) As : (forall A, In A As -> integrable (f A)) ->
  integrable (fun t => sum_over (fun A => f A t) As)
  /\ integral (fun t => sum_over (fun A => f A t) As) = sum_over (fun A => integral (f A)) As.
Proof.
  induction As as [|A As IH]; intro H; simpl.
  - split; [apply integrable_const | apply integral_const].
  - destruct IH as [H1 H2]; [intros; apply H; right; assumption|].
    assert (HA : integrable (f A)) by (apply H; left; reflexivity).
    split; [apply integrable_plus; assumption | rewrite integral_plus, H2 by assumption; reflexivity].
Qed.

Lemma weighted_is_integral F x_i x_j As c_B c : 0 < norm F (sub x_j x_i) -> (forall A, In A As -> 0 <= radius A) ->
  integrable (cost F x_i x_j As c_B c)
  /\ integral (cost F x_i x_j As c_B c)
     = weighted_lengths As (exact_background_share F As x_i x_j) (share F x_i x_j) c_B c.
Proof.
  intros P PA; unfold cost, weighted_lengths, exact_background_share.
  assert (IU : integrable (fun t => uncovered F x_i x_j As t * c_B)).
  { apply integrable_ext with (fun t => c_B * uncovered F x_i x_j As t); [intros; ring|].
    apply integrable_scale, multiplier_integrable, uncovered_multiplier; assumption. }
  assert (II : forall A, In A As -> integrable (fun t => inside F x_i x_j A t * c A)
               /\ integral (fun t => inside F x_i x_j A t * c A) = share F x_i x_j A * c A).
  { intros A I; assert (IA : integrable (inside F x_i x_j A)) by (apply multiplier_integrable, inside_multiplier with As;
      assumption).
    split.
    - apply integrable_ext with (fun t => c A * inside F x_i x_j A t); [intros; ring | apply integrable_scale, IA].
    - rewrite (integral_ext _ (fun t => c A * inside F x_i x_j A t)) by (intros; ring).
      rewrite integral_scale, (inside_integral F x_i x_j As) by assumption; ring. }
  destruct (sum_integral (fun A t => inside F x_i x_j A t * c A) As) as [S1 S2]; [intros A I; apply II, I|].
  split; [apply integrable_plus; assumption|].
  rewrite integral_plus, S2 by assumption; f_equal.
  - rewrite (integral_ext _ (fun t => c_B * uncovered F x_i x_j As t)) by (intros; ring).
    rewrite integral_scale by (apply multiplier_integrable, uncovered_multiplier; assumption); ring.
  - apply sum_ext; intros A I; apply II, I.
Qed.

(** Section 3.2, gamma_b: the approximate one is never larger than the exact one. *)
Lemma approximate_le_exact F x_i x_j As : 0 < norm F (sub x_j x_i) -> (forall A, In A As -> 0 <= radius A) ->
  background_share F As x_i x_j <= exact_background_share F As x_i x_j.
Proof.
  intros P PA; pose proof (multiplier_integrable _ (uncovered_multiplier F x_i x_j As P PA)) as IU.
  apply Rmax_lub.
  - destruct (weighted_is_integral F x_i x_j As 1 (fun _ => 1) P PA) as [H1 H2].
    assert (H : 1 <= integral (cost F x_i x_j As 1 (fun _ => 1))).
    { rewrite <- (integral_const 1) at 1; apply integral_le; [apply integrable_const | exact H1|].
      intros t _; unfold cost; clear; induction As as [|A As IH]; simpl; [lra|].
      destruct (inside_cases F x_i x_j A t) as [E | E]; rewrite E; [lra|].
      assert (0 <= sum_over (fun A => inside F x_i x_j A t * 1) As); [|lra].
      apply sum_nonneg; intros C _; destruct (inside_cases F x_i x_j C t) as [E' | E']; rewrite E'; lra. }
    rewrite H2 in H; unfold weighted_lengths in H.
    rewrite (sum_ext _ (share F x_i x_j)) in H by (intros; ring); lra.
  - unfold exact_background_share; rewrite <- (integral_const 0).
    apply integral_le; [apply integrable_const | exact IU | intros; apply uncovered_range].
Qed.

Lemma exact_below_the_rest F x_i x_j As A : 0 < norm F (sub x_j x_i) -> (forall A, In A As -> 0 <= radius A) -> In A As ->
  exact_background_share F As x_i x_j <= 1 - share F x_i x_j A.
Proof.
  intros P PA I; pose proof (inside_multiplier F x_i x_j As P PA A I) as Mi.
  rewrite <- (inside_integral F x_i x_j As P PA A I), <- (integral_const 1), <- integral_minus
    by (try apply integrable_const; apply multiplier_integrable, Mi).
  apply integral_le; [apply multiplier_integrable, uncovered_multiplier; assumption | |].
  - apply integrable_minus; [apply integrable_const | apply multiplier_integrable, Mi].
  - intros t _; destruct (uncovered_means F x_i x_j As t) as [[E N] | [E _]]; rewrite E.
    + specialize (N A I); unfold inside, in_ball; destruct Rle_dec; [contradiction | lra].
    + destruct (inside_cases F x_i x_j A t) as [E' | E']; rewrite E'; lra.
Qed.

Lemma sum_constant c As : sum_over (fun _ => c) As = INR (length As) * c.
Proof. induction As as [|A As IH]; [simpl; ring | cbn [length sum_over fold_right]; rewrite S_INR; unfold sum_over in IH;
  rewrite IH; ring]. Qed.

(** Section 3.2, gamma_b: the error of the approximation is at most 1 - 1/S with S balls (E14). *)
Theorem error_of_the_approximation F x_i x_j As : 0 < norm F (sub x_j x_i) -> (forall A, In A As -> 0 <= radius A) ->
  (1 <= length As)%nat ->
  0 <= exact_background_share F As x_i x_j - background_share F As x_i x_j <= 1 - / INR (length As).
Proof.
  intros P PA H; pose proof (approximate_le_exact F x_i x_j As P PA) as L; split; [lra|].
  set (n := INR (length As)); assert (Pn : 1 <= n) by (apply (le_INR 1), H).
  set (g := exact_background_share F As x_i x_j) in *; set (s := sum_over (share F x_i x_j) As).
  assert (B : n * g <= n - s).
  { unfold n; rewrite <- sum_constant; replace (INR (length As) - s) with (sum_over (fun A => 1 + (-1) * share F x_i x_j A) As)
      by (rewrite sum_plus, sum_scale, sum_constant; unfold s; ring).
    apply sum_le; intros A I; pose proof (exact_below_the_rest F x_i x_j As A P PA I); unfold g; lra. }
  assert (G : g <= 1 - / n * s).
  { apply Rmult_le_reg_l with n; [lra|]; replace (n * (1 - / n * s)) with (n - s) by (field; lra); exact B. }
  assert (N : 0 < / n <= 1) by (split; [apply Rinv_0_lt_compat; lra | rewrite <- Rinv_1; apply Rinv_le_contravar; lra]).
  unfold background_share; fold s; unfold Rmax; destruct Rle_dec; nra.
Qed.

Lemma exact_nonneg F x_i x_j As : 0 < norm F (sub x_j x_i) -> (forall A, In A As -> 0 <= radius A) ->
  0 <= exact_background_share F As x_i x_j.
Proof. intros P PA; eapply Rle_trans; [apply Rmax_r | apply (approximate_le_exact F x_i x_j As P PA)]. Qed.

Lemma exact_symmetric F As x y : (forall A, In A As -> 0 <= radius A) -> 0 < norm F (sub x y) ->
  exact_background_share F As x y = exact_background_share F As y x.
Proof.
  intros PA P; unfold exact_background_share.
  rewrite <- (integral_reversed (uncovered F y x As)) by (apply multiplier_integrable, uncovered_multiplier; assumption).
  apply integral_ext; intros t _.
  assert (E : point_on_line x y t = point_on_line y x (1 - t)) by (extensionality i; unfold point_on_line; ring).
  clear PA; induction As as [|A As IH]; simpl; [reflexivity|]; rewrite IH; unfold inside; rewrite E; reflexivity.
Qed.

(** ** Lambda: the largest cost of a point *)

Definition covers_cost F As s_B (s : region -> R) (Lambda : R) : Prop :=
  s_B <= Lambda /\ forall p, sum_over (fun A => in_ball F p (center A) (radius A) * s A) As <= Lambda.

Lemma cost_le F x_i x_j As s_B s Lambda t : covers_cost F As s_B s Lambda -> cost F x_i x_j As s_B s t <= Lambda.
Proof.
  intros [LB LA]; unfold cost; destruct (uncovered_means F x_i x_j As t) as [[E N] | [E _]]; rewrite E.
  - rewrite (sum_ext _ (fun A => 0 * s A)), sum_scale; [lra|].
    intros A I; unfold inside, in_ball; destruct Rle_dec as [H | H]; [exfalso; apply (N A I H) | reflexivity].
  - specialize (LA (point_on_line x_i x_j t)); unfold inside; lra.
Qed.

Lemma exact_weighted_scale F x_i x_j As s_B s Lambda : 0 < norm F (sub x_j x_i) ->
  (forall A, In A As -> 0 <= radius A) -> covers_cost F As s_B s Lambda ->
  weighted_lengths As (exact_background_share F As x_i x_j) (share F x_i x_j) s_B s <= Lambda.
Proof.
  intros P PA L; destruct (weighted_is_integral F x_i x_j As s_B s P PA) as [H1 H2].
  rewrite <- H2, <- (integral_const Lambda); apply integral_le; [exact H1 | apply integrable_const|].
  intros; apply cost_le, L.
Qed.

Lemma approximate_weighted_scale F x_i x_j As s_B s Lambda : 0 <= s_B -> 0 < norm F (sub x_j x_i) ->
  (forall A, In A As -> 0 <= radius A) -> covers_cost F As s_B s Lambda ->
  weighted_lengths As (background_share F As x_i x_j) (share F x_i x_j) s_B s <= Lambda.
Proof.
  intros PB P PA L; eapply Rle_trans; [|apply (exact_weighted_scale F x_i x_j As s_B s Lambda P PA L)].
  unfold weighted_lengths; apply Rplus_le_compat_r, Rmult_le_compat_r; [exact PB | apply approximate_le_exact; assumption].
Qed.

(** ** Disjoint balls *)

Definition disjoint F (As : list region) : Prop := forall p, sum_over (fun A => in_ball F p (center A) (radius A)) As <= 1.

Lemma disjoint_shares F x_i x_j As : 0 < norm F (sub x_j x_i) -> (forall A, In A As -> 0 <= radius A) -> disjoint F As ->
  sum_over (share F x_i x_j) As <= 1.
Proof.
  intros P PA D.
  assert (I : forall A, In A As -> integrable (inside F x_i x_j A))
    by (intros A I; apply multiplier_integrable, inside_multiplier with As; assumption).
  destruct (sum_integral (inside F x_i x_j) As I) as [H1 H2].
  rewrite (sum_ext (share F x_i x_j) (fun A => integral (inside F x_i x_j A)))
    by (intros A IA; symmetry; apply inside_integral with As; assumption).
  rewrite <- H2, <- (integral_const 1); apply integral_le; [exact H1 | apply integrable_const|].
  intros t _; apply (D (point_on_line x_i x_j t)).
Qed.

(** ** The constants as the code computes them *)

Definition meet F (A C : region) : Prop := norm F (sub (center A) (center C)) <= radius A + radius C.

(** The scale of A and those of the balls of As that meet it; the largest such sum over a ball and the later ones. *)
Definition meeting_scale F (s : region -> R) As A : R :=
  s A + sum_over (fun C => if Rle_dec (norm F (sub (center A) (center C))) (radius A + radius C) then s C else 0) As.
Fixpoint overlapping_scale F s As : R :=
  match As with nil => 0 | A :: later => Rmax (meeting_scale F s later A) (overlapping_scale F s later) end.

Lemma common_point F p A C : norm F (sub p (center A)) <= radius A -> norm F (sub p (center C)) <= radius C -> meet F A C.
Proof.
  intros HA HC; unfold meet; rewrite norm_swap in HA.
  replace (sub (center A) (center C)) with (fun i => sub (center A) p i + sub p (center C) i)
    by (extensionality i; unfold sub; ring).
  pose proof (triangle (dot F) (dot_semi_inner F) (sub (center A) p) (sub p (center C))); unfold norm in *; lra.
Qed.

(** Of the balls of one point, the first in the list meets all others. *)
Lemma overlapping_scale_covers F As s_B s : (forall A, In A As -> 0 <= s A) ->
  covers_cost F As s_B s (Rmax s_B (overlapping_scale F s As)).
Proof.
  intro P; split; [apply Rmax_l | intro p]; eapply Rle_trans; [|apply Rmax_r].
  induction As as [|A As IH]; simpl; [lra|].
  assert (PA : 0 <= s A) by (apply P; left; reflexivity).
  assert (P' : forall C, In C As -> 0 <= s C) by (intros C I; apply P; right; exact I).
  unfold in_ball at 1; destruct Rle_dec as [HA | HA].
  - eapply Rle_trans; [|apply Rmax_l]; rewrite Rmult_1_l; apply Rplus_le_compat_l, sum_le; intros C I; specialize (P' C I).
    unfold in_ball; destruct (Rle_dec (norm F (sub p (center C)))) as [HC | HC].
    + destruct Rle_dec as [M | M]; [lra | exfalso; apply M, (common_point F p); assumption].
    + destruct Rle_dec; lra.
  - eapply Rle_trans; [|apply Rmax_r]; rewrite Rmult_0_l, Rplus_0_l; apply IH, P'.
Qed.

Lemma pairwise_disjoint F As : ForallOrdPairs (fun A C => ~ meet F A C) As -> disjoint F As.
Proof.
  intros H p; induction H as [|A As HA _ IH]; simpl; [lra|].
  unfold in_ball at 1; destruct Rle_dec as [M | M]; [|lra].
  rewrite (sum_ext _ (fun _ => 0 * 1)), sum_scale; [lra|].
  intros C I; unfold in_ball; destruct Rle_dec as [N | N]; [|ring].
  exfalso; rewrite Forall_forall in HA; apply (HA C I), (common_point F p); assumption.
Qed.

(** Proposition 2; Section 3.2, gamma_b: without overlap the two kinds of gamma_b agree. *)
Lemma exact_is_approximate F x_i x_j As : 0 < norm F (sub x_j x_i) -> (forall A, In A As -> 0 <= radius A) ->
  disjoint F As -> exact_background_share F As x_i x_j = background_share F As x_i x_j.
Proof.
  intros P PA D; pose proof (disjoint_shares F x_i x_j As P PA D) as S.
  destruct (weighted_is_integral F x_i x_j As 1 (fun _ => 1) P PA) as [_ H2].
  assert (E : integral (cost F x_i x_j As 1 (fun _ => 1)) = 1).
  { rewrite <- (integral_const 1) at 2; apply integral_ext; intros t _; unfold cost.
    rewrite (sum_ext _ (fun A => inside F x_i x_j A t)) by (intros; ring).
    specialize (D (point_on_line x_i x_j t)).
    destruct (uncovered_means F x_i x_j As t) as [[U N] | [U (A & I & HA)]]; rewrite U.
    - rewrite (sum_ext _ (fun A => 0 * 1)), sum_scale; [ring|].
      intros A I; unfold inside, in_ball; destruct Rle_dec as [H | H]; [exfalso; apply (N A I H) | ring].
    - assert (1 <= sum_over (fun A => inside F x_i x_j A t) As).
      { replace 1 with (inside F x_i x_j A t) by (unfold inside, in_ball; destruct Rle_dec; [reflexivity | contradiction]).
        apply (sum_member (fun A => inside F x_i x_j A t)); [|exact I].
        intros C _; destruct (inside_cases F x_i x_j C t) as [E | E]; rewrite E; lra. }
      unfold inside in *; lra. }
  rewrite H2 in E; unfold weighted_lengths in E; rewrite (sum_ext _ (share F x_i x_j)) in E by (intros; ring).
  unfold background_share; rewrite Rmax_left by lra; lra.
Qed.
