"""The ledger: every mistake found in the paper, every choice it leaves open, both readings, and the evidence.

An erratum says for each item that it concerns what becomes of it: "refuted" (false, and replaced), "corrected" (true after
the change) or "remark" (the statement stands; its words, a claim beside it or its arithmetic need a note). The printed
reading stays runnable where it is a formula. The evidence is not typed: witnesses are run again by the command, and proofs,
laws and tests are those that cite the id. A choice is "open" (something is needed that the paper does not say) or a
"corner" (a case that its formulas pass over).
"""

from __future__ import annotations

import argparse
import importlib
import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

WIDTH = 100
COLUMNS = (5, 21, 35, 36)  # id, items, as printed, what is true


class Erratum(NamedTuple):
    """A mistake: where, the words of both readings, the functions that run them, what follows, and the witnesses."""

    id: str
    items: Mapping[str, str]
    printed: str
    true: str
    consequence: str
    printed_by: str | None = None
    true_by: str | None = None
    witnesses: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()


class Choice(NamedTuple):
    """Something the paper leaves open: the question, the decision, why, and the functions that take it."""

    id: str
    items: tuple[str, ...]
    question: str
    decision: str
    why: str
    taken_in: tuple[str, ...]
    kind: str = "open"


ERRATA: tuple[Erratum, ...] = (
    Erratum(
        "E1",
        {"Equation (12)": "corrected"},
        "D(x_m, x_n) >= 1 + C + xi_mn",
        "D(x_m, x_n) >= 1 + C - xi_mn",
        "As printed the constraint is hard and its slack always 0; the objective g, printed later, has the minus.",
        "lmlir.objective.printed_dissimilar_slack",
        "lmlir.objective.dissimilar_slack",
        ("lmlir.witnesses.hard_constraint",),
    ),
    Erratum(
        "E2",
        {"Section 5.2, gradient of g": "corrected"},
        "gradient of g: the dissimilar pairs' term has a plus",
        "it has a minus, because g has [1 + C - D]_+",
        "Trained as printed every metric shrinks to zero and f = 0 everywhere; the accuracy is then the tie rule's class "
        "share.",
        'lmlir.gradient.objective_gradient(printed=["E2"])',
        "lmlir.gradient.objective_gradient",
        ("lmlir.witnesses.dissimilar_sign",),
    ),
    Erratum(
        "E3",
        {"Section 5.2, dD/do_s": "corrected", "Section 5.2, dD/dr_s": "corrected"},
        "dD/do_s and dD/dr_s: + 1[...] D_M(B) d gamma_s",
        "- 1[...] D_M(B) d gamma_s: what a region gains, the background loses",
        "Accuracies do not show it, and the final objective can even be lower: only a gradient check sees it.",
        'lmlir.gradient.distance_gradient_radius(printed=["E3"])',
        "lmlir.gradient.distance_gradient_radius",
        ("lmlir.witnesses.background_sign",),
    ),
    Erratum(
        "E4",
        {"Section 5.2, shrinkage": "corrected"},
        "shrinkage term alpha M / (2 ||M||)",
        "alpha M / ||M||_F, the gradient of alpha ||M||_F",
        "Half the regularisation that (12) asks for. Accuracies hardly show it; the final objective does.",
        'lmlir.gradient.shrinkage(printed=["E4"])',
        "lmlir.gradient.shrinkage",
        ("lmlir.witnesses.shrinkage_factor",),
    ),
    Erratum(
        "E5",
        {"Lemma 1": "refuted"},
        "Lemma 1, step 1: Lip(d_M) <= ||M||_F",
        "Lip(d_M) = s(M) = sqrt(lambda_max(M)) <= sqrt(||M||_F); a square root was lost",
        "The printed bound fails exactly when ||M||_F < s(M), that is, for small metrics.",
        "lmlir.scalars.frobenius_norm",
        "lmlir.continuity.spectral_scale",
        ("lmlir.witnesses.small_metric",),
    ),
    Erratum(
        "E6",
        {"Lemma 1": "refuted"},
        "Lemma 1, step 2: D <= sum of the D_M, hence Lip(D) <= sum of the Lip; Lip(f) is twice that",
        "D(., x_k) and f are not Lipschitz in dimension >= 2: gamma grows like a square root at a tangency. "
        "|D(x, z) - D(y, z)| <= Lambda e + sum kappa_s tau_s(e) holds, e = |x - y|",
        "A bound on values is no bound on slopes. sqrt(lambda_max) and sqrt(r_s) govern the modulus of f, not ||M||_F.",
        "lmlir.continuity.printed_lipschitz_bound",
        "lmlir.continuity.modulus_of_continuity",
        ("lmlir.witnesses.not_lipschitz", "lmlir.witnesses.classifier_not_lipschitz"),
    ),
    Erratum(
        "E7",
        {"Lemma 1": "refuted", "Section 3.2, gamma_b": "corrected"},
        "Lemma 1's constant, even with the square roots of E5, for the approximate gamma_b in dimension 1",
        "coincident balls with M near 0 give the slope -(S - 1) s(M(B)); Lambda + kappa tau covers it",
        "With overlapping regions D can fall as points move apart.",
        "lmlir.continuity.printed_distance_lipschitz_bound",
        "lmlir.continuity.modulus_of_continuity",
        ("lmlir.witnesses.stacked_balls",),
    ),
    Erratum(
        "E8",
        {"Corollary 1": "refuted", "Equation (11)": "refuted"},
        "(11) counts in k the wrong signs of f, with no margin",
        "k must count the examples with y f(x) < margin, c must be the capacity at that margin, and c <= 34 n",
        "Scaling every M by t leaves the signs and sends c to 0, so (11) would bound a coin's error by almost nothing. L "
        "also depends on the data.",
        "lmlir.continuity.printed_learning_bound",
        "lmlir.continuity.learning_bound",
        ("lmlir.witnesses.vanishing_capacity",),
    ),
    Erratum(
        "E9",
        {"Table 4": "corrected"},
        "Haberman: 206 (81, 125)",
        "306 (81, 225)",
        "The experiments of Table 5 were run on the right one.",
        witnesses=("lmlir.evidence.haberman_size",),
        sources=("UCI, Haberman's Survival",),
    ),
    Erratum(
        "E10",
        {"Table 4": "corrected", "Table 5": "corrected"},
        "Diabetes and Pima are two data sets",
        "one data set under two names",
        "There are 13 data sets and seven wins. The two rows of one method tell the noise of Table 5.",
        witnesses=("lmlir.evidence.one_data_set_twice",),
        sources=("UCI and LibSVM, Pima Indians Diabetes",),
    ),
    Erratum(
        "E11",
        {"Section 5.2, objective g": "corrected"},
        "g has 1/N_2 and 1/N_1 but no sums over the pairs",
        "averages over the N_2 and the N_1 pairs, as in (12)",
        "A missing sign of summation; the gradient of g has the sums.",
        true_by="lmlir.objective.objective",
        witnesses=("lmlir.evidence.one_term_for_many",),
    ),
    Erratum(
        "E12",
        {"Lemma 1": "remark", "Definition 9": "remark"},
        "proof of Lemma 1: Lip(f_1) is a quotient at one pair; d_M(x, x_k) - d_M(x, x_k); ||M(B)|| without F; "
        '"Proposition" for Lemma 1',
        "Definition 9: the supremum over all pairs; the second term is d_M(x_k, x_k) = 0; ||M(B)||_F",
        "Slips of the pen beside E5 and E6.",
        true_by="lmlir.continuity.lipschitz_quotient",
        witnesses=("lmlir.evidence.quotient_at_one_pair",),
    ),
    Erratum(
        "E13",
        {
            "Section 4.1, D_set": "corrected",
            "Section 4.1, sumKmin": "corrected",
            "Equation (10)": "corrected",
            "Proposition 4": "remark",
        },
        "D_set is a set; Proposition 4 has K functions and the K smallest of them",
        "a multiset: equal distances count as often as they occur, and K <= their number. Proposition 4's sharp constant is "
        "the sum of the K largest L_k",
        "With equal distances collapsed sumKmin jumps, and f with it; a class with fewer than K members is undefined.",
        "lmlir.classifier.printed_sum_k_min",
        "lmlir.classifier.sum_k_min",
        ("lmlir.witnesses.collapsing_set",),
    ),
    Erratum(
        "E14",
        {"Section 3.2, gamma_b": "corrected", "Equation (9)": "remark", "Definition 7": "remark"},
        'gamma_b is "slightly different" for overlap: max(1 - sum gamma, 0); the regions "partition" the space',
        "the error reaches 1 - 1/S; and a part shared by regions is counted once per region: with equal metrics D is "
        "max(1, sum gamma) times the length, or 1 - union + sum gamma times with the exact gamma_b",
        "Overlap is the rule on the paper's data, and double counting is cheap: S stacked balls reach a scale at 1/S of the "
        "penalty. The approximate D never exceeds the exact one.",
        "lmlir.distance.approximate_background_ratio",
        "lmlir.distance.exact_background_ratio",
        ("lmlir.witnesses.overlapping_background",),
    ),
    Erratum(
        "E15",
        {"Definition 3": "remark"},
        "footnote: the plain distance, not squared, is convenient for the optimisation",
        "squared lengths are linear in M; with fixed balls the problem would be convex",
        "The non-convexity that section 5.2 regrets comes from this choice.",
        true_by="lmlir.regions.mahalanobis_length",
        witnesses=("lmlir.witnesses.plain_length_is_not_convex",),
    ),
    Erratum(
        "E16",
        {"Definition 5": "corrected", "Table 2": "remark", "Table 3": "corrected"},
        "an intersection in one point is called tangent; Table 2's caption says pq for x_i x_j; Table 3 has derivative 0 "
        "where Delta = 0",
        "an end point on the sphere gives one point too; where the tangent point lies on the segment the one-sided "
        "d gamma / d r is infinite",
        "The gradient is unbounded near a tangency, so a fixed step length is unsafe.",
        "lmlir.gradient.gradient_when_missing",
        "lmlir.intersection.intersection",
        ("lmlir.witnesses.one_point_without_tangent", "lmlir.witnesses.steep_tangent"),
    ),
    Erratum(
        "E17",
        {"Table 5": "corrected", "Section 6, protocol": "remark"},
        "Table 5, and section 1: much better than the competitors on eight data sets",
        "three means are impossible; the test part is ceil(0.4 N); two of the eight wins exceed the method's own deviation; "
        "the larger class alone beats every method on two data sets",
        'The counts "# of best" are right. What they say is less than the text says.',
        witnesses=("lmlir.evidence.impossible_cells", "lmlir.evidence.small_leads", "lmlir.evidence.majority_wins"),
    ),
    Erratum(
        "E18",
        {"Equation (9)": "remark", "Definition 7": "remark"},
        'D is called a distance, and its matrix "the metric of the line segment"',
        "D is symmetric, non-negative and zero for equal points, but the triangle inequality fails",
        "Nothing that needs a metric space (search trees, Corollary 1's rho) may use D.",
        true_by="lmlir.distance.distance",
        witnesses=("lmlir.witnesses.triangle_inequality",),
    ),
    Erratum(
        "E19",
        {"Equation (4)": "corrected", "Definition 4": "remark"},
        "(4) uses l(.; M(B)) of the whole segment and of a union, Definition 4 has it only for a segment inside B",
        "the length by M(B) is meant for any segment, and for a union as the sum over its disjoint pieces",
        "Without it the right side of (4) is undefined exactly when a region is met.",
        true_by="lmlir.distance.background_intersection_length",
        witnesses=("lmlir.evidence.length_outside_the_background",),
    ),
    Erratum(
        "E20",
        {"Corollary 1": "refuted"},
        "c = (16 sum ||M||_F diam)^(ddim + 1), with Lemma 1's L = 2 sum ||M||_F",
        "with L it is (32 sum ||M||_F diam)^(ddim + 1): a factor 2 was lost; what holds in R^F counts volumes: "
        "(1 + 2 diam / w^-1(margin / 8))^F, w the modulus of f",
        "The printed c is no bound on how many points the functions can shatter at 1/16, even if Lemma 1 were true.",
        "lmlir.continuity.printed_capacity",
        "lmlir.continuity.repaired_capacity",
        ("lmlir.evidence.shattered_pair",),
    ),
    Erratum(
        "E21",
        {"Corollary 1": "remark"},
        "f classifies a sample of size n correctly, and is correct on all but k examples; L does not occur in c",
        "the second premise alone; L is what c is made of",
        "Two statements run into one; as printed the premise says k = 0.",
        "lmlir.continuity.printed_learning_bound",
        "lmlir.continuity.learning_bound",
    ),
    Erratum(
        "E22",
        {"Corollary 1": "remark", "Equation (11)": "remark"},
        "the bound indicates that a smaller sum of norms improves generalisation",
        "at the sizes of Table 4 the bound exceeds 0.99 for every c >= 1, and the initial c lies beyond 34 n",
        "The regulariser may help, but this bound is no reason for it on these data.",
        "lmlir.continuity.deviation_term",
        None,
        ("lmlir.evidence.empty_bound",),
    ),
    Erratum(
        "E23",
        {"Section 5.2, step 3": "corrected"},
        "M(A_s) = I + 0.1 diag(mean h) is the initial metric",
        "it is positive semi-definite for sure only if K <= 5 (h >= -2K on unit-length data); the paper's K is 10",
        "An entry below 0 has to be clipped (choice C8).",
        "lmlir.initialization.initial_metric",
        "lmlir.initialization.initial_parameters",
        ("lmlir.evidence.no_metric_at_the_start",),
    ),
    Erratum(
        "E24",
        {"Table 5": "corrected", "Section 6, protocol": "remark"},
        '"the standard deviation" of ten accuracies, one for all columns',
        "LMNN, ITML and RVML divide by n = 10, the other six columns by n - 1 = 9",
        "Three columns look 5 % steadier than they are. The paper's own column has n - 1 (choice C15).",
        witnesses=("lmlir.evidence.two_deviations",),
    ),
    Erratum(
        "E25",
        {"Table 4": "remark", "Section 6, protocol": "remark"},
        "Monk1: 556 instances, split at random",
        "432 different instances; 124 of them twice, the published training part once more",
        "A random split trains on a quarter of its own test rows; Monk1's 97 % are partly memory.",
        witnesses=("lmlir.evidence.repeated_rows",),
        sources=("UCI, MONK's Problems",),
    ),
    Erratum(
        "E26",
        {"Table 4": "remark"},
        "Liverdisorders: 345 (145, 200)",
        "the two groups are no classes: field 7 is a selector that its makers used to divide training and test rows",
        "Accuracies on it tell how well a mark of rows is guessed, and nothing about the liver.",
        witnesses=("lmlir.evidence.selector_as_class",),
        sources=(
            "UCI, Liver Disorders (note on field 7)",
            "McDermott and Forsyth, Pattern Recognition Letters 73, 2016",
        ),
    ),
    Erratum(
        "E27",
        {"Table 2": "remark", "Equation (12)": "remark", "Definition 1": "remark", "Section 6, protocol": "remark"},
        "n-balls beside a sample of size n; A for A_s; N, N_1, N_2 and M_+ unexplained; the footnote on norms has b and v "
        "for one vector; "
        '"smooth" for Lipschitz; Vote and Voting, German and Germannumber; Large Marin',
        "balls of R^F; A_s; numbers of instances and of pairs, the positive semi-definite matrices; b; |x| is "
        "Lipschitz and not smooth; one data set each; Large Margin",
        "Names only.",
    ),
    Erratum(
        "E28",
        {"Table 1": "remark", "Equation (7)": "remark"},
        "Delta = b^2 - 4ac",
        "the same number as 4a(r^2 - h^2), h the distance of the center from the line, keeps its digits",
        "In floats b^2 - 4ac errs like a radius moved by up to 4 eps s^2 / r for a small ball far away, the stable form by "
        "less than 1.5 eps s (s the largest length in play); and it overflows beyond lengths of 1e75.",
        "lmlir.intersection.discriminant",
        "lmlir.intersection.stable_discriminant",
        ("lmlir.evidence.cancelling_discriminant",),
    ),
)


