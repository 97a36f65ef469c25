(** Propositions 1 to 4 of the paper, and what D is and is not: symmetric, non-negative, definite, but no metric.

    lambda_p, lambda_q    the coefficients clipped to the segment, section 3.1, step 2
    lipschitz F L f       |f(x) - f(y)| <= L |x - y| for all x, y: Lip(f) <= L, Definition 9
    sum_k_max l K         the sum of the K largest of a list
    positive_definite     a metric that is 0 only at 0 *)
From Coq Require Import Reals Lra Lia Psatz FunctionalExtensionality List Permutation.
From LMLIR Require Import Geometry Continuity Matrices Scales Classifier Refuted Integral Exact Hull.
Import ListNotations.
Open Scope R_scope.

(** ** The length of an intersection *)

Definition lambda_p F x_i x_j o r : R := Rmin (Rmax (lambda_u F x_i x_j o r) 0) 1.
Definition lambda_q F x_i x_j o r : R := Rmin (Rmax (lambda_v F x_i x_j o r) 0) 1.

Lemma roots_in_order F x_i x_j o r : 0 < norm F (sub x_j x_i) -> lambda_u F x_i x_j o r <= lambda_v F x_i x_j o r.
Proof.
  intro P; apply a_positive in P; pose proof (width F x_i x_j o r P) as W.
  assert (0 <= sqrt (discriminant F x_i x_j o r) / quadratic_a F x_i x_j); [|lra].
  apply Rmult_le_pos; [apply sqrt_pos | left; apply Rinv_0_lt_compat, P].
Qed.

(** Definition 8; Section 3.1, step 2: the one-line gamma is lambda_q - lambda_p. *)
Lemma gamma_is_q_minus_p F x_i x_j o r : 0 < norm F (sub x_j x_i) ->
  gamma F x_i x_j o r = lambda_q F x_i x_j o r - lambda_p F x_i x_j o r.
Proof.
  intro P; pose proof (roots_in_order F x_i x_j o r P); unfold gamma, lambda_p, lambda_q.
  unfold Rmax, Rmin; repeat destruct Rle_dec; lra.
Qed.

(** Proposition 1; Equation (6): the part of the segment in the ball is the segment pq, or there is none and gamma = 0; and
    under every metric the length of pq is gamma times that of the whole. *)
Theorem length_of_an_intersection F M x_i x_j o r : positive_semidefinite F M -> 0 <= r -> 0 < norm F (sub x_j x_i) ->
  let p := lambda_p F x_i x_j o r in
  let q := lambda_q F x_i x_j o r in
  mahalanobis F M (sub (point_on_line x_i x_j q) (point_on_line x_i x_j p))
    = gamma F x_i x_j o r * mahalanobis F M (sub x_i x_j)
  /\ ((forall t, 0 <= t <= 1 -> (norm F (sub (point_on_line x_i x_j t) o) <= r <-> p <= t <= q))
      \/ (gamma F x_i x_j o r = 0 /\ forall t, 0 <= t <= 1 -> ~ norm F (sub (point_on_line x_i x_j t) o) <= r)).
Proof.
  intros PM Pr P p q; pose proof (gamma_is_q_minus_p F x_i x_j o r P) as G; fold p q in G; split.
  - replace (sub (point_on_line x_i x_j q) (point_on_line x_i x_j p)) with (fun i => (q - p) * sub x_j x_i i)
      by (extensionality i; unfold sub, point_on_line; ring).
    unfold mahalanobis; rewrite (seminorm_scale (form F M) (form_semi_inner F M PM)), <- G.
    rewrite (seminorm_sub_swap (form F M) (form_semi_inner F M PM) x_j), Rabs_pos_eq by apply gamma_range; reflexivity.
  - pose proof (fun t => in_ball_iff F x_i x_j o r t Pr P) as I; pose proof (roots_in_order F x_i x_j o r P) as O.
    unfold p, q, lambda_p, lambda_q, gamma in *; set (u := lambda_u F x_i x_j o r) in *; set (v := lambda_v F x_i x_j o r) in *.
    destruct (gamma_is_the_length_inside F x_i x_j o r Pr P) as [(a & b & Ha & Hab & Hb & _ & J) | N]; [left | right; exact N].
    assert (A : norm F (sub (point_on_line x_i x_j a) o) <= r) by (apply J; lra); apply I in A.
    intros t T; rewrite I; unfold Rmax, Rmin; repeat destruct Rle_dec; intuition lra.
