(** Integrals over [0, 1], as far as indicators of intervals need them; from Coquelicot's Riemann integral.

    integral f, integrable f   the integral of f over [0, 1], and that it exists
    multiplier i          f i is integrable whenever f is

    They are made opaque at the end, and have to be made so again in every file that imports this one: Coq does not keep
    it, and without it a `rewrite` may unfold them for minutes. *)
From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

Definition integrable (f : R -> R) : Prop := ex_RInt f 0 1.
Definition integral (f : R -> R) : R := RInt f 0 1.

Lemma ex_ext (f g : R -> R) a b : a <= b -> (forall t, a < t < b -> f t = g t) -> ex_RInt f a b -> ex_RInt g a b.
Proof. intros O E; apply ex_RInt_ext; intros t; rewrite Rmin_left, Rmax_right by lra; apply E. Qed.

Lemma is_ext (f g : R -> R) a b c : a <= b -> (forall t, a < t < b -> f t = g t) -> is_RInt f a b c -> is_RInt g a b c.
Proof. intros O E; apply is_RInt_ext; intros t; rewrite Rmin_left, Rmax_right by lra; apply E. Qed.

Lemma is_chasles (f : R -> R) a b c l m : is_RInt f a b l -> is_RInt f b c m -> is_RInt f a c (l + m).
Proof. intros H K; exact (is_RInt_Chasles f a b c l m H K). Qed.

Lemma is_const (c a b : R) : is_RInt (fun _ => c) a b ((b - a) * c).
Proof. exact (is_RInt_const a b c). Qed.

Lemma integrable_ext f g : (forall t, 0 < t < 1 -> f t = g t) -> integrable f -> integrable g.
Proof. apply ex_ext; lra. Qed.

Lemma integrable_const c : integrable (fun _ => c).
Proof. apply ex_RInt_const. Qed.

Lemma integrable_plus f g : integrable f -> integrable g -> integrable (fun t => f t + g t).
Proof. apply @ex_RInt_plus. Qed.

Lemma integrable_minus f g : integrable f -> integrable g -> integrable (fun t => f t - g t).
Proof. apply @ex_RInt_minus. Qed.

Lemma integrable_scale c f : integrable f -> integrable (fun t => c * f t).
Proof. apply @ex_RInt_scal. Qed.

Lemma integral_plus f g : integrable f -> integrable g -> integral (fun t => f t + g t) = integral f + integral g.
Proof. intros; apply @RInt_plus; assumption. Qed.

Lemma integral_minus f g : integrable f -> integrable g -> integral (fun t => f t - g t) = integral f - integral g.
Proof. intros; apply @RInt_minus; assumption. Qed.

Lemma integral_scale c f : integrable f -> integral (fun t => c * f t) = c * integral f.
Proof. intros; apply @RInt_scal; assumption. Qed.

Lemma integral_const c : integral (fun _ => c) = c.
Proof. unfold integral; rewrite RInt_const; unfold scal; simpl; unfold mult; simpl; ring. Qed.

Lemma integral_le f g : integrable f -> integrable g -> (forall t, 0 <= t <= 1 -> f t <= g t) -> integral f <= integral g.
Proof. intros; apply RInt_le; auto; [lra | intros; apply H1; lra]. Qed.

Lemma integral_ext f g : (forall t, 0 <= t <= 1 -> f t = g t) -> integral f = integral g.
Proof. intro E; apply RInt_ext; intros t; rewrite Rmin_left, Rmax_right by lra; intros; apply E; lra. Qed.

(** Functions that may be multiplied into an integrable one: indicators of intervals, and all that is made of them. *)
Definition multiplier (i : R -> R) : Prop := forall f, integrable f -> integrable (fun t => f t * i t).

Lemma multiplier_integrable i : multiplier i -> integrable i.
Proof. intro M; apply integrable_ext with (fun t => 1 * i t); [intros; ring | apply M, integrable_const]. Qed.

Lemma multiplier_one : multiplier (fun _ => 1).
Proof. intros f; apply integrable_ext; intros; ring. Qed.

Lemma multiplier_times i j : multiplier i -> multiplier j -> multiplier (fun t => i t * j t).
Proof. intros M N f H; apply integrable_ext with (fun t => f t * i t * j t); [intros; ring | apply N, M, H]. Qed.

Lemma multiplier_complement i : multiplier i -> multiplier (fun t => 1 - i t).
Proof.
  intros M f H; apply integrable_ext with (fun t => f t - f t * i t); [intros; ring|].
  apply integrable_minus; [exact H | apply M, H].
Qed.

Lemma multiplier_interval i p q : 0 <= p -> p <= q -> q <= 1 ->
  (forall t, p <= t <= q -> i t = 1) -> (forall t, 0 <= t <= 1 -> t < p \/ q < t -> i t = 0) ->
  multiplier i /\ integral i = q - p.
Proof.
  intros Hp Hpq Hq I1 I0; split.
  - intros f H; unfold integrable in *.
    apply ex_RInt_Chasles with p; [|apply ex_RInt_Chasles with q].
    + apply ex_ext with (fun _ => 0); [lra | intros; rewrite I0 by lra; ring | apply ex_RInt_const].
    + apply ex_ext with f; [lra | intros; rewrite I1 by lra; ring|].
      apply (ex_RInt_Chasles_1 f p q 1); [lra|]; apply (ex_RInt_Chasles_2 f 0 p 1); [lra | exact H].
    + apply ex_ext with (fun _ => 0); [lra | intros; rewrite I0 by lra; ring | apply ex_RInt_const].
  - apply is_RInt_unique.
    replace (q - p) with ((p - 0) * 0 + ((q - p) * 1 + (1 - q) * 0)) by ring.
    apply is_chasles with p; [|apply is_chasles with q].
    + apply is_ext with (fun _ => 0); [lra | intros; rewrite I0 by lra; ring | apply is_const].
    + apply is_ext with (fun _ => 1); [lra | intros; rewrite I1 by lra; ring | apply is_const].
    + apply is_ext with (fun _ => 0); [lra | intros; rewrite I0 by lra; ring | apply is_const].
Qed.

Lemma integral_reversed f : integrable f -> integral (fun t => f (1 - t)) = integral f.
Proof.
  intro H; unfold integrable in *.
  assert (H' : ex_RInt f 1 0) by (apply ex_RInt_swap, H).
  assert (E0 : -1 * 0 + 1 = 1) by ring; assert (E1 : -1 * 1 + 1 = 0) by ring.
  assert (H1 : ex_RInt (fun t => -1 * f (-1 * t + 1)) 0 1).
  { apply (ex_RInt_comp_lin f (-1) 1 0 1); rewrite E0, E1; exact H'. }
  assert (E : RInt (fun t => -1 * f (-1 * t + 1)) 0 1 = - RInt f 0 1).
  { transitivity (RInt f (-1 * 0 + 1) (-1 * 1 + 1)).
    - apply (RInt_comp_lin f (-1) 1 0 1); rewrite E0, E1; exact H'.
    - rewrite E0, E1; symmetry; apply (opp_RInt_swap f 0 1 H). }
  rewrite (integral_ext _ (fun t => -1 * (-1 * f (-1 * t + 1))))
    by (intros t _; replace (-1 * t + 1) with (1 - t) by ring; ring).
  rewrite integral_scale by exact H1; unfold integral at 1; rewrite E; unfold integral; ring.
Qed.

Opaque integral integrable.