CHOICES: tuple[Choice, ...] = (
    Choice(
        "C1",
        ("Section 5.2, gradient descent",),
        "the learning rate, the number of steps, when to stop",
        "the paper's fixed rate is offered with rate 1.0 and 60 steps; the default learner searches its rate (C19)",
        "that fixed rate reproduces Table 5 within a deviation",
        ("lmlir.learning.fixed_rate_descent", "lmlir.learning.learn"),
    ),
    Choice(
        "C2",
        ("Section 5.2, gradient descent", "Equation (12)"),
        "how M stays positive semi-definite",
        "after each step negative eigenvalues become 0",
        "that is the nearest matrix in the Frobenius norm, the norm of the penalty",
        ("lmlir.descent.nearest_positive_semidefinite",),
    ),
    Choice(
        "C3",
        ("Section 5.2, gradient descent", "Equation (12)"),
        "what a negative radius is",
        "after each step it becomes 0",
        "the nearest radius that Definition 1 allows",
        ("lmlir.descent.nearest_radius",),
    ),
    Choice(
        "C4",
        ("Section 5.2, step 3",),
        "the background metric at the start",
        "M(B) = I",
        "the local metrics start at I plus a correction, and the background has no cluster",
        ("lmlir.initialization.initial_parameters",),
    ),
    Choice(
        "C5",
        ("Section 5.1, neighbours",),
        "K of the pairs, the distance that finds them, whether they are found again during learning",
        "K = 10 as in the classifier, the Euclidean distance, once before learning",
        "the paper has one K; pairs that move would make g a different function at every step",
        ("lmlir.objective.similar_pairs", "lmlir.objective.dissimilar_pairs", "lmlir.learning.training_pairs"),
    ),
    Choice(
        "C6",
        ("Section 5.2, step 2",),
        "the clustering algorithm, and what the centers of clusters in R^(2F) are in R^F",
        "k-means with restarts on [x, h(x)]; the center is the mean of the members' x; clusters are numbered as they appear",
        "the mean of the members is the first half of the cluster's center",
        ("lmlir.initialization.cluster_labels", "lmlir.initialization.initial_center"),
    ),
    Choice(
        "C7",
        ("Section 5.2, step 3",),
        "the 80th percentile: of which distances, by which rule",
        "of the Euclidean distances in R^F from the members to the center, by linear interpolation",
        "regions are located by the Euclidean distance in R^F (Definition 1); interpolation is numpy's rule",
        ("lmlir.initialization.percentile", "lmlir.initialization.initial_radius"),
    ),
    Choice(
        "C8",
        ("Section 5.2, step 3",),
        "an initial metric with a negative entry (E23)",
        "the entry becomes 0",
        "the same projection as C2, which for a diagonal matrix clips its entries",
        ("lmlir.initialization.initial_parameters",),
    ),
    Choice(
        "C9",
        ("Section 4.1, sign of f", "Section 5.1, neighbours"),
        "ties: f(x) = 0, and neighbours at equal distance",
        "f = 0 is the negative class unless asked otherwise; of equal distances the smaller index comes first",
        "a rule that a second implementation can follow",
        ("lmlir.classifier.predict", "lmlir.objective.nearest_indices"),
    ),
    Choice(
        "C10",
        ("Section 6, protocol",),
        "whether mean and deviation of the preprocessing see the test part",
        "they are taken over all rows; the training part alone is an option",
        "the text preprocesses the data sets before it splits them",
        ("lmlir.experiments.protocol.prepared",),
    ),
    Choice(
        "C11",
        ("Section 6, protocol",),
        "stratified or plain splits, and how 60 % is rounded",
        "scikit-learn's plain random splits, random_state 0 to 9, of the rows in lexicographic order; ceil(0.4 N) test rows",
        "the text says randomly selected; the means of Table 5 fit the upper rounding (E17); anybody can draw them again",
        ("lmlir.experiments.protocol.split_rows",),
    ),
    Choice(
        "C12",
        ("Section 6, protocol", "Table 4"),
        "missing values (ILPD, Vote)",
        "ILPD's four gaps become the mean of the feature, Vote's become 0, halfway between no and yes",
        "Table 4's 583 and 435 rows are all there are, gaps included",
        ("lmlir.experiments.data.with_missing_filled",),
    ),
    Choice(
        "C13",
        ("Table 4",),
        "Breastcancer's tenth feature, the sample id",
        "it stays",
        "Table 4 prints 10 features, and only LibSVM's file with the id has ten",
        ("lmlir.experiments.data.verified",),
    ),
    Choice(
        "C14",
        ("Table 3", "Section 5.2, gradient of g", "Section 5.2, dD/dM(B)", "Section 5.2, dD/dM(A_s)"),
        "the gradient where there is none: on a kink, and where a length or a norm is 0",
        "on a kink the row of Table 3 with its closed ends, and strict hinges; where a length or norm is 0 its gradient is 0",
        "any value between the one-sided derivatives is as right; these need no new rule",
        ("lmlir.gradient.ratio_gradient", "lmlir.gradient.length_gradient", "lmlir.gradient.shrinkage"),
        "corner",
    ),
    Choice(
        "C15",
        ("Section 6, protocol",),
        "which standard deviation, n or n - 1",
        "n - 1",
        "the paper's own column has it (E24)",
        ("lmlir.experiments.statistics.mean_of",),
    ),
    Choice(
        "C16",
        ("Section 4.1, sumKmin", "Equation (10)"),
        "fewer than K elements",
        "an error that says so",
        "a sum of fewer elements would make f jump as instances are added",
        ("lmlir.classifier.sum_k_min",),
        "corner",
    ),
    Choice(
        "C17",
        ("Equation (9)",),
        "which gamma_b equation (9) has",
        "the approximate one, max(1 - sum gamma, 0); exact=True gives the other",
        "the paper uses it from section 3.2 on, and its gradients are of it",
        ("lmlir.distance.distance",),
    ),
    Choice(
        "C18",
        ("Equation (10)",),
        "more than two classes, which the conclusion calls straightforward",
        "the class with the smallest mean of the K nearest",
        "for two classes that is the sign of f",
        ("lmlir.estimator.LMLIRClassifier",),
    ),
    Choice(
        "C19",
        ("Section 5.2, gradient descent",),
        "a step that raises the objective",
        "the default learner keeps the lowest of some plain steps, then moves all metrics, every center and every radius in "
        "turn, each with a rate of its own that is halved until g falls; it does so twice, from the initial values as "
        "printed and with all metrics at their best common scale, and keeps the lower end; the fixed rate stays available",
        "the gradient is unbounded at tangencies (E16), so no fixed rate is safe; and distances that start far too long "
        "make regions vanish",
        (
            "lmlir.learning.backtracking_descent",
            "lmlir.learning.scaled_metrics",
            "lmlir.learning.take_plain_steps",
            "lmlir.learning.take_rounds",
            "lmlir.learning.block_step",
        ),
    ),
    Choice(
        "C20",
        ("Equation (12)", "Section 5.2, objective g"),
        "an empty list of pairs",
        "it contributes 0",
        "an empty sum; 0/0 would be no number",
        ("lmlir.objective.average",),
        "corner",
    ),
    Choice(
        "C21",
        ("Definition 8", "Table 2", "Equation (9)"),
        "x_i = x_j, where there is no line",
        "gamma = 0, D = 0, all gradients 0",
        "a = b = 0 make Delta = 0, and Table 2's second row has length 0",
        ("lmlir.intersection.stable_discriminant", "lmlir.intersection.segment_case"),
        "corner",
    ),
    Choice(
        "C22",
        ("Table 2", "Definition 8"),
        "lambda_p and lambda_q in rows 1 and 2, which Table 2 leaves blank",
        "both 0",
        "gamma is 0 there, and row 3 does the same for an empty intersection",
        ("lmlir.intersection.line_misses", "lmlir.intersection.line_touches"),
        "corner",
    ),
    Choice(
        "C23",
        ("Proposition 2",),
        "balls that touch in one point",
        "they overlap, because balls are closed; the formula would still hold",
        "the premise as printed: the intersection is empty",
        ("lmlir.distance.balls_are_disjoint",),
        "corner",
    ),
    Choice(
        "C24",
        ("Definition 5, footnote", "Equation (3)"),
        "pieces of no length, and pieces that share an end",
        "the first are left out, the second are joined",
        "no length depends on it",
        ("lmlir.distance.merged_intervals",),
        "corner",
    ),
    Choice(
        "C25",
        ("Definition 7",),
        "which matrix M(segment) is; many give the segment its length",
        "D^2 / |x_i - x_j|^2 times the identity, and the identity when x_i = x_j",
        "it knows no direction, and always exists",
        ("lmlir.distance.segment_metric",),
        "corner",
    ),
    Choice(
        "C26",
        ("Definition 1", "Equation (7)"),
        "lengths whose squares a float cannot hold",
        "an error that names the vector, for squared lengths below 1e-290 or infinite",
        "a wrong answer or a NaN would be worse",
        ("lmlir.scalars.squared_length",),
        "corner",
    ),
    Choice(
        "C27",
        ("Section 6, protocol",),
        "a constant feature, and an instance of length 0 after centering",
        "the feature becomes 0, the instance stays at 0",
        "nothing is divided by 0, and no row is lost",
        ("lmlir.experiments.protocol.standardized", "lmlir.experiments.protocol.unit_length"),
        "corner",
    ),
)


