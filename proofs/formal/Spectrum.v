(** Choice C2: every symmetric matrix is a sum of its eigenvalues times v v^T, and the metric nearest to it is that sum with the
    negative eigenvalues replaced by 0.

    outer v               the matrix v v^T
    spectrum l            the sum of c v v^T over a list l of numbers c and vectors v
    weigh f l             the sum of c f(v) over it
    orthonormal F l       the vectors have length 1 and are orthogonal to each other
    eigen F M l           M v = c v for every c and v of the list
    residual F l u        u minus its components along the vectors of the list *)
From Coq Require Import Reals Lra Lia Psatz FunctionalExtensionality List.
From LMLIR Require Import Geometry Continuity Matrices Scales Extinction.
Import ListNotations.
Open Scope R_scope.

Definition outer (v : vector) : matrix := fun i j => v i * v j.
Definition weigh (f : vector -> R) (l : list (R * vector)) : R := fold_right (fun p rest => fst p * f (snd p) + rest) 0 l.
Definition spectrum (l : list (R * vector)) : matrix := fun i j => weigh (fun v => outer v i j) l.
Definition orthonormal F (l : list (R * vector)) : Prop :=
  (forall p, In p l -> dot F (snd p) (snd p) = 1) /\ ForallOrdPairs (fun p q => dot F (snd p) (snd q) = 0) l.
Definition eigen F (M : matrix) (l : list (R * vector)) : Prop :=
  forall p i, In p l -> (i < F)%nat -> act F M (snd p) i = fst p * snd p i.
Definition clipped (l : list (R * vector)) : list (R * vector) := map (fun p => (Rmax (fst p) 0, snd p)) l.

(** ** Sums over a list *)

Lemma weigh_ext f g l : (forall p, In p l -> fst p * f (snd p) = fst p * g (snd p)) -> weigh f l = weigh g l.
Proof.
  induction l as [|p l IH]; intro E; simpl; [reflexivity|].
  rewrite (E p (or_introl eq_refl)), IH by (intros; apply E; right; assumption); reflexivity.
Qed.

Lemma weigh_scale c f l : weigh (fun v => c * f v) l = c * weigh f l.
Proof. induction l as [|p l IH]; simpl; [ring | rewrite IH; ring]. Qed.

Lemma weigh_zero f l : (forall p, In p l -> fst p * f (snd p) = 0) -> weigh f l = 0.
Proof. intro Z; rewrite (weigh_ext f (fun _ => 0 * 0) l) by (intros p I; rewrite (Z p I); ring); rewrite weigh_scale; ring. Qed.

Lemma total_weigh F (f : nat -> vector -> R) l : total F (fun i => weigh (f i) l) = weigh (fun v => total F (fun i => f i v)) l.
Proof.
  induction l as [|p l IH]; simpl.
  - rewrite (total_ext F _ (fun _ => 0 * 0)) by (intro; ring); rewrite total_scale; ring.
  - rewrite total_plus, total_scale, IH; reflexivity.
Qed.

Lemma form_spectrum F l u v : form F (spectrum l) u v = weigh (fun w => dot F w u * dot F w v) l.
Proof.
  unfold form, spectrum.
  rewrite (total_ext F _ (fun i => weigh (fun w => u i * w i * dot F w v) l)), total_weigh.
  - apply weigh_ext; intros [c w] _; simpl; f_equal; rewrite (total_ext F _ (fun i => dot F w v * (w i * u i))) by (intro;
      ring).
    rewrite total_scale; unfold dot; ring.
  - intro i; rewrite (total_ext F _ (fun j => weigh (fun w => v j * (w i * w j)) l)) by
      (intro j; rewrite Rmult_comm, <- weigh_scale; reflexivity).
    rewrite total_weigh, <- weigh_scale; apply weigh_ext; intros [c w] _; simpl; f_equal.
    rewrite (total_ext F _ (fun j => w i * (w j * v j))) by (intro; ring); rewrite total_scale; unfold dot; ring.
Qed.

