(** Section 3.2, the exact gamma_b: one minus the measure of what the balls cover, as an integral over the segment; and the
    modulus with the Lambda of the code. Needs Coquelicot.

    in_ball, inside       1 at a point of a closed ball, 0 elsewhere; along a segment
    uncovered             1 where a point of the segment lies in no ball, 0 elsewhere
    exact_background_share, exact_distance   gamma_b and D with it
    cost                  what a point of the segment costs: gamma_b c_B + sum gamma_s c_s is its integral
    covers_cost           Lambda: at least s(M(B)), and at least the sum of s(M(A_s)) over the balls of every point
    overlapping_scale     the code's bound for that sum: the balls that meet one ball
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
  { intros A I; assert (IA : integrable (inside F x_i x_j A)) by (apply multiplier_integrable, inside_multiplier with As; assumption).
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

(** Theorem A: the approximate gamma_b, with kappa_s = max(s(M(A_s)), sup |n_s - n_B|) and the Lambda of overlapping balls. *)
Theorem modulus_approximate F B As s_B s kappa Lambda x y z e :
  positive_semidefinite F B -> scale F B s_B -> (forall A, In A As -> admissible F s A) ->
  covers_cost F As s_B s Lambda ->
  (forall A u, In A As -> mahalanobis F (metric A) u <= kappa A * norm F u) ->
  (forall A u, In A As -> Rabs (mahalanobis F (metric A) u - mahalanobis F B u) <= kappa A * norm F u) ->
  (forall A, In A As -> 0 <= kappa A) ->
  norm F (sub x y) <= e ->
  Rabs (distance F B As x z - distance F B As y z)
  <= Lambda * e + sum_over (fun A => kappa A * shell_chord (radius A) e) As.
Proof.
  intros PB SB PA L K1 K2 K0 He.
  assert (PR : forall A, In A As -> 0 <= radius A) by (intros A I; apply (PA A I)).
  assert (PB' : 0 <= s_B) by apply SB.
  apply (modulus_for_any_background F B As s_B s PB SB PA (background_share F As) z
    (fun e => sum_over (fun A => kappa A * shell_chord (radius A) e) As)); try assumption.
  - intros; apply background_share_symmetric; assumption.
  - intros; apply Rmax_r.
  - destruct L; lra.
  - intros; apply approximate_weighted_scale; assumption.
  - intros; apply bound_is_nonneg; [assumption | intros; apply shell_chord_nonneg].
  - intros x' y' e' He' [_ L']; apply (moving_approximate_shares F B As kappa (fun A => shell_chord (radius A) e')); try assumption;
      [intros A I; apply gamma_moves; auto|].
    intros A c I C _; apply exchange_constant; auto.
Qed.

(** ** Disjoint balls: only the difference of the metrics counts *)

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

(** Theorem A: disjoint balls, with kappa_s = sup |n_s - n_B| and Lambda the largest of all scales. *)
Theorem modulus_disjoint F B As s_B s kappa Lambda x y z e :
  positive_semidefinite F B -> scale F B s_B -> (forall A, In A As -> admissible F s A) -> disjoint F As ->
  s_B <= Lambda -> (forall A, In A As -> s A <= Lambda) ->
  (forall A u, In A As -> Rabs (mahalanobis F (metric A) u - mahalanobis F B u) <= kappa A * norm F u) ->
  (forall A, In A As -> 0 <= kappa A) ->
  norm F (sub x y) <= e ->
  Rabs (distance F B As x z - distance F B As y z)
  <= Lambda * e + sum_over (fun A => kappa A * shell_chord (radius A) e) As.
Proof.
  intros PB SB PA D LB LA K2 K0 He.
  assert (PR : forall A, In A As -> 0 <= radius A) by (intros A I; apply (PA A I)).
  assert (PB' : 0 <= s_B) by apply SB.
  assert (L : covers_cost F As s_B s Lambda).
  { split; [exact LB | intro p]; eapply Rle_trans;
      [apply sum_le with (g := fun A => Lambda * in_ball F p (center A) (radius A)) | rewrite sum_scale; specialize (D p); nra].
    intros A I; specialize (LA A I); destruct (in_ball_cases F p (center A) (radius A)) as [E | E]; rewrite E; lra. }
  apply (modulus_for_any_background F B As s_B s PB SB PA (background_share F As) z
    (fun e => sum_over (fun A => kappa A * shell_chord (radius A) e) As)); try assumption.
  - intros; apply background_share_symmetric; assumption.
  - intros; apply Rmax_r.
  - lra.
  - intros; apply approximate_weighted_scale; assumption.
  - intros; apply bound_is_nonneg; [assumption | intros; apply shell_chord_nonneg].
  - intros x' y' e' He' [P L']; apply (moving_approximate_shares F B As kappa (fun A => shell_chord (radius A) e')); try assumption;
      [intros A I; apply gamma_moves; auto|].
    intros A c I C C1 u.
    rewrite C1 by (apply disjoint_shares; try assumption; lra); rewrite Rmult_1_l; apply K2, I.
Qed.

(** ** The exact gamma_b: exchange one region after the other *)

(** The part of zx that lies in the ball while zy does not, at the same parameter. *)
Lemma lost_part F z v w o r e : 0 <= r -> norm F (sub v w) <= e -> 0 < norm F (sub v z) -> 0 < norm F (sub w z) ->
  let i := fun t => in_ball F (point_on_line z v t) o r in
  let j := fun t => in_ball F (point_on_line z w t) o r in
  integral (fun t => i t * (1 - j t)) * norm F (sub v z) <= shell_chord r e.
Proof.
  intros Pr H Pv Pw i j.
  assert (Pe : 0 <= e) by (eapply Rle_trans; [apply sqrt_pos | exact H]).
  assert (Hr : 0 <= Rmax (r - e) 0 <= r) by (unfold Rmax; destruct Rle_dec; lra).
  destruct (ball_multiplier F z v o r Pr Pv) as [Mi Ii]; fold i in Mi, Ii.
  destruct (ball_multiplier F z w o r Pr Pw) as [Mj _]; fold j in Mj.
  destruct (ball_multiplier F z v o (Rmax (r - e) 0) (proj1 Hr) Pv) as [Mk Ik].
  set (k := fun t => in_ball F (point_on_line z v t) o (Rmax (r - e) 0)) in *.
  eapply Rle_trans; [|apply (shell_piece F z v o r _ Hr)].
  apply Rmult_le_compat_r; [lra|]; rewrite <- Ii.
  assert (IL : integrable (fun t => i t * (1 - j t))) by (apply (multiplier_complement j Mj), multiplier_integrable, Mi).
  destruct (Rle_lt_dec (r - e) 0) as [N | N].
  - rewrite Rmax_right, gamma_of_a_point, Rminus_0_r by lra.
    apply integral_le; [exact IL | apply multiplier_integrable, Mi|].
    intros t _; unfold i, j; destruct (in_ball_cases F (point_on_line z v t) o r) as [E | E];
      destruct (in_ball_cases F (point_on_line z w t) o r) as [E' | E']; rewrite E, E'; lra.
  - rewrite <- Ik, <- integral_minus by (apply multiplier_integrable; assumption).
    apply integral_le; [exact IL | apply integrable_minus; apply multiplier_integrable; assumption|].
    intros t T; unfold i, j, k, in_ball; rewrite Rmax_left by lra.
    pose proof (same_parameter F z v w o t T).
    repeat destruct Rle_dec; lra.
Qed.

(** One exchange: the weight omega says what the other regions leave free. *)
Lemma one_exchange (i j omega : R -> R) n m P : 0 <= n -> 0 <= m ->
  multiplier i -> multiplier j -> multiplier omega ->
  (forall t, i t = 0 \/ i t = 1) -> (forall t, j t = 0 \/ j t = 1) -> (forall t, 0 <= omega t <= 1) ->
  integral (fun t => i t * (1 - j t)) <= P -> integral (fun t => j t * (1 - i t)) <= P ->
  Rabs (integral (fun t => (i t - j t) * (n - omega t * m))) <= Rmax n m * P.
Proof.
  intros Pn Pm Mi Mj Mo Ci Cj Co HP HQ.
  assert (Ip : integrable (fun t => i t * (1 - j t))) by (apply (multiplier_complement j Mj), multiplier_integrable, Mi).
  assert (Iq : integrable (fun t => j t * (1 - i t))) by (apply (multiplier_complement i Mi), multiplier_integrable, Mj).
  assert (I : integrable (fun t => (i t - j t) * (n - omega t * m))).
  { apply integrable_ext with (fun t => n * (i t - j t) - m * ((i t - j t) * omega t)); [intros; ring|].
    assert (integrable (fun t => i t - j t)) by (apply integrable_minus; apply multiplier_integrable; assumption).
    apply integrable_minus; apply integrable_scale; [assumption | apply Mo; assumption]. }
  set (d := Rmax (m - n) 0).
  assert (D : 0 <= d /\ m - n <= d /\ n + d = Rmax n m) by (unfold d, Rmax; repeat destruct Rle_dec; lra).
  destruct D as (D0 & D1 & D2).
  assert (B : forall (f g : R -> R), integrable f -> integrable g -> integral f <= P -> integral g <= P ->
              integral (fun t => n * f t + d * g t) <= Rmax n m * P).
  { intros f g If Ig Lf Lg; rewrite integral_plus, !integral_scale by (try apply integrable_scale; assumption).
    pose proof (Rmult_le_compat_l n _ _ Pn Lf); pose proof (Rmult_le_compat_l d _ _ D0 Lg); rewrite <- D2; lra. }
  assert (W : forall t, 0 <= omega t * m <= m).
  { intro t; destruct (Co t) as [W0 W1]; split; [apply Rmult_le_pos; assumption|].
    pose proof (Rmult_le_compat_r m _ _ Pm W1); lra. }
  apply Rabs_le; split.
  - apply Ropp_le_cancel; rewrite Ropp_involutive.
    replace (- integral _) with (-1 * integral (fun t => (i t - j t) * (n - omega t * m))) by ring.
    rewrite <- integral_scale by exact I.
    eapply Rle_trans; [|apply (B _ _ Iq Ip HQ HP)].
    apply integral_le; [apply integrable_scale, I | apply integrable_plus; apply integrable_scale; assumption|].
    intros t _; specialize (W t); destruct (Ci t) as [E | E]; destruct (Cj t) as [E' | E']; rewrite E, E'; lra.
  - eapply Rle_trans; [|apply (B _ _ Ip Iq HP HQ)].
    apply integral_le; [exact I | apply integrable_plus; apply integrable_scale; assumption|].
    intros t _; specialize (W t); destruct (Ci t) as [E | E]; destruct (Cj t) as [E' | E']; rewrite E, E'; lra.
Qed.

(** All of them, when c_s bounds the exchange of region s under any weight. *)
Lemma exchanges F x y z As (n c : region -> R) m omega : 0 < norm F (sub x z) -> 0 < norm F (sub y z) ->
  (forall A, In A As -> 0 <= radius A) ->
  (forall A w, In A As -> multiplier w -> (forall t, 0 <= w t <= 1) ->
     Rabs (integral (fun t => (inside F z x A t - inside F z y A t) * (n A - w t * m))) <= c A) ->
  multiplier omega -> (forall t, 0 <= omega t <= 1) ->
  Rabs ((integral (fun t => omega t * uncovered F z x As t) - integral (fun t => omega t * uncovered F z y As t)) * m
        + sum_over (fun A => (share F z x A - share F z y A) * n A) As) <= sum_over c As.
Proof.
  intros Px Py; revert omega; induction As as [|A As IH]; intros omega PR C Mo Co; simpl.
  - replace (_ + 0) with 0 by ring; rewrite Rabs_R0; lra.
  - assert (PR' : forall C, In C As -> 0 <= radius C) by (intros; apply PR; right; assumption).
    assert (HA : In A (A :: As)) by (left; reflexivity).
    pose proof (inside_multiplier F z x (A :: As) Px PR A HA) as Mi; pose proof (inside_multiplier F z y (A :: As) Py PR A HA) as Mj.
    pose proof (inside_integral F z x (A :: As) Px PR A HA) as Ii; pose proof (inside_integral F z y (A :: As) Py PR A HA) as Ij.
    set (i := inside F z x A) in *; set (j := inside F z y A) in *.
    set (U := uncovered F z x As) in *; set (V := uncovered F z y As) in *.
    assert (MU : multiplier U) by (apply uncovered_multiplier; assumption).
    assert (MV : multiplier V) by (apply uncovered_multiplier; assumption).
    assert (Co' : forall t, 0 <= omega t * (1 - j t) <= 1).
    { intro t; specialize (Co t); destruct (inside_cases F z y A t) as [E | E]; unfold j; rewrite E; lra. }
    assert (CoU : forall t, 0 <= omega t * U t <= 1).
    { intro t; specialize (Co t); pose proof (uncovered_range F z x As t) as R; fold (U t) in R; nra. }
    pose proof (IH (fun t => omega t * (1 - j t)) PR' (fun A w I => C A w (or_intror I))
      (multiplier_times _ _ Mo (multiplier_complement j Mj)) Co') as H1.
    pose proof (C A (fun t => omega t * U t) HA (multiplier_times _ _ Mo MU) CoU) as H2; fold i j in H2.
    assert (E : (integral (fun t => omega t * ((1 - i t) * U t)) - integral (fun t => omega t * ((1 - j t) * V t))) * m
                + ((share F z x A - share F z y A) * n A + sum_over (fun C => (share F z x C - share F z y C) * n C) As)
              = integral (fun t => (i t - j t) * (n A - omega t * U t * m))
                + ((integral (fun t => omega t * (1 - j t) * U t) - integral (fun t => omega t * (1 - j t) * V t)) * m
                   + sum_over (fun C => (share F z x C - share F z y C) * n C) As)).
    { assert (IO : integrable omega) by (apply multiplier_integrable, Mo).
      assert (IOU : integrable (fun t => omega t * U t)) by (apply MU, multiplier_integrable, Mo).
      assert (IOUi : integrable (fun t => omega t * U t * i t)) by (apply Mi, IOU).
      assert (IOUj : integrable (fun t => omega t * U t * j t)) by (apply Mj, IOU).
      assert (Iij : integrable (fun t => i t - j t)) by (apply integrable_minus; apply multiplier_integrable; assumption).
      rewrite (integral_ext (fun t => omega t * ((1 - i t) * U t)) (fun t => omega t * U t - omega t * U t * i t)) by (intros; ring).
      rewrite (integral_ext (fun t => omega t * (1 - j t) * U t) (fun t => omega t * U t - omega t * U t * j t)) by (intros; ring).
      rewrite (integral_ext (fun t => (i t - j t) * (n A - omega t * U t * m))
                 (fun t => n A * (i t - j t) - m * (omega t * U t * i t - omega t * U t * j t))) by (intros; ring).
      rewrite (integral_ext (fun t => omega t * ((1 - j t) * V t)) (fun t => omega t * (1 - j t) * V t)) by (intros; ring).
      rewrite !integral_minus, !integral_scale, !integral_minus by
        (repeat (assumption || apply integrable_scale || apply integrable_minus); apply multiplier_integrable; assumption).
      rewrite Ii, Ij; ring. }
    rewrite E; eapply Rle_trans; [apply Rabs_triang | apply Rplus_le_compat; [exact H2 | exact H1]].
Qed.


Lemma quotient_le q l tau : 0 < l -> q * l <= tau -> q <= tau / l.
Proof. intros P H; apply Rmult_le_reg_r with l; [exact P|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra. Qed.

(** The first bracket of the modulus is one sum of exchanges. *)
Lemma phi_difference F B As x y z u :
  phi F B As (exact_background_share F As z x) (share F z x) u - phi F B As (exact_background_share F As z y) (share F z y) u
  = (integral (fun t => 1 * uncovered F z x As t) - integral (fun t => 1 * uncovered F z y As t)) * mahalanobis F B u
    + sum_over (fun A => (share F z x A - share F z y A) * mahalanobis F (metric A) u) As.
Proof.
  unfold phi, weighted_lengths, exact_background_share.
  rewrite !(integral_ext (fun t => 1 * uncovered F _ _ As t) (uncovered F _ _ As)) by (intros; ring).
  rewrite (sum_ext (fun A => (share F z x A - share F z y A) * mahalanobis F (metric A) u)
    (fun A => share F z x A * mahalanobis F (metric A) u + (-1) * (share F z y A * mahalanobis F (metric A) u))) by (intros; ring).
  rewrite sum_plus, sum_scale; ring.
Qed.

(** Theorem A: the exact gamma_b, any number of balls, overlapping or not. *)
Theorem modulus_exact F B As s_B s Lambda x y z e :
  positive_semidefinite F B -> scale F B s_B -> (forall A, In A As -> admissible F s A) ->
  covers_cost F As s_B s Lambda ->
  norm F (sub x y) <= e ->
  Rabs (exact_distance F B As x z - exact_distance F B As y z)
  <= Lambda * e + sum_over (fun A => Rmax (s A) s_B * shell_chord (radius A) e) As.
Proof.
  intros PB SB PA L He.
  assert (PR : forall A, In A As -> 0 <= radius A) by (intros A I; apply (PA A I)).
  assert (PB' : 0 <= s_B) by apply SB.
  assert (K : forall A, In A As -> 0 <= Rmax (s A) s_B) by (intros A I; pose proof (Rmax_r (s A) s_B); lra).
  apply (modulus_for_any_background F B As s_B s PB SB PA (exact_background_share F As) z
    (fun e => sum_over (fun A => Rmax (s A) s_B * shell_chord (radius A) e) As)); try assumption.
  - intros; apply exact_symmetric; assumption.
  - intros; apply exact_nonneg; assumption.
  - destruct L; lra.
  - intros; apply exact_weighted_scale; assumption.
  - intros; apply bound_is_nonneg; [assumption | intros; apply shell_chord_nonneg].
  - clear x y e He; intros x y e He [P Hl]; assert (Py : 0 < norm F (sub y z)) by lra.
    rewrite phi_difference; apply exchanges; try assumption; [|apply multiplier_one | intros; lra].
    intros A w I Mw Cw; set (tau := shell_chord (radius A) e).
    replace (Rmax (s A) s_B * tau) with (Rmax (s A) s_B * norm F (sub x z) * (tau / norm F (sub x z))) by (field; lra).
    pose proof (inside_multiplier F z x As P PR A I) as Mi; pose proof (inside_multiplier F z y As Py PR A I) as Mj.
    eapply Rle_trans; [apply one_exchange with (P := tau / norm F (sub x z)); try assumption; try apply sqrt_pos; try (intro; apply inside_cases)|].
    + apply quotient_le, (lost_part F z x y (center A) (radius A)); auto.
    + apply quotient_le; [exact P|]; eapply Rle_trans; [apply Rmult_le_compat_l; [|exact Hl]|].
      * rewrite <- (integral_const 0); apply integral_le;
          [apply integrable_const | apply (multiplier_complement _ Mi), multiplier_integrable, Mj|].
        intros t _; destruct (inside_cases F z x A t) as [E | E]; destruct (inside_cases F z y A t) as [E' | E']; rewrite E, E'; lra.
      * rewrite norm_swap in He; apply (lost_part F z y x (center A) (radius A)); auto.
    + apply Rmult_le_compat_r; [apply Rmult_le_pos; [apply shell_chord_nonneg | left; apply Rinv_0_lt_compat, P]|].
      destruct (larger_scale F B A (s A) s_B) as (K1 & K2 & _); [apply (PA A I) | exact SB | apply Rmax_lub; [apply K1 | apply K2]].
Qed.

(** ** The constants as the code computes them *)

Definition meet F (A C : region) : Prop := norm F (sub (center A) (center C)) <= radius A + radius C.

(** The scales of the balls that meet A, and the largest such sum. *)
Definition meeting_scale F (s : region -> R) As A : R :=
  sum_over (fun C => if Rle_dec (norm F (sub (center A) (center C))) (radius A + radius C) then s C else 0) As.
Definition overlapping_scale F s As : R := fold_right (fun A rest => Rmax (meeting_scale F s As A) rest) 0 As.

Lemma common_point F p A C : norm F (sub p (center A)) <= radius A -> norm F (sub p (center C)) <= radius C -> meet F A C.
Proof.
  intros HA HC; unfold meet; rewrite norm_swap in HA.
  replace (sub (center A) (center C)) with (fun i => sub (center A) p i + sub p (center C) i)
    by (extensionality i; unfold sub; ring).
  pose proof (triangle (dot F) (dot_semi_inner F) (sub (center A) p) (sub p (center C))); unfold norm in *; lra.
Qed.

Lemma fold_max_member (f : region -> R) As A : In A As -> f A <= fold_right (fun C rest => Rmax (f C) rest) 0 As.
Proof.
  induction As as [|C As IH]; simpl; intros []; [subst; apply Rmax_l|].
  eapply Rle_trans; [apply IH; assumption | apply Rmax_r].
Qed.

Lemma fold_max_nonneg (f : region -> R) As : 0 <= fold_right (fun C rest => Rmax (f C) rest) 0 As.
Proof. induction As as [|C As IH]; simpl; [lra | eapply Rle_trans; [exact IH | apply Rmax_r]]. Qed.

Lemma overlapping_scale_covers F As s_B s : (forall A, In A As -> 0 <= s A) ->
  covers_cost F As s_B s (Rmax s_B (overlapping_scale F s As)).
Proof.
  intro P; split; [apply Rmax_l | intro p]; eapply Rle_trans; [|apply Rmax_r].
  destruct (Exists_dec (fun A => norm F (sub p (center A)) <= radius A) As) as [H | H]; [intro; apply Rle_dec| |].
  - apply Exists_exists in H; destruct H as (A & I & HA).
    eapply Rle_trans; [|apply (fold_max_member (meeting_scale F s As) As A I)].
    apply sum_le; intros C IC; specialize (P C IC); unfold in_ball; destruct (Rle_dec (norm F (sub p (center C)))) as [HC | HC].
    + destruct Rle_dec as [M | M]; [lra | exfalso; apply M, (common_point F p); assumption].
    + destruct Rle_dec; lra.
  - eapply Rle_trans; [|apply fold_max_nonneg]; right.
    rewrite (sum_ext _ (fun A => 0 * s A)), sum_scale; [ring|].
    intros A I; unfold in_ball; destruct Rle_dec as [HA | HA]; [|reflexivity].
    exfalso; apply H, Exists_exists; exists A; auto.
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

(** Theorem A: the constants of the package's `modulus_of_continuity(exact=True)`, for both kinds of gamma_b. *)
Theorem modulus_with_the_overlapping_scale F B As s_B s x y z e :
  positive_semidefinite F B -> scale F B s_B -> (forall A, In A As -> admissible F s A) -> norm F (sub x y) <= e ->
  let w := Rmax s_B (overlapping_scale F s As) * e + sum_over (fun A => Rmax (s A) s_B * shell_chord (radius A) e) As in
  Rabs (distance F B As x z - distance F B As y z) <= w /\
  Rabs (exact_distance F B As x z - exact_distance F B As y z) <= w.
Proof.
  intros PB SB PA He w.
  assert (L : covers_cost F As s_B s (Rmax s_B (overlapping_scale F s As)))
    by (apply overlapping_scale_covers; intros A I; apply (PA A I)).
  assert (K : forall A, In A As -> 0 <= Rmax (s A) s_B) by (intros A I; eapply Rle_trans; [apply SB | apply Rmax_r]).
  split; [|apply modulus_exact; assumption].
  apply modulus_approximate with (s_B := s_B) (s := s); try assumption;
    intros A u I; destruct (larger_scale F B A (s A) s_B) as (K1 & _ & K2); try apply (PA A I); try exact SB; [apply K1 | apply K2].
Qed.
