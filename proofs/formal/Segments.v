(** On the way to Theorem A for the exact gamma_b: along a segment D is additive, and two segments from z of equal length cut a
    ball in parts of which one contains the other.

    kappa A               any bound of n_s and of |n_s - n_B|; the least one is kappa_s
    price x z t           what the point with parameter t of the segment costs in D
    nested                seen from z, one part contains the other *)
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

End Additive.

Opaque integral integrable.

(** ** Power of a point: the parts are nested *)

(** Theorem A: at equal lengths the quadratics (7) of zx and zy differ in b only, so the smaller b has the larger part. *)
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

Section EqualLengths.
Variables (F : nat) (B : matrix) (As : list region) (s_B : R) (s kappa : region -> R) (Lambda : R).
Hypothesis PB : positive_semidefinite F B.
Hypothesis SB : scale F B s_B.
Hypothesis PA : forall A, In A As -> admissible F s A.
Hypothesis L : covers_cost F As s_B s Lambda.
Hypothesis K1 : forall A u, In A As -> mahalanobis F (metric A) u <= kappa A * norm F u.
Hypothesis K2 : forall A u, In A As -> Rabs (mahalanobis F (metric A) u - mahalanobis F B u) <= kappa A * norm F u.

Lemma equal_lengths x y z e : norm F (sub x y) <= e -> 0 < norm F (sub x z) -> norm F (sub x z) = norm F (sub y z) ->
  Rabs (exact_distance F B As z x - exact_distance F B As z y)
  <= Lambda * norm F (sub x y) + sum_over (fun A => kappa A * shell_chord (radius A) e) As.
Proof.
  intros He Px El; assert (Py : 0 < norm F (sub y z)) by lra.
  assert (PR : forall A, In A As -> 0 <= radius A) by (intros A I; apply (PA A I)).
  set (beta := exact_background_share F As).
  change (Rabs (phi F B As (beta z x) (share F z x) (sub z x) - phi F B As (beta z y) (share F z y) (sub z y))
    <= Lambda * norm F (sub x y) + sum_over (fun A => kappa A * shell_chord (radius A) e) As).
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
  pose proof (moving_end F B As s_B s PB SB PA x y z (beta z y) (share F z y) (norm F (sub x y)) ltac:(lra)
    (exact_nonneg F z y As Py PR) (fun A _ => proj1 (gamma_range F z y (center A) (radius A)))) as H2.
  pose proof (Rmult_le_compat_r (norm F (sub x y)) _ _ (sqrt_pos _) (exact_weighted_scale F z y As s_B s Lambda Py PR L)) as H3.
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
End EqualLengths.