Lemma spectrum_symmetric F l : symmetric F (spectrum l).
Proof. intros i j _ _; apply weigh_ext; intros [c w] _; unfold outer; simpl; ring. Qed.

Lemma spectrum_psd F l : (forall p, In p l -> 0 <= fst p) -> positive_semidefinite F (spectrum l).
Proof.
  intro P; split; [apply spectrum_symmetric | intro u; rewrite form_spectrum].
  induction l as [|p l IH]; simpl; [lra|].
  pose proof (P p (or_introl eq_refl)); specialize (IH (fun q I => P q (or_intror I))).
  assert (0 <= fst p * (dot F (snd p) u * dot F (snd p) u)) by (apply Rmult_le_pos; [assumption | apply Rle_0_sqr]); lra.
Qed.

Lemma inner_spectrum F l N : inner F (spectrum l) N = weigh (fun v => form F N v v) l.
Proof.
  unfold inner, spectrum.
  rewrite (total_ext F _ (fun i => weigh (fun v => v i * total F (fun j => N i j * v j)) l)), total_weigh; [reflexivity|].
  intro i; rewrite (total_ext F _ (fun j => weigh (fun v => N i j * (v i * v j)) l)) by
    (intro j; rewrite Rmult_comm, <- weigh_scale; reflexivity).
  rewrite total_weigh; apply weigh_ext; intros [c v] _; simpl; f_equal.
  rewrite <- total_scale; apply total_ext; intro; ring.
Qed.

(** ** Clipping *)

(** Section 5.2, gradient descent: with M = sum c v v^T over orthogonal v, the metric nearest to M is the same sum with
    max(c, 0) in place of c, and no other is (C2). *)
Theorem clipping_is_the_nearest_metric F M l P : orthonormal F l -> equal F M (spectrum l) ->
  (nearest_psd F M P <-> equal F P (spectrum (clipped l))).
Proof.
  intros [N1 O] E; set (below := map (fun p : R * vector => (Rmax (- fst p) 0, snd p)) l).
  assert (Map : forall (g : R -> R) f, weigh f (map (fun p => (g (fst p), snd p)) l)
                = fold_right (fun p rest => g (fst p) * f (snd p) + rest) 0 l).
  { intros g f; unfold weigh; clear; induction l as [|p l IH]; simpl; [reflexivity | rewrite IH; reflexivity]. }
  apply nearest_of_two_parts with (N := spectrum below).
  - intros i j Hi Hj; rewrite E by assumption; unfold combine, spectrum, clipped, below; rewrite (Map (fun c => Rmax c 0)),
      (Map (fun c => Rmax (- c) 0)); unfold weigh; clear.
    induction l as [|p l IH]; simpl; [ring | rewrite IH].
    assert (X : fst p = Rmax (fst p) 0 - Rmax (- fst p) 0) by (unfold Rmax; repeat destruct Rle_dec; lra); rewrite X at 1; ring.
  - apply spectrum_psd; intros p I; apply in_map_iff in I; destruct I as (q & <- & _); apply Rmax_r.
  - apply spectrum_psd; intros p I; apply in_map_iff in I; destruct I as (q & <- & _); apply Rmax_r.
  - rewrite inner_spectrum; apply weigh_zero; intros p I; apply in_map_iff in I; destruct I as (q & <- & Iq); simpl.
    rewrite form_spectrum, <- weigh_scale; apply weigh_zero; intros p I; apply in_map_iff in I; destruct I as (q' & <- & Iq');
      simpl.
    destruct (ForallOrdPairs_In O q q' Iq Iq') as [<- | [Z | Z]].
    + assert (X : Rmax (- fst q) 0 * Rmax (fst q) 0 = 0) by (unfold Rmax; repeat destruct Rle_dec; nra); rewrite <- Rmult_assoc,
        X; ring.
    + rewrite (form_symmetric _ (dot_semi_inner F)), Z; ring.
    + rewrite Z; ring.
Qed.

(** ** Components along orthonormal vectors *)