Qed.

(** ** Balls that do not overlap *)

(** Proposition 2; Equation (8): for disjoint balls both kinds of D are (1 - sum gamma_s) D_M(B) + sum gamma_s D_M(A_s). *)
Theorem distance_without_overlap F B As x_i x_j : 0 < norm F (sub x_j x_i) -> (forall A, In A As -> 0 <= radius A) ->
  disjoint F As ->
  let D := (1 - sum_over (share F x_i x_j) As) * mahalanobis F B (sub x_i x_j)
           + sum_over (fun A => share F x_i x_j A * mahalanobis F (metric A) (sub x_i x_j)) As in
  0 <= 1 - sum_over (share F x_i x_j) As /\ exact_distance F B As x_i x_j = D /\ distance F B As x_i x_j = D.
Proof.
  intros P PA HD D; pose proof (disjoint_shares F x_i x_j As P PA HD) as S.
  assert (E : distance F B As x_i x_j = D)
    by (unfold distance, distance_with, weighted_lengths, background_share, D; rewrite Rmax_left by lra; reflexivity).
  split; [lra | split; [|exact E]]; rewrite <- E; unfold exact_distance, distance.
  rewrite (exact_is_approximate F x_i x_j As P PA HD); reflexivity.
Qed.

(** Section 3.2, gamma_b: the error 1 - 1/S of the approximation is reached by S equal balls that take 1/S of the segment
    each (E14). *)
Theorem error_of_the_approximation_is_reached F M n : (1 <= F)%nat -> (1 <= n)%nat ->
  let As := repeat (Region (line (1 / 2)) (1 / 2) M) n in
  exact_background_share F As (line 0) (line (INR n)) - background_share F As (line 0) (line (INR n)) = 1 - / INR n.
Proof.
  intros HF Hn As; set (N := INR n); assert (PN : 1 <= N) by (apply (le_INR 1), Hn); set (A := Region (line (1 / 2)) (1 / 2) M).
  assert (P : 0 < norm F (sub (line N) (line 0))).
  { unfold norm; rewrite sub_line, dot_line by exact HF; apply sqrt_lt_R0; nra. }
  assert (G : share F (line 0) (line N) A = / N).
  { unfold share, gamma, lambda_u, lambda_v, discriminant, quadratic_a, quadratic_b, quadratic_c; simpl.
    rewrite !sub_line, !dot_line by exact HF.
    match goal with |- context [sqrt ?d] => replace d with (N * N) by field end; rewrite sqrt_square by lra.
    match goal with |- context [Rmin 1 ?q] => replace q with (/ N) by (field; lra) end.
    match goal with |- context [Rmax 0 (?q / ?d)] => replace (q / d) with 0 by (field; lra) end.
    assert (0 < / N <= 1) by (split; [apply Rinv_0_lt_compat; lra | rewrite <- Rinv_1; apply Rinv_le_contravar; lra]).
    rewrite (Rmax_left 0 0), Rmin_right, Rmax_right by lra; ring. }
  assert (B : background_share F As (line 0) (line N) = 0).
  { unfold background_share; rewrite (sum_ext _ (fun _ => / N)), sum_constant.
    - unfold As; rewrite repeat_length; fold N; rewrite Rinv_r, Rmax_right by lra; reflexivity.
    - intros C I; apply repeat_spec in I; rewrite I; exact G. }
  assert (PA : forall C, In C [A] -> 0 <= radius C) by (intros C [<- | []]; simpl; lra).
  assert (U : exact_background_share F As (line 0) (line N) = exact_background_share F [A] (line 0) (line N)).
  { assert (Rep : forall k x z t, uncovered F x z (repeat A (S k)) t = uncovered F x z [A] t).
    { intros k x z t; induction k as [|k IH]; [reflexivity|]; change (repeat A (S (S k))) with (A :: repeat A (S k)).
      cbn [uncovered fold_right] in *; unfold uncovered in *; cbn [fold_right] in *; rewrite IH.
      destruct (inside_cases F x z A t) as [E | E]; rewrite E; ring. }
    destruct n as [|k]; [lia|]; apply integral_ext; intros t _; apply Rep. }
  rewrite U, B, exact_is_approximate; [|exact P | exact PA | apply pairwise_disjoint; repeat constructor].
  unfold background_share; simpl; rewrite G; assert (/ N <= 1) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
  rewrite Rmax_left by lra; ring.
