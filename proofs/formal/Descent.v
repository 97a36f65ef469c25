(** Section 5.2: the objective g, its gradient by the metrics, and the descent on it, so that Theorem E is about the method.

    similar, dissimilar   lists of pairs of points
    hinge, average        [x]_+ = max(x, 0); the mean of a list, 0 for an empty one (choice C20)
    objective             g, with the approximate gamma_b and with the sums that the paper leaves out (E11)
    length_gradient       the gradient of sqrt(d^T M d) by M, d d^T / (2 sqrt(d^T M d)); 0 where that length is 0 (C14)
    metric_gradient       the gradient of g by the metric M: w p is the share of pair p that M measures, D p its distance;
                          only pairs with an active hinge count, a hinge on its kink does not
    local_gradient, background_gradient   that by M(A_s), where w = gamma_s, and by M(B), where w = gamma_b
    descent_step          one projected step of rate beta (C2) on all metrics; centers and radii may do what they like *)
From Coq Require Import Reals Lra Lia Psatz FunctionalExtensionality List.
From Coquelicot Require Import Coquelicot.
From LMLIR Require Import Geometry Continuity Matrices Scales Classifier Extinction Spectrum.
Import ListNotations.
Open Scope R_scope.

Definition pair := (vector * vector)%type.
Definition hinge (x : R) : R := Rmax x 0.
Definition average (l : list R) : R := sum l / INR (length l).

Definition pair_distance F B As (p : pair) : R := distance F B As (fst p) (snd p).

Definition objective F alpha C (similar dissimilar : list pair) B As : R :=
  average (map (fun p => hinge (pair_distance F B As p - (1 - C))) similar)
  + average (map (fun p => hinge (1 + C - pair_distance F B As p)) dissimilar)
  + alpha * (frobenius F B + sum_over (fun A => frobenius F (metric A)) As).

Definition direction (p : pair) : vector := sub (fst p) (snd p).
Definition length_gradient F (M : matrix) (d : vector) : matrix := fun i j => d i * d j / (2 * mahalanobis F M d).
Definition is_above (a b : R) : R := if Rlt_dec b a then 1 else 0.

Definition metric_gradient F alpha C (similar dissimilar : list pair) (D w : pair -> R) M : matrix := fun i j =>
  average (map (fun p => is_above (D p) (1 - C) * (w p * length_gradient F M (direction p) i j)) similar)
  - average (map (fun p => is_above (1 + C) (D p) * (w p * length_gradient F M (direction p) i j)) dissimilar)
  + alpha * (/ frobenius F M * M i j).

Definition local_gradient F alpha C similar dissimilar B As A : matrix :=
  metric_gradient F alpha C similar dissimilar (pair_distance F B As) (fun p => share F (fst p) (snd p) A) (metric A).
Definition background_gradient F alpha C similar dissimilar B As : matrix :=
  metric_gradient F alpha C similar dissimilar (pair_distance F B As) (fun p => background_share F As (fst p) (snd p)) B.

(** ** Averages *)

Lemma average_ext {T} (f g : T -> R) l : (forall p, In p l -> f p = g p) -> average (map f l) = average (map g l).
Proof. intro E; unfold average; rewrite !map_length, (map_ext_in f g l E); reflexivity. Qed.

Lemma average_zero {T} (f : T -> R) l : (forall p, In p l -> f p = 0) -> average (map f l) = 0.
Proof.
  intro Z; rewrite (average_ext f (fun _ => 0) l Z); unfold average, sum, Rdiv.
  replace (fold_right Rplus 0 (map (fun _ => 0) l)) with 0; [ring|].
  clear; induction l as [|p l IH]; simpl; [reflexivity | rewrite <- IH; ring].
Qed.

Lemma inner_of_average {T} F (a : T -> R) (G : T -> matrix) l N :
  inner F (fun i j => average (map (fun p => a p * G p i j) l)) N = average (map (fun p => a p * inner F (G p) N) l).
Proof.
  unfold average; rewrite map_length; set (n := INR (length l)).
  transitivity (/ n * inner F (fun i j => sum (map (fun p => a p * G p i j) l)) N).
  - rewrite <- inner_times; apply inner_ext; intros i j _ _; unfold times, Rdiv; rewrite ?map_length; unfold n; ring.
  - unfold Rdiv; rewrite Rmult_comm; f_equal; clear n; induction l as [|p l IH]; simpl.
    + transitivity (inner F (times 0 N) N); [apply inner_ext; intros i j _ _; unfold times, sum; simpl; ring|].
      rewrite inner_times; unfold sum; simpl; ring.
    + transitivity (inner F (combine (times (a p) (G p)) 1 (fun i j => sum (map (fun p => a p * G p i j) l))) N);
        [apply inner_ext; intros i j _ _; unfold combine, times, sum; simpl; ring|].
      rewrite inner_linear, inner_times, IH; unfold sum; simpl; ring.