Fixpoint residual F (l : list (R * vector)) (u : vector) : vector :=
  match l with nil => u | p :: rest => fun i => residual F rest u i + (- dot F (snd p) u) * snd p i end.

Lemma orthonormal_cons F p l : orthonormal F (p :: l) ->
  dot F (snd p) (snd p) = 1 /\ (forall q, In q l -> dot F (snd p) (snd q) = 0) /\ orthonormal F l.
Proof.
  intros [N O]; inversion O as [|? ? Op Ol]; subst; rewrite Forall_forall in Op.
  split; [apply N; left; reflexivity | split; [exact Op | split; [intros; apply N; right; assumption | exact Ol]]].
Qed.

Lemma dot_residual F l u v : (forall p, In p l -> dot F (snd p) v = 0) -> dot F v (residual F l u) = dot F v u.
Proof.
  induction l as [|p l IH]; intro O; simpl; [reflexivity|].
  rewrite (form_symmetric _ (dot_semi_inner F)), (form_linear _ (dot_semi_inner F)), (form_symmetric _ (dot_semi_inner F) _ v).
  rewrite IH by (intros; apply O; right; assumption); rewrite (O p (or_introl eq_refl)); ring.
Qed.

Lemma residual_orthogonal F l u p : orthonormal F l -> In p l -> dot F (snd p) (residual F l u) = 0.
Proof.
  induction l as [|h l IH]; intros O I; [destruct I|]; destruct (orthonormal_cons F h l O) as (N & Oh & Ol); simpl.
  rewrite (form_symmetric _ (dot_semi_inner F)), (form_linear _ (dot_semi_inner F)),
    (form_symmetric _ (dot_semi_inner F) _ (snd p)).
  destruct I as [<- | I].
  - rewrite dot_residual, N by (intros q Iq; rewrite (form_symmetric _ (dot_semi_inner F)); apply Oh, Iq); ring.
  - rewrite (IH Ol I), (Oh p I); ring.
Qed.

(** What is left of a form whose matrix has the vectors as eigenvectors. *)
Lemma residual_form F b (k : R * vector -> R) l u : semi_inner b -> orthonormal F l ->
  (forall p x, In p l -> b (snd p) x = k p * dot F (snd p) x) ->
  b (residual F l u) (residual F l u)
  = b u u - fold_right (fun p rest => k p * (dot F (snd p) u * dot F (snd p) u) + rest) 0 l.
Proof.
  intros B; induction l as [|p l IH]; intros O E; simpl; [ring|]; destruct (orthonormal_cons F p l O) as (N & Op & Ol).
  rewrite (square_of_sum b B), IH by (assumption || (intros; apply E; right; assumption)).
  rewrite (form_symmetric b B (residual F l u)), !(E p _ (or_introl eq_refl)), N, dot_residual; [ring|].
  intros q Iq; rewrite (form_symmetric _ (dot_semi_inner F)); apply Op, Iq.
Qed.

Lemma dot_unit F v j : (j < F)%nat -> dot F v (unit_vector j) = v j.
Proof. intro H; unfold dot, unit_vector; apply total_unit, H. Qed.

(** The squared residuals of the unit vectors sum to the dimension that is left. *)
Lemma residual_dimension F l : orthonormal F l ->
  total F (fun j => dot F (residual F l (unit_vector j)) (residual F l (unit_vector j))) = INR F - INR (length l).
