(** The moduli are sharp: no smaller constants will do.

    hole r                one ball with M(A) = 0, for M(B) = I: there Lambda = kappa = 1
    row u v M n           n balls of radius 1 with the metric M, three apart
    small_chord, frame    the tangent segments of [Tangent.v] *)
From Coq Require Import Reals Lra Lia Psatz FunctionalExtensionality List.
From LMLIR Require Import Geometry Continuity Matrices Scales Classifier Refuted Integral Exact Moduli Segments Sharpest Hull
  Tangent.
Import ListNotations.
Open Scope R_scope.

Opaque integral integrable.

(** ** A constant before the whole modulus *)

Definition hole (r : R) : list region := [Region (plane 0 0) r (scaled_identity 0)].

Lemma distance_around_a_hole F r x z :
  distance F (scaled_identity 1) (hole r) x z = (1 - gamma F x z (plane 0 0) r) * norm F (sub x z).
Proof.
  unfold distance, distance_with, weighted_lengths, background_share, hole, share; simpl.
  rewrite !mahalanobis_of_identity, sqrt_1, sqrt_0 by lra.
  set (g := gamma _ _ _ _ _); assert (0 <= g <= 1) by apply gamma_range.
  rewrite Rmax_left by lra; ring.
Qed.

(** Theorem A: no constant c < 1 before the modulus will do, in any dimension from 2 on, for M(A) = 0 and M(B) = I. *)
Theorem modulus_is_sharp F c : (2 <= F)%nat -> c < 1 -> exists r x y z, 0 < r /\ 0 < norm F (sub x y) /\
  c * (1 * norm F (sub x y) + 1 * shell_chord r (norm F (sub x y)))
  < Rabs (distance F (scaled_identity 1) (hole r) x z - distance F (scaled_identity 1) (hole r) y z).
Proof.
  intros HF C.
  assert (exists k, 3 <= k /\ c * (k + 4) < k) as (k & K & KC).
  { set (q := / (1 - c)); assert (Q : 0 < q) by (apply Rinv_0_lt_compat; lra).
    assert (E : q * (1 - c) = 1) by (unfold q; field; lra).
    exists (3 + 4 * q); split; [lra | nra]. }
  set (r := k * k + 1); set (b := k * k - 1); set (w := (k + 1) * (k + 1)).
  set (e := 2 * (k * k) * (k + 1) / ((k - 1) * (k * k + 1))).
  assert (D1 : 0 < (k - 1) * (k * k + 1)) by (apply Rmult_lt_0_compat; nra).
  assert (Ee : e * ((k - 1) * (k * k + 1)) = 2 * (k * k) * (k + 1)) by (unfold e; field; nra).
  assert (Pe : 0 < e) by (unfold e; apply Rmult_lt_0_compat; [nra | apply Rinv_0_lt_compat, D1]).
  exists r, (plane (2 * k) (b + e)), (plane (2 * k) b), (plane (- r) b).
  assert (N : norm F (sub (plane (2 * k) (b + e)) (plane (2 * k) b)) = e).
  { unfold norm; rewrite sub_plane, dot_plane by exact HF.
    match goal with |- sqrt ?d = _ => replace d with (e * e) by ring end; apply sqrt_square; lra. }
  rewrite N; repeat split; [unfold r; nra | exact Pe|].
  assert (W : r + 2 * k = w) by (unfold r, w; ring); assert (Pw : 0 < w /\ 4 * k <= w) by (unfold w; split; nra);
    destruct Pw as [Pw Wk].
  assert (DX : w <= distance F (scaled_identity 1) (hole r) (plane (2 * k) (b + e)) (plane (- r) b)).
  { rewrite distance_around_a_hole, gamma_of_planes by exact HF; cbv zeta; rewrite (sqrt_neg_0 (_ - 4 * _ * _)).
    - rewrite Rplus_0_r, Rminus_0_r; match goal with |- context [?q / ?d] => set (m := q / d) end.
      replace (Rmax 0 (Rmin 1 m - Rmax 0 m)) with 0 by (unfold Rmax, Rmin; repeat destruct Rle_dec; lra).
      unfold norm; rewrite sub_plane, dot_plane by exact HF.
      rewrite Rminus_0_r, Rmult_1_l, <- (sqrt_square w) by lra; apply sqrt_le_1_alt; rewrite <- W; nra.
    - right; transitivity (8 * w * (k + 1) * (2 * (k * k) * (k + 1) - e * ((k - 1) * (k * k + 1)))).
      + unfold w, b, r; ring.
      + rewrite Ee; ring. }
  assert (DY : distance F (scaled_identity 1) (hole r) (plane (2 * k) b) (plane (- r) b) = w - 4 * k).
  { rewrite distance_around_a_hole, gamma_of_planes by exact HF; cbv zeta.
    match goal with |- context [sqrt ?d] => replace d with ((4 * k * w) * (4 * k * w)) by (unfold w, b, r; ring) end.
    rewrite sqrt_square by nra.
    replace (- r - 2 * k) with (- w) by lra; replace (b - b) with 0 by ring; clearbody w.
    match goal with |- context [Rmin 1 ?q] => replace q with (4 * k / w) by (field; nra) end.
    match goal with |- context [Rmax 0 (?q / ?d)] => replace (q / d) with 0 by (field; nra) end.
    assert (G : 0 <= 4 * k / w <= 1).
    { split; [apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat, Pw]|].
      apply Rmult_le_reg_r with w; [exact Pw|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra. }
    rewrite (Rmax_left 0 0), Rmin_right, Rmax_right by lra.
    unfold norm; rewrite sub_plane, dot_plane by exact HF.
    match goal with |- context [sqrt ?d] => replace d with (w * w) by (rewrite <- W; ring) end.
    rewrite sqrt_square by lra; field; lra. }
  assert (T : shell_chord r e <= 4 * k + 12).
  { eapply Rle_trans; [apply shell_chord_below_a_root; unfold r; nra|].
    replace (4 * k + 12) with (2 * sqrt ((2 * k + 6) * (2 * k + 6))) by (rewrite sqrt_square; lra).
    apply Rmult_le_compat_l; [lra|]; apply sqrt_le_1_alt; apply Rmult_le_reg_r with (k - 1); [lra|].
    replace (2 * r * e * (k - 1)) with (2 * (e * ((k - 1) * (k * k + 1)))) by (unfold r; ring); rewrite Ee; nra. }
  assert (E4 : e <= 4).
  { apply Rmult_le_reg_r with ((k - 1) * (k * k + 1)); [exact D1|]; rewrite Ee.
    assert (0 <= k * k * (k - 3)) by (apply Rmult_le_pos; nra); nra. }
  rewrite DY; match goal with |- _ < Rabs ?d => pose proof (Rle_abs d) end.
  pose proof (shell_chord_nonneg r e); set (t := shell_chord r e) in *.
  assert (c * (1 * e + 1 * t) < 4 * k); [|lra].
  destruct (Rle_lt_dec c 0); [nra|].
  apply Rle_lt_trans with (c * (4 * k + 16)); [apply Rmult_le_compat_l; lra | lra].
