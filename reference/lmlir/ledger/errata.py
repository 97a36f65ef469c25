"""Every mistake found in the paper: both readings, the consequence, and the functions that run them.

An erratum has an effect on each item that it concerns: "refuted" (false, and replaced), "corrected" (true after the change)
or "remark" (the statement is true, but its words, a claim beside it or its arithmetic need a note). A printed formula can
still be run. The evidence is not listed here: it is every witness, proof, law and test that cites the id. Where an entry
itself was wrong, `was` has its old words, the last version that had them, and why they are wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Erratum:
    """A mistake: where it is, the words of both readings, the consequence, the functions that run both, and sources."""

    id: str
    title: str
    items: Mapping[str, str]
    printed: str
    true: str
    consequence: str
    printed_by: str | None = None
    true_by: str | None = None
    sources: tuple[str, ...] = ()
    was: str | None = None

    @property
    def functions(self) -> tuple[str, ...]:
        """The dotted names of the functions that run the readings, without arguments."""
        return tuple(function_of(reading) for reading in (self.printed_by, self.true_by) if reading)


def function_of(reading: str) -> str:
    """The dotted name of the function that runs a reading.

    >>> function_of('lmlir.gradient.shrinkage(printed=["E4"])')
    'lmlir.gradient.shrinkage'
    """
    return reading.partition("(")[0]


ERRATA: tuple[Erratum, ...] = (
    Erratum(
        id="E1",
        title="the sign of the slack",
        items={"Equation (12)": "corrected"},
        printed="D(x_m, x_n) >= 1 + C + xi_mn",
        true="D(x_m, x_n) >= 1 + C - xi_mn",
        consequence="As printed the constraint is hard and its slack always 0; the objective g, printed later, has "
        "the minus.",
        printed_by="lmlir.objective.printed_dissimilar_slack",
        true_by="lmlir.objective.dissimilar_slack",
    ),
    Erratum(
        id="E2",
        title="the sign of the dissimilar pairs",
        items={"Section 5.2, gradient of g": "corrected"},
        printed="gradient of g: the dissimilar pairs' term has a plus",
        true="it has a minus, because g has [1 + C - D]_+",
        consequence="Trained as printed every metric shrinks to zero and f = 0 everywhere; the accuracy is then the "
        "tie rule's class share.",
        printed_by='lmlir.gradient.objective_gradient(printed=["E2"])',
        true_by="lmlir.gradient.objective_gradient",
    ),
    Erratum(
        id="E3",
        title="the sign of the background in the gradients by center and radius",
        items={"Section 5.2, dD/do_s": "corrected", "Section 5.2, dD/dr_s": "corrected"},
        printed="dD/do_s and dD/dr_s: + 1[...] D_M(B) d gamma_s",
        true="- 1[...] D_M(B) d gamma_s: what a region gains, the background loses",
        consequence="Accuracies do not show it, and the final objective can even be lower: only a gradient check "
        "sees it.",
        printed_by='lmlir.gradient.distance_gradient_radius(printed=["E3"])',
        true_by="lmlir.gradient.distance_gradient_radius",
    ),
    Erratum(
        id="E4",
        title="the factor of the penalty's gradient",
        items={"Section 5.2, shrinkage": "corrected"},
        printed="shrinkage term alpha M / (2 ||M||)",
        true="alpha M / ||M||_F, the gradient of alpha ||M||_F",
        consequence="Half the regularization that (12) asks for. Accuracies hardly show it; the final objective does.",
        printed_by='lmlir.gradient.shrinkage(printed=["E4"])',
        true_by="lmlir.gradient.shrinkage",
    ),
    Erratum(
        id="E5",
        title="a square root lost in Lemma 1",
        items={"Lemma 1": "refuted"},
        printed="Lemma 1, step 1: Lip(d_M) <= ||M||_F",
        true="Lip(d_M) = s(M) = sqrt(lambda_max(M)) <= sqrt(||M||_F); a square root was lost",
        consequence="The printed bound fails exactly when ||M||_F < s(M), that is, for small metrics.",
        printed_by="lmlir.scalars.frobenius_norm",
        true_by="lmlir.continuity.spectral_scale",
    ),
    Erratum(
        id="E6",
        title="the distance has no Lipschitz constant",
        items={"Lemma 1": "refuted"},
        printed="Lemma 1, step 2: D <= sum of the D_M, hence Lip(D) <= sum of the Lip; Lip(f) is twice that",
        true="D(., x_k) and f are not Lipschitz in dimension >= 2: gamma grows like a square root at a tangency. "
        "|D(x, z) - D(y, z)| <= Lambda e + sum kappa_s tau_s(e) holds, e = |x - y|",
        consequence="A bound on values is no bound on slopes. sqrt(lambda_max) and sqrt(r_s) govern the modulus of "
        "f, not ||M||_F.",
        printed_by="lmlir.continuity.printed_lipschitz_bound",
        true_by="lmlir.continuity.modulus_of_continuity",
    ),
    Erratum(
        id="E7",
        title="coincident balls break the constant on the line, too",
        items={"Lemma 1": "refuted", "Section 3.2, gamma_b": "corrected"},
        printed="Lemma 1's constant, even with the square roots of E5, for the approximate gamma_b in dimension 1",
        true="coincident balls with M near 0 give the slope -(S - 1) s(M(B)); Lambda + kappa tau covers it",
        consequence="With overlapping regions D can fall as points move apart.",
        printed_by="lmlir.continuity.printed_distance_lipschitz_bound",
        true_by="lmlir.continuity.modulus_of_continuity",
    ),
    Erratum(
        id="E8",
        title="a learning bound without a margin",
        items={"Corollary 1": "refuted", "Equation (11)": "refuted"},
        printed="(11) counts in k the wrong signs of f, with no margin",
        true="k must count the examples with y f(x) < margin, c must be the capacity at that margin, and c <= 34 n",
        consequence="Scaling every M by t leaves the signs and sends c to 0, so (11) would bound a coin's error by "
        "almost nothing. L also depends on the data.",
        printed_by="lmlir.continuity.printed_learning_bound",
        true_by="lmlir.continuity.learning_bound",
    ),
    Erratum(
        id="E9",
        title="the size of Haberman",
        items={"Table 4": "corrected"},
        printed="Haberman: 206 (81, 125)",
        true="306 (81, 225)",
        consequence="The experiments of Table 5 were run on the right one.",
        sources=("UCI, Haberman's Survival",),
    ),
    Erratum(
        id="E10",
        title="Diabetes and Pima are the same data",
        items={"Table 4": "corrected", "Table 5": "corrected"},
        printed="Diabetes and Pima are two data sets",
        true="one data set under two names",
        consequence="There are 13 data sets and seven wins. The two rows of one method tell the noise of Table 5.",
        sources=("UCI and LibSVM, Pima Indians Diabetes",),
    ),
    Erratum(
        id="E11",
        title="the objective without its sums",
        items={"Section 5.2, objective g": "corrected"},
        printed="g has 1/N_2 and 1/N_1 but no sums over the pairs",
        true="averages over the N_2 and the N_1 pairs, as in (12)",
        consequence="A missing sign of summation; the gradient of g has the sums.",
        true_by="lmlir.objective.objective",
    ),
    Erratum(
        id="E12",
        title="slips in the proof of Lemma 1",
        items={"Lemma 1": "remark", "Definition 9": "remark"},
        printed="proof of Lemma 1: Lip(f_1) is a quotient at one pair; d_M(x, x_k) - d_M(x, x_k); ||M(B)|| without "
        'F; "Proposition" for Lemma 1',
        true="Definition 9: the supremum over all pairs; the second term is d_M(x_k, x_k) = 0; ||M(B)||_F",
        consequence="Slips of the pen beside E5 and E6.",
        true_by="lmlir.continuity.lipschitz_quotient",
    ),
    Erratum(
        id="E13",
        title="a set that must be a multiset",
        items={
            "Section 4.1, D_set": "corrected",
            "Section 4.1, sumKmin": "corrected",
            "Equation (10)": "corrected",
            "Proposition 4": "remark",
        },
        printed="D_set is a set; Proposition 4 has K functions and the K smallest of them",
        true="a multiset: equal distances count as often as they occur, and K <= their number. Proposition 4's sharp "
        "constant is the sum of the K largest L_k",
        consequence="With equal distances collapsed sumKmin jumps, and f with it; a class with fewer than K members "
        "is undefined.",
        printed_by="lmlir.classifier.printed_sum_k_min",
        true_by="lmlir.classifier.sum_k_min",
    ),
    Erratum(
        id="E14",
        title="overlap is not slightly different",
        items={"Section 3.2, gamma_b": "corrected", "Equation (9)": "remark", "Definition 7": "remark"},
        printed='gamma_b is "slightly different" for overlap: max(1 - sum gamma, 0); the regions "partition" the space',
        true="the error reaches 1 - 1/S; and a part shared by regions is counted once per region: with equal metrics "
        "D is max(1, sum gamma) times the length, or 1 - union + sum gamma times with the exact gamma_b",
        consequence="Overlap is the rule on the paper's data, and double counting is cheap: S stacked balls reach a "
        "scale at 1/S of the penalty. The approximate D never exceeds the exact one.",
        printed_by="lmlir.distance.approximate_background_ratio",
        true_by="lmlir.distance.exact_background_ratio",
    ),
    Erratum(
        id="E15",
        title="squared lengths would be convex",
        items={"Definition 3": "remark"},
        printed="footnote: the plain distance, not squared, is convenient for the optimization",
        true="squared lengths are linear in M; with fixed balls the problem would be convex",
        consequence="The non-convexity that section 5.2 regrets comes from this choice.",
        true_by="lmlir.regions.mahalanobis_length",
    ),
    Erratum(
        id="E16",
        title="a single point need not be a tangency",
        items={"Definition 5": "corrected", "Table 2": "remark", "Table 3": "corrected"},
        printed="an intersection in one point is called tangent; Table 2's caption says pq for x_i x_j; Table 3 has "
        "derivative 0 where Delta = 0",
        true="an end point on the sphere gives one point too; where the tangent point lies on the segment the "
        "one-sided d gamma / d r is infinite",
        consequence="The gradient is unbounded near a tangency, so a fixed step length is unsafe.",
        printed_by="lmlir.gradient.gradient_when_missing",
        true_by="lmlir.intersection.intersection",
    ),
    Erratum(
        id="E17",
        title="Table 5 and its arithmetic",
        items={"Table 5": "corrected", "Section 6, protocol": "remark"},
        printed="Table 5, and section 1: much better than the competitors on eight data sets",
        true="three means are impossible with the test size that the other cells imply, ceil(0.4 N); two of the eight wins "
        "exceed the method's own deviation; the larger class alone beats every method on two data sets",
        consequence='The counts "# of best" are right. What they say is less than the text says.',
        was='"three means are impossible" until version 1.0.0: ILPD\'s 68.67 is possible on 233 rows (1600 of 2330), but '
        "seven of its nine means fit 234 rows and three fit 233.",
    ),
    Erratum(
        id="E18",
        title="the triangle inequality fails",
        items={"Equation (9)": "remark", "Definition 7": "remark"},
        printed='D is called a distance, and its matrix "the metric of the line segment"',
        true="D is symmetric, non-negative and zero for equal points, but the triangle inequality fails",
        consequence="Nothing that needs a metric space (search trees, Corollary 1's rho) may use D.",
        true_by="lmlir.distance.distance",
    ),
    Erratum(
        id="E19",
        title="the background length of a whole segment",
        items={"Equation (4)": "corrected", "Definition 4": "remark"},
        printed="(4) uses l(.; M(B)) of the whole segment and of a union, Definition 4 has it only for a segment "
        "inside B",
        true="the length by M(B) is meant for any segment, and for a union as the sum over its disjoint pieces",
        consequence="Without it the right side of (4) is undefined exactly when a region is met.",
        true_by="lmlir.distance.background_intersection_length",
    ),
    Erratum(
        id="E20",
        title="the capacity in Corollary 1",
        items={"Corollary 1": "remark"},
        printed="c = (16 sum ||M||_F diam)^(ddim + 1), with Lemma 1's L = 2 sum ||M||_F",
        true="this c is no bound on how many points functions with the Lipschitz constant L can shatter at 1/16; what holds "
        "in R^F counts volumes: (1 + 2 diam / w^-1(margin / 8))^F, w the modulus of f",
        consequence="Even if Lemma 1 were true, (11) would need another c.",
        printed_by="lmlir.continuity.printed_capacity",
        true_by="lmlir.continuity.repaired_capacity",
        was='"refuted: a factor 2 was lost" until version 1.0.0: points shattered at 1/16 lie at least 1 / (8 L) apart, and '
        "with L = 2 sum ||M||_F that is the printed 16.",
    ),
    Erratum(
        id="E21",
        title="the premises of Corollary 1",
        items={"Corollary 1": "remark"},
        printed="f classifies a sample of size n correctly, and is correct on all but k examples; L does not occur "
        "in c",
        true="the second premise alone; L is what c is made of",
        consequence="Two statements run into one; as printed the premise says k = 0.",
        printed_by="lmlir.continuity.printed_learning_bound",
        true_by="lmlir.continuity.learning_bound",
    ),
    Erratum(
        id="E22",
        title="what the bound is said to indicate",
        items={"Corollary 1": "remark", "Equation (11)": "remark"},
        printed="the bound indicates that a smaller sum of norms improves generalization",
        true="with n the size of a training part of Table 4 and delta = 0.05 the bound exceeds 0.99 for all c from 1 to 34 n, "
        "beyond which it falls; with S = 4 and all metrics I, c lies beyond 34 n even in the plane",
        consequence="The regularizer may help, but this bound is no reason for it on these data.",
        printed_by="lmlir.continuity.deviation_term",
        was='"for every c >= 1, and the initial c lies beyond 34 n" until version 1.0.0: the deviation falls beyond 34 n and '
        "is no number beyond about 34 e n; the initial local metrics are I plus a correction; and n is the size of a training "
        "part, since 1000 rows and c = 1 give 0.80.",
    ),
    Erratum(
        id="E23",
        title="an initial metric outside the cone",
        items={"Section 5.2, step 3": "corrected"},
        printed="M(A_s) = I + 0.1 diag(mean h) is the initial metric",
        true="it is positive semi-definite for sure only if K <= 5 (h >= -2K on unit-length data); the paper's K is 10",
        consequence="An entry below 0 has to be clipped (choice C8).",
        printed_by="lmlir.initialization.initial_metric",
        true_by="lmlir.initialization.initial_parameters",
    ),
    Erratum(
        id="E24",
        title="two standard deviations in one table",
        items={"Table 5": "corrected", "Section 6, protocol": "remark"},
        printed='"the standard deviation" of ten accuracies, one for all columns',
        true="LMNN, ITML and RVML divide by n = 10, the other six columns by n - 1 = 9",
        consequence="Three columns look 5 % steadier than they are. The paper's own column has n - 1 (choice C15).",
    ),
    Erratum(
        id="E25",
        title="Monk1 has duplicates on both sides of the split",
        items={"Table 4": "remark", "Section 6, protocol": "remark"},
        printed="Monk1: 556 instances, split at random",
        true="432 different instances; 124 of them twice, the published training part once more",
        consequence="A random split trains on a quarter of its own test rows; Monk1's 97 % are partly memory.",
        sources=("UCI, MONK's Problems",),
    ),
    Erratum(
        id="E26",
        title="the classes of Liverdisorders",
        items={"Table 4": "remark"},
        printed="Liverdisorders: 345 (145, 200)",
        true="the two groups are those of field 7, which by the data set's own note is a selector of training and test rows, "
        "and no diagnosis; no number of drinks, the field that the note names as the response, divides the rows so",
        consequence="If the note is right, accuracies on it tell how well a mark of rows is guessed.",
        sources=(
            "UCI, Liver Disorders (note on field 7)",
            "McDermott and Forsyth, Pattern Recognition Letters 73, 2016",
        ),
        was='"accuracies on it tell nothing about the liver" until version 1.0.0: that is what the sources say; its witness, '
        "145 + 200 = 345, showed nothing.",
    ),
    Erratum(
        id="E27",
        title="names and spelling",
        items={
            "Table 2": "remark",
            "Equation (12)": "remark",
            "Definition 1": "remark",
            "Section 6, protocol": "remark",
        },
        printed="n-balls beside a sample of size n; A for A_s; N, N_1, N_2 and M_+ unexplained; the footnote on "
        'norms has b and v for one vector; "smooth" for Lipschitz; Vote and Voting, German and Germannumber; Large '
        "Marin",
        true="balls of R^F; A_s; numbers of instances and of pairs, the positive semi-definite matrices; b; |x| is "
        "Lipschitz and not smooth; one data set each; Large Margin",
        consequence="Names only.",
    ),
    Erratum(
        id="E28",
        title="a discriminant that loses its digits",
        items={"Table 1": "remark", "Equation (7)": "remark"},
        printed="Delta = b^2 - 4ac",
        true="the same number as 4a(r^2 - h^2), h the distance of the center from the line, keeps its digits",
        consequence="In floats b^2 - 4ac errs like a radius moved by up to 4 eps s^2 / r for a small ball far away, the "
        "stable form by less than 1.5 eps s (s the largest length in play). Both are fourth powers of lengths and overflow "
        "near 8e76; r^2 - h^2, which the code uses, only near 9e153.",
        printed_by="lmlir.intersection.discriminant",
        true_by="lmlir.intersection.stable_discriminant",
        was='"it overflows beyond lengths of 1e75" until version 1.0.0: that is where `discriminant` refuses; and the stable '
        "form overflows, too.",
    ),
    Erratum(
        id="E29",
        title="a ranking of numbers of neighbors",
        items={"Table 5": "remark", "Section 6, protocol": "remark"},
        printed="section 1: much better than the state-of-the-art metric learning competitors; section 6 gives K = 10 for the "
        "proposed method and no number of neighbors for the others",
        true="the columns are consistent with 1 neighbor (LMNN, ITML, NCA, MCML, RVML), 3 (SCML) and 5 (GMML, R2LML); ordered "
        "by mean rank they are ordered by that number. Under equation (10) with K = 10 for all, no two of the nine mean ranks "
        "lie a critical difference apart",
        consequence="Table 5 compares numbers of neighbors more than it compares metrics.",
    ),
    Erratum(
        id="E30",
        title="a column of plain 1-NN",
        items={"Table 5": "remark"},
        printed="MCML, implemented with the drToolbox",
        true="the column is consistent with 1-NN and the Euclidean distance: that program returns the singular vectors of the "
        "learned matrix without the singular values, and at full dimension that is a rotation",
        consequence="If so, the column says nothing about MCML, whose convex problem, solved, gives other numbers.",
        sources=("Matlab Toolbox for Dimensionality Reduction 0.8, techniques/mcml.m",),
    ),
    Erratum(
        id="E31",
        title="a column of inverted metrics",
        items={"Table 5": "remark"},
        printed="ITML, implemented with the metric-learn toolbox",
        true="the column is consistent with the inverse of the learned matrix in its place, a known fault of metric-learn up "
        "to version 0.3.0",
        consequence="If so, the column says little about ITML, which gives other numbers with the matrix itself.",
        sources=("metric-learn, issue 57 and pull request 60 (2017)",),
    ),
    Erratum(
        id="E32",
        title="unit length costs Fourclass a dimension",
        items={"Section 6, protocol": "remark", "Table 5": "remark"},
        printed="all data sets are scaled to unit length; Fourclass, with two features, is the largest lead of Table 5",
        true="at unit length a row of Fourclass keeps its direction alone, one number, in which the classes overlap; without "
        "that step the classifier (10) with nothing learned is right almost always",
        consequence="The lead on Fourclass is one among methods that were all kept from the easy solution.",
    ),
)
