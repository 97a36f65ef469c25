(** Sections 2 and 3.1: lengths under a metric, and the share gamma of a segment that lies in a ball.

    F                     the dimension, any natural number
    vector, matrix        functions of indices, of which only those below F count
    norm, mahalanobis     the Euclidean length |u|; the length sqrt(u^T M u) of Definition 3, plain, not squared
    x_i, x_j, o, r        the ends of a segment, center and radius of a ball; balls are closed
    quadratic_a, ...      a, b, c, Delta, lambda_u, lambda_v of Table 1
    gamma                 the share of the segment in the ball, Definition 8
    shell_chord r e       tau(e), the longest piece of a line in a shell of thickness e inside the sphere

    Coq's root of a negative number is 0, and so is its quotient by 0. Both meet the paper's conventions: a line that
    misses the ball, and a segment of length 0, have gamma = 0 (Table 2, rows 1 and 2). *)
From Coq Require Import Reals Lra Lia Psatz FunctionalExtensionality.
Open Scope R_scope.

Definition vector := nat -> R.
Definition matrix := nat -> nat -> R.

Fixpoint total (F : nat) (f : nat -> R) : R :=
  match F with O => 0 | S k => total k f + f k end.

Definition sub (u v : vector) : vector := fun i => u i - v i.
Definition point_on_line (x_i x_j : vector) (t : R) : vector := fun i => x_i i + t * (x_j i - x_i i).

Definition dot F (u v : vector) : R := total F (fun i => u i * v i).
Definition form F (M : matrix) (u v : vector) : R := total F (fun i => u i * total F (fun j => M i j * v j)).

Definition norm F (u : vector) : R := sqrt (dot F u u).
Definition mahalanobis F (M : matrix) (u : vector) : R := sqrt (form F M u u).

(** What a metric is: symmetric, and nowhere negative. *)
Definition symmetric F (M : matrix) : Prop := forall i j, (i < F)%nat -> (j < F)%nat -> M i j = M j i.
Definition positive_semidefinite F (M : matrix) : Prop := symmetric F M /\ forall u, 0 <= form F M u u.

(** ** Sums *)

Lemma total_ext F f g : (forall i, f i = g i) -> total F f = total F g.
Proof. intros E; induction F as [|k IH]; simpl; [reflexivity | rewrite IH, E; reflexivity]. Qed.

Lemma total_ext_below F f g : (forall i, (i < F)%nat -> f i = g i) -> total F f = total F g.
Proof. induction F as [|k IH]; intro E; simpl; [reflexivity | rewrite IH, E by (intros; try apply E; lia); reflexivity]. Qed.

Lemma total_plus F f g : total F (fun i => f i + g i) = total F f + total F g.
Proof. induction F as [|k IH]; simpl; [ring | rewrite IH; ring]. Qed.

Lemma total_scale F c f : total F (fun i => c * f i) = c * total F f.
Proof. induction F as [|k IH]; simpl; [ring | rewrite IH; ring]. Qed.

Lemma total_swap F G (f : nat -> nat -> R) :
  total F (fun i => total G (fun j => f i j)) = total G (fun j => total F (fun i => f i j)).
Proof.
  induction F as [|k IH]; simpl.
  - induction G as [|m IG]; simpl; lra.
  - rewrite IH, total_plus; reflexivity.
Qed.

Lemma total_nonneg F f : (forall i, 0 <= f i) -> 0 <= total F f.
Proof. intros P; induction F as [|k IH]; simpl; [lra | specialize (P k); lra]. Qed.

Lemma total_le F f g : (forall i, f i <= g i) -> total F f <= total F g.
Proof. intros P; induction F as [|k IH]; simpl; [lra | specialize (P k); lra]. Qed.