Qed.

(** ** The constants before the shell chords, for any metrics *)

(** A ball that the segment misses adds nothing to D; one within the others adds gamma_s n_s, and takes nothing from the
    background (exact gamma_b). *)
Lemma missed_ball F B A As x z : 0 < norm F (sub z x) -> (forall C, In C (A :: As) -> 0 <= radius C) -> share F x z A = 0 ->
  exact_distance F B (A :: As) x z = exact_distance F B As x z.
Proof.
  intros P PR G; pose proof (inside_multiplier F x z (A :: As) P PR A (or_introl eq_refl)) as Mi.
  assert (MU : multiplier (uncovered F x z As)) by (apply uncovered_multiplier; [exact P | intros; apply PR; right;
    assumption]).
  assert (E : exact_background_share F (A :: As) x z = exact_background_share F As x z).
  { unfold exact_background_share; pose proof (inside_integral F x z (A :: As) P PR A (or_introl eq_refl)) as I; rewrite G in I.
    set (i := inside F x z A) in *; set (U := uncovered F x z As) in *.
    assert (Ui : integrable (fun t => U t * i t)) by (apply Mi, multiplier_integrable, MU).
    assert (Z : integral (fun t => U t * i t) = 0).
    { apply Rle_antisym.
      - rewrite <- I; apply integral_le; [exact Ui | apply multiplier_integrable, Mi|]; intros t _.
        pose proof (uncovered_range F x z As t) as R; fold (U t) in R.
        destruct (inside_cases F x z A t) as [E | E]; unfold i; rewrite E; lra.
      - rewrite <- (integral_const 0); apply integral_le; [apply integrable_const | exact Ui|]; intros t _.
        pose proof (uncovered_range F x z As t) as R; fold (U t) in R.
        destruct (inside_cases F x z A t) as [E | E]; unfold i; rewrite E; lra. }
    rewrite (integral_ext _ (fun t => U t - U t * i t)) by (intros; simpl; fold (i t) (U t); ring).
    rewrite integral_minus by (try exact Ui; apply multiplier_integrable, MU); rewrite Z; ring. }
  unfold exact_distance, distance_with, weighted_lengths; rewrite E; simpl; rewrite G; ring.
Qed.

Lemma covered_ball F B A As y z : (forall t, 0 <= t <= 1 -> inside F y z A t = 1 -> uncovered F y z As t = 0) ->
  exact_distance F B (A :: As) y z = exact_distance F B As y z + share F y z A * mahalanobis F (metric A) (sub y z).
Proof.
  intro Cov; assert (E : exact_background_share F (A :: As) y z = exact_background_share F As y z).
  { apply integral_ext; intros t T; simpl; destruct (inside_cases F y z A t) as [E | E]; rewrite E; [ring|].
    rewrite (Cov t T E); ring. }
  unfold exact_distance, distance_with, weighted_lengths; rewrite E; simpl; ring.
Qed.