# ------------------------------------------------------------------------------------------------------------ lookups


def items_of(ledger_id: str) -> list[str]:
    """The items that an erratum or a choice concerns; an error when there is no such id.

    >>> items_of("E9"), items_of("C4")
    (['Table 4'], ['Section 5.2, step 3'])
    """
    entries: list[Erratum | Choice] = [*ERRATA, *CHOICES]
    for entry in entries:
        if entry.id == ledger_id:
            return list(entry.items)
    raise ValueError(f"the ledger has errata E1 to E{len(ERRATA)} and choices C1 to C{len(CHOICES)}, got {ledger_id}")


def resolve(name: str) -> Any:
    """What a dotted name of the ledger stands for; arguments in brackets behind it are left aside.

    >>> resolve("lmlir.objective.average")([1, 2])
    1.5
    """
    dotted = name.split("(")[0]
    try:
        return importlib.import_module(dotted)
    except ModuleNotFoundError:
        module, attribute = dotted.rsplit(".", 1)
        return getattr(importlib.import_module(module), attribute)


def witnesses_of(erratum: Erratum) -> list[Any]:
    """The erratum's witnesses, run now: each has a text and says whether it refutes what is printed.

    >>> [witness.refutes for witness in witnesses_of(ERRATA[0])]
    [True]
    """
    found = []
    for name in erratum.witnesses:
        witness: Callable[[], Any] = resolve(name)
        found.append(witness())
    return found