Qed.

(** ** Lipschitz constants *)

Definition lipschitz F (L : R) (f : vector -> R) : Prop := forall x y, Rabs (f x - f y) <= L * norm F (sub x y).

(** Proposition 3: Lipschitz constants of a sum, a difference and a multiple. *)
Theorem lipschitz_constants_of_sums_and_multiples F f g L_f L_g a : lipschitz F L_f f -> lipschitz F L_g g ->
  lipschitz F (L_f + L_g) (fun x => f x + g x) /\ lipschitz F (L_f + L_g) (fun x => f x - g x) /\
  lipschitz F (Rabs a * L_f) (fun x => a * f x).
Proof.
  intros Hf Hg; repeat split; intros x y; specialize (Hf x y); specialize (Hg x y); rewrite ?Rmult_plus_distr_r.
  - replace (f x + g x - (f y + g y)) with ((f x - f y) + (g x - g y)) by ring.
    eapply Rle_trans; [apply Rabs_triang | lra].
  - replace (f x - g x - (f y - g y)) with ((f x - f y) + - (g x - g y)) by ring.
    eapply Rle_trans; [apply Rabs_triang | rewrite Rabs_Ropp; lra].
  - replace (a * f x - a * f y) with (a * (f x - f y)) by ring; rewrite Rabs_mult, Rmult_assoc.
    apply Rmult_le_compat_l; [apply Rabs_pos | exact Hf].
Qed.

Lemma sum_k_min_of_lists l l' K w : 0 <= w -> Forall2 (fun a b => a <= b + w) l l' ->
  sum_k_min l K <= sum_k_min l' K + INR K * w.
Proof.
  intros P H; eapply Rle_trans; [|apply sum_shift, P].
  unfold sum_k_min; rewrite <- sort_shift; apply sum_monotone, sort_monotone.
  induction H; simpl; constructor; assumption.
Qed.

(** Proposition 4: the sum of the K smallest of any number of functions has the constant K L. *)
Theorem sum_of_the_smallest_is_lipschitz F (fs : list (vector -> R)) K L : (forall f, In f fs -> lipschitz F L f) -> 0 <= L ->
  lipschitz F (INR K * L) (fun x => sum_k_min (map (fun f => f x) fs) K).
Proof.
  intros H PL; assert (S : forall x y, sum_k_min (map (fun f => f x) fs) K
                          <= sum_k_min (map (fun f => f y) fs) K + INR K * (L * norm F (sub x y))).
  { intros x y; apply sum_k_min_of_lists; [apply Rmult_le_pos; [exact PL | apply sqrt_pos]|].
    induction fs as [|f fs IH]; simpl; constructor; [|apply IH; intros; apply H; right; assumption].
    specialize (H f (or_introl eq_refl) x y); pose proof (Rle_abs (f x - f y)); lra. }
  intros x y; pose proof (S x y) as A; pose proof (S y x) as C; rewrite (norm_swap F y x) in C.
  rewrite Rmult_assoc; apply Rabs_le; lra.
Qed.

(** ** With a constant for each function *)

Definition sum_k_max (l : list R) (K : nat) : R := - sum_k_min (map Ropp l) K.