Lemma nonneg_part_le L e : 0 <= e -> L * e <= Rmax L 0 * e.
Proof. intro P; apply Rmult_le_compat_r; [exact P | apply Rmax_l]. Qed.

(** Theorem A: whatever the metrics, in every dimension from 2 on, the constant before tau is no less than
    |n_s(u) - n_B(u)| for any unit vector u: already with one ball, wherever it is and however large, with either gamma_b;
    and no Lambda makes up for it. *)
Theorem difference_of_lengths_is_needed F o r M_A M_B u c L : (2 <= F)%nat -> 0 < r ->
  positive_semidefinite F M_A -> positive_semidefinite F M_B -> norm F u = 1 ->
  0 <= c < Rabs (mahalanobis F M_A u - mahalanobis F M_B u) ->
  exists x y z, let As := [Region o r M_A] in let e := norm F (sub x y) in 0 < e /\
    L * e + c * shell_chord r e < Rabs (distance F M_B As x z - distance F M_B As y z) /\
    L * e + c * shell_chord r e < Rabs (exact_distance F M_B As x z - exact_distance F M_B As y z).
Proof.
  intros HF Pr PA PB N1 Hc; assert (Nu : dot F u u = 1) by (rewrite <- norm_square, N1; ring).
  destruct (orthogonal_vector F u HF Nu) as (v & Nv & O).
  set (k := Rabs (mahalanobis F M_A u - mahalanobis F M_B u)) in *; set (s := sqrt (frobenius F M_B)).
  assert (S : scale F M_B s) by apply frobenius_scale; assert (Ps : 0 <= s) by apply S.
  pose proof (Rmax_r L 0) as PL.
  destruct (small_chord k c (Rmax L 0 + s) 0 Hc ltac:(lra) ltac:(lra)) as (b & H & e & Hb & PH & Pe & Ci & Hi & Small).
  set (x := frame o u v r b (H + e)); set (y := frame o u v r b H); set (z := frame o u v r (- (1)) H).
  assert (N : norm F (sub x y) = r * e) by (apply step_length; assumption).
  exists x, y, z; cbv zeta; rewrite N; split; [nra|]; set (A := Region o r M_A).
  assert (Gx : share F x z A = 0) by (apply (ball_missed F o u v r Nu Nv O Pr 1 b b H e); lra).
  assert (Gy : forall M, positive_semidefinite F M -> share F y z A * mahalanobis F M (sub y z) = 2 * b * r * mahalanobis F M u)
    by (intros M PM; apply (length_of_the_chord F o u v r Nu Nv O Pr 1 b b H); lra || assumption).
  assert (Ry : 0 <= share F y z A <= 1) by apply gamma_range.
  assert (Dx : distance F M_B [A] x z = mahalanobis F M_B (sub x z)).
  { unfold distance, distance_with, weighted_lengths, background_share; simpl; rewrite Gx, Rmax_left by lra; ring. }
  assert (Dy : distance F M_B [A] y z = mahalanobis F M_B (sub y z) + 2 * b * r * (mahalanobis F M_A u - mahalanobis F M_B u)).
  { unfold distance, distance_with, weighted_lengths, background_share; simpl; rewrite Rmax_left by lra.
    pose proof (Gy M_A PA); pose proof (Gy M_B PB); lra. }
  assert (Low : L * (r * e) + c * shell_chord r (r * e) < Rabs (distance F M_B [A] x z - distance F M_B [A] y z)).
  { rewrite Dx, Dy, scaled_shell_chord by exact Pr.
    pose proof (mahalanobis_moves F M_B x y z PB) as Mv; destruct S as [_ S]; specialize (S (sub x y)); rewrite N in S.
    pose proof (shell_chord_below_a_root 1 e ltac:(lra) ltac:(lra)) as T.
    pose proof (nonneg_part_le L e ltac:(lra)) as LL; apply Rmult_le_compat_l with (r := c) in T; [|lra].
    set (g := mahalanobis F M_B (sub x z) - mahalanobis F M_B (sub y z)) in *.
    set (dl := mahalanobis F M_A u - mahalanobis F M_B u) in *.
    replace (mahalanobis F M_B (sub x z) - (mahalanobis F M_B (sub y z) + 2 * b * r * dl)) with (- (2 * b * r * dl - g))
      by (unfold g; ring).
    rewrite Rabs_Ropp; pose proof (Rabs_triang_inv (2 * b * r * dl) g) as R; rewrite Rabs_mult, (Rabs_pos_eq (2 * b * r)) in R
      by nra.
    fold k in R; assert (r * (L * e + c * shell_chord 1 e) < r * (2 * b * k - s * e)) by (apply Rmult_lt_compat_l; lra); lra. }
  split; [exact Low|]; unfold exact_distance.
  rewrite !exact_is_approximate; try exact Low; try (apply pairwise_disjoint; repeat constructor);
    try (intros C [<- | []]; simpl; lra); apply (ends_differ F o u v r Nu Nv O Pr 1 b b H); lra.
Qed.

(** ** Balls in a row *)