Lemma total_zero F f : (forall i, (i < F)%nat -> 0 <= f i) -> total F f = 0 -> forall i, (i < F)%nat -> f i = 0.
Proof.
  induction F as [|k IH]; intros P E i H; [lia|]; simpl in E.
  assert (P' : 0 <= total k f).
  { clear - P; induction k as [|m IH]; simpl; [lra|].
    assert (0 <= total m f) by (apply IH; intros; apply P; lia); specialize (P m ltac:(lia)); lra. }
  pose proof (P k ltac:(lia)); assert (total k f = 0) by lra.
  destruct (Nat.eq_dec i k) as [-> | N]; [lra | apply IH; [intros; apply P; lia | assumption | lia]].
Qed.

(** ** Symmetric bilinear forms that are nowhere negative: Cauchy-Schwarz and the triangle inequality *)

Record semi_inner (b : vector -> vector -> R) : Prop := {
  form_linear : forall c u v w, b (fun i => u i + c * v i) w = b u w + c * b v w;
  form_symmetric : forall u v, b u v = b v u;
  form_nonneg : forall u, 0 <= b u u }.

Lemma dot_semi_inner F : semi_inner (dot F).
Proof.
  unfold dot; split; intros.
  - rewrite <- total_scale, <- total_plus; apply total_ext; intro; ring.
  - apply total_ext; intro; ring.
  - apply total_nonneg; intro; nra.
Qed.

Lemma form_semi_inner F M : positive_semidefinite F M -> semi_inner (form F M).
Proof.
  intros [Hs Hp]; split; [| |exact Hp]; unfold form; intros.
  - rewrite <- total_scale, <- total_plus; apply total_ext; intro; ring.
  - transitivity (total F (fun i => total F (fun j => u i * (M i j * v j)))).
    { apply total_ext; intro; rewrite <- total_scale; reflexivity. }
    rewrite total_swap; apply total_ext_below; intros j Hj; rewrite <- total_scale; apply total_ext_below; intros i Hi.
    rewrite (Hs i j) by assumption; ring.
Qed.

Section SemiInner.
Variable b : vector -> vector -> R.
Hypothesis B : semi_inner b.
Let n u := sqrt (b u u).

Lemma square_of_sum u v c : b (fun i => u i + c * v i) (fun i => u i + c * v i) = b u u + 2 * c * b u v + c * c * b v v.
Proof.
  rewrite (form_linear b B), (form_symmetric b B u), (form_symmetric b B v), !(form_linear b B).
  rewrite (form_symmetric b B v u); ring.
Qed.

(** Definition 3: Cauchy-Schwarz, for the inner product of every metric. *)
Theorem cauchy_schwarz u v : b u v * b u v <= b u u * b v v.
Proof.
  assert (P : forall c, 0 <= b u u + 2 * c * b u v + c * c * b v v).
  { intro c; rewrite <- square_of_sum; apply (form_nonneg b B). }
  pose proof (form_nonneg b B u) as Pu; pose proof (form_nonneg b B v) as Pv.
  destruct (Rle_lt_or_eq_dec _ _ Pv) as [Lv | Ev].
  - specialize (P (- b u v / b v v)).
    replace (b u u + _ + _) with ((b u u * b v v - b u v * b u v) / b v v) in P by (field; lra).
    apply Rmult_le_compat_r with (r := b v v) in P; [|lra].
    unfold Rdiv in P; rewrite Rmult_assoc, Rinv_l in P; lra.
  - rewrite <- Ev in *; destruct (Req_dec (b u v) 0) as [E | N]; [rewrite E; lra | exfalso].
    specialize (P (- (b u u + 1) / (2 * b u v))).
    replace (b u u + _ + _) with (-1) in P by (field; lra); lra.
Qed.

Lemma seminorm_nonneg u : 0 <= n u.
Proof. apply sqrt_pos. Qed.

Lemma seminorm_square u : n u * n u = b u u.
Proof. apply sqrt_sqrt, (form_nonneg b B). Qed.

Lemma cauchy_schwarz_norms u v : Rabs (b u v) <= n u * n v.
Proof.
  unfold n; rewrite <- sqrt_mult by apply (form_nonneg b B); rewrite <- sqrt_Rsqr_abs.
  apply sqrt_le_1_alt, cauchy_schwarz.
Qed.

Lemma seminorm_sum u v c : n (fun i => u i + c * v i) <= n u + Rabs c * n v.
Proof.
  pose proof (seminorm_nonneg u); pose proof (seminorm_nonneg v); pose proof (Rabs_pos c).
  pose proof (seminorm_square u); pose proof (seminorm_square v).
  unfold n at 1; rewrite <- (sqrt_square (n u + Rabs c * n v)) by nra.
  apply sqrt_le_1_alt; rewrite square_of_sum.
  replace (c * c) with (Rabs c * Rabs c) by (rewrite <- Rabs_mult; apply Rabs_pos_eq; nra).
  assert (c * b u v <= Rabs c * (n u * n v)).
  { apply Rle_trans with (Rabs (c * b u v)); [apply Rle_abs |]; rewrite Rabs_mult.
    apply Rmult_le_compat_l; [lra | apply cauchy_schwarz_norms]. }
  nra.
Qed.

(** Definition 3: the length of a sum is at most the sum of the lengths, under every metric. *)
Theorem triangle u v : n (fun i => u i + v i) <= n u + n v.
Proof.
  replace (fun i => u i + v i) with (fun i => u i + 1 * v i) by (extensionality i; ring).
  eapply Rle_trans; [apply seminorm_sum | rewrite Rabs_R1; lra].
Qed.

Lemma seminorm_scale u c : n (fun i => c * u i) = Rabs c * n u.
Proof.
  unfold n; replace (fun i => c * u i) with (fun i => u i + (c - 1) * u i) by (extensionality i; ring).
  rewrite square_of_sum; rewrite <- sqrt_Rsqr_abs; unfold Rsqr.
  rewrite <- sqrt_mult by (try apply (form_nonneg b B); nra); f_equal; ring.
Qed.

Lemma seminorm_sub_swap u v : n (sub u v) = n (sub v u).
Proof.
  replace (sub u v) with (fun i => (-1) * sub v u i) by (extensionality i; unfold sub; ring).
  rewrite seminorm_scale, Rabs_left by lra; lra.
Qed.

Lemma reverse_triangle u v : Rabs (n u - n v) <= n (sub u v).
Proof.
  assert (T : forall p q, n p - n q <= n (sub p q)).
  { intros p q; replace p with (fun i => q i + sub p q i) at 1 by (extensionality i; unfold sub; ring).
    pose proof (triangle q (sub p q)); lra. }
  apply Rabs_le; split; [rewrite seminorm_sub_swap; specialize (T v u); lra | apply T].
Qed.
End SemiInner.

(** ** Section 3.1: the quadratic of equation (7), its roots, and gamma *)

Section Gamma.
Variable F : nat.
Notation "u ⋅ v" := (dot F u v) (at level 40).
Notation "‖ u ‖" := (norm F u) (at level 30).
Let B := dot_semi_inner F.

Definition quadratic_a (x_i x_j : vector) : R := sub x_j x_i ⋅ sub x_j x_i.
Definition quadratic_b (x_i x_j o : vector) : R := 2 * (sub x_j x_i ⋅ sub x_i o).
Definition quadratic_c (x_i o : vector) (r : R) : R := sub x_i o ⋅ sub x_i o - r * r.
Definition discriminant x_i x_j o r : R :=
  quadratic_b x_i x_j o * quadratic_b x_i x_j o - 4 * quadratic_a x_i x_j * quadratic_c x_i o r.
Definition lambda_u x_i x_j o r : R := (- quadratic_b x_i x_j o - sqrt (discriminant x_i x_j o r)) / (2 * quadratic_a x_i x_j).
Definition lambda_v x_i x_j o r : R := (- quadratic_b x_i x_j o + sqrt (discriminant x_i x_j o r)) / (2 * quadratic_a x_i x_j).

(** Table 2 in one line. Where Delta < 0 the two roots are equal and gamma = 0, as for a tangent; that this is the length
    of the part in the ball is [gamma_is_the_length_inside] below. *)
Definition gamma (x_i x_j o : vector) (r : R) : R :=
  Rmax 0 (Rmin 1 (lambda_v x_i x_j o r) - Rmax 0 (lambda_u x_i x_j o r)).

(** tau(e): a line passes the inner sphere, of radius max(r - e, 0), as a tangent. *)
Definition shell_chord (r e : R) : R := 2 * sqrt (r * r - Rmax (r - e) 0 * Rmax (r - e) 0).

Lemma norm_square u : ‖u‖ * ‖u‖ = u ⋅ u.
Proof. apply (seminorm_square (dot F) B). Qed.

Lemma a_nonneg x_i x_j : 0 <= quadratic_a x_i x_j.
Proof. apply (form_nonneg _ B). Qed.

Lemma norm_root_a x_i x_j : ‖sub x_j x_i‖ = sqrt (quadratic_a x_i x_j).
Proof. reflexivity. Qed.

Lemma a_positive x_i x_j : 0 < ‖sub x_j x_i‖ -> 0 < quadratic_a x_i x_j.
Proof. intro P; pose proof (norm_square (sub x_j x_i)); unfold quadratic_a; nra. Qed.

(** Equation (7): the squared distance to the center, minus r^2, along the line. *)
Lemma sphere_equation x_i x_j o r t :
  sub (point_on_line x_i x_j t) o ⋅ sub (point_on_line x_i x_j t) o - r * r
  = quadratic_a x_i x_j * t * t + quadratic_b x_i x_j o * t + quadratic_c x_i o r.
Proof.
  replace (sub (point_on_line x_i x_j t) o) with (fun i => sub x_i o i + t * sub x_j x_i i)
    by (extensionality i; unfold sub, point_on_line; ring).
  rewrite (square_of_sum _ B), (form_symmetric _ B (sub x_i o) (sub x_j x_i)); unfold quadratic_a, quadratic_b, quadratic_c;
    ring.
Qed.

(** Definition 8: gamma lies between 0 and 1. *)
Lemma gamma_range x_i x_j o r : 0 <= gamma x_i x_j o r <= 1.
Proof.
  unfold gamma; set (p := lambda_u _ _ _ _); set (q := lambda_v _ _ _ _).
  pose proof (Rmin_l 1 q); pose proof (Rmax_l 0 p); split; [apply Rmax_l | apply Rmax_lub; lra].
Qed.

Lemma roots_of_a_quadratic a b c t : 0 < a ->
  a * t * t + b * t + c <= 0 <->
  0 <= b * b - 4 * a * c /\ (- b - sqrt (b * b - 4 * a * c)) / (2 * a) <= t <= (- b + sqrt (b * b - 4 * a * c)) / (2 * a).
Proof.
  intro Pa; set (d := b * b - 4 * a * c).
  assert (E : 4 * a * (a * t * t + b * t + c) = (2 * a * t + b) * (2 * a * t + b) - d) by (unfold d; ring).
  assert (L : forall s, s / (2 * a) <= t <-> s <= 2 * a * t).
  { intro s; split; intro H.
    - apply Rmult_le_compat_r with (r := 2 * a) in H; [|lra]; unfold Rdiv in H.
      rewrite Rmult_assoc, Rinv_l in H; lra.
    - apply Rmult_le_reg_r with (2 * a); [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra. }
  assert (U : forall s, t <= s / (2 * a) <-> 2 * a * t <= s).
  { intro s; split; intro H.
    - apply Rmult_le_compat_r with (r := 2 * a) in H; [|lra]; unfold Rdiv in H.
      rewrite Rmult_assoc, Rinv_l in H; lra.
    - apply Rmult_le_reg_r with (2 * a); [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra. }
  rewrite L, U; split.
  - intro H; assert (D : (2 * a * t + b) * (2 * a * t + b) <= d) by nra.
    assert (Pd : 0 <= d) by (pose proof (Rle_0_sqr (2 * a * t + b)) as Q; unfold Rsqr in Q; lra); split; [exact Pd|].
    assert (A : Rabs (2 * a * t + b) <= sqrt d).
    { rewrite <- sqrt_Rsqr_abs; apply sqrt_le_1_alt; exact D. }
    pose proof (Rle_abs (2 * a * t + b)); pose proof (Rle_abs (- (2 * a * t + b))); rewrite Rabs_Ropp in *; lra.
  - intros [Pd [H1 H2]]; pose proof (sqrt_pos d); pose proof (sqrt_sqrt d Pd).
    assert ((2 * a * t + b) * (2 * a * t + b) <= d) by nra.
    nra.
Qed.

Lemma in_ball_iff x_i x_j o r t : 0 <= r -> 0 < ‖sub x_j x_i‖ ->
  ‖sub (point_on_line x_i x_j t) o‖ <= r <->
  0 <= discriminant x_i x_j o r /\ lambda_u x_i x_j o r <= t <= lambda_v x_i x_j o r.
Proof.
  intros Pr P; apply a_positive in P.
  unfold discriminant, lambda_u, lambda_v; rewrite <- (roots_of_a_quadratic _ _ _ t P), <- sphere_equation.
  pose proof (sqrt_pos (sub (point_on_line x_i x_j t) o ⋅ sub (point_on_line x_i x_j t) o)).
  pose proof (norm_square (sub (point_on_line x_i x_j t) o)); unfold norm in *; split; intro; nra.
Qed.

(** Definition 8; Table 2: the parameters in [0, 1] whose points lie in the ball form an interval of length gamma, or there
    are none and gamma = 0. *)
Theorem gamma_is_the_length_inside x_i x_j o r : 0 <= r -> 0 < ‖sub x_j x_i‖ ->
  (exists p q, 0 <= p /\ p <= q /\ q <= 1 /\ gamma x_i x_j o r = q - p /\
     forall t, 0 <= t <= 1 -> (‖sub (point_on_line x_i x_j t) o‖ <= r <-> p <= t <= q))
  \/ (gamma x_i x_j o r = 0 /\ forall t, 0 <= t <= 1 -> ~ ‖sub (point_on_line x_i x_j t) o‖ <= r).
Proof.
  intros Pr P; pose proof (fun t => in_ball_iff x_i x_j o r t Pr P) as I; apply a_positive in P.
  unfold gamma; unfold lambda_u, lambda_v in *; set (d := discriminant x_i x_j o r) in *; set (a := quadratic_a x_i x_j) in *.
  set (b := quadratic_b x_i x_j o) in *.
  destruct (Rlt_le_dec d 0) as [N | Pd].
  - right; rewrite sqrt_neg_0 by lra; split.
    + replace (- b - 0) with (- b + 0) by ring; set (m := (- b + 0) / (2 * a)).
      unfold Rmax, Rmin; repeat destruct Rle_dec; lra.
    + intros t _ H; apply I in H; lra.
  - assert (O : (- b - sqrt d) / (2 * a) <= (- b + sqrt d) / (2 * a)).
    { apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra | pose proof (sqrt_pos d); lra]. }
    set (p := (- b - sqrt d) / (2 * a)) in *; set (q := (- b + sqrt d) / (2 * a)) in *.
    destruct (Rlt_le_dec q 0) as [N1 | N1].
    { right; split; [unfold Rmax, Rmin; repeat destruct Rle_dec; lra | intros t T H; apply I in H; lra]. }
    destruct (Rlt_le_dec 1 p) as [N2 | N2].
    { right; split; [unfold Rmax, Rmin; repeat destruct Rle_dec; lra | intros t T H; apply I in H; lra]. }
    left; exists (Rmax 0 p), (Rmin 1 q); repeat apply conj; try (unfold Rmax, Rmin; repeat destruct Rle_dec; lra).
    intros t T; rewrite I; unfold Rmax, Rmin; repeat destruct Rle_dec; intuition lra.
Qed.

(** Definition 8: gamma does not change when the ends are swapped. *)
Theorem gamma_symmetric x_i x_j o r : 0 < ‖sub x_j x_i‖ -> gamma x_j x_i o r = gamma x_i x_j o r.
Proof.
  intro P; apply a_positive in P.
  assert (Ea : quadratic_a x_j x_i = quadratic_a x_i x_j).
  { unfold quadratic_a; replace (sub x_i x_j) with (fun i => sub x_j x_i i + (-2) * sub x_j x_i i)
      by (extensionality i; unfold sub; ring). rewrite (square_of_sum _ B); ring. }
  assert (Eb : quadratic_b x_j x_i o = - quadratic_b x_i x_j o - 2 * quadratic_a x_i x_j).
  { unfold quadratic_b, quadratic_a; replace (sub x_i x_j) with (fun i => sub x_j x_i i + (-2) * sub x_j x_i i)
      by (extensionality i; unfold sub; ring).
    replace (sub x_j o) with (fun i => sub x_i o i + 1 * sub x_j x_i i) by (extensionality i; unfold sub; ring).
    rewrite (form_linear _ B), (form_symmetric _ B (sub x_j x_i)), (form_linear _ B).
    rewrite (form_symmetric _ B (sub x_i o) (sub x_j x_i)); ring. }
  assert (Ec : quadratic_c x_j o r = quadratic_a x_i x_j + quadratic_b x_i x_j o + quadratic_c x_i o r).
  { pose proof (sphere_equation x_i x_j o r 1) as E.
    replace (point_on_line x_i x_j 1) with x_j in E by (extensionality i; unfold point_on_line; ring).
    unfold quadratic_c at 1; lra. }
  assert (Ed : discriminant x_j x_i o r = discriminant x_i x_j o r).
  { unfold discriminant; rewrite Ea, Eb, Ec; ring. }
  assert (Eu : lambda_u x_j x_i o r = 1 - lambda_v x_i x_j o r).
  { unfold lambda_u, lambda_v; rewrite Ed, Ea, Eb; field; lra. }
  assert (Ev : lambda_v x_j x_i o r = 1 - lambda_u x_i x_j o r).
  { unfold lambda_u, lambda_v; rewrite Ed, Ea, Eb; field; lra. }
  unfold gamma; rewrite Eu, Ev; unfold Rmax, Rmin; repeat destruct Rle_dec; lra.
Qed.

Lemma width x_i x_j o r : 0 < quadratic_a x_i x_j ->
  lambda_v x_i x_j o r - lambda_u x_i x_j o r = sqrt (discriminant x_i x_j o r) / quadratic_a x_i x_j.
Proof. intro; unfold lambda_u, lambda_v; field; lra. Qed.

Lemma over_a_times_root s a : 0 < a -> s / a * sqrt a = s / sqrt a.
Proof.
  intro P; pose proof (sqrt_lt_R0 a P); rewrite <- (sqrt_sqrt a) at 1 by lra; field; lra.
Qed.

Lemma root_of_product a k : 0 <= a -> 0 <= k -> sqrt (4 * a * k) = 2 * sqrt a * sqrt k.
Proof.
  intros Pa Pk; rewrite (sqrt_mult (4 * a)), (sqrt_mult 4) by lra.
  replace 4 with (2 * 2) by ring; rewrite sqrt_square by lra; reflexivity.
Qed.

(** Theorem A: a line that stays at least h away from the center has at most 2 sqrt(r^2 - h^2) of its length in the ball. *)
Theorem chord_length x_i x_j o r h : 0 < ‖sub x_j x_i‖ -> 0 <= h ->
  (forall t, h <= ‖sub (point_on_line x_i x_j t) o‖) ->
  gamma x_i x_j o r * ‖sub x_j x_i‖ <= 2 * sqrt (r * r - h * h).
Proof.
  intros P Ph H; pose proof (a_positive _ _ P) as Pa; set (a := quadratic_a x_i x_j) in *.
  assert (D : discriminant x_i x_j o r <= 4 * a * (r * r - h * h)).
  { set (m := - quadratic_b x_i x_j o / (2 * a)); specialize (H m).
    pose proof (sphere_equation x_i x_j o r m) as E; fold a in E; rewrite <- norm_square in E.
    replace (a * m * m + quadratic_b x_i x_j o * m + quadratic_c x_i o r) with (- discriminant x_i x_j o r / (4 * a)) in E
      by (unfold m, discriminant; fold a; field; lra).
    assert (E' : discriminant x_i x_j o r = 4 * a * (r * r - ‖sub (point_on_line x_i x_j m) o‖ * ‖sub (point_on_line x_i x_j m)
      o‖)).
    { replace (r * r - _) with (- (‖sub (point_on_line x_i x_j m) o‖ * ‖sub (point_on_line x_i x_j m) o‖ - r * r)) by ring.
      rewrite E; field; lra. }
    rewrite E'; apply Rmult_le_compat_l; nra. }
  assert (G : gamma x_i x_j o r <= sqrt (4 * a * (r * r - h * h)) / a).
  { apply Rle_trans with (sqrt (discriminant x_i x_j o r) / a).
    - pose proof (width x_i x_j o r Pa) as W; fold a in W; rewrite <- W.
      assert (0 <= sqrt (discriminant x_i x_j o r) / a) by (apply Rmult_le_pos; [apply sqrt_pos | left; apply Rinv_0_lt_compat;
        lra]).
      unfold gamma; unfold Rmax, Rmin; repeat destruct Rle_dec; lra.
    - apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra | apply sqrt_le_1_alt, D]. }
  rewrite norm_root_a; fold a; pose proof (sqrt_lt_R0 a Pa).
  apply Rmult_le_compat_r with (r := sqrt a) in G; [|lra]; rewrite over_a_times_root in G by lra.
  destruct (Rle_lt_dec 0 (r * r - h * h)) as [Q | Q].
  - rewrite root_of_product in G by lra.
    replace (2 * sqrt a * sqrt (r * r - h * h) / sqrt a) with (2 * sqrt (r * r - h * h)) in G by (field; lra); exact G.
  - pose proof (Rmult_lt_0_compat a (h * h - r * r) Pa ltac:(lra)).
    rewrite (sqrt_neg_0 (r * r - h * h)) by lra; rewrite (sqrt_neg_0 (4 * a * _)) in G by lra.
    unfold Rdiv in G; lra.
Qed.

(** Theorem A: between the spheres of radii r' <= r a segment has at most 2 sqrt(r^2 - r'^2). *)
Theorem shell_piece x_i x_j o r r' : 0 <= r' <= r ->
  (gamma x_i x_j o r - gamma x_i x_j o r') * ‖sub x_j x_i‖ <= 2 * sqrt (r * r - r' * r').
Proof.
  intros Hr; pose proof (sqrt_pos (r * r - r' * r')) as Ps.
  destruct (Rle_lt_or_eq_dec 0 (‖sub x_j x_i‖)) as [P | E]; [apply sqrt_pos | | rewrite <- E; lra].
  pose proof (a_positive _ _ P) as Pa; rewrite norm_root_a; set (a := quadratic_a x_i x_j) in *.
  pose proof (sqrt_lt_R0 a Pa) as Pq.
  set (k := 4 * a * (r * r - r' * r')).
  assert (Ek : sqrt k = 2 * sqrt a * sqrt (r * r - r' * r')).
  { apply root_of_product; nra. }
  set (d := discriminant x_i x_j o r); set (d' := discriminant x_i x_j o r').
  assert (Ed : d = d' + k) by (unfold d, d', k, discriminant, quadratic_c; fold a; ring).
  assert (Pk : 0 <= k) by (unfold k; apply Rmult_le_pos; nra).
  assert (S1 : sqrt d' <= sqrt d) by (apply sqrt_le_1_alt; lra).
  assert (S2 : sqrt d <= sqrt d' + sqrt k).
  { pose proof (sqrt_pos d'); pose proof (sqrt_pos k).
    rewrite <- (sqrt_square (sqrt d' + sqrt k)) by lra; apply sqrt_le_1_alt.
    pose proof (sqrt_sqrt k Pk); destruct (Rle_lt_dec 0 d') as [Q | Q].
    - pose proof (sqrt_sqrt d' Q); nra.
    - nra. }
  set (j := / (2 * a)); assert (Pj : 0 < j) by (apply Rinv_0_lt_compat; lra).
  assert (G : gamma x_i x_j o r - gamma x_i x_j o r' <= 2 * (sqrt k * j)).
  { assert (M1 : 0 <= (sqrt d - sqrt d') * j) by (apply Rmult_le_pos; lra).
    assert (M2 : (sqrt d - sqrt d') * j <= sqrt k * j) by (apply Rmult_le_compat_r; lra).
    assert (Eu : lambda_u x_i x_j o r = lambda_u x_i x_j o r' - (sqrt d - sqrt d') * j).
    { unfold lambda_u, Rdiv; fold a; fold j; fold d; fold d'; ring. }
    assert (Ev : lambda_v x_i x_j o r = lambda_v x_i x_j o r' + (sqrt d - sqrt d') * j).
    { unfold lambda_v, Rdiv; fold a; fold j; fold d; fold d'; ring. }
    unfold gamma; rewrite Eu, Ev; set (p := lambda_u x_i x_j o r'); set (q := lambda_v x_i x_j o r').
    unfold Rmax, Rmin; repeat destruct Rle_dec; lra. }
  apply Rmult_le_compat_r with (r := sqrt a) in G; [|lra].
  eapply Rle_trans; [exact G|]; right; rewrite Ek; unfold j.
  rewrite <- (sqrt_sqrt a) at 2 by lra; field; lra.
Qed.

(** Table 2: two equal ends have gamma = 0. *)
Lemma gamma_of_equal_ends x_i x_j o r : ‖sub x_j x_i‖ = 0 -> gamma x_i x_j o r = 0.
Proof.
  intro E; assert (A : quadratic_a x_i x_j = 0) by (unfold quadratic_a; rewrite <- norm_square, E; ring).
  unfold gamma, lambda_u, lambda_v, Rdiv; rewrite A, Rmult_0_r, Rinv_0, !Rmult_0_r.
  unfold Rmax, Rmin; repeat destruct Rle_dec; lra.
Qed.

(** Definition 8: gamma does not fall when the radius grows. *)
Lemma gamma_grows_with_the_radius x_i x_j o r r' : 0 <= r' <= r -> gamma x_i x_j o r' <= gamma x_i x_j o r.
Proof.
  intro Hr; destruct (Rle_lt_or_eq_dec 0 (‖sub x_j x_i‖)) as [P | E]; [apply sqrt_pos | | rewrite !gamma_of_equal_ends by lra;
    lra].
  pose proof (a_positive _ _ P) as Pa.
  assert (D : sqrt (discriminant x_i x_j o r') <= sqrt (discriminant x_i x_j o r)).
  { apply sqrt_le_1_alt; unfold discriminant, quadratic_c.
    assert (0 <= 4 * quadratic_a x_i x_j * (r * r - r' * r')) by (apply Rmult_le_pos; nra); lra. }
  assert (J : 0 < / (2 * quadratic_a x_i x_j)) by (apply Rinv_0_lt_compat; lra).
  assert (U : lambda_u x_i x_j o r <= lambda_u x_i x_j o r') by (apply Rmult_le_compat_r; lra).
  assert (V : lambda_v x_i x_j o r' <= lambda_v x_i x_j o r) by (apply Rmult_le_compat_r; lra).
  unfold gamma, Rmax, Rmin; repeat destruct Rle_dec; lra.
Qed.

(** Definition 8: gamma does not change under a motion, nor under a change of scale that takes the radius along. *)
Lemma gamma_of_a_similarity (f : vector -> vector) c x_i x_j o r : 0 < c ->
  (forall u v w z, sub (f u) (f v) ⋅ sub (f w) (f z) = c * c * (sub u v ⋅ sub w z)) ->
  gamma (f x_i) (f x_j) (f o) (c * r) = gamma x_i x_j o r.
Proof.
  intros Pc H.
  assert (A : quadratic_a (f x_i) (f x_j) = c * c * quadratic_a x_i x_j) by apply H.
  assert (B' : quadratic_b (f x_i) (f x_j) (f o) = c * c * quadratic_b x_i x_j o) by (unfold quadratic_b; rewrite H; ring).
  assert (C : quadratic_c (f x_i) (f o) (c * r) = c * c * quadratic_c x_i o r) by (unfold quadratic_c; rewrite H; ring).
  assert (D : sqrt (discriminant (f x_i) (f x_j) (f o) (c * r)) = c * c * sqrt (discriminant x_i x_j o r)).
  { transitivity (sqrt ((c * c) * (c * c) * discriminant x_i x_j o r)).
    - f_equal; unfold discriminant; rewrite A, B', C; ring.
    - rewrite sqrt_mult_alt, sqrt_square by nra; reflexivity. }
  assert (Q : forall q, c * c * q / (2 * (c * c * quadratic_a x_i x_j)) = q / (2 * quadratic_a x_i x_j)).
  { intro q; unfold Rdiv; replace (2 * (c * c * quadratic_a x_i x_j)) with (c * c * (2 * quadratic_a x_i x_j)) by ring.
    destruct (Req_dec (quadratic_a x_i x_j) 0) as [Z | Z]; [rewrite Z, !Rmult_0_r, Rinv_0; ring | field; lra]. }
  unfold gamma, lambda_u, lambda_v; rewrite A, B', D.
  replace (- (c * c * quadratic_b x_i x_j o) + c * c * sqrt (discriminant x_i x_j o r))
    with (c * c * (- quadratic_b x_i x_j o + sqrt (discriminant x_i x_j o r))) by ring.
  replace (- (c * c * quadratic_b x_i x_j o) - c * c * sqrt (discriminant x_i x_j o r))
    with (c * c * (- quadratic_b x_i x_j o - sqrt (discriminant x_i x_j o r))) by ring.
  rewrite !Q; reflexivity.
Qed.

(** A ball of radius 0 has no share. *)
Lemma gamma_of_a_point x_i x_j o : gamma x_i x_j o 0 = 0.
Proof.
  assert (D : discriminant x_i x_j o 0 <= 0).
  { unfold discriminant, quadratic_a, quadratic_b, quadratic_c.
    pose proof (cauchy_schwarz _ B (sub x_j x_i) (sub x_i o)); nra. }
  unfold gamma, lambda_u, lambda_v; rewrite (sqrt_neg_0 _ D).
  replace (- quadratic_b x_i x_j o - 0) with (- quadratic_b x_i x_j o + 0) by ring.
  set (m := (- quadratic_b x_i x_j o + 0) / (2 * quadratic_a x_i x_j)).
  unfold Rmax, Rmin; repeat destruct Rle_dec; lra.
Qed.

(** Points of two segments from z with the same parameter are no farther apart than the other ends. *)
Lemma same_parameter z x y o t : 0 <= t <= 1 ->
  ‖sub (point_on_line z y t) o‖ <= ‖sub (point_on_line z x t) o‖ + ‖sub x y‖.
Proof.
  intro T; replace (sub (point_on_line z y t) o) with (fun i => sub (point_on_line z x t) o i + (- t) * sub x y i)
    by (extensionality i; unfold sub, point_on_line; ring).
  pose proof (seminorm_sum _ B (sub (point_on_line z x t) o) (sub x y) (- t)) as S.
  rewrite Rabs_Ropp, Rabs_pos_eq in S by lra; pose proof (sqrt_pos (sub x y ⋅ sub x y)).
  unfold norm; nra.
Qed.

(** What zx has in the ball shrunk by e, zy has in the ball. *)
Lemma shrunk_ball x y z o r e : 0 <= r -> ‖sub x y‖ <= e -> 0 < ‖sub x z‖ -> 0 < ‖sub y z‖ ->
  gamma z x o (Rmax (r - e) 0) <= gamma z y o r.
Proof.
  intros Pr He Px Py; destruct (gamma_range z y o r) as [G0 _].
  destruct (Rle_lt_dec (r - e) 0) as [N | N]; [rewrite Rmax_right, gamma_of_a_point by lra; lra | rewrite Rmax_left by lra].
  destruct (gamma_is_the_length_inside z x o (r - e)) as [(p & q & Hp & Hpq & Hq & E & I) | [E _]]; try lra; try assumption.
  assert (J : forall t, p <= t <= q -> lambda_u z y o r <= t <= lambda_v z y o r).
  { intros t T; apply in_ball_iff; try lra; try assumption.
    eapply Rle_trans; [apply (same_parameter z x y); lra|].
    assert (‖sub (point_on_line z x t) o‖ <= r - e) by (apply I; lra); lra. }
  pose proof (J p ltac:(lra)); pose proof (J q ltac:(lra)); rewrite E.
  unfold gamma; unfold Rmax, Rmin; repeat destruct Rle_dec; lra.
Qed.

Lemma shell_chord_nonneg r e : 0 <= shell_chord r e.
Proof. unfold shell_chord; pose proof (sqrt_pos (r * r - Rmax (r - e) 0 * Rmax (r - e) 0)); lra. Qed.

(** Theorem A: when an end moves by at most e, gamma moves by at most tau(e) over the length of the shorter segment. *)
Theorem gamma_moves x y z o r e : 0 <= r -> ‖sub x y‖ <= e -> ‖sub x z‖ <= ‖sub y z‖ ->
  ‖sub x z‖ * Rabs (gamma z x o r - gamma z y o r) <= shell_chord r e.
Proof.
  intros Pr He L; pose proof (shell_chord_nonneg r e) as Pt.
  destruct (Rle_lt_or_eq_dec 0 (‖sub x z‖)) as [P | E]; [apply sqrt_pos | | rewrite <- E; lra].
  assert (Pe : 0 <= e) by (apply Rle_trans with (‖sub x y‖); [apply sqrt_pos | exact He]).
  assert (Hr : 0 <= Rmax (r - e) 0 <= r) by (unfold Rmax; destruct Rle_dec; lra).
  assert (He' : ‖sub y x‖ <= e) by (unfold norm; rewrite (seminorm_sub_swap _ B); exact He).
  pose proof (shell_piece z x o r _ Hr) as S1; pose proof (shell_piece z y o r _ Hr) as S2.
  fold (shell_chord r e) in S1, S2.
  pose proof (shrunk_ball x y z o r e Pr He P ltac:(lra)) as I1.
  pose proof (shrunk_ball y x z o r e Pr He' ltac:(lra) P) as I2.
  unfold Rabs; destruct Rcase_abs; nra.
Qed.
End Gamma.