Proof.
  intro O; rewrite (total_ext_below F _ (fun j => 1 + (-1) * fold_right (fun p rest => snd p j * snd p j + rest) 0 l)).
  - rewrite total_plus, total_scale.
    assert (One : forall n, total n (fun _ => 1) = INR n) by (intro n; induction n as [|n IH];
      [reflexivity | rewrite S_INR, <- IH; simpl; ring]).
    rewrite One; assert (S : total F (fun j => fold_right (fun p rest => snd p j * snd p j + rest) 0 l) = INR (length l));
      [|rewrite S; ring].
    destruct O as [N _]; induction l as [|p l IH]; simpl fold_right.
    + rewrite (total_ext F _ (fun _ => 0 * 0)) by (intro; ring); rewrite total_scale; simpl; ring.
    + rewrite total_plus, IH by (intros; apply N; right; assumption).
      change (total F (fun i => snd p i * snd p i)) with (dot F (snd p) (snd p)); rewrite (N p (or_introl eq_refl)).
      cbn [length]; rewrite S_INR; ring.
  - intros j Hj; rewrite (residual_form F (dot F) (fun _ => 1) l (unit_vector j) (dot_semi_inner F) O) by (intros; ring).
    rewrite dot_unit by exact Hj; unfold unit_vector at 1; rewrite Nat.eqb_refl.
    assert (S : fold_right (fun p rest => 1 * (dot F (snd p) (unit_vector j) * dot F (snd p) (unit_vector j)) + rest) 0 l
                = fold_right (fun p rest => snd p j * snd p j + rest) 0 l); [|rewrite S; ring].
    clear O; induction l as [|p l IH]; [reflexivity | cbn [fold_right]; rewrite IH, !dot_unit by exact Hj; rewrite Rmult_1_l;
      reflexivity].
Qed.

Lemma some_positive n f : 0 < total n f -> exists i, (i < n)%nat /\ 0 < f i.
Proof.
  induction n as [|n IH]; simpl; intro H; [lra|]; destruct (Rlt_le_dec 0 (f n)) as [P | N]; [exists n; split; [lia | exact P]|].
  destruct IH as (i & Hi & P); [lra | exists i; split; [lia | exact P]].
Qed.

(** ** The spectral theorem *)

Lemma weigh_at F l p g : orthonormal F l -> In p l -> weigh (fun w => dot F w (snd p) * g w) l = fst p * g (snd p).
Proof.
  induction l as [|h l IH]; intros O I; [destruct I|]; destruct (orthonormal_cons F h l O) as (N & Oh & Ol); simpl.
  destruct I as [<- | I]; [|rewrite (IH Ol I), (Oh p I); ring].
  rewrite N, weigh_zero; [ring|]; intros q Iq; rewrite (form_symmetric _ (dot_semi_inner F)), (Oh q Iq); ring.
Qed.

Lemma form_above F M u : - (frobenius F M * dot F u u) <= form F M u u.
Proof.
  assert (E : form F (times (-1) M) u u = - form F M u u).
  { transitivity (form F (combine M (-2) M) u u); [|rewrite form_combination; ring].
    unfold form; apply total_ext; intro i; f_equal; apply total_ext; intro j; unfold times, combine; ring. }
  destruct (Rle_lt_dec 0 (form F M u u)) as [P | N].
  - assert (0 <= frobenius F M) by apply sqrt_pos; pose proof (form_nonneg _ (dot_semi_inner F) u); nra.
  - pose proof (proj2 (frobenius_scale F (times (-1) M)) u) as S.
    rewrite frobenius_times in S; replace (Rabs (-1)) with 1 in S by (rewrite Rabs_left; lra); rewrite Rmult_1_l in S.
    unfold mahalanobis in S; rewrite E in S.
    assert (Pf : 0 <= frobenius F M) by apply sqrt_pos; assert (Pm : 0 <= - form F M u u) by lra.
    rewrite <- (sqrt_sqrt (- form F M u u)) in Pm by exact Pm.
    assert (Q : - form F M u u <= frobenius F M * dot F u u); [|lra].
    rewrite <- (sqrt_sqrt (- form F M u u)), <- (sqrt_sqrt (frobenius F M)), <- norm_square by lra.
    replace (sqrt (frobenius F M) * sqrt (frobenius F M) * (norm F u * norm F u))
      with (sqrt (frobenius F M) * norm F u * (sqrt (frobenius F M) * norm F u)) by ring.
    apply Rmult_le_compat; try exact S; apply sqrt_pos.
Qed.