(** n balls of radius 1 with the same metric, three apart. *)
Fixpoint row (u v : vector) M n : list region :=
  match n with O => nil | S m => Region (frame (fun _ => 0) u v 1 (- (3 * INR m)) 0) 1 M :: row u v M m end.

Lemma in_row u v M n A : In A (row u v M n) ->
  exists k, (k < n)%nat /\ A = Region (frame (fun _ => 0) u v 1 (- (3 * INR k)) 0) 1 M.
Proof.
  induction n as [|n IH]; intros []; [exists n; split; [lia | symmetry; assumption]|].
  destruct IH as (k & Hk & E); [assumption | exists k; split; [lia | exact E]].
Qed.

Lemma row_apart F u v M n : dot F u u = 1 -> dot F v v = 1 -> dot F u v = 0 ->
  ForallOrdPairs (fun A C => ~ meet F A C) (row u v M n).
Proof.
  intros Nu Nv O; induction n as [|n IH]; simpl; constructor; [|exact IH].
  rewrite Forall_forall; intros C I; destruct (in_row u v M n C I) as (k & Hk & ->); unfold meet; simpl.
  assert (D : INR k + 1 <= INR n) by (rewrite <- S_INR; apply le_INR; lia).
  rewrite (norm_frame F _ u v 1 Nu Nv O ltac:(lra) _ _ _ _ (3 * (INR n - INR k))); [lra | lra | ring].
Qed.

(** Theorem A: with any number n of disjoint balls the sum of all n terms is needed: whatever the two metrics, no
    constant below |n_A(u) - n_B(u)| will do before it, with either gamma_b, and no Lambda makes up for it. *)
Theorem sum_over_the_regions_is_needed F n M_A M_B u c L : (2 <= F)%nat -> (1 <= n)%nat ->
  positive_semidefinite F M_A -> positive_semidefinite F M_B -> norm F u = 1 ->
  0 <= c < Rabs (mahalanobis F M_A u - mahalanobis F M_B u) ->
  exists As x y z, length As = n /\ (forall A, In A As -> radius A = 1 /\ metric A = M_A) /\
    ForallOrdPairs (fun A C => ~ meet F A C) As /\ let e := norm F (sub x y) in 0 < e /\
    L * e + sum_over (fun A => c * shell_chord (radius A) e) As < Rabs (distance F M_B As x z - distance F M_B As y z) /\
    L * e + sum_over (fun A => c * shell_chord (radius A) e) As
    < Rabs (exact_distance F M_B As x z - exact_distance F M_B As y z).