Qed.

Lemma average_derivative {T} (f : T -> R -> R) (f' : T -> R) t l : (forall p, In p l -> is_derive (f p) t (f' p)) ->
  is_derive (fun t => average (map (fun p => f p t) l)) t (average (map f' l)).
Proof.
  intro H; unfold average; rewrite map_length; set (n := INR (length l)).
  apply (is_derive_ext (fun t => / n * sum (map (fun p => f p t) l))); [intro; rewrite map_length; apply Rmult_comm|].
  replace (sum (map f' l) / n) with (/ n * sum (map f' l)) by (unfold Rdiv; ring); apply is_derive_scal; clear n.
  induction l as [|p l IH]; unfold sum; simpl; [apply @is_derive_const|].
  apply (is_derive_plus (f p) (fun t => sum (map (fun p => f p t) l))); [apply H; left; reflexivity | apply IH; intros; apply H;
    right; assumption].
Qed.

(** ** One length, and one hinge *)

Lemma inner_of_length_gradient F M d N : inner F (length_gradient F M d) N = form F N d d / (2 * mahalanobis F M d).
Proof.
  unfold inner, length_gradient, form, Rdiv; rewrite (Rmult_comm (total F _)), <- total_scale; apply total_ext; intro i.
  rewrite <- Rmult_assoc, <- total_scale; apply total_ext; intro j; ring.
Qed.

Lemma length_continuous F M N d : continuous (fun t => mahalanobis F (combine M t N) d) 0.
Proof.
  apply (continuous_ext (fun t => sqrt (form F M d d + t * form F N d d))).
  { intro t; unfold mahalanobis; rewrite form_combination; reflexivity. }
  apply (continuous_comp (fun t => form F M d d + t * form F N d d) sqrt); [|apply continuous_sqrt].
  apply (continuous_plus (fun _ => form F M d d) (fun t => t * form F N d d)); [apply continuous_const|].
  apply (continuous_mult (fun t => t) (fun _ => form F N d d)); [apply continuous_id | apply continuous_const].
Qed.

Lemma length_derivative F M N d : 0 < mahalanobis F M d ->
  is_derive (fun t => mahalanobis F (combine M t N) d) 0 (inner F (length_gradient F M d) N).
Proof.
  intro P; rewrite inner_of_length_gradient.
  assert (Q : 0 < form F M d d).
  { destruct (Rlt_le_dec 0 (form F M d d)) as [L | L]; [exact L|]; unfold mahalanobis in P; rewrite sqrt_neg_0 in P; lra. }
  apply (is_derive_ext (comp sqrt (fun t => form F M d d + t * form F N d d))).
  { intro t; unfold comp, mahalanobis; rewrite form_combination; reflexivity. }
  replace (form F N d d / (2 * mahalanobis F M d)) with (/ (2 * sqrt (form F M d d)) * form F N d d)
    by (unfold mahalanobis in *; field; lra).
  apply is_derive_Reals, derivable_pt_lim_comp.
  - intros eps He; exists (mkposreal 1 Rlt_0_1); intros h Nh _.
    match goal with |- Rabs ?q < _ => replace q with 0 by (field; exact Nh) end; rewrite Rabs_R0; exact He.
  - rewrite Rmult_0_l, Rplus_0_r; apply derivable_pt_lim_sqrt, Q.
Qed.

(** A pair is smooth for g when the metric has no share of it, or its hinge rests (D below, or above, its bound), or else its
    length under the metric is not 0 and its hinge is not on the kink. *)
Definition smooth F M w D bound (rests : R -> R -> Prop) d : Prop :=
  w = 0 \/ rests D bound \/ 0 < mahalanobis F M d /\ D <> bound.

Section Hinge.
Variables (F : nat) (M N : matrix) (c w : R) (d : vector).
Let D t := c + w * mahalanobis F (combine M t N) d.

Lemma combine_zero : combine M 0 N = M.
Proof. extensionality i; extensionality j; unfold combine; ring. Qed.

Lemma distance_continuous : continuous D 0.
Proof.
  apply (continuous_plus (fun _ => c) (fun t => w * mahalanobis F (combine M t N) d)); [apply continuous_const|].
  apply (continuous_mult (fun _ => w) (fun t => mahalanobis F (combine M t N) d));
    [apply continuous_const | apply length_continuous].
Qed.

Lemma near_below b : D 0 < b -> locally 0 (fun t => D t < b).
Proof. intro L; apply (distance_continuous (fun x => x < b)), (open_lt b), L. Qed.

Lemma near_above b : b < D 0 -> locally 0 (fun t => b < D t).
Proof. intro L; apply (distance_continuous (fun x => b < x)), (open_gt b), L. Qed.

Lemma distance_derivative : w = 0 \/ 0 < mahalanobis F M d -> is_derive D 0 (w * inner F (length_gradient F M d) N).
Proof.
  intros [W | P].
  - rewrite W, Rmult_0_l; apply (is_derive_ext (fun _ => c)); [intro; unfold D; rewrite W, Rmult_0_l, Rplus_0_r;
      reflexivity | apply @is_derive_const].
  - rewrite <- (Rplus_0_l (w * _)); apply (is_derive_plus (fun _ => c) (fun t => w * mahalanobis F (combine M t N) d));
      [apply @is_derive_const | apply is_derive_scal, length_derivative, P].
Qed.

Lemma similar_derivative bound : smooth F M w (D 0) bound Rlt d ->
  is_derive (fun t => hinge (D t - bound)) 0 (is_above (D 0) bound * (w * inner F (length_gradient F M d) N)).
Proof.
  assert (Rests : D 0 < bound -> is_derive (fun t => hinge (D t - bound)) 0 0).
  { intro L; apply (is_derive_ext_loc (fun _ => 0)); [|apply @is_derive_const].
    apply (filter_imp (fun t => D t < bound)); [|apply near_below, L]; intros t Ht; unfold hinge; rewrite Rmax_right by lra;
      reflexivity. }
  intro S; unfold is_above; destruct (Rlt_dec bound (D 0)) as [A | A].
  - rewrite Rmult_1_l; apply (is_derive_ext_loc (fun t => D t - bound)).
    { apply (filter_imp (fun t => bound < D t)); [|apply near_above, A]; intros t Ht; unfold hinge; rewrite Rmax_left by lra;
        reflexivity. }
    rewrite <- (Rminus_0_r (w * _)); apply (is_derive_minus D (fun _ => bound)); [|apply @is_derive_const].
    apply distance_derivative; destruct S as [S | [S | [S _]]]; [left; exact S | lra | right; exact S].
  - rewrite Rmult_0_l; destruct S as [S | [S | [_ S]]]; [|apply Rests, S | apply Rests; lra].
    apply (is_derive_ext (fun _ => hinge (c - bound))); [|apply @is_derive_const].
    intro t; unfold D; rewrite S, Rmult_0_l, Rplus_0_r; reflexivity.
Qed.

Lemma dissimilar_derivative bound : smooth F M w (D 0) bound Rgt d ->
  is_derive (fun t => hinge (bound - D t)) 0 (- (is_above bound (D 0) * (w * inner F (length_gradient F M d) N))).
Proof.
  assert (Rests : bound < D 0 -> is_derive (fun t => hinge (bound - D t)) 0 0).
  { intro L; apply (is_derive_ext_loc (fun _ => 0)); [|apply @is_derive_const].
    apply (filter_imp (fun t => bound < D t)); [|apply near_above, L]; intros t Ht; unfold hinge; rewrite Rmax_right by lra;
      reflexivity. }
  intro S; unfold is_above; destruct (Rlt_dec (D 0) bound) as [A | A].
  - rewrite Rmult_1_l; apply (is_derive_ext_loc (fun t => bound - D t)).
    { apply (filter_imp (fun t => D t < bound)); [|apply near_below, A]; intros t Ht; unfold hinge; rewrite Rmax_left by lra;
        reflexivity. }
    rewrite <- (Rminus_0_l (w * _)); apply (is_derive_minus (fun _ => bound) D); [apply @is_derive_const|].
    apply distance_derivative; destruct S as [S | [S | [S _]]]; [left; exact S | lra | right; exact S].
  - rewrite Rmult_0_l, Ropp_0; destruct S as [S | [S | [_ S]]]; [|apply Rests, S | apply Rests; lra].
    apply (is_derive_ext (fun _ => hinge (bound - c))); [|apply @is_derive_const].
    intro t; unfold D; rewrite S, Rmult_0_l, Rplus_0_r; reflexivity.
Qed.
End Hinge.

(** ** The gradient of g *)

(** g as a function of one metric: every distance is c p + w p times the length under it. *)
Lemma gradient_by_one_metric F alpha C similar dissimilar M N (c w : pair -> R) rest :
  let D M p := c p + w p * mahalanobis F M (direction p) in
  0 < frobenius F M ->
  (forall p, In p similar -> smooth F M (w p) (D M p) (1 - C) Rlt (direction p)) ->
  (forall p, In p dissimilar -> smooth F M (w p) (D M p) (1 + C) Rgt (direction p)) ->
  is_derive (fun t => average (map (fun p => hinge (D (combine M t N) p - (1 - C))) similar)
    + average (map (fun p => hinge (1 + C - D (combine M t N) p)) dissimilar) + alpha * (rest + frobenius F (combine M t N))) 0
    (inner F (metric_gradient F alpha C similar dissimilar (D M) w M) N).
Proof.
  intros D P S1 S2.
  set (G := fun p => times (w p) (length_gradient F M (direction p))).
  set (a := fun p => is_above (D M p) (1 - C)); set (b := fun p => is_above (1 + C) (D M p)).
  replace (inner F (metric_gradient F alpha C similar dissimilar (D M) w M) N)
    with (average (map (fun p => a p * inner F (G p) N) similar)
          + average (map (fun p => - (b p * inner F (G p) N)) dissimilar) + alpha * inner F (times (/ frobenius F M) M) N).
  - apply (is_derive_plus (fun t => average (map (fun p => hinge (D (combine M t N) p - (1 - C))) similar)
      + average (map (fun p => hinge (1 + C - D (combine M t N) p)) dissimilar)) (fun t => alpha * (rest
          + frobenius F (combine M t N)))).
    + apply (is_derive_plus (fun t => average (map (fun p => hinge (D (combine M t N) p - (1 - C))) similar))
        (fun t => average (map (fun p => hinge (1 + C - D (combine M t N) p)) dissimilar))).
      * apply (average_derivative (fun p t => hinge (D (combine M t N) p - (1 - C)))); intros p I; unfold G;
          rewrite inner_times.
        pose proof (similar_derivative F M N (c p) (w p) (direction p) (1 - C)) as H; cbv beta in H; rewrite combine_zero in H;
          apply H, S1, I.
      * apply (average_derivative (fun p t => hinge (1 + C - D (combine M t N) p))); intros p I; unfold G; rewrite inner_times.
        pose proof (dissimilar_derivative F M N (c p) (w p) (direction p) (1 + C)) as H; cbv beta in H;
          rewrite combine_zero in H; apply H, S2, I.
    + apply is_derive_scal; rewrite <- (Rplus_0_l (inner F _ N)).
      apply (is_derive_plus (fun _ => rest) (fun t => frobenius F (combine M t N))); [apply @is_derive_const|].
      apply is_derive_Reals, frobenius_gradient, P.
  - transitivity (inner F (combine (combine (fun i j => average (map (fun p => a p * G p i j) similar)) (-1)
      (fun i j => average (map (fun p => b p * G p i j) dissimilar))) alpha (times (/ frobenius F M) M)) N).
    + rewrite !inner_linear, !inner_of_average; f_equal; f_equal.
      unfold average; rewrite !map_length; unfold Rdiv; rewrite <- Rmult_assoc; f_equal; clear.
      induction dissimilar as [|p l IH]; unfold sum in *; simpl; [ring | rewrite IH; ring].
    + apply inner_ext; [|intros i j _ _; reflexivity].
      intros i j _ _; unfold combine, metric_gradient, G, times, a, b; ring.
Qed.

Lemma sum_over_append f l l' : sum_over f (l ++ l') = sum_over f l + sum_over f l'.
Proof. induction l as [|A l IH]; simpl; [ring | rewrite IH; ring]. Qed.

(** D as a function of one local metric: what it is for the metric 0, and gamma_s times the length. *)
Lemma distance_by_local_metric F B before o r M after x y :
  distance F B (before ++ Region o r M :: after) x y
  = distance F B (before ++ Region o r (scaled_identity 0) :: after) x y + gamma F x y o r * mahalanobis F M (sub x y).
Proof.
  unfold distance, distance_with, weighted_lengths, background_share; rewrite !sum_over_append; simpl.
  change (share F x y (Region o r M)) with (gamma F x y o r); change (share F x y (Region o r (scaled_identity 0)))
    with (gamma F x y o r).
  rewrite mahalanobis_of_identity, sqrt_0 by lra; ring.
Qed.

Lemma distance_by_background_metric F B As x y :
  distance F B As x y = distance F (scaled_identity 0) As x y + background_share F As x y * mahalanobis F B (sub x y).
Proof. unfold distance, distance_with, weighted_lengths; rewrite mahalanobis_of_identity, sqrt_0 by lra; ring. Qed.

(** Section 5.2, gradient of g; Section 5.2, dD/dM(A_s): the derivative of g along every change N of a local metric is the
    inner product of N with [local_gradient], whose dissimilar pairs have a minus (E2), where M(A_s) is not 0 and every pair
    is smooth. *)
Theorem gradient_by_a_local_metric F alpha C similar dissimilar B before o r M after N :
  let As M := before ++ Region o r M :: after in
  let D := pair_distance F B (As M) in
  0 < frobenius F M ->
  (forall p, In p similar -> smooth F M (gamma F (fst p) (snd p) o r) (D p) (1 - C) Rlt (direction p)) ->
  (forall p, In p dissimilar -> smooth F M (gamma F (fst p) (snd p) o r) (D p) (1 + C) Rgt (direction p)) ->
  derivable_pt_lim (fun t => objective F alpha C similar dissimilar B (As (combine M t N))) 0
    (inner F (local_gradient F alpha C similar dissimilar B (As M) (Region o r M)) N).
Proof.
  intros As D P S1 S2; apply is_derive_Reals.
  set (c := fun p => pair_distance F B (As (scaled_identity 0)) p); set (w := fun p : pair => gamma F (fst p) (snd p) o r).
  assert (E : forall M', pair_distance F B (As M') = fun p => c p + w p * mahalanobis F M' (direction p)).
  { intro M'; extensionality p; apply distance_by_local_metric. }
  pose proof (gradient_by_one_metric F alpha C similar dissimilar M N c w
    (frobenius F B + sum_over (fun A => frobenius F (metric A)) before + sum_over (fun A => frobenius F (metric A)) after))
      as H.
  cbv zeta in H; unfold D in S1, S2; rewrite E in S1, S2; specialize (H P S1 S2).
  unfold local_gradient; rewrite E; eapply is_derive_ext; [|exact H].
  intro t; unfold objective; rewrite E; unfold As; rewrite sum_over_append; simpl; f_equal; f_equal; apply eq_sym;
    ring_simplify; reflexivity.
Qed.

(** Section 5.2, gradient of g; Section 5.2, dD/dM(B): the same for the background metric. *)
Theorem gradient_by_the_background_metric F alpha C similar dissimilar B As N :
  let D := pair_distance F B As in
  0 < frobenius F B ->
  (forall p, In p similar -> smooth F B (background_share F As (fst p) (snd p)) (D p) (1 - C) Rlt (direction p)) ->
  (forall p, In p dissimilar -> smooth F B (background_share F As (fst p) (snd p)) (D p) (1 + C) Rgt (direction p)) ->
  derivable_pt_lim (fun t => objective F alpha C similar dissimilar (combine B t N) As) 0
    (inner F (background_gradient F alpha C similar dissimilar B As) N).
Proof.
  intros D P S1 S2; apply is_derive_Reals.
  set (c := fun p => pair_distance F (scaled_identity 0) As p);
    set (w := fun p : pair => background_share F As (fst p) (snd p)).
  assert (E : forall M, pair_distance F M As = fun p => c p + w p * mahalanobis F M (direction p)).
  { intro M; extensionality p; apply distance_by_background_metric. }
  pose proof (gradient_by_one_metric F alpha C similar dissimilar B N c w (sum_over (fun A => frobenius F (metric A)) As)) as H.
  cbv zeta in H; unfold D in S1, S2; rewrite E in S1, S2; specialize (H P S1 S2).
  unfold background_gradient; rewrite E; eapply is_derive_ext; [|exact H].
  intro t; unfold objective; rewrite E, (Rplus_comm (frobenius F (combine B t N))); reflexivity.
Qed.

(** ** A metric that no active pair meets *)

(** Every pair with an active hinge has share 0. *)
Definition unmet C (similar dissimilar : list pair) (D w : pair -> R) : Prop :=
  (forall p, In p similar -> 1 - C < D p -> w p = 0) /\ (forall p, In p dissimilar -> D p < 1 + C -> w p = 0).

Lemma unmet_gradient F alpha C similar dissimilar D w M : unmet C similar dissimilar D w ->
  metric_gradient F alpha C similar dissimilar D w M = times alpha (times (/ frobenius F M) M).
Proof.
  intros [U1 U2]; extensionality i; extensionality j; unfold metric_gradient, times.
  rewrite !average_zero; [ring | |]; intros p I; unfold is_above; destruct Rlt_dec as [A | A]; try ring;
    [rewrite (U2 p I A) | rewrite (U1 p I A)]; ring.
Qed.

(** Theorem E; Section 5.2, gradient of g: by a local metric that no active pair meets, the gradient is the shrinkage alone. *)
Theorem unmet_local_gradient F alpha C similar dissimilar B As A :
  unmet C similar dissimilar (pair_distance F B As) (fun p => share F (fst p) (snd p) A) ->
  local_gradient F alpha C similar dissimilar B As A = times alpha (times (/ frobenius F (metric A)) (metric A)).
Proof. apply unmet_gradient. Qed.

(** Theorem E; Section 5.2, gradient of g: the same for the background metric, where all active pairs have gamma_b = 0. *)
Theorem unmet_background_gradient F alpha C similar dissimilar B As :
  unmet C similar dissimilar (pair_distance F B As) (fun p => background_share F As (fst p) (snd p)) ->
  background_gradient F alpha C similar dissimilar B As = times alpha (times (/ frobenius F B) B).
Proof. apply unmet_gradient. Qed.

(** Theorem E; Section 5.2, objective g: along every change N of a local metric that no active pair meets, and no pair on the
    kink of its hinge, the derivative of g is that of the penalty alone. *)
Theorem objective_feels_only_the_penalty F alpha C similar dissimilar B before o r M after N :
  let As M := before ++ Region o r M :: after in
  let D := pair_distance F B (As M) in
  0 < frobenius F M ->
  (forall p, In p similar -> gamma F (fst p) (snd p) o r = 0 \/ D p < 1 - C) ->
  (forall p, In p dissimilar -> gamma F (fst p) (snd p) o r = 0 \/ D p > 1 + C) ->
  derivable_pt_lim (fun t => objective F alpha C similar dissimilar B (As (combine M t N))) 0
    (alpha * inner F (times (/ frobenius F M) M) N).
Proof.
  intros As D P S1 S2; rewrite <- inner_times.
  assert (U : unmet C similar dissimilar D (fun p => share F (fst p) (snd p) (Region o r M))).
  { split; intros p I A; [destruct (S1 p I) as [G | G] | destruct (S2 p I) as [G | G]]; try exact G; exfalso; lra. }
  pose proof (unmet_local_gradient F alpha C similar dissimilar B (As M) (Region o r M) U) as E.
  change (metric (Region o r M)) with M in E; rewrite <- E.
  apply gradient_by_a_local_metric; [exact P | |]; intros p I; [destruct (S1 p I) | destruct (S2 p I)]; unfold smooth; auto.
Qed.

(** ** The descent *)

Definition descended F beta (M slope M' : matrix) : Prop := nearest_psd F (combine M (- beta) slope) M'.

Definition descent_step F alpha beta C similar dissimilar (B : matrix) As (B' : matrix) As' : Prop :=
  Forall2 (fun A A' => descended F beta (metric A) (local_gradient F alpha C similar dissimilar B As A) (metric A')) As As'
  /\ descended F beta B (background_gradient F alpha C similar dissimilar B As) B'.

Lemma metric_gradient_symmetric F alpha C similar dissimilar D w M : symmetric F M ->
  symmetric F (metric_gradient F alpha C similar dissimilar D w M).
Proof.
  intros Sy i j Hi Hj; unfold metric_gradient; rewrite (Sy i j Hi Hj); f_equal; f_equal; apply average_ext; intros p _;
    unfold length_gradient; do 2 f_equal; unfold Rdiv; ring.
Qed.

Lemma descended_exists F alpha beta C similar dissimilar D w M : positive_semidefinite F M ->
  exists M', descended F beta M (metric_gradient F alpha C similar dissimilar D w M) M'.
Proof.
  intro HM; set (G := metric_gradient F alpha C similar dissimilar D w M).
  destruct (nearest_metric_exists F (combine M (- beta) G)) as (l & _ & _ & X).
  - pose proof (metric_gradient_symmetric F alpha C similar dissimilar D w M (proj1 HM)) as SG.
    intros i j Hi Hj; unfold combine; rewrite (proj1 HM i j Hi Hj); unfold G; rewrite (SG i j Hi Hj); reflexivity.
  - exists (spectrum (clipped l)); apply X; intros i j _ _; reflexivity.
Qed.

(** Section 5.2, gradient descent: there is a step from all metrics (C2). *)
Theorem descent_step_exists F alpha beta C similar dissimilar B As : positive_semidefinite F B ->
  (forall A, In A As -> positive_semidefinite F (metric A)) ->
  exists B' As', descent_step F alpha beta C similar dissimilar B As B' As'.
Proof.
  intros HB HA; destruct (descended_exists F alpha beta C similar dissimilar (pair_distance F B As)
    (fun p => background_share F As (fst p) (snd p)) B HB) as (B' & X).
  assert (Y : forall l, (forall A, In A l -> positive_semidefinite F (metric A)) -> exists l', Forall2 (fun A A' =>
    descended F beta (metric A) (local_gradient F alpha C similar dissimilar B As A) (metric A')) l l').
  { induction l as [|A l IH]; intro H; [exists nil; constructor|].
    destruct IH as (l' & Hl); [intros; apply H; right; assumption|].
    destruct (descended_exists F alpha beta C similar dissimilar (pair_distance F B As)
      (fun p => share F (fst p) (snd p) A) (metric A) (H A (or_introl eq_refl))) as (M' & HM').
    exists (Region (center A) (radius A) M' :: l'); constructor; [exact HM' | exact Hl]. }
  destruct (Y As HA) as (As' & HAs); exists B', As'; split; [exact HAs | exact X].
Qed.

Lemma nearest_ext F N N' P : equal F N N' -> nearest_psd F N P -> nearest_psd F N' P.
Proof.
  intros E [H L]; split; [exact H | intros Q HQ].
  assert (X : forall R, frobenius F (combine N' (-1) R) = frobenius F (combine N (-1) R)).
  { intro R; apply frobenius_ext; intros i j Hi Hj; unfold combine; rewrite E by assumption; reflexivity. }
  rewrite !X; apply L, HQ.
Qed.

Lemma unmet_step F alpha beta C similar dissimilar D w M M' : unmet C similar dissimilar D w ->
  descended F beta M (metric_gradient F alpha C similar dissimilar D w M) M' -> penalty_step F alpha beta M M'.
Proof.
  intros U H; rewrite (unmet_gradient F alpha C similar dissimilar D w M U) in H;
    apply (nearest_ext F _ _ M' (fun i j _ _ => eq_refl _)) in H.
  unfold penalty_step; eapply nearest_ext; [|exact H]; intros i j _ _; unfold combine, times; ring.
Qed.

(** A metric that is 0 stays 0, whatever the pairs do: its lengths are 0, where their gradient is taken as 0 (C14). *)
Lemma zero_stays F alpha beta C similar dissimilar D w M M' : equal F M (fun _ _ => 0) ->
  descended F beta M (metric_gradient F alpha C similar dissimilar D w M) M' -> equal F M' (fun _ _ => 0).
Proof.
  intros Z H.
  assert (L : forall d, mahalanobis F M d = 0).
  { intro d; unfold mahalanobis; rewrite <- sqrt_0; f_equal; unfold form.
    rewrite (total_ext_below F _ (fun _ => 0 * 0)), total_scale; [ring|].
    intros i Hi; rewrite (total_ext_below F _ (fun j => 0 * d j)), total_scale; [ring|].
    intros j Hj; rewrite Z by assumption; reflexivity. }
  assert (G : equal F (combine M (- beta) (metric_gradient F alpha C similar dissimilar D w M)) (times 0 (scaled_identity 0))).
  { intros i j Hi Hj; unfold combine, metric_gradient, length_gradient, times; rewrite (Z i j Hi Hj).
    rewrite !average_zero; [ring | |]; intros p _; rewrite L, Rmult_0_r; unfold Rdiv; rewrite Rinv_0; ring. }
  apply (nearest_ext F _ _ M' G) in H; apply (nearest_to_a_multiple F 0 (scaled_identity 0) M' (identity_psd F 0 ltac:(lra)))
    in H.
  intros i j Hi Hj; rewrite H by assumption; unfold times; rewrite Rmax_left by lra; ring.
Qed.

(** Any metric along a descent; the pairs may change from step to step. *)
Lemma metric_dies F alpha beta C (similar dissimilar : nat -> list pair) (D w : nat -> pair -> R) (M : nat -> matrix) n :
  0 <= alpha * beta -> positive_semidefinite F (M O) ->
  (forall k, descended F beta (M k) (metric_gradient F alpha C (similar k) (dissimilar k) (D k) (w k) (M k)) (M (S k))) ->
  (forall k, (k < n)%nat -> unmet C (similar k) (dissimilar k) (D k) (w k)) ->
  frobenius F (M n) = Rmax (frobenius F (M O) - INR n * (alpha * beta)) 0 /\
  (frobenius F (M O) <= INR n * (alpha * beta) -> forall k, (n <= k)%nat -> equal F (M k) (fun _ _ => 0)).
Proof.
  intros Pab H0 St U.
  assert (PS : forall j, (j < n)%nat -> penalty_step F alpha beta (M j) (M (S j)))
    by (intros j Hj; apply (unmet_step F alpha beta C (similar j) (dissimilar j) (D j) (w j)); auto).
  split; [apply (extinction F alpha beta M n Pab H0 PS)|].
  intros L k Hk; induction Hk as [|k Hk IH]; [apply (dead_after F alpha beta M n Pab H0 PS L)|].
  apply (zero_stays F alpha beta C (similar k) (dissimilar k) (D k) (w k) (M k)); auto.
Qed.

Section Run.
Variables (F : nat) (alpha beta C : R) (similar dissimilar : nat -> list pair) (B : nat -> matrix) (As : nat -> list region).
Hypothesis steps : forall k, descent_step F alpha beta C (similar k) (dissimilar k) (B k) (As k) (B (S k)) (As (S k)).
Let numbered s k := nth s (As k) (Region (fun _ => 0) 0 (scaled_identity 0)).

Lemma same_number k : length (As k) = length (As O).
Proof.
  induction k as [|k IH]; [reflexivity | rewrite <- IH; symmetry; pose proof (proj1 (steps k)) as H].
  clear - H; induction H; simpl; [reflexivity | rewrite IHForall2; reflexivity].
Qed.

Lemma step_of_a_region s k : (s < length (As O))%nat ->
  descended F beta (metric (numbered s k))
    (local_gradient F alpha C (similar k) (dissimilar k) (B k) (As k) (numbered s k)) (metric (numbered s (S k))).
Proof.
  rewrite <- (same_number k); unfold numbered; pose proof (proj1 (steps k)) as H.
  set (G := local_gradient F alpha C (similar k) (dissimilar k) (B k) (As k)) in *; clearbody G.
  revert s; induction H as [|A A' l l' HA H IH]; intros [|s] L; simpl in *; try lia; [exact HA | apply IH; lia].
Qed.

(** Theorem E: in the descent on g, a local metric that no active pair meets in the first n steps has the norm
    max(||M||_F - n alpha beta, 0) after them; and if that is 0 it is 0 for ever after, whatever pairs meet it then. *)
Theorem regions_die s n : 0 <= alpha * beta -> (s < length (As O))%nat -> positive_semidefinite F (metric (numbered s O)) ->
  (forall k, (k < n)%nat -> unmet C (similar k) (dissimilar k) (pair_distance F (B k) (As k))
                              (fun p => share F (fst p) (snd p) (numbered s k))) ->
  frobenius F (metric (numbered s n)) = Rmax (frobenius F (metric (numbered s O)) - INR n * (alpha * beta)) 0 /\
  (frobenius F (metric (numbered s O)) <= INR n * (alpha * beta) ->
   forall k, (n <= k)%nat -> equal F (metric (numbered s k)) (fun _ _ => 0)).
Proof.
  intros Pab Hs H0 U; apply (metric_dies F alpha beta C similar dissimilar (fun k => pair_distance F (B k) (As k))
    (fun k p => share F (fst p) (snd p) (numbered s k)) (fun k => metric (numbered s k)) n Pab H0); [|exact U].
  intro k; apply step_of_a_region, Hs.
Qed.

(** Theorem E: the same for the background metric, where every active pair has gamma_b = 0. *)
Theorem background_dies n : 0 <= alpha * beta -> positive_semidefinite F (B O) ->
  (forall k, (k < n)%nat -> unmet C (similar k) (dissimilar k) (pair_distance F (B k) (As k))
                              (fun p => background_share F (As k) (fst p) (snd p))) ->
  frobenius F (B n) = Rmax (frobenius F (B O) - INR n * (alpha * beta)) 0 /\
  (frobenius F (B O) <= INR n * (alpha * beta) -> forall k, (n <= k)%nat -> equal F (B k) (fun _ _ => 0)).
Proof.
  intros Pab H0 U; apply (metric_dies F alpha beta C similar dissimilar (fun k => pair_distance F (B k) (As k))
    (fun k p => background_share F (As k) (fst p) (snd p)) B n Pab H0); [|exact U].
  intro k; apply steps.
Qed.
End Run.

(** ** Stacked balls *)

(** Equation (12); Equation (9): n equal balls, each with the metric M / n^2, are as long together as one ball with M, at 1/n of
    its penalty. *)
Theorem stacked_balls_are_cheaper F o r M n x y : positive_semidefinite F M -> (1 <= n)%nat ->
  let As := repeat (Region o r (times (/ (INR n * INR n)) M)) n in
  sum_over (fun A => share F x y A * mahalanobis F (metric A) (sub x y)) As = gamma F x y o r * mahalanobis F M (sub x y) /\
  sum_over (fun A => frobenius F (metric A)) As = frobenius F M / INR n.
Proof.
  intros HM Hn As; assert (Pn : 0 < INR n) by (apply lt_0_INR; lia).
  assert (Pq : 0 < / (INR n * INR n)) by (apply Rinv_0_lt_compat, Rmult_lt_0_compat; exact Pn).
  assert (S : forall (f : region -> R) A k, sum_over f (repeat A k) = INR k * f A).
  { intros f A k; induction k as [|k IH]; [simpl; ring | cbn [repeat sum_over fold_right]; rewrite S_INR; unfold sum_over in IH;
      rewrite IH; ring]. }
  assert (E : forall u, form F (times (/ (INR n * INR n)) M) u u = / (INR n * INR n) * form F M u u).
  { intro u; unfold form, times; rewrite <- total_scale; apply total_ext; intro i.
    rewrite (total_ext F _ (fun j => / (INR n * INR n) * (M i j * u j))) by (intro; ring); rewrite total_scale; ring. }
  unfold As; rewrite !S; simpl; split.
  - change (share F x y (Region o r _)) with (gamma F x y o r); unfold mahalanobis; rewrite E.
    rewrite sqrt_mult by (try apply HM; lra).
    replace (sqrt (/ (INR n * INR n))) with (/ INR n); [field; lra|].
    replace (/ (INR n * INR n)) with (/ INR n * / INR n) by (field; lra); symmetry; apply sqrt_square; left;
      apply Rinv_0_lt_compat, Pn.
  - rewrite frobenius_times, Rabs_pos_eq by lra; field; lra.
Qed.