Definition shifted (c : R) (l : list (R * vector)) : list (R * vector) := map (fun p => (fst p + c, snd p)) l.

Section Deflated.
Variables (F : nat) (M : matrix) (l : list (R * vector)) (c : R).
Hypothesis Sy : symmetric F M.
Hypothesis O : orthonormal F l.
Hypothesis E : eigen F M l.
Hypothesis Large : frobenius F M + 1 <= c.
Let S := combine M 1 (scaled_identity c).
Let K := combine S (-1) (spectrum (shifted c l)).

Lemma form_S u v : form F S u v = form F M u v + c * dot F u v.
Proof. unfold S; rewrite form_combination, form_of_identity; ring. Qed.

Lemma S_above u : dot F u u <= form F S u u.
Proof. rewrite form_S; pose proof (form_above F M u); pose proof (form_nonneg _ (dot_semi_inner F) u); nra. Qed.

Lemma S_psd : positive_semidefinite F S.
Proof.
  split; [|intro u; pose proof (S_above u); pose proof (form_nonneg _ (dot_semi_inner F) u); lra].
  intros i j Hi Hj; unfold S, combine, scaled_identity; rewrite (Sy i j Hi Hj), Nat.eqb_sym; reflexivity.
Qed.

Lemma S_eigen p x : In p l -> form F S (snd p) x = (fst p + c) * dot F (snd p) x.
Proof.
  intro I; rewrite (form_symmetric _ (form_semi_inner F S S_psd)), form_S, (form_symmetric _ (dot_semi_inner F) x).
  assert (X : form F M x (snd p) = fst p * dot F (snd p) x); [|rewrite X; ring].
  unfold form, dot; rewrite <- total_scale; apply total_ext_below; intros i Hi; fold (act F M (snd p) i); rewrite (E p i I Hi);
    ring.
Qed.

Lemma shifted_orthonormal : orthonormal F (shifted c l).
Proof.
  destruct O as [N P]; split.
  - intros p I; apply in_map_iff in I; destruct I as (q & <- & Iq); apply (N q Iq).
  - unfold shifted; clear - P; induction P as [|p k Hp _ IH]; simpl; constructor; [|exact IH].
    rewrite Forall_forall in *; intros q I; apply in_map_iff in I; destruct I as (q' & <- & Iq); apply (Hp q' Iq).
Qed.

Lemma form_K u v : form F K u v = form F S u v - weigh (fun w => dot F w u * dot F w v) (shifted c l).
Proof. unfold K; rewrite form_combination, form_spectrum; ring. Qed.

Lemma K_residual u : form F K u u = form F S (residual F l u) (residual F l u).
Proof.
  rewrite form_K, (residual_form F (form F S) (fun p => fst p + c) l u (form_semi_inner F S S_psd) O) by (intros; apply S_eigen;
    assumption).
  f_equal; unfold weigh, shifted; generalize l as k; intro k; induction k as [|p k IH]; simpl; [reflexivity | rewrite IH;
    reflexivity].
Qed.

Lemma K_psd : positive_semidefinite F K.
Proof.
  split; [|intro u; rewrite K_residual; apply S_psd].
  intros i j Hi Hj; change (S i j + -1 * spectrum (shifted c l) i j = S j i + -1 * spectrum (shifted c l) j i).
  rewrite (spectrum_symmetric F (shifted c l) i j Hi Hj), (proj1 S_psd i j Hi Hj); reflexivity.
Qed.

(** One more eigenvector, as long as the dimension is not used up. *)
Lemma next_eigenvector : (length l < F)%nat -> exists d v, dot F v v = 1 /\ (forall p, In p l -> dot F (snd p) v = 0) /\
  forall i, (i < F)%nat -> act F M v i = d * v i.