Proof.
  intros HF Hn PA PB N1 Hc; assert (Nu : dot F u u = 1) by (rewrite <- norm_square, N1; ring).
  destruct (orthogonal_vector F u HF Nu) as (v & Nv & O); set (N := INR n); assert (PN : 1 <= N) by (apply (le_INR 1), Hn).
  set (k := Rabs (mahalanobis F M_A u - mahalanobis F M_B u)) in *; set (s := sqrt (frobenius F M_B)).
  assert (S : scale F M_B s) by apply frobenius_scale; assert (Ps : 0 <= s) by apply S; pose proof (Rmax_r L 0) as PL.
  destruct (small_chord (N * k) (N * c) (Rmax L 0 + s) 0 ltac:(split; nra) ltac:(lra) ltac:(lra))
    as (b & H & e & Hb & PH & Pe & Ci & Hi & Small).
  set (Z := 1 + 6 * N / b); assert (EZ : b * Z = b + 6 * N) by (unfold Z; field; lra).
  assert (PZ : 6 * N + 1 <= Z) by (apply Rmult_le_reg_l with b; [lra | rewrite EZ; nra]).
  set (fr := frame (fun _ => 0) u v 1); set (As := row u v M_A n).
  exists As, (fr b (H + e)), (fr b H), (fr (- Z) H).
  assert (Len : forall m, length (row u v M_A m) = m) by (intro m; induction m; simpl; congruence).
  assert (Rad : forall A, In A As -> radius A = 1 /\ metric A = M_A) by (intros A I; destruct (in_row _ _ _ _ _ I)
    as (? & _ & ->); auto).
  pose proof (row_apart F u v M_A n Nu Nv O) as Apart; fold As in Apart.
  assert (Ne : norm F (sub (fr b (H + e)) (fr b H)) = e).
  { unfold fr; rewrite (norm_frame F _ u v 1 Nu Nv O ltac:(lra) _ _ _ _ e); [ring | lra | ring]. }
  split; [apply Len | split; [exact Rad | split; [exact Apart|]]]; cbv zeta; rewrite Ne; split; [exact Pe|].
  set (x := fr b (H + e)) in *; set (y := fr b H) in *; set (z := fr (- Z) H).
  assert (Shift : forall m a h, fr a h = frame (frame (fun _ => 0) u v 1 (- (3 * INR m)) 0) u v 1 (a + 3 * INR m) h)
    by (intros; extensionality i; unfold fr, frame, span; ring).
  assert (Ball : forall A, In A As -> share F x z A = 0 /\
    forall M, positive_semidefinite F M -> share F y z A * mahalanobis F M (sub y z) = 2 * b * mahalanobis F M u).
  { intros A I; destruct (in_row _ _ _ _ _ I) as (m & Hm & ->); set (o := frame _ u v 1 (- (3 * INR m)) 0).
    assert (Bm : 0 <= INR m /\ INR m + 1 <= N) by (split; [apply pos_INR | unfold N; rewrite <- S_INR; apply le_INR; lia]).
    assert (Ez : z = frame o u v 1 (- (Z - 3 * INR m)) H) by (unfold z; rewrite (Shift m); unfold o; f_equal; ring).
    assert (High : (Z - 3 * INR m + (b + 3 * INR m)) * (b * b) <= 2 * H * e * (Z - 3 * INR m)).
    { apply Rle_trans with ((1 + b) * (b * b) * (Z - 3 * INR m)); [|apply Rmult_le_compat_r; lra].
      replace ((Z - 3 * INR m + (b + 3 * INR m)) * (b * b)) with (b * b * (Z + b)) by ring.
      replace ((1 + b) * (b * b) * (Z - 3 * INR m)) with (b * b * ((1 + b) * (Z - 3 * INR m))) by ring.
      apply Rmult_le_compat_l; [nra|]; assert (b * INR m <= INR m) by nra; lra. }
    unfold share; cbn [center radius]; rewrite Ez; unfold x, y; rewrite !(Shift m b); fold o; split.
    - apply (ball_missed F o u v 1 Nu Nv O ltac:(lra) _ _ b H e); lra.
    - intros M PM; rewrite (length_of_the_chord F o u v 1 Nu Nv O ltac:(lra) _ _ b H) by (lra || assumption); ring. }
  assert (PR : forall A, In A As -> 0 <= radius A) by (intros A I; rewrite (proj1 (Rad A I)); lra).
  pose proof (pairwise_disjoint F As Apart) as Dis.
  assert (Px : 0 < norm F (sub z x)) by (apply (ends_differ F _ u v 1 Nu Nv O ltac:(lra) Z b b H); lra).
  assert (Py : 0 < norm F (sub z y)) by (apply (ends_differ F _ u v 1 Nu Nv O ltac:(lra) Z b b H); lra).
  assert (Cst : forall (f : region -> R) q, (forall A, In A As -> f A = q) -> sum_over f As = N * q).
  { intros f q Eq; rewrite (sum_ext f (fun _ => q)), sum_constant by exact Eq; unfold As; rewrite Len; reflexivity. }
  set (dl := mahalanobis F M_A u - mahalanobis F M_B u) in *.
  assert (Dx : distance F M_B As x z = mahalanobis F M_B (sub x z)).
  { unfold distance, distance_with, weighted_lengths, background_share.
    rewrite (Cst (share F x z) 0) by (intros A I; apply (Ball A I)).
    rewrite (Cst _ 0) by (intros A I; rewrite (proj1 (Ball A I)); ring); rewrite Rmult_0_r, Rminus_0_r, Rmax_left by lra; ring.
      }
  assert (Dy : distance F M_B As y z = mahalanobis F M_B (sub y z) + N * (2 * b * dl)).
  { pose proof (disjoint_shares F y z As Py PR Dis) as Le.
    unfold distance, distance_with, weighted_lengths, background_share; rewrite Rmax_left by lra.
    rewrite (sum_ext (fun A => share F y z A * mahalanobis F (metric A) (sub y z))
      (fun A => mahalanobis F M_B (sub y z) * share F y z A + 2 * b * dl)), sum_plus, (sum_scale _ (share F y z)),
      (Cst (fun _ => 2 * b * dl) (2 * b * dl)); [ring | reflexivity|]; intros A I; rewrite (proj2 (Rad A I));
        destruct (Ball A I) as [_ G].
    pose proof (G M_A PA); pose proof (G M_B PB); unfold dl; lra. }
  assert (Low : L * e + sum_over (fun A => c * shell_chord (radius A) e) As
                < Rabs (distance F M_B As x z - distance F M_B As y z)).
  { rewrite (Cst _ (c * shell_chord 1 e)) by (intros A I; rewrite (proj1 (Rad A I)); reflexivity).
    rewrite Dx, Dy; pose proof (mahalanobis_moves F M_B x y z PB) as Mv; destruct S as [_ S]; specialize (S (sub x y));
      rewrite Ne in S.
    pose proof (shell_chord_below_a_root 1 e ltac:(lra) ltac:(lra)) as T; pose proof (nonneg_part_le L e ltac:(lra)).
    assert (T' : N * (c * shell_chord 1 e) <= N * c * (2 * sqrt (2 * 1 * e)))
      by (rewrite <- Rmult_assoc; apply Rmult_le_compat_l; [apply Rmult_le_pos; lra | exact T]).
    set (g := mahalanobis F M_B (sub x z) - mahalanobis F M_B (sub y z)) in *.
    replace (mahalanobis F M_B (sub x z) - (mahalanobis F M_B (sub y z) + N * (2 * b * dl))) with (- (N * (2 * b) * dl - g))
      by (unfold g; ring).
    rewrite Rabs_Ropp; pose proof (Rabs_triang_inv (N * (2 * b) * dl) g) as R; rewrite Rabs_mult, (Rabs_pos_eq (N * (2 * b)))
      in R by nra.
    fold k in R; lra. }
  split; [exact Low|]; unfold exact_distance; rewrite !exact_is_approximate by assumption; exact Low.
Qed.

(** ** What follows from one ball *)

(** Lemma 1: with one ball, wherever it is and however large, and in every dimension from 2 on, D is Lipschitz for no metrics
    that measure some direction differently (E6); with either gamma_b. *)
Corollary one_ball_is_never_lipschitz F o r M_A M_B u L : (2 <= F)%nat -> 0 < r ->
  positive_semidefinite F M_A -> positive_semidefinite F M_B -> mahalanobis F M_A u <> mahalanobis F M_B u ->
  ~ (forall x y z, Rabs (distance F M_B [Region o r M_A] x z - distance F M_B [Region o r M_A] y z) <= L * norm F (sub x y)) /\
  ~ (forall x y z, Rabs (exact_distance F M_B [Region o r M_A] x z - exact_distance F M_B [Region o r M_A] y z)
                   <= L * norm F (sub x y)).
Proof.
  intros HF Pr PA PB Ne.
  assert (Pn : 0 < norm F u).
  { destruct (Rle_lt_or_eq_dec 0 (norm F u)) as [P | Z]; [apply sqrt_pos | exact P | exfalso; apply Ne].
    rewrite !(mahalanobis_zero F _ _ u (frobenius_scale F _)) by (symmetry; exact Z); reflexivity. }
  set (w := fun i => / norm F u * u i); assert (Pi : 0 < / norm F u) by (apply Rinv_0_lt_compat, Pn).
  assert (Nw : norm F w = 1).
  { unfold norm, w; rewrite (seminorm_scale (dot F) (dot_semi_inner F)), Rabs_pos_eq by lra; fold (norm F u); field; lra. }
  assert (Ew : forall M, positive_semidefinite F M -> mahalanobis F M w = / norm F u * mahalanobis F M u).
  { intros M PM; unfold mahalanobis, w; rewrite (seminorm_scale (form F M) (form_semi_inner F M PM)), Rabs_pos_eq by lra;
      reflexivity. }
  assert (D : 0 < Rabs (mahalanobis F M_A w - mahalanobis F M_B w)).
  { apply Rabs_pos_lt; rewrite !Ew by assumption; intro Z; apply Ne; nra. }
  destruct (difference_of_lengths_is_needed F o r M_A M_B w 0 L HF Pr PA PB Nw ltac:(lra)) as (x & y & z & _ & H1 & H2).
  split; intro X; specialize (X x y z); cbv zeta in *; lra.
Qed.

(** Equation (9): with one ball and in every dimension from 2 on, the triangle inequality holds only where the ball's metric
    and that of the background measure all directions alike; with either gamma_b. *)
Corollary triangle_inequality_with_one_ball F o r M_A M_B D : (2 <= F)%nat -> 0 < r ->
  positive_semidefinite F M_A -> positive_semidefinite F M_B ->
  D = distance F M_B [Region o r M_A] \/ D = exact_distance F M_B [Region o r M_A] ->
  (pseudometric D <-> forall u, mahalanobis F M_A u = mahalanobis F M_B u).
Proof.
  intros HF Pr PA PB HD; set (s_A := sqrt (frobenius F M_A)); set (s_B := sqrt (frobenius F M_B)).
  assert (SA : scale F M_A s_A) by apply frobenius_scale; assert (SB : scale F M_B s_B) by apply frobenius_scale.
  assert (Adm : forall A, In A [Region o r M_A] -> admissible F (fun _ => s_A) A)
    by (intros A [<- | []]; split; simpl; [lra | split; assumption]).
  assert (L : covers_cost F [Region o r M_A] s_B (fun _ => s_A) (s_B + s_A)).
  { assert (0 <= s_A) by apply SA; assert (0 <= s_B) by apply SB; split; [lra | intro p; simpl].
    destruct (in_ball_cases F p o r) as [E | E]; rewrite E; lra. }
  split.
  - intros (_ & _ & Sy & T) u; destruct (Req_dec (mahalanobis F M_A u) (mahalanobis F M_B u)) as [E | Ne]; [exact E | exfalso].
    destruct (one_ball_is_never_lipschitz F o r M_A M_B u (s_B + s_A) HF Pr PA PB Ne) as [N1 N2].
    assert (Lip : forall x y z, D x y <= (s_B + s_A) * norm F (sub x y) ->
      Rabs (D x z - D y z) <= (s_B + s_A) * norm F (sub x y)).
    { intros x y z U; pose proof (T x y z); pose proof (T y x z); pose proof (Sy y x); apply Rabs_le; lra. }
    destruct HD as [-> | ->]; [apply N1 | apply N2]; intros x y z; apply Lip;
      [apply (approximate_le F M_B _ s_B (fun _ => s_A)) | apply (exact_le F M_B _ s_B (fun _ => s_A))]; assumption.
  - intro E; assert (X : forall x y, D x y = mahalanobis F M_B (sub x y)).
    { intros x y; destruct (either_zero F x y) as [Z | [_ P]].
      - rewrite (mahalanobis_zero F M_B s_B) by assumption; destruct HD as [-> | ->]; apply Rle_antisym.
        + eapply Rle_trans; [apply (approximate_le F M_B _ s_B (fun _ => s_A) (s_B + s_A)); assumption | rewrite Z; lra].
        + apply (approximate_dissimilarity F M_B [Region o r M_A] s_B (fun _ => s_A)); assumption.
        + eapply Rle_trans; [apply (exact_le F M_B _ s_B (fun _ => s_A) (s_B + s_A)); assumption | rewrite Z; lra].
        + apply (exact_dissimilarity F M_B [Region o r M_A] s_B (fun _ => s_A)); assumption.
      - assert (Dis : disjoint F [Region o r M_A]) by (apply pairwise_disjoint; repeat constructor).
        assert (PR : forall A, In A [Region o r M_A] -> 0 <= radius A) by (intros A [<- | []]; simpl; lra).
        assert (Ap : distance F M_B [Region o r M_A] x y = mahalanobis F M_B (sub x y)).
        { unfold distance, distance_with, weighted_lengths, background_share; simpl; rewrite E.
          pose proof (gamma_range F x y o r); change (share F x y (Region o r M_A)) with (gamma F x y o r).
          rewrite Rmax_left by lra; ring. }
        destruct HD as [-> | ->]; [exact Ap|]; rewrite <- Ap; unfold exact_distance.
        rewrite exact_is_approximate by assumption; reflexivity. }
    assert (P : pseudometric (fun x y => mahalanobis F M_B (sub x y))).
    { repeat split; intros; [apply sqrt_pos | | apply mahalanobis_swap, PB|].
      - apply (mahalanobis_zero F M_B s_B _ SB), norm_of_nothing.
      - replace (sub x z) with (fun i => sub x y i + sub y z i) by (extensionality i; unfold sub; ring).
        apply (triangle (form F M_B) (form_semi_inner F M_B PB)). }
    destruct P as (P1 & P2 & P3 & P4); repeat split; intros; rewrite ?X; auto.
Qed.

(** Theorem A: nor is it less than n_s(u), for the exact gamma_b: a second ball, small and with any metric, covers the chord,
    and neither Lambda nor any constant before the second tau makes up for it. With [difference_of_lengths_is_needed], kappa'_s
    is the best constant for every choice of metrics. *)
Theorem length_in_the_region_is_needed F o r M_A M_B M_C u c L K : (2 <= F)%nat -> 0 < r ->
  positive_semidefinite F M_A -> positive_semidefinite F M_B -> positive_semidefinite F M_C -> norm F u = 1 ->
  0 <= c < mahalanobis F M_A u ->
  exists o' rho x y z, let As := [Region o r M_A; Region o' rho M_C] in let e := norm F (sub x y) in 0 < e /\ 0 < rho /\
    L * e + c * shell_chord r e + K * shell_chord rho e < Rabs (exact_distance F M_B As x z - exact_distance F M_B As y z).