Lemma insert_first a l K : sum (firstn (S K) (insert a l)) <= a + sum (firstn K l).
Proof.
  revert K; induction l as [|b l IH]; intro K; simpl insert; [destruct K; unfold sum; simpl; lra|].
  destruct (Rle_dec a b) as [H | H]; [unfold sum; simpl; lra|].
  destruct K as [|K]; [unfold sum; simpl; lra|]; specialize (IH K).
  change (b + sum (firstn (S K) (insert a l)) <= a + (b + sum (firstn K l))); lra.
Qed.

Lemma sum_k_min_least l K : sum_k_min l K <= sum (firstn K l).
Proof.
  unfold sum_k_min; revert K; induction l as [|a l IH]; intros [|K]; try (simpl; lra).
  change (sum (firstn (S K) (insert a (sort l))) <= a + sum (firstn K l)).
  eapply Rle_trans; [apply insert_first | specialize (IH K); lra].
Qed.

Lemma insert_commutes a b l : insert a (insert b l) = insert b (insert a l).
Proof.
  induction l as [|c l IH]; simpl.
  - destruct (Rle_dec a b); destruct (Rle_dec b a); try reflexivity; [assert (a = b) by lra; subst; reflexivity | lra].
  - destruct (Rle_dec b c) as [B | B]; destruct (Rle_dec a c) as [A | A]; simpl;
      destruct (Rle_dec a b); destruct (Rle_dec b a); destruct (Rle_dec a c); destruct (Rle_dec b c); try lra; try reflexivity;
      try (assert (a = b) by lra; subst; reflexivity); rewrite ?IH; reflexivity.
Qed.

Lemma sort_permuted l l' : Permutation l l' -> sort l = sort l'.
Proof.
  induction 1 as [|a l l' _ IH | a b l | l m n _ IH1 _ IH2]; simpl; [reflexivity | rewrite IH;
    reflexivity | apply insert_commutes |].
  rewrite IH1; exact IH2.
Qed.

Lemma sort_selects {T} (f : T -> R) X : exists Y, Permutation X Y /\ map f Y = sort (map f X).
Proof.
  induction X as [|x X (Y & P & E)]; [exists nil; split; [constructor | reflexivity]|].
  simpl; rewrite <- E; assert (I : exists Z, Permutation (x :: Y) Z /\ map f Z = insert (f x) (map f Y)).
  { clear; induction Y as [|y Y (Z & P & E)]; simpl; [exists [x]; split; [apply Permutation_refl | reflexivity]|].
    destruct Rle_dec; [exists (x :: y :: Y); split; [apply Permutation_refl | reflexivity]|].
    exists (y :: Z); split; [eapply perm_trans; [apply perm_swap | constructor; exact P] | simpl; rewrite E; reflexivity]. }
  destruct I as (Z & Q & EZ); exists Z; split; [eapply perm_trans; [constructor; exact P | exact Q] | exact EZ].
Qed.

Lemma sum_of_firsts {T} (f g w : T -> R) c X K : (forall t, In t X -> f t <= g t + c * w t) ->
  sum (firstn K (map f X)) <= sum (firstn K (map g X)) + c * sum (firstn K (map w X)).
Proof.
  revert K; induction X as [|t X IH]; intros [|K] H; simpl; try lra.
  specialize (IH K (fun t I => H t (or_intror I))); specialize (H t (or_introl eq_refl)); lra.
Qed.

Lemma sum_k_min_with_weights {T} (f g w : T -> R) c X K : 0 <= c -> (forall t, In t X -> f t <= g t + c * w t) ->
  sum_k_min (map f X) K <= sum_k_min (map g X) K + c * sum_k_max (map w X) K.