Proof.
  intro H; destruct (some_positive F (fun j => dot F (residual F l (unit_vector j)) (residual F l (unit_vector j))))
    as (j & Hj & Pj).
  { rewrite residual_dimension by exact O; apply lt_INR in H; lra. }
  set (w := residual F l (unit_vector j)) in *.
  destruct (largest_eigenvalue F K ltac:(lia) K_psd) as (s & v & [_ Sc] & _ & Pv & Ev & _).
  assert (Ow : forall p, In p l -> dot F (snd p) w = 0) by (intros p I; apply residual_orthogonal; assumption).
  assert (Kw : dot F w w <= form F K w w).
  { rewrite form_K, weigh_zero; [pose proof (S_above w); lra|]; intros p I; apply in_map_iff in I; destruct I as (q & <- & Iq);
      simpl.
    rewrite (Ow q Iq); ring. }
  assert (Ps : 0 < s * s).
  { specialize (Sc w); assert (Pk : 0 < sqrt (form F K w w)) by (apply sqrt_lt_R0; lra); unfold mahalanobis in Sc.
    assert (0 <= norm F w) by apply sqrt_pos; destruct (Rtotal_order s 0) as [N | [-> | P]]; nra. }
  assert (Kv : forall x, form F K x v = s * s * dot F x v).
  { intro x; unfold form, dot; rewrite <- total_scale; apply total_ext_below; intros i Hi; fold (act F K v i);
      rewrite (Ev i Hi); ring. }
  assert (Ov : forall p, In p l -> dot F (snd p) v = 0).
  { intros p I; assert (Z : form F K (snd p) v = 0).
    { assert (I' : In (fst p + c, snd p) (shifted c l)) by (apply (in_map (fun p : R * vector => (fst p + c, snd p))), I).
      pose proof (weigh_at F (shifted c l) (fst p + c, snd p) (fun w => dot F w v) shifted_orthonormal I') as Y;
        cbn [fst snd] in Y.
      rewrite form_K, (S_eigen p v I), Y; ring. }
    rewrite Kv in Z; nra. }
  set (n := / norm F v); assert (Pn : 0 < n) by (apply Rinv_0_lt_compat, Pv).
  assert (Dot : forall x, dot F x (fun i => n * v i) = n * dot F x v)
    by (intro x; unfold dot; rewrite <- total_scale; apply total_ext; intro; ring).
  exists (s * s - c), (fun i => n * v i); split; [|split].
  - rewrite Dot, (form_symmetric _ (dot_semi_inner F)), Dot, <- norm_square; unfold n; field; lra.
  - intros p I; rewrite Dot, (Ov p I); ring.
  - intros i Hi; assert (X : act F M v i = (s * s - c) * v i).
    { pose proof (Kv (unit_vector i)) as Y; rewrite form_K, form_S, weigh_zero, <- act_form in Y by
        (exact Hi || (intros p I; apply in_map_iff in I; destruct I as (q & <- & Iq); simpl; rewrite (Ov q Iq); ring)).
      rewrite (form_symmetric _ (dot_semi_inner F)), dot_unit in Y by exact Hi; lra. }
    unfold act in *; rewrite (total_ext F _ (fun k => n * (M i k * v k))) by (intro; ring); rewrite total_scale, X; ring.
Qed.

(** With as many eigenvectors as dimensions nothing is left. *)
Lemma nothing_left i j : length l = F -> (i < F)%nat -> (j < F)%nat ->
  M i j + c * scaled_identity 1 i j = weigh (fun v => v i * v j) l + c * weigh (fun v => v i * v j) (map (fun p => (1, snd p))
    l).
Proof.
  intros H Hi Hj.
  assert (Z : dot F (residual F l (unit_vector j)) (residual F l (unit_vector j)) = 0).
  { apply (total_zero F (fun j => dot F (residual F l (unit_vector j)) (residual F l (unit_vector j)))); [| |exact Hj].
    - intros; apply (form_nonneg _ (dot_semi_inner F)).
    - rewrite residual_dimension, H by exact O; ring. }
  assert (ZK : form F K (unit_vector j) (unit_vector j) = 0).
  { rewrite K_residual; apply Rle_antisym; [|apply S_psd].
    pose proof (proj2 (frobenius_scale F S) (residual F l (unit_vector j))) as B; unfold mahalanobis, norm in B.
    rewrite Z, sqrt_0, Rmult_0_r in B; set (f := form F S _ _) in *.
    destruct (Rle_lt_dec f 0) as [L | L]; [exact L | pose proof (sqrt_lt_R0 f L); lra]. }
  pose proof (null_vector F K (unit_vector j) K_psd ZK i Hi) as X; rewrite act_form, form_K, form_S in X by exact Hi.
  rewrite <- act_form in X by exact Hi; unfold act in X.
  assert (A : total F (fun k => M i k * unit_vector j k) = M i j) by (apply (total_unit F j (M i)), Hj).
  rewrite A, dot_unit in X by exact Hj.
  assert (U : unit_vector i j = scaled_identity 1 i j) by (unfold unit_vector, scaled_identity; rewrite Nat.eqb_sym;
    reflexivity).
  rewrite U in X; clear - X Hi Hj.
  assert (W : weigh (fun w => dot F w (unit_vector i) * dot F w (unit_vector j)) (shifted c l)
              = weigh (fun v => v i * v j) l + c * weigh (fun v => v i * v j) (map (fun p => (1, snd p)) l)); [|lra].
  clear X; unfold shifted, weigh; generalize l as k; intro k; induction k as [|p k IH]; simpl;
    [ring | rewrite IH, !dot_unit by assumption; ring].
Qed.
End Deflated.

(** Section 5.2, gradient descent: every symmetric matrix is the sum of c v v^T over as many orthonormal vectors as there are
    dimensions, and M v = c v for each (the spectral theorem). *)
Theorem spectral_theorem F M : symmetric F M -> exists l, length l = F /\ orthonormal F l /\ eigen F M l /\
  equal F M (spectrum l).
Proof.
  intro Sy; assert (Steps : forall n, (n <= F)%nat -> exists l, length l = n /\ orthonormal F l /\ eigen F M l).
  { induction n as [|n IH]; intro H.
    - exists nil; split; [reflexivity | split; [split; [intros p [] | constructor] | intros p i []]].
    - destruct IH as (l & Hl & O & E); [lia|].
      destruct (next_eigenvector F M l (frobenius F M + 1) Sy O E (Rle_refl _) ltac:(lia)) as (d & v & Nv & Ov & Ev).
      exists ((d, v) :: l); split; [simpl; lia | split].
      + split; [intros p [<- | I]; [exact Nv | apply O, I]|]; constructor; [|apply O].
        rewrite Forall_forall; intros p I; simpl; rewrite (form_symmetric _ (dot_semi_inner F)); apply Ov, I.
      + intros p i [<- | I] Hi; [apply Ev, Hi | apply E; assumption]. }
  destruct (Steps F (Nat.le_refl F)) as (l & Hl & O & E); exists l; repeat split; try assumption; try apply O.
  intros i j Hi Hj.
  pose proof (nothing_left F M l (frobenius F M + 1) Sy O E (Rle_refl _) i j Hl Hi Hj) as X1.
  pose proof (nothing_left F M l (frobenius F M + 2) Sy O E ltac:(lra) i j Hl Hi Hj) as X2.
  set (B := weigh (fun v => v i * v j) (map (fun p => (1, snd p)) l)) in *.
  assert (D : scaled_identity 1 i j = B) by lra; rewrite D in X1; unfold spectrum, outer; lra.
Qed.

(** Section 5.2, gradient descent: so every symmetric matrix has exactly one nearest metric, and clipping its eigenvalues gives
    it (C2). *)
Corollary nearest_metric_exists F M : symmetric F M -> exists l, orthonormal F l /\ eigen F M l /\
  forall P, nearest_psd F M P <-> equal F P (spectrum (clipped l)).
Proof.
  intro Sy; destruct (spectral_theorem F M Sy) as (l & _ & O & E & X); exists l; split; [exact O | split; [exact E|]].
  intro P; apply clipping_is_the_nearest_metric; assumption.
Qed.