def evidence_of(ledger_id: str) -> dict[str, list[str]]:
    """The laws, proofs and tests that cite an erratum or a choice.

    >>> sorted(evidence_of("E1"))
    ['laws', 'proofs', 'tests']
    """
    from lmlir import paper

    linked = paper.links().get(ledger_id, {})
    return {kind: linked.get(kind, []) for kind in ("laws", "proofs", "tests")}


# -------------------------------------------------------------------------------------------------------- the command


def erratum_as_json(erratum: Erratum) -> dict[str, Any]:
    """An erratum with its evidence, ready for JSON."""
    return {
        "id": erratum.id,
        "kind": "erratum",
        "items": dict(erratum.items),
        "printed": {"text": erratum.printed, "function": erratum.printed_by},
        "true": {"text": erratum.true, "function": erratum.true_by},
        "consequence": erratum.consequence,
        "witnesses": [{"text": witness.text, "refutes": witness.refutes} for witness in witnesses_of(erratum)],
        **evidence_of(erratum.id),
        "sources": list(erratum.sources),
    }


def choice_as_json(choice: Choice) -> dict[str, Any]:
    """A choice with its evidence, ready for JSON."""
    return {
        "id": choice.id,
        "kind": f"choice, {choice.kind}",
        "items": list(choice.items),
        "question": choice.question,
        "decision": choice.decision,
        "why": choice.why,
        "taken_in": list(choice.taken_in),
        **evidence_of(choice.id),
    }


