(** Theorem C: for the exact gamma_b, too, the exchange of a region costs only kappa'_s = max(s(M(A_s)), sup |n_s - n_B|), at
    the price of a root of 2 before Lambda; of sqrt(Lambda^2 + T^2) in its place, where the metrics are nearly round.

    kappa A               any bound of n_s and of |n_s - n_B|; the least one is kappa'_s
    turns F M t           a vector that turns and keeps its length changes its length under M by at most t |u - v|
    T                     bounds the sum of those t at every point, as Lambda does for the scales
    price x z t           what the point with parameter t of the segment costs in D
    nested                seen from z, two segments of equal length cut a ball in parts of which one contains the other *)
From Coq Require Import Reals Lra Lia Psatz FunctionalExtensionality List.
From Coquelicot Require Import Coquelicot.
From LMLIR Require Import Geometry Continuity Matrices Scales Classifier Integral Exact Moduli Hull.
Import ListNotations.
Open Scope R_scope.

(** ** Along a segment the exact D is additive *)

Section Segments.
Variables (F : nat) (x z : vector).
Local Notation p := (point_on_line x z).

Lemma point_between a b t : point_on_line (p a) (p b) t = p ((b - a) * t + a).
Proof. extensionality i; unfold point_on_line; ring. Qed.

Lemma uncovered_between As a b t : uncovered F (p a) (p b) As t = uncovered F x z As ((b - a) * t + a).
Proof. induction As as [|A As IH]; simpl; [reflexivity | rewrite IH; unfold inside; rewrite point_between; reflexivity]. Qed.

Lemma seminorm_between form a b : semi_inner form -> a <= b ->
  sqrt (form (sub (p a) (p b)) (sub (p a) (p b))) = (b - a) * sqrt (form (sub x z) (sub x z)).
Proof.
  intros I H; replace (sub (p a) (p b)) with (fun i => (b - a) * sub x z i) by (extensionality i; unfold sub, point_on_line;
    ring).
  rewrite (seminorm_scale form I), Rabs_pos_eq by lra; reflexivity.
Qed.

Lemma norm_between a b : a <= b -> norm F (sub (p a) (p b)) = (b - a) * norm F (sub x z).
Proof. apply (seminorm_between (dot F)), dot_semi_inner. Qed.

Lemma mahalanobis_between M a b : positive_semidefinite F M -> a <= b ->
  mahalanobis F M (sub (p a) (p b)) = (b - a) * mahalanobis F M (sub x z).
Proof. intro P; apply (seminorm_between (form F M)), form_semi_inner, P. Qed.

Lemma first_point : p 0 = x.
Proof. extensionality i; unfold point_on_line; ring. Qed.

Lemma last_point : p 1 = z.
Proof. extensionality i; unfold point_on_line; ring. Qed.
End Segments.

Section Additive.
Variables (F : nat) (B : matrix) (As : list region) (s_B : R) (s : region -> R).
Hypothesis PB : positive_semidefinite F B.
Hypothesis SB : scale F B s_B.
Hypothesis PA : forall A, In A As -> admissible F s A.
Let D := exact_distance F B As.
Let price x z := cost F x z As (mahalanobis F B (sub x z)) (fun A => mahalanobis F (metric A) (sub x z)).

(** D between two points of a segment is the integral of the cost of a point. *)
Lemma exact_between x z a b : 0 < norm F (sub z x) -> 0 <= a <= b -> b <= 1 ->
  ex_RInt (price x z) a b /\ D (point_on_line x z a) (point_on_line x z b) = RInt (price x z) a b.