Proof.
  intros Pc H; destruct (sort_selects g X) as (Y & P & E).
  assert (S : forall h : T -> R, sum_k_min (map h X) K <= sum (firstn K (map h Y))).
  { intro h; unfold sum_k_min; rewrite (sort_permuted _ _ (Permutation_map h P)); apply sum_k_min_least. }
  eapply Rle_trans; [apply S|]; unfold sum_k_min at 1; rewrite <- E.
  eapply Rle_trans; [apply (sum_of_firsts f g w c); intros t I; apply H, (Permutation_in t (Permutation_sym P) I)|].
  apply Rplus_le_compat_l, Rmult_le_compat_l; [exact Pc|]; unfold sum_k_max; rewrite map_map.
  pose proof (S (fun t => - w t)) as Q; pose proof (sum_of_firsts w (fun _ => 0) (fun t => - w t) (-1) Y K ltac:(intros; lra))
    as Q'.
  assert (Z : forall l : list T, sum (firstn K (map (fun _ => 0) l)) = 0).
  { clear; intro l; revert K; induction l as [|t l IH]; intros [|K]; try reflexivity; specialize (IH K); unfold sum in *; simpl;
      lra. }
  rewrite Z in Q'; lra.
Qed.

(** Proposition 4: with constants L_k of their own, the sum of the K largest is enough (E13). *)
Theorem sum_of_the_largest_constants_is_enough F (fs : list ((vector -> R) * R)) K : (forall f L, In (f, L) fs ->
  lipschitz F L f) ->
  lipschitz F (sum_k_max (map snd fs) K) (fun x => sum_k_min (map (fun p => fst p x) fs) K).
Proof.
  intro H; assert (S : forall x y, sum_k_min (map (fun p => fst p x) fs) K
                       <= sum_k_min (map (fun p => fst p y) fs) K + norm F (sub x y) * sum_k_max (map snd fs) K).
  { intros x y; apply sum_k_min_with_weights; [apply sqrt_pos|]; intros [f L] I; simpl.
    specialize (H f L I x y); pose proof (Rle_abs (f x - f y)); lra. }
  intros x y; pose proof (S x y) as A; pose proof (S y x) as C; rewrite (norm_swap F y x) in C.
  apply Rabs_le; lra.
Qed.

(** Proposition 4: that constant is reached (E13): where K functions are L_k x_1, 0 <= L_k <= 1, and the others are the constant
    2, their sumKmin is sum L_k times x_1 for 0 <= x_1 <= 1. *)