def columns(cells: Sequence[str]) -> list[str]:
    """One row of the table: cells wrapped into their columns.

    >>> columns(["E9", "Table 4", "Haberman: 206", "306"])
    ['E9    Table 4               Haberman: 206                       306']
    """
    wrapped = [textwrap.wrap(cell, width) for cell, width in zip(cells, COLUMNS, strict=True)]
    lines = []
    for row in range(max(map(len, wrapped))):
        parts = [
            (cell[row] if row < len(cell) else "").ljust(width) for cell, width in zip(wrapped, COLUMNS, strict=True)
        ]
        lines.append(" ".join(parts).rstrip())
    return lines


def remark(name: str, text: str) -> list[str]:
    """A line below a row of the table, with a name in front, wrapped.

    >>> remark("so", "names only")
    ['      so       names only']
    """
    indent = " " * 15
    return textwrap.wrap(
        text, WIDTH, initial_indent=f"      {name:<9}", subsequent_indent=indent, break_on_hyphens=False
    )


def evidence_lines(ledger_id: str) -> list[str]:
    """The laws, proofs and tests that cite an id, for the terminal."""
    evidence = evidence_of(ledger_id)
    lines: list[str] = []
    for kind in ("proofs", "laws"):
        if evidence[kind]:
            lines += remark(kind, ", ".join(evidence[kind]))
    if evidence["tests"]:
        lines += remark("tests", f"{len(evidence['tests'])}, the first {evidence['tests'][0]}")
    return lines


