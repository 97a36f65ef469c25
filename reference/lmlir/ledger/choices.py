"""Every choice that the paper leaves open: the question, the decision, the reason, and the functions that take it.

A choice is "open" (something that the paper needs but does not state) or a "corner" (a case that its formulas leave out).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Choice:
    """A question that the paper leaves open, the decision, its reason, and the functions that take it."""

    id: str
    items: tuple[str, ...]
    question: str
    decision: str
    why: str
    taken_in: tuple[str, ...]
    kind: str = "open"

    @property
    def functions(self) -> tuple[str, ...]:
        """The dotted names of the functions that take the decision, as an erratum has those of its readings."""
        return self.taken_in


CHOICES: tuple[Choice, ...] = (
    Choice(
        id="C1",
        items=("Section 5.2, gradient descent",),
        question="the learning rate, the number of steps, when to stop",
        decision="the paper's fixed rate is offered with rate 1.0 and 60 steps; the default learner searches its "
        "rate (C19)",
        why="that fixed rate reproduces Table 5 within a deviation",
        taken_in=("lmlir.learning.fixed_rate.fixed_rate_descent", "lmlir.learning.learner.learn"),
    ),
    Choice(
        id="C2",
        items=("Section 5.2, gradient descent", "Equation (12)"),
        question="how M stays positive semi-definite",
        decision="after each step negative eigenvalues become 0, and so do those that rounding cannot tell from 0",
        why="that is the nearest matrix in the Frobenius norm, the norm of the penalty; a rest of 1e-17 has a slope of 1e8",
        taken_in=("lmlir.descent.nearest_positive_semidefinite", "lmlir.descent.descended_metric"),
    ),
    Choice(
        id="C3",
        items=("Section 5.2, gradient descent", "Equation (12)"),
        question="what a negative radius is",
        decision="after each step it becomes 0",
        why="the nearest radius that Definition 1 allows",
        taken_in=("lmlir.descent.nearest_radius",),
    ),
    Choice(
        id="C4",
        items=("Section 5.2, step 3",),
        question="the background metric at the start",
        decision="M(B) = I",
        why="the local metrics start at I plus a correction, and the background has no cluster",
        taken_in=("lmlir.initialization.initial_parameters",),
    ),
    Choice(
        id="C5",
        items=("Section 5.1, neighbors",),
        question="K of the pairs, the distance that finds them, whether they are found again during learning",
        decision="K = 10 as in the classifier, the Euclidean distance, once before learning; n_passes finds them again",
        why="the paper has one K; pairs that move would make g a different function at every step",
        taken_in=(
            "lmlir.objective.similar_pairs",
            "lmlir.objective.dissimilar_pairs",
            "lmlir.learning.engines.training_pairs",
        ),
    ),
    Choice(
        id="C6",
        items=("Section 5.2, step 2",),
        question="the clustering algorithm, and what the centers of clusters in R^(2F) are in R^F",
        decision="k-means with restarts on [x, h(x)]; the center is the mean of the members' x; clusters are "
        "numbered as they appear",
        why="the mean of the members is the first half of the cluster's center",
        taken_in=("lmlir.initialization.cluster_labels", "lmlir.initialization.initial_center"),
    ),
    Choice(
        id="C7",
        items=("Section 5.2, step 3",),
        question="the 80th percentile: of which distances, by which rule",
        decision="of the Euclidean distances in R^F from the members to the center, by linear interpolation",
        why="regions are located by the Euclidean distance in R^F (Definition 1); interpolation is numpy's rule",
        taken_in=("lmlir.initialization.percentile", "lmlir.initialization.initial_radius"),
    ),
    Choice(
        id="C8",
        items=("Section 5.2, step 3",),
        question="an initial metric with a negative entry (E23)",
        decision="the entry becomes 0",
        why="the same projection as C2, which for a diagonal matrix clips its entries",
        taken_in=("lmlir.initialization.initial_parameters",),
    ),
    Choice(
        id="C9",
        items=("Section 4.1, sign of f", "Section 5.1, neighbors"),
        question="ties: f(x) = 0, and neighbors at equal distance",
        decision="f = 0 is the negative class unless asked otherwise; of equal distances the smaller index comes first",
        why="a rule that a second implementation can follow",
        taken_in=("lmlir.classifier.predict", "lmlir.objective.nearest_indices"),
    ),
    Choice(
        id="C10",
        items=("Section 6, protocol",),
        question="whether mean and deviation of the preprocessing see the test part",
        decision="they are taken over all rows; the training part alone is an option",
        why="the text preprocesses the data sets before it splits them",
        taken_in=("lmlir.experiments.protocol.prepared",),
    ),
    Choice(
        id="C11",
        items=("Section 6, protocol",),
        question="stratified or plain splits, and how 60 % is rounded",
        decision="scikit-learn's plain random splits, random_state 0 to 9, of the rows in lexicographic order; "
        "ceil(0.4 N) test rows",
        why="the text says randomly selected; the means of Table 5 fit the upper rounding (E17); anybody can draw "
        "them again",
        taken_in=("lmlir.experiments.protocol.split_rows",),
    ),
    Choice(
        id="C12",
        items=("Section 6, protocol", "Table 4"),
        question="missing values (ILPD, Vote)",
        decision="ILPD's four gaps become the mean of the feature, Vote's become 0, halfway between no and yes",
        why="Table 4's 583 and 435 rows are all there are, gaps included",
        taken_in=("lmlir.experiments.data.with_missing_filled",),
    ),
    Choice(
        id="C13",
        items=("Table 4",),
        question="Breastcancer's tenth feature, the sample id",
        decision="it is kept",
        why="Table 4 prints 10 features, and only LibSVM's file with the id has ten",
        taken_in=("lmlir.experiments.data.verified",),
    ),
    Choice(
        id="C14",
        items=("Table 3", "Section 5.2, gradient of g", "Section 5.2, dD/dM(B)", "Section 5.2, dD/dM(A_s)"),
        question="the gradient where there is none: on a kink, and where a length or a norm is 0",
        decision="on a kink the row of Table 3 with its closed ends, and strict hinges; where a length or norm is 0 "
        "its gradient is 0",
        why="on a kink any value between the one-sided derivatives is as right; a length of 0 has an infinite slope, which "
        "no step can use: 0 in its place keeps a dead metric dead, even where a dissimilar pair asks for it (Theorem E)",
        taken_in=("lmlir.gradient.ratio_gradient", "lmlir.gradient.length_gradient", "lmlir.gradient.shrinkage"),
        kind="corner",
    ),
    Choice(
        id="C15",
        items=("Section 6, protocol",),
        question="which standard deviation, n or n - 1",
        decision="n - 1",
        why="the paper's own column has it (E24)",
        taken_in=("lmlir.experiments.statistics.mean_of",),
    ),
    Choice(
        id="C16",
        items=("Section 4.1, sumKmin", "Equation (10)"),
        question="fewer than K elements",
        decision="an error",
        why="a sum of fewer elements would make f jump as instances are added",
        taken_in=("lmlir.classifier.sum_k_min",),
        kind="corner",
    ),
    Choice(
        id="C17",
        items=("Equation (9)",),
        question="which gamma_b equation (9) has",
        decision="the approximate one, max(1 - sum gamma, 0); exact=True gives the other",
        why="the paper uses it from section 3.2 on, and its gradients are of it",
        taken_in=("lmlir.distance.distance",),
    ),
    Choice(
        id="C18",
        items=("Equation (10)",),
        question="more than two classes, which the conclusion calls straightforward",
        decision="the class with the smallest mean of the K nearest",
        why="for two classes that is the sign of f",
        taken_in=("lmlir.estimator.LMLIRClassifier",),
    ),
    Choice(
        id="C19",
        items=("Section 5.2, gradient descent",),
        question="a step that raises the objective",
        decision="the default learner is a quasi-Newton descent over factors of the metrics with hinges smoothed less and "
        "less, after some plain steps; where the background becomes the strongest metric, it begins again with larger balls; "
        "regions with next to no metric are put onto the strongest, and later the weakest is, while that lowers g by a "
        "thousandth; the lowest position counts. The fixed rate stays available",
        why="the gradient is unbounded at tangencies (E16), so no fixed rate is safe; distances that start far too long "
        "make regions vanish; and small steps take long",
        taken_in=(
            "lmlir.learning.quasi_newton.quasi_newton_descent",
            "lmlir.learning.quasi_newton.split",
            "lmlir.learning.quasi_newton.with_scaled_metrics",
            "lmlir.learning.quasi_newton.take_plain_steps",
        ),
    ),
    Choice(
        id="C20",
        items=("Equation (12)", "Section 5.2, objective g"),
        question="an empty list of pairs",
        decision="it contributes 0",
        why="an empty sum; 0/0 is not a number",
        taken_in=("lmlir.objective.average",),
        kind="corner",
    ),
    Choice(
        id="C21",
        items=("Definition 8", "Table 2", "Equation (9)"),
        question="x_i = x_j, where there is no line",
        decision="gamma = 0, D = 0, all gradients 0",
        why="a = b = 0 make Delta = 0, and Table 2's second row has length 0",
        taken_in=("lmlir.intersection.stable_discriminant", "lmlir.intersection.segment_case"),
        kind="corner",
    ),
    Choice(
        id="C22",
        items=("Table 2", "Definition 8"),
        question="lambda_p and lambda_q in rows 1 and 2, which Table 2 leaves blank",
        decision="both 0",
        why="gamma is 0 there, and row 3 does the same for an empty intersection",
        taken_in=("lmlir.intersection.line_misses", "lmlir.intersection.line_touches"),
        kind="corner",
    ),
    Choice(
        id="C23",
        items=("Proposition 2",),
        question="balls that touch in one point",
        decision="they overlap, because balls are closed; the formula would still hold",
        why="the premise as printed: the intersection is empty",
        taken_in=("lmlir.distance.balls_are_disjoint",),
        kind="corner",
    ),
    Choice(
        id="C24",
        items=("Definition 5, footnote", "Equation (3)"),
        question="pieces of no length, and pieces that share an end",
        decision="the first are left out, the second are joined",
        why="no length depends on it",
        taken_in=("lmlir.distance.merged_intervals",),
        kind="corner",
    ),
    Choice(
        id="C25",
        items=("Definition 7",),
        question="which matrix M(segment) is; many give the segment its length",
        decision="D^2 / |x_i - x_j|^2 times the identity, and the identity when x_i = x_j",
        why="it is the same in every direction, and always exists",
        taken_in=("lmlir.distance.segment_metric",),
        kind="corner",
    ),
    Choice(
        id="C26",
        items=("Definition 1", "Equation (7)"),
        question="lengths whose squares a float cannot hold",
        decision="an error that names the vector, for squared lengths below 1e-290 or infinite",
        why="a wrong answer or a NaN would be worse",
        taken_in=("lmlir.scalars.squared_length",),
        kind="corner",
    ),
    Choice(
        id="C27",
        items=("Section 6, protocol",),
        question="a constant feature, and an instance of length 0 after centering",
        decision="the feature becomes 0, the instance remains 0",
        why="nothing is divided by 0, and no row is lost",
        taken_in=("lmlir.experiments.protocol.standardized", "lmlir.experiments.protocol.unit_length"),
        kind="corner",
    ),
    Choice(
        id="C28",
        items=("Table 5", "Section 6, protocol"),
        question="how many neighbors vote in the compared methods, and which step R2LML takes for its memberships",
        decision="the k with which most means of a column come out (1, 3 or 5); the published half step",
        why="the paper calls all other parameters defaults; with another k fewer means come out (E29), and with the full step "
        "R2LML's mean accuracy is about twenty points lower",
        taken_in=("lmlir.experiments.comparison.agreement", "lmlir.experiments.rivals.catalog.Rival"),
    ),
)