Proof.
  intros P Ha Hb; assert (PR : forall A, In A As -> 0 <= radius A) by (intros A I; apply (PA A I)).
  destruct (weighted_is_integral F x z As (mahalanobis F B (sub x z)) (fun A => mahalanobis F (metric A) (sub x z)) P PR)
    as [I _].
  change (ex_RInt (price x z) 0 1) in I.
  assert (I' : ex_RInt (price x z) a b).
  { apply (ex_RInt_Chasles_1 (price x z) a b 1); [lra|]; apply (ex_RInt_Chasles_2 (price x z) 0 a 1); [lra | exact I]. }
  split; [exact I'|]; destruct (Rle_lt_or_eq_dec a b) as [Lt | <-]; [lra | |].
  2:{ rewrite RInt_point; destruct (exact_dissimilarity F B As s_B s PB SB PA) as (_ & Z & _); apply Z. }
  set (u := point_on_line x z a); set (v := point_on_line x z b).
  assert (P' : 0 < norm F (sub v u)).
  { rewrite norm_swap; unfold u, v; rewrite norm_between, norm_swap by lra; apply Rmult_lt_0_compat; lra. }
  destruct (weighted_is_integral F u v As (mahalanobis F B (sub u v)) (fun A => mahalanobis F (metric A) (sub u v)) P' PR)
    as [_ E].
  transitivity (integral (price u v)); [symmetry; exact E|].
  assert (E0 : (b - a) * 0 + a = a) by ring; assert (E1 : (b - a) * 1 + a = b) by ring.
  rewrite (integral_ext (price u v) (fun t => (b - a) * price x z ((b - a) * t + a))).
  - transitivity (RInt (price x z) ((b - a) * 0 + a) ((b - a) * 1 + a)); [|rewrite E0, E1; reflexivity].
    apply (RInt_comp_lin (price x z) (b - a) a 0 1); rewrite E0, E1; exact I'.
  - intros t _; unfold price, cost, u, v; rewrite uncovered_between, mahalanobis_between by (assumption || lra).
    rewrite Rmult_plus_distr_l, <- sum_scale; f_equal; [ring|]; apply sum_ext; intros A IA; destruct (PA A IA) as (_ & PM & _).
    unfold inside; rewrite point_between, mahalanobis_between by (assumption || lra); ring.
Qed.

(** Definition 7: with the exact gamma_b the length of a segment is the sum of the lengths of its parts. *)
Theorem exact_is_additive x z theta : 0 <= theta <= 1 ->
  let y := point_on_line x z theta in D x z = D x y + D y z.
Proof.
  intros T y; pose proof (first_point x z) as E0; pose proof (last_point x z) as E1.
  destruct (either_zero F z x) as [Z | [P _]].
  - assert (Z' : forall u v, norm F (sub u v) = 0 -> D u v = 0)
      by exact (distance_at_zero F B As s_B s SB PA (exact_background_share F As)).
    pose proof (norm_between F x z 0 theta ltac:(lra)) as N1; pose proof (norm_between F x z theta 1 ltac:(lra)) as N2.
    rewrite E0 in N1; rewrite E1 in N2; fold y in N1, N2; rewrite (norm_swap F x z), Z, Rmult_0_r in N1, N2.
    rewrite !Z'; [ring | exact N2 | exact N1 | rewrite norm_swap; exact Z].
  - destruct (exact_between x z 0 theta P) as [I1 H1]; try lra; destruct (exact_between x z theta 1 P) as [I2 H2]; try lra.
    destruct (exact_between x z 0 1 P) as [_ H]; try lra; rewrite E0, E1 in *.
    unfold y; rewrite H, H1, H2; symmetry; exact (RInt_Chasles (price x z) 0 theta 1 I1 I2).
Qed.

(** Pulling an end back along the segment costs at most Lambda times the way. *)
Lemma along_a_ray Lambda z y theta : covers_cost F As s_B s Lambda -> 0 <= theta <= 1 ->
  0 <= D z y - D z (point_on_line z y theta) <= (1 - theta) * (Lambda * norm F (sub y z)).
Proof.
  intros L T; rewrite (exact_is_additive z y theta T); destruct (exact_dissimilarity F B As s_B s PB SB PA) as (D0 & _).
  pose proof (D0 (point_on_line z y theta) y); pose proof (exact_le F B As s_B s Lambda SB PA L (point_on_line z y theta) y)
    as U.
  pose proof (norm_between F z y theta 1 ltac:(lra)) as N; rewrite last_point, (norm_swap F z y) in N; rewrite N in U; unfold D;
    lra.
Qed.

(** D does not tell points at distance 0 apart. *)
Lemma exact_same_point u v w : norm F (sub u v) = 0 -> D u w = D v w.
Proof.
  intro E; pose proof (overlapping_scale_covers F As s_B s (fun A I => proj1 (proj2 (proj2 (PA A I))))) as L.
  pose proof (modulus_exact F B As s_B s _ u v w 0 PB SB PA L ltac:(lra)) as H.
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
      rewrite (exact_is_additive u w theta Tr), (S u).
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
End Additive.

Opaque integral integrable.

(** ** Power of a point: the parts are nested *)

(** Theorem C: at equal lengths the quadratics (7) of zx and zy differ in b only, so the smaller b has the larger part. *)
Lemma parts_are_nested F x y z o r t : norm F (sub x z) = norm F (sub y z) -> quadratic_b F z y o <= quadratic_b F z x o ->
  0 <= t ->
  norm F (sub (point_on_line z x t) o) <= r -> norm F (sub (point_on_line z y t) o) <= r.
Proof.
  intros E Hb T H; eapply Rle_trans; [|exact H]; apply sqrt_le_1_alt.
  pose proof (sphere_equation F z x o r t) as Sx; pose proof (sphere_equation F z y o r t) as Sy.
  assert (Ea : quadratic_a F z x = quadratic_a F z y) by (unfold quadratic_a; rewrite <- !norm_square, E; reflexivity).
  rewrite Ea in Sx; nra.
Qed.

Lemma nested_inside F x y z A : norm F (sub x z) = norm F (sub y z) ->
  (forall t, 0 <= t -> inside F z x A t <= inside F z y A t) \/ (forall t, 0 <= t -> inside F z y A t <= inside F z x A t).
Proof.
  intro E; destruct (Rle_lt_dec (quadratic_b F z y (center A)) (quadratic_b F z x (center A))) as [L | L]; [left | right];
    intros t T; unfold inside, in_ball; destruct Rle_dec as [H | H]; destruct Rle_dec as [H' | H']; try lra; exfalso; apply H'.
  - apply (parts_are_nested F x y); assumption.
  - apply (parts_are_nested F y x); [symmetry; exact E | lra | exact T | exact H].
Qed.

(** ** One exchange, nested *)

Lemma nested_exchange (i j omega : R -> R) n m K P : 0 <= n <= K -> Rabs (n - m) <= K ->
  multiplier i -> multiplier j -> multiplier omega ->
  (forall t, i t = 0 \/ i t = 1) -> (forall t, j t = 0 \/ j t = 1) -> (forall t, 0 <= omega t <= 1) ->
  (forall t, 0 <= t -> i t <= j t) \/ (forall t, 0 <= t -> j t <= i t) ->
  integral (fun t => i t * (1 - j t)) <= P -> integral (fun t => j t * (1 - i t)) <= P ->
  Rabs (integral (fun t => (i t - j t) * (n - omega t * m))) <= K * P.
Proof.
  intros Hn Hd Mi Mj Mo Ci Cj Co N HP HQ; assert (PK : 0 <= K) by lra.
  assert (Ip : integrable (fun t => i t * (1 - j t))) by (apply (multiplier_complement j Mj), multiplier_integrable, Mi).
  assert (Iq : integrable (fun t => j t * (1 - i t))) by (apply (multiplier_complement i Mi), multiplier_integrable, Mj).
  assert (I : integrable (fun t => (i t - j t) * (n - omega t * m))).
  { apply integrable_ext with (fun t => n * (i t - j t) - m * ((i t - j t) * omega t)); [intros; ring|].
    assert (integrable (fun t => i t - j t)) by (apply integrable_minus; apply multiplier_integrable; assumption).
    apply integrable_minus; apply integrable_scale; [assumption | apply Mo; assumption]. }
  assert (W : forall t, - K <= n - omega t * m <= K).
  { intro t; specialize (Co t); pose proof (Rle_abs (n - m)); pose proof (Rle_abs (- (n - m))); rewrite Rabs_Ropp in *.
    replace (n - omega t * m) with ((1 - omega t) * n + omega t * (n - m)) by ring; split; nra. }
  assert (G : forall f, integrable f -> integral f <= P ->
    (forall t, 0 <= t <= 1 -> - (K * f t) <= (i t - j t) * (n - omega t * m) <= K * f t) ->
    Rabs (integral (fun t => (i t - j t) * (n - omega t * m))) <= K * P).
  { intros f If Lf B; pose proof (Rmult_le_compat_l K _ _ PK Lf) as L; rewrite <- integral_scale in L by exact If.
    assert (U : integral (fun t => (i t - j t) * (n - omega t * m)) <= integral (fun t => K * f t))
      by (apply integral_le; [exact I | apply integrable_scale, If | intros t T; apply B, T]).
    assert (V : integral (fun t => -1 * (K * f t)) <= integral (fun t => (i t - j t) * (n - omega t * m)))
      by (apply integral_le; [do 2 apply integrable_scale; exact If | exact I | intros t T; specialize (B t T); lra]).
    rewrite integral_scale in V by (apply integrable_scale, If); apply Rabs_le; lra. }
  destruct N as [N | N].
  - apply (G (fun t => j t * (1 - i t)) Iq HQ); intros t [T _]; specialize (N t T); specialize (W t).
    destruct (Ci t) as [E | E]; destruct (Cj t) as [E' | E']; rewrite E, E' in *; lra.
  - apply (G (fun t => i t * (1 - j t)) Ip HP); intros t [T _]; specialize (N t T); specialize (W t).
    destruct (Ci t) as [E | E]; destruct (Cj t) as [E' | E']; rewrite E, E' in *; lra.
Qed.

(** ** Equal lengths *)

Definition turns F (M : matrix) (t : R) : Prop :=
  forall u v, norm F u = norm F v -> Rabs (mahalanobis F M u - mahalanobis F M v) <= t * norm F (sub u v).

Section Turning.
Variables (F : nat) (B : matrix) (As : list region) (s_B : R) (s kappa : region -> R) (Lambda : R).
Hypothesis PB : positive_semidefinite F B.
Hypothesis SB : scale F B s_B.
Hypothesis PA : forall A, In A As -> admissible F s A.
Hypothesis L : covers_cost F As s_B s Lambda.
Hypothesis K1 : forall A u, In A As -> mahalanobis F (metric A) u <= kappa A * norm F u.
Hypothesis K2 : forall A u, In A As -> Rabs (mahalanobis F (metric A) u - mahalanobis F B u) <= kappa A * norm F u.
Hypothesis K0 : forall A, In A As -> 0 <= kappa A.
Variables (t_B : R) (t : region -> R) (T : R).
Hypothesis TB : turns F B t_B.
Hypothesis TA : forall A, In A As -> turns F (metric A) (t A).
Hypothesis LT : covers_cost F As t_B t T.

Lemma equal_lengths x y z e : norm F (sub x y) <= e -> 0 < norm F (sub x z) -> norm F (sub x z) = norm F (sub y z) ->
  Rabs (exact_distance F B As z x - exact_distance F B As z y)
  <= T * norm F (sub x y) + sum_over (fun A => kappa A * shell_chord (radius A) e) As.
Proof.
  intros He Px El; assert (Py : 0 < norm F (sub y z)) by lra.
  assert (PR : forall A, In A As -> 0 <= radius A) by (intros A I; apply (PA A I)).
  set (beta := exact_background_share F As).
  change (Rabs (phi F B As (beta z x) (share F z x) (sub z x) - phi F B As (beta z y) (share F z y) (sub z y))
    <= T * norm F (sub x y) + sum_over (fun A => kappa A * shell_chord (radius A) e) As).
  rewrite !(phi_swap F B As s PB PA _ _ z).
  assert (H1 : Rabs (phi F B As (beta z x) (share F z x) (sub x z) - phi F B As (beta z y) (share F z y) (sub x z))
               <= sum_over (fun A => kappa A * shell_chord (radius A) e) As).
  { unfold beta; rewrite phi_difference; apply exchanges; try assumption; [|apply multiplier_one | intros; lra].
    intros A w I Mw Cw; set (tau := shell_chord (radius A) e).
    replace (kappa A * tau) with (kappa A * norm F (sub x z) * (tau / norm F (sub x z))) by (field; lra).
    apply nested_exchange; try exact Mw; try exact Cw; try (intro; apply inside_cases).
    - split; [apply sqrt_pos | apply K1, I].
    - apply K2, I.
    - apply (inside_multiplier F z x As Px PR A I).
    - apply (inside_multiplier F z y As Py PR A I).
    - apply nested_inside, El.
    - apply quotient_le, (lost_part F z x y (center A) (radius A)); auto.
    - apply quotient_le; [exact Px|]; rewrite El; rewrite norm_swap in He; apply (lost_part F z y x (center A) (radius A));
        auto. }
  pose proof (moving_lengths F B As (beta z y) (share F z y) t_B t (norm F (sub (sub x z) (sub y z))) (sub x z) (sub y z)
    (exact_nonneg F z y As Py PR) (fun A _ => proj1 (gamma_range F z y (center A) (radius A))) (TB _ _ El) (fun A I => TA A I _
      _ El)) as H2.
  assert (Sub : sub (sub x z) (sub y z) = sub x y) by (extensionality i; unfold sub; ring).
  rewrite Sub in H2.
  pose proof (Rmult_le_compat_r (norm F (sub x y)) _ _ (sqrt_pos _) (exact_weighted_scale F z y As t_B t T Py PR LT)) as H3.
  match type of H1 with Rabs (?a - ?b) <= _ => match type of H2 with Rabs (_ - ?c) <= _ =>
    replace (a - c) with ((a - b) + (b - c)) by ring end end.
  eapply Rle_trans; [apply Rabs_triang|]; fold beta in H3; lra.
Qed.

(** ** The longer segment pulled back to the length of the shorter *)

(** x, y' and y, with y' at the distance of x from z on the ray to y: the angle at y' is not acute. *)
Lemma pulled_back x y z theta : norm F (sub x z) = theta * norm F (sub y z) -> 0 <= theta <= 1 ->
  let y' := point_on_line z y theta in
  norm F (sub x y') * norm F (sub x y') + ((1 - theta) * norm F (sub y z)) * ((1 - theta) * norm F (sub y z))
  <= norm F (sub x y) * norm F (sub x y).
Proof.
  intros E Th y'; set (l := norm F (sub x z)) in *; set (m := norm F (sub y z)) in *.
  pose proof (dot_semi_inner F) as I.
  pose proof (norm_square F (sub x z)) as Nl; fold l in Nl; pose proof (norm_square F (sub y z)) as Nm; fold m in Nm.
  pose proof (cauchy_schwarz_norms (dot F) I (sub x z) (sub y z)) as C; change (Rabs (dot F (sub x z) (sub y z)) <= l * m) in C.
  pose proof (Rle_abs (dot F (sub x z) (sub y z))) as A; set (d := dot F (sub x z) (sub y z)) in *.
  rewrite !norm_square.
  replace (sub x y') with (fun i => sub x z i + (- theta) * sub y z i) by (extensionality i; unfold y', sub, point_on_line;
    ring).
  replace (sub x y) with (fun i => sub x z i + (-1) * sub y z i) by (extensionality i; unfold sub; ring).
  rewrite !(square_of_sum (dot F) I); fold d; rewrite <- Nl, <- Nm, E in *.
  assert ((1 - theta) * d <= (1 - theta) * (theta * m * m)) by (apply Rmult_le_compat_l; lra); lra.
Qed.

Lemma right_angle a b e : 0 <= e -> a * a + b * b <= e * e -> Lambda * b + T * a <= sqrt (Lambda * Lambda + T * T) * e.
Proof.
  intros Pe H; set (r := Lambda * Lambda + T * T); assert (Pr : 0 <= r) by (unfold r; nra).
  eapply Rle_trans; [apply Rle_abs|]; rewrite <- sqrt_Rsqr_abs, <- (sqrt_square e), <- sqrt_mult by (lra || nra).
  apply sqrt_le_1_alt; unfold Rsqr; apply Rle_trans with (r * (a * a + b * b)); [|apply Rmult_le_compat_l; assumption].
  pose proof (Rle_0_sqr (Lambda * a - T * b)) as S; unfold Rsqr, r in *; lra.
Qed.

Lemma sharper_at_the_shorter x y z e : norm F (sub x y) <= e -> norm F (sub x z) <= norm F (sub y z) ->
  Rabs (exact_distance F B As z x - exact_distance F B As z y)
  <= sqrt (Lambda * Lambda + T * T) * e + sum_over (fun A => kappa A * shell_chord (radius A) e) As.
Proof.
  intros He Hl; assert (Pe : 0 <= e) by (eapply Rle_trans; [apply sqrt_pos | exact He]).
  assert (PL : 0 <= Lambda) by (destruct L; destruct SB; lra).
  assert (PT : 0 <= sum_over (fun A => kappa A * shell_chord (radius A) e) As)
    by (apply bound_is_nonneg; [exact K0 | intros; apply shell_chord_nonneg]).
  destruct (exact_dissimilarity F B As s_B s PB SB PA) as (D0 & _).
  pose proof (exact_le F B As s_B s Lambda SB PA L) as U.
  assert (Px : 0 <= norm F (sub x z)) by apply sqrt_pos.
  destruct (Rle_lt_or_eq_dec _ _ Px) as [Q | Q].
  - set (m := norm F (sub y z)) in *; set (theta := norm F (sub x z) / m).
    assert (Pm : 0 < m) by lra.
    assert (Et : norm F (sub x z) = theta * m) by (unfold theta; field; lra).
    assert (Th : 0 < theta <= 1).
    { split; [apply Rmult_lt_0_compat; [exact Q | apply Rinv_0_lt_compat, Pm]|].
      apply Rmult_le_reg_r with m; [exact Pm | rewrite <- Et; lra]. }
    pose proof (pulled_back x y z theta Et ltac:(lra)) as H; cbv zeta in H; fold m in H;
      set (y' := point_on_line z y theta) in *.
    assert (Pe' : 0 <= norm F (sub x y')) by apply sqrt_pos.
    assert (Ph : 0 <= (1 - theta) * m) by (apply Rmult_le_pos; lra).
    assert (P0 : 0 <= norm F (sub x y)) by apply sqrt_pos.
    assert (H' : norm F (sub x y') * norm F (sub x y') + (1 - theta) * m * ((1 - theta) * m) <= e * e) by nra.
    assert (He' : norm F (sub x y') <= e) by nra.
    assert (El : norm F (sub x z) = norm F (sub y' z)).
    { pose proof (norm_between F z y 0 theta ltac:(lra)) as N; rewrite first_point, (norm_swap F z y) in N; fold y' m in N.
      rewrite (norm_swap F y' z), N, Et; ring. }
    pose proof (equal_lengths x y' z e He' Q El) as H1.
    pose proof (along_a_ray F B As s_B s PB SB PA Lambda z y theta L ltac:(lra)) as H2; fold m y' in H2.
    pose proof (right_angle _ _ e Pe H') as H3.
    replace (exact_distance F B As z x - exact_distance F B As z y) with
      ((exact_distance F B As z x - exact_distance F B As z y') + - (exact_distance F B As z y - exact_distance F B As z y'))
        by ring.
    eapply Rle_trans; [apply Rabs_triang|]; rewrite Rabs_Ropp, (Rabs_pos_eq (exact_distance F B As z y - _)) by lra; lra.
  - assert (Ez : exact_distance F B As z x = 0).
    { apply Rle_antisym; [|apply D0]; eapply Rle_trans; [apply U|]; rewrite norm_swap, <- Q; lra. }
    assert (Ny : norm F (sub z y) <= e).
    { eapply Rle_trans; [|exact He]; pose proof (triangle (dot F) (dot_semi_inner F) (sub z x) (sub x y)) as Tr.
      replace (fun i => sub z x i + sub x y i) with (sub z y) in Tr by (extensionality i; unfold sub; ring).
      fold (norm F (sub z y)) (norm F (sub z x)) (norm F (sub x y)) in Tr; rewrite (norm_swap F z x), <- Q in Tr; lra. }
    assert (S2 : Lambda <= sqrt (Lambda * Lambda + T * T)).
    { rewrite <- (sqrt_square Lambda) at 1 by exact PL; apply sqrt_le_1_alt; nra. }
    rewrite Ez, Rminus_0_l, Rabs_Ropp, Rabs_pos_eq by apply D0.
    pose proof (U z y); pose proof (Rmult_le_compat_l Lambda _ _ PL Ny); pose proof (Rmult_le_compat_r e _ _ Pe S2); lra.
Qed.

(** Theorem C: the modulus for the exact gamma_b with sqrt(Lambda^2 + T^2) before e, any number of balls, overlapping or not.
    T = Lambda always does; [Scales.turning_scale] gives a smaller one, the less the metrics differ from round ones. *)
Theorem modulus_exact_by_turning x y z e : norm F (sub x y) <= e ->
  Rabs (exact_distance F B As x z - exact_distance F B As y z)
  <= sqrt (Lambda * Lambda + T * T) * e + sum_over (fun A => kappa A * shell_chord (radius A) e) As.
Proof.
  intro He; destruct (exact_dissimilarity F B As s_B s PB SB PA) as (_ & _ & S); rewrite (S x), (S y).
  destruct (Rle_lt_dec (norm F (sub x z)) (norm F (sub y z))).
  - apply sharper_at_the_shorter; assumption.
  - rewrite Rabs_minus_sym; apply sharper_at_the_shorter; [rewrite norm_swap; assumption | lra].
Qed.
End Turning.

Section Sharper.
Variables (F : nat) (B : matrix) (As : list region) (s_B : R) (s kappa : region -> R) (Lambda : R).
Hypothesis PB : positive_semidefinite F B.
Hypothesis SB : scale F B s_B.
Hypothesis PA : forall A, In A As -> admissible F s A.
Hypothesis L : covers_cost F As s_B s Lambda.
Hypothesis K1 : forall A u, In A As -> mahalanobis F (metric A) u <= kappa A * norm F u.
Hypothesis K2 : forall A u, In A As -> Rabs (mahalanobis F (metric A) u - mahalanobis F B u) <= kappa A * norm F u.
Hypothesis K0 : forall A, In A As -> 0 <= kappa A.

Lemma scale_turns M c : positive_semidefinite F M -> scale F M c -> turns F M c.
Proof.
  intros P [_ S] u v _; eapply Rle_trans; [apply (reverse_triangle (form F M) (form_semi_inner F M P)) | apply S].
Qed.

(** Theorem C: the modulus for the exact gamma_b, any number of balls, overlapping or not. *)
Theorem modulus_exact_sharper x y z e : norm F (sub x y) <= e ->
  Rabs (exact_distance F B As x z - exact_distance F B As y z)
  <= sqrt 2 * Lambda * e + sum_over (fun A => kappa A * shell_chord (radius A) e) As.
Proof.
  intro He; assert (PL : 0 <= Lambda) by (destruct L; destruct SB; lra).
  replace (sqrt 2 * Lambda) with (sqrt (Lambda * Lambda + Lambda * Lambda)).
  - apply modulus_exact_by_turning with (s_B := s_B) (s := s) (t_B := s_B) (t := s); try assumption.
    + apply scale_turns; assumption.
    + intros A I; apply scale_turns; apply (PA A I).
  - replace (Lambda * Lambda + Lambda * Lambda) with (2 * (Lambda * Lambda)) by ring; rewrite sqrt_mult, sqrt_square by nra;
      reflexivity.
Qed.

(** Theorem C: the root of 2 is not needed where every metric is a multiple of the identity. *)
Theorem modulus_exact_of_round_metrics c_B c x y z e : 0 <= c_B -> (forall A, In A As -> 0 <= c A) ->
  B = scaled_identity c_B -> (forall A, In A As -> metric A = scaled_identity (c A)) -> norm F (sub x y) <= e ->
  Rabs (exact_distance F B As x z - exact_distance F B As y z)
  <= Lambda * e + sum_over (fun A => kappa A * shell_chord (radius A) e) As.
Proof.
  intros PcB PcA EB EA He; assert (PL : 0 <= Lambda) by (destruct L; destruct SB; lra).
  assert (R : forall k, 0 <= k -> turns F (scaled_identity k) 0).
  { intros k Pk u v E; rewrite !mahalanobis_of_identity, E by exact Pk; rewrite Rminus_diag_eq, Rabs_R0 by reflexivity; lra. }
  replace Lambda with (sqrt (Lambda * Lambda + 0 * 0)) by (rewrite Rmult_0_l, Rplus_0_r; apply sqrt_square, PL).
  apply modulus_exact_by_turning with (s_B := s_B) (s := s) (t_B := 0) (t := fun _ => 0); try assumption.
  - rewrite EB; apply R, PcB.
  - intros A I; rewrite (EA A I); apply R, PcA, I.
  - split; [lra | intro p]; right; rewrite (sum_ext _ (fun A => 0 * s A)), sum_scale by (intros; ring); ring.
Qed.

(** Theorem C: nor at two points that are equally far from z. *)
Theorem modulus_exact_at_equal_lengths x y z : norm F (sub x z) = norm F (sub y z) ->
  Rabs (exact_distance F B As x z - exact_distance F B As y z)
  <= Lambda * norm F (sub x y) + sum_over (fun A => kappa A * shell_chord (radius A) (norm F (sub x y))) As.
Proof.
  intro E; destruct (exact_dissimilarity F B As s_B s PB SB PA) as (D0 & _ & S); rewrite (S x), (S y).
  pose proof (exact_le F B As s_B s Lambda SB PA L) as U; assert (PL : 0 <= Lambda) by (destruct L; destruct SB; lra).
  assert (Px : 0 <= norm F (sub x z)) by apply sqrt_pos; destruct (Rle_lt_or_eq_dec _ _ Px) as [P | Q].
  - apply equal_lengths with (s := s) (t_B := s_B) (t := s); try assumption; try lra.
    + apply scale_turns; assumption.
    + intros A I; apply scale_turns; apply (PA A I).
  - pose proof (U z x) as Ux; pose proof (U z y) as Uy; rewrite norm_swap, <- Q in Ux; rewrite norm_swap, <- E, <- Q in Uy.
    pose proof (D0 z x); pose proof (D0 z y); replace (_ - _) with 0 by lra; rewrite Rabs_R0.
    apply Rplus_le_le_0_compat; [apply Rmult_le_pos; [exact PL | apply sqrt_pos]|].
    apply bound_is_nonneg; [exact K0 | intros; apply shell_chord_nonneg].
Qed.

(** Theorem C; Equation (10): f moves by at most twice that. *)
Corollary classifier_modulus_sharper X_minus X_plus K x y e : (1 <= K)%nat -> norm F (sub x y) <= e ->
  let f := decision_value (exact_distance F B As) X_minus X_plus K in
  Rabs (f x - f y) <= 2 * (sqrt 2 * Lambda * e + sum_over (fun A => kappa A * shell_chord (radius A) e) As).
Proof.
  intros HK He f; apply decision_moves; [exact HK | | intro; apply modulus_exact_sharper, He].
  eapply Rle_trans; [apply Rabs_pos | apply (modulus_exact_sharper x y x e He)].
Qed.
End Sharper.