def erratum_as_text(erratum: Erratum) -> str:
    """An erratum for the terminal: the row of the table, what follows, and the evidence, run now."""
    where = ", ".join(f"{item} ({effect})" for item, effect in erratum.items.items())
    lines = columns([erratum.id, where, erratum.printed, erratum.true]) + remark("so", erratum.consequence)
    for name, function in (("printed", erratum.printed_by), ("true", erratum.true_by)):
        if function:
            lines += remark(name, function)
    for witness in witnesses_of(erratum):
        lines += remark("seen" if witness.refutes else "NOT SEEN", witness.text)
    lines += evidence_lines(erratum.id)
    for source in erratum.sources:
        lines += remark("source", source)
    return "\n".join(lines)


def choice_as_text(choice: Choice) -> str:
    """A choice for the terminal."""
    lines = columns([choice.id, ", ".join(choice.items), choice.question, choice.decision])
    lines += remark("because", choice.why) + remark("in", ", ".join(choice.taken_in))
    return "\n".join(lines + evidence_lines(choice.id))


def table(head: Sequence[str], rows: Sequence[str]) -> str:
    """A table with a head and a rule."""
    return "\n".join([*columns(head), "-" * WIDTH, "\n\n".join(rows)])


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `lmlir errata`."""
    parser.add_argument("ids", nargs="*", metavar="ID", help="only these, as in E6 or C9 (default: all)")
    parser.add_argument("--json", metavar="FILE", help="write the ledger as JSON, to standard output if FILE is -")


def run(arguments: argparse.Namespace) -> int:
    """`lmlir errata`: prints the ledger with its witnesses run again, or writes it as JSON."""
    from lmlir.paper import write_json

    for ledger_id in arguments.ids:
        items_of(ledger_id)
    mistakes = [erratum for erratum in ERRATA if not arguments.ids or erratum.id in arguments.ids]
    choices = [choice for choice in CHOICES if not arguments.ids or choice.id in arguments.ids]
    if arguments.json:
        entries = [erratum_as_json(erratum) for erratum in mistakes] + [choice_as_json(choice) for choice in choices]
        write_json(entries, arguments.json)
        return 0
    parts = []
    if mistakes:
        parts.append(table(["", "where", "as printed", "what is true"], list(map(erratum_as_text, mistakes))))
    if choices:
        parts.append(table(["", "where", "left open", "decided"], list(map(choice_as_text, choices))))
    print("\n\n\n".join(parts))
    return 0
