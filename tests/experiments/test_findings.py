"""What the findings say about records that were made up."""

import pytest

from lmlir.experiments import findings, statistics
from tests.experiments.made_up import made_up


def test_the_gradient_check_sees_every_printed_mistake():
    """E2, E3 and E4: each makes the gradient wrong by more than a tenth of its largest entry."""
    assert findings.gradient_error() < 1e-6
    assert all(findings.gradient_error((mistake,)) > 0.1 for mistake in ("E2", "E3", "E4"))


def test_findings_without_any_run_are_the_arithmetic():
    titles = [finding.title for finding in findings.findings([])]
    assert titles == ["How large is the noise?", "What does the arithmetic of Table 5 say?"]
    text = findings.arithmetic_finding().text
    assert (
        "of the size that the other cells imply give ilpd 68.67 (ITML), ilpd 66.80 (NCA) and planning 65.20 (GMML)"
        in text
    )
    assert "Of the 8 wins 2 exceed the method's own deviation (fourclass and pima)" in text


def test_a_squared_difference_is_measured_in_the_variance_of_both_means():
    """By hand: Monk1 80 +- sqrt(2) over 2 splits, printed 79.42 +- 1.91 over 10; WDBC 95 +- 0 against 95.70 +- 0.90."""
    records = made_up("monk1", "knn-1", [0.79, 0.81]) + made_up("wdbc", "knn-1", [0.95, 0.95])
    by_hand = [(80 - 79.42) ** 2 / (2 / 2 + 1.91**2 / 10), (95 - 95.70) ** 2 / (0.90**2 / 10)]
    assert findings.mean_squared_z(records, "MCML", "knn-1") == pytest.approx(sum(by_hand) / 2)
    records += made_up("pima", "knn-1", [0.1, 0.2])  # Diabetes again
    assert findings.mean_squared_z(records, "MCML", "knn-1") == pytest.approx(sum(by_hand) / 2)


def test_findings_tell_the_side_of_a_miss():
    records = made_up("monk1", "lmlir-fixed-rate", [0.95, 0.96]) + made_up("wdbc", "lmlir-fixed-rate", [0.95, 0.96])
    records += made_up("pima", "lmlir-fixed-rate", [0.80, 0.81])
    text = findings.reproduction_finding(records).text
    assert "on 1 of 3 data sets, above that on pima, below it on wdbc" in text


def test_too_few_splits_give_no_intervals():
    records = [r for m in ("lmlir", "global-metric", "metrics-only") for r in made_up("wdbc", m, [0.9, 0.91, 0.92])]
    records += made_up("wdbc", "regions-only", [0.8])
    text = findings.regions_finding(records).text
    assert "Against regions-only, LMLIR gains +10.00 points on average (data sets: 1, splits: 1, too few" in text
    assert (
        "Against global-metric, LMLIR gains +0.00 points on average (data sets: 1, splits: 3); clearly on none" in text
    )


def test_other_splits_tell_the_noise():
    """By hand: Monk1's two blocks of ten have means 96 and 90, and only the first is near the paper's 96.46 ± 2.96."""
    records = made_up("monk1", "lmlir-fixed-rate", [0.95, 0.97] * 5 + [0.9] * 10)
    assert statistics.block_means(records, "monk1", "lmlir-fixed-rate") == pytest.approx([96, 90])
    text = findings.noise_finding(records).text
    assert "on any data set by up to 6.00; from 2 times ten splits" in text
    assert "deviations is 1 and 0 of 1." in text
    assert "ten splits" not in findings.noise_finding(records[:10]).text