Proof.
  intros HF Pr PA PB PC N1 Hc; assert (Nu : dot F u u = 1) by (rewrite <- norm_square, N1; ring).
  destruct (orthogonal_vector F u HF Nu) as (v & Nv & O).
  set (k := mahalanobis F M_A u) in *; set (s_B := sqrt (frobenius F M_B)); set (s_C := sqrt (frobenius F M_C)).
  assert (SB : scale F M_B s_B) by apply frobenius_scale; assert (SC : scale F M_C s_C) by apply frobenius_scale.
  set (Lambda := Rmax s_B s_C); assert (LB : s_B <= Lambda) by apply Rmax_l; assert (LC : s_C <= Lambda) by apply Rmax_r.
  assert (Ps : 0 <= s_B) by apply SB; pose proof (Rmax_r L 0) as PL; pose proof (Rmax_r K 0) as PK.
  destruct (small_chord k c (Rmax L 0 + Lambda) (Rmax K 0 + Lambda) Hc ltac:(lra) ltac:(lra))
    as (b & H & e & Hb & PH & Pe & Ci & Hi & Small).
  set (x := frame o u v r b (H + e)); set (y := frame o u v r b H); set (z := frame o u v r (- (1)) H);
    set (o' := frame o u v r 0 H).
  assert (N : norm F (sub x y) = r * e) by (apply step_length; assumption).
  exists o', (r * b), x, y, z; cbv zeta; rewrite N; split; [nra | split; [nra|]].
  set (A := Region o r M_A); set (C := Region o' (r * b) M_C).
  assert (PR : forall R, In R [A; C] -> 0 <= radius R) by (intros R [<- | [<- | []]]; simpl; nra).
  rewrite (missed_ball F M_B A [C] x z); [|apply (ends_differ F o u v r Nu Nv O Pr 1 b b H);
    lra | exact PR | apply (ball_missed F o u v r Nu Nv O Pr 1 b b H e); lra].
  rewrite (covered_ball F M_B A [C] y z).
  2:{ intros t _ I; unfold inside, in_ball in I; destruct Rle_dec as [In1 | _]; [|lra]; simpl.
      unfold inside, in_ball; destruct Rle_dec as [_ | Out]; [ring | exfalso; apply Out; clear Out].
      assert (Pt : point_on_line y z t = frame o u v r (b - t * (1 + b)) H)
        by (extensionality i; unfold point_on_line, y, z, frame, span; ring).
      rewrite Pt in *; simpl in *; set (a := b - t * (1 + b)) in *.
      unfold norm in In1; rewrite sub_center, dot_span in In1 by assumption.
      replace (r * a * (r * a) + r * H * (r * H)) with (r * r * (a * a + H * H)) in In1 by ring.
      rewrite sqrt_mult_alt, sqrt_square in In1 by nra.
      assert (In2 : sqrt (a * a + H * H) <= 1) by (apply Rmult_le_reg_l with r; lra).
      assert (Q : a * a + H * H <= 1 * 1).
      { assert (Pq : 0 <= a * a + H * H) by nra; rewrite <- (sqrt_sqrt _ Pq).
        apply Rmult_le_compat; try exact In2; apply sqrt_pos. }
      unfold o'; rewrite (norm_frame F o u v r Nu Nv O Pr a H 0 H (Rabs a)).
      - apply Rmult_le_compat_l; [lra | apply Rabs_le; split; nra].
      - apply Rabs_pos.
      - rewrite <- Rabs_mult, Rabs_pos_eq by nra; ring. }
  change (share F y z A * mahalanobis F (metric A) (sub y z)) with (gamma F y z o r * mahalanobis F M_A (sub y z)).
  unfold y, z; rewrite (length_of_the_chord F o u v r Nu Nv O Pr 1 b b H) by (lra || assumption); fold y z k.
  assert (Mod : Rabs (exact_distance F M_B [C] x z - exact_distance F M_B [C] y z)
                <= Lambda * (r * e) + Lambda * shell_chord (r * b) (r * e)).
  { pose proof (modulus_exact_sharpest F M_B [C] s_B (fun _ => s_C) (fun _ => Lambda) Lambda PB SB) as M; simpl in M.
    rewrite <- (Rplus_0_r (Lambda * shell_chord _ _)); apply M.
    - intros R [<- | []]; repeat split; simpl; try nra; try apply PC; apply SC.
    - split; [exact LB | intro p; simpl; rewrite Rplus_0_r; assert (0 <= s_C) by apply SC].
      destruct (in_ball_cases F p o' (r * b)) as [E | E]; rewrite E; lra.
    - intros R w [<- | []]; unfold Lambda; rewrite Rmax_comm; apply (larger_scale F M_B C); assumption.
    - intros R w [<- | []]; unfold Lambda; rewrite Rmax_comm; apply (larger_scale F M_B C); assumption.
    - intros R _; lra.
    - rewrite N; lra. }
  assert (T0 : shell_chord (r * b) (r * e) <= r * (2 * sqrt (2 * b * e))).
  { eapply Rle_trans; [apply shell_chord_below_a_root; nra|].
    replace (2 * (r * b) * (r * e)) with (r * r * (2 * b * e)) by ring; rewrite sqrt_mult_alt, sqrt_square by nra; lra. }
  pose proof (shell_chord_below_a_root 1 e ltac:(lra) ltac:(lra)) as T1; rewrite (scaled_shell_chord r e Pr).
  pose proof (shell_chord_nonneg (r * b) (r * e)) as T3; pose proof (nonneg_part_le L e ltac:(lra)) as LL;
    pose proof (nonneg_part_le K _ T3) as KK.
  apply Rmult_le_compat_l with (r := c) in T1; [|lra]; apply Rmult_le_compat_l with (r := Rmax K 0 + Lambda) in T0; [|lra].
  set (g := exact_distance F M_B [C] x z - exact_distance F M_B [C] y z) in *.
  replace (exact_distance F M_B [C] x z - (exact_distance F M_B [C] y z + 2 * b * r * k)) with (- (2 * b * r * k - g))
    by (unfold g; ring).
  rewrite Rabs_Ropp; pose proof (Rabs_triang_inv (2 * b * r * k) g) as R.
  assert (Pk : 0 <= 2 * b * r * k) by (repeat apply Rmult_le_pos; lra).
  rewrite (Rabs_pos_eq _ Pk) in R.
  assert (r * (L * e + Lambda * e + c * shell_chord 1 e + (Rmax K 0 + Lambda) * (2 * sqrt (2 * b * e))) < r * (2 * b * k))
    by (apply Rmult_lt_compat_l; lra); lra.
Qed.