Theorem sum_of_the_largest_constants_is_reached (L L' : list R) x : (forall l, In l L -> 0 <= l <= 1) -> 0 <= x 0%nat <= 1 ->
  let fs := map (fun l (x : vector) => l * x 0%nat) L ++ map (fun _ (_ : vector) => 2) L' in
  sum_k_min (map (fun f => f x) fs) (length L) = sum L * x 0%nat.
Proof.
  intros B Hx fs; unfold fs; rewrite map_app, !map_map; unfold sum_k_min.
  set (small := map (fun l => l * x 0%nat) L); set (big := map (fun _ : R => 2) L').
  assert (Sm : forall a, In a small -> a <= 1).
  { intros a I; apply in_map_iff in I; destruct I as (l & <- & Il); specialize (B l Il); nra. }
  assert (Bg : sort big = big).
  { unfold big; clear; induction L' as [|l L' IH]; simpl; [reflexivity | rewrite IH; apply insert_least].
    intros c I; apply in_map_iff in I; destruct I as (? & <- & _); lra. }
  assert (App : sort (small ++ big) = sort small ++ big).
  { assert (Ins : forall a s, a <= 1 -> insert a (s ++ big) = insert a s ++ big).
    { intros a s Ha; induction s as [|c s IH]; simpl; [|destruct Rle_dec; [reflexivity | rewrite IH; reflexivity]].
      apply insert_least; intros c I; unfold big in I; apply in_map_iff in I; destruct I as (? & <- & _); lra. }
    clear fs; revert Sm; generalize small; intro s; induction s as [|a s IH]; intro Sm; simpl; [exact Bg|].
    rewrite IH by (intros; apply Sm; right; assumption); apply Ins, Sm; left; reflexivity. }
  assert (Len : forall s, length (sort s) = length s).
  { assert (LI : forall a s, length (insert a s) = S (length s)) by (intros a s; induction s; simpl; [|destruct Rle_dec; simpl];
      congruence).
    intro s; induction s as [|a s IH]; simpl; [reflexivity | rewrite LI, IH; reflexivity]. }
  assert (Sum : forall s, sum (sort s) = sum s).
  { assert (SI : forall a s, sum (insert a s) = a + sum s)
      by (intros a s; induction s as [|c s IH]; simpl; [|destruct Rle_dec; unfold sum in *; simpl in *]; lra).
    intro s; induction s as [|a s IH]; simpl; [reflexivity | rewrite SI, IH; reflexivity]. }
  assert (LS : length small = length L) by apply map_length.
  rewrite App, <- LS, <- Len, firstn_app, firstn_all, Nat.sub_diag; simpl; rewrite app_nil_r, Sum; unfold small, sum.
  clear; induction L as [|l L IH]; simpl; [ring | rewrite IH; ring].
Qed.

(** ** D is a dissimilarity *)

(** Equation (9): D is not negative, 0 from a point to itself, and symmetric, with either gamma_b. *)
Theorem distance_is_a_dissimilarity F B As s_B s : positive_semidefinite F B -> scale F B s_B ->
  (forall A, In A As -> admissible F s A) -> dissimilarity (distance F B As) /\ dissimilarity (exact_distance F B As).
Proof.
  intros PB SB PA; split; [apply approximate_dissimilarity with s_B s | apply exact_dissimilarity with s_B s]; assumption.
Qed.

Lemma norm_zero F x y : norm F (sub x y) = 0 <-> forall i, (i < F)%nat -> x i = y i.
Proof.
  split.
  - intros E i H; assert (Z : dot F (sub x y) (sub x y) = 0) by (rewrite <- norm_square, E; ring).
    assert (S : sub x y i * sub x y i = 0) by (apply (total_zero F (fun i => sub x y i * sub x y i));
      [intros; nra | exact Z | exact H]).
    unfold sub in S; nra.
  - intro E; unfold norm, dot; rewrite (total_ext_below F _ (fun _ => 0 * 0)), total_scale, Rmult_0_l by
      (intros i H; unfold sub; rewrite (E i H); ring); apply sqrt_0.
Qed.

Definition positive_definite F (M : matrix) : Prop := positive_semidefinite F M /\ forall u, 0 < norm F u -> 0 < form F M u u.

Lemma definite_sum (f g : region -> R) As : (forall A, In A As -> 0 <= f A) -> (forall A, In A As -> 0 < g A) ->
  sum_over (fun A => f A * g A) As <= 0 -> sum_over f As <= 0.
Proof.
  intros Pf Pg; induction As as [|A As IH]; simpl; [lra|]; intro H.
  assert (0 <= f A) by (apply Pf; left; reflexivity); assert (0 < g A) by (apply Pg; left; reflexivity).
  assert (0 <= sum_over (fun A => f A * g A) As).
  { apply sum_nonneg; intros C I; apply Rmult_le_pos; [apply Pf | left; apply Pg]; right; exact I. }
  assert (sum_over f As <= 0) by (apply IH; [intros; apply Pf; right; assumption | intros; apply Pg; right; assumption | nra]).
  assert (f A <= 0) by nra; lra.
Qed.

Lemma positive_with F B As g_b x y : positive_definite F B -> (forall A, In A As -> positive_definite F (metric A)) ->
  0 < norm F (sub x y) -> 0 <= g_b -> 1 <= g_b + sum_over (share F x y) As -> 0 < distance_with F B As g_b x y.
Proof.
  intros PB PA P Pg C; unfold distance_with, weighted_lengths.
  assert (NB : 0 < mahalanobis F B (sub x y)) by (apply sqrt_lt_R0, PB, P).
  assert (NA : forall A, In A As -> 0 < mahalanobis F (metric A) (sub x y)) by (intros A I; apply sqrt_lt_R0, (PA A I), P).
  assert (G : forall A, In A As -> 0 <= share F x y A) by (intros; apply gamma_range).
  set (S := sum_over (fun A => share F x y A * mahalanobis F (metric A) (sub x y)) As).
  assert (0 <= S) by (apply sum_nonneg; intros A I; apply Rmult_le_pos; [apply G, I | left; apply NA, I]).
  destruct (Rle_lt_dec (g_b * mahalanobis F B (sub x y) + S) 0) as [N | N]; [exfalso | exact N].
  assert (S <= 0) by nra; assert (g_b <= 0) by nra.
  pose proof (definite_sum (share F x y) (fun A => mahalanobis F (metric A) (sub x y)) As G NA ltac:(assumption)); lra.
Qed.

(** Equation (9): when all metrics are positive definite, D is 0 only between equal points, with either gamma_b. *)
Theorem distance_is_definite F B As x y : positive_definite F B ->
  (forall A, In A As -> 0 <= radius A /\ positive_definite F (metric A)) -> 0 < norm F (sub x y) ->
  0 < distance F B As x y /\ 0 < exact_distance F B As x y.
Proof.
  intros PB PA P; assert (PR : forall A, In A As -> 0 <= radius A) by apply PA.
  assert (P' : 0 < norm F (sub y x)) by (rewrite norm_swap; exact P).
  pose proof (Rmax_l (1 - sum_over (share F x y) As) 0) as L; fold (background_share F As x y) in L.
  pose proof (Rmax_r (1 - sum_over (share F x y) As) 0) as L'; fold (background_share F As x y) in L'.
  pose proof (approximate_le_exact F x y As P' PR) as E.
  split; apply positive_with; try assumption; try (intros A I; apply (PA A I)); lra.
Qed.

(** Equation (9): between mu and Lambda times the Euclidean distance, where mu^2 I is at most every metric, so that the
    triangle inequality holds up to the factor Lambda / mu; with either gamma_b. *)
Theorem distance_between_bounds F B As s_B s Lambda mu D :
  positive_semidefinite F B -> scale F B s_B -> (forall A, In A As -> admissible F s A) -> covers_cost F As s_B s Lambda ->
  lower_scale F B mu -> (forall A, In A As -> lower_scale F (metric A) mu) -> D = distance F B As \/
    D = exact_distance F B As ->
  (forall x y, mu * norm F (sub x y) <= D x y <= Lambda * norm F (sub x y)) /\
  (0 < mu -> forall x y q, D x y <= Lambda / mu * (D x q + D q y)).
Proof.
  intros PB SB PA L MB MA HD.
  assert (Bounds : forall x y, mu * norm F (sub x y) <= D x y <= Lambda * norm F (sub x y)).
  { intros x y; destruct (hull_is_definite F B As s_B s PB SB PA mu x y (proj1 MB) (proj2 MB) (fun A u I => proj2 (MA A I) u))
      as [H1 H2].
    destruct HD as [-> | ->]; split; [| apply (approximate_le F B As s_B s Lambda) | | apply (exact_le F B As s_B s Lambda)];
      try assumption.
    - eapply Rle_trans; [exact H1 | apply hull_le, (approximate_dissimilarity F B As s_B s); assumption].
    - eapply Rle_trans; [exact H2 | apply hull_le, (exact_dissimilarity F B As s_B s); assumption]. }
  split; [exact Bounds | intros Pm x y q].
  destruct (norm_pseudometric F 1 ltac:(lra)) as (_ & _ & _ & T); specialize (T x q y).
  pose proof (proj2 (Bounds x y)) as Up; pose proof (proj1 (Bounds x q)) as Lo1; pose proof (proj1 (Bounds q y)) as Lo2.
  assert (PL : 0 <= Lambda) by (destruct L; destruct SB; lra).
  eapply Rle_trans; [exact Up|]; apply Rle_trans with (Lambda / mu * (mu * norm F (sub x q) + mu * norm F (sub q y))).
  - replace (Lambda / mu * (mu * norm F (sub x q) + mu * norm F (sub q y)))
      with (Lambda * (norm F (sub x q) + norm F (sub q y))) by (field; lra).
    apply Rmult_le_compat_l; lra.
  - apply Rmult_le_compat_l; [apply Rmult_le_pos; [exact PL | left; apply Rinv_0_lt_compat, Pm] | lra].
Qed.

(** ** D is no metric: around the ball is shorter than through it *)

Lemma one_ball_disjoint F : disjoint F one_ball.
Proof. intro p; unfold one_ball; simpl; destruct (in_ball_cases F p (plane 0 0) 1) as [E | E]; rewrite E; lra. Qed.

(** Equation (9): the triangle inequality fails in exact numbers: 8 > 13/4 + 13/4. *)
Theorem triangle_inequality_fails F : (2 <= F)%nat ->
  let D := distance F (scaled_identity 1) one_ball in
  let x := plane (-3) 0 in let y := plane 0 (5 / 4) in let z := plane 3 0 in
  D x z = 8 /\ D x y = 13 / 4 /\ D y z = 13 / 4.
Proof.
  intros HF D x y z; unfold D, x, y, z; rewrite !distance_through_one_ball; unfold share; simpl.
  rewrite !gamma_of_planes by exact HF; unfold norm; rewrite !sub_plane, !dot_plane by exact HF; repeat split.
  - match goal with |- context [sqrt ?d] => replace d with (12 * 12) by field end; rewrite sqrt_square by lra.
    match goal with |- context [sqrt ?d] => replace d with (6 * 6) by field end; rewrite sqrt_square by lra.
    unfold Rmax, Rmin; repeat destruct Rle_dec; lra.
  - rewrite (sqrt_neg_0 (_ - 4 * _ * _)) by lra.
    match goal with |- context [sqrt ?d] => replace d with (13 / 4 * (13 / 4)) by field end; rewrite sqrt_square by lra.
    unfold Rmax, Rmin; repeat destruct Rle_dec; lra.
  - rewrite (sqrt_neg_0 (_ - 4 * _ * _)) by lra.
    match goal with |- context [sqrt ?d] => replace d with (13 / 4 * (13 / 4)) by field end; rewrite sqrt_square by lra.
    unfold Rmax, Rmin; repeat destruct Rle_dec; lra.
Qed.

(** Equation (9): D is no metric, with either gamma_b. *)
Corollary distance_is_no_metric F : (2 <= F)%nat ->
  ~ pseudometric (distance F (scaled_identity 1) one_ball) /\ ~ pseudometric (exact_distance F (scaled_identity 1) one_ball).
Proof.
  intro HF; destruct (triangle_inequality_fails F HF) as (E1 & E2 & E3).
  assert (X : forall a b c d, 0 < (c - a) * (c - a) + (d - b) * (d - b) ->
    exact_distance F (scaled_identity 1) one_ball (plane a b) (plane c d)
    = distance F (scaled_identity 1) one_ball (plane a b) (plane c d)).
  { intros a b c d P; unfold exact_distance, distance; rewrite exact_is_approximate; [reflexivity | | |apply one_ball_disjoint].
    - unfold norm; rewrite sub_plane, dot_plane by exact HF; apply sqrt_lt_R0, P.
    - intros A [<- | []]; simpl; lra. }
  split; intros (_ & _ & _ & T); specialize (T (plane (-3) 0) (plane 0 (5 / 4)) (plane 3 0)).
  - rewrite E1, E2, E3 in T; lra.
  - rewrite !X in T by lra; rewrite E1, E2, E3 in T; lra.
Qed.

(** Theorem B: the hull takes the way around, at most 13/2 where D = 8. *)
Corollary hull_goes_around F : (2 <= F)%nat ->
  hull (distance F (scaled_identity 1) one_ball) (plane (-3) 0) (plane 3 0) <= 13 / 2.
Proof.
  intro HF; destruct (triangle_inequality_fails F HF) as (_ & E2 & E3).
  replace (13 / 2) with (chain_length (distance F (scaled_identity 1) one_ball) (plane (-3) 0) [plane 0 (5 / 4)] (plane 3 0))
    by (simpl; rewrite E2, E3; field).
  apply hull_below, (approximate_dissimilarity F (scaled_identity 1) one_ball (sqrt 1) (fun _ => sqrt 4)).
  - apply identity_psd; lra.
  - apply identity_scale; lra.
  - intros A [<- | []]; split; simpl; [lra | split; [apply identity_psd; lra | apply identity_scale; lra]].
Qed.
