"""Records as a results file holds them, made up for the tests."""


def made_up(dataset, method, values, **more):
    """One record a split with these accuracies, and the same other fields in each."""
    return [
        {"dataset": dataset, "split": split, "method": method, "accuracy": value, **more}
        for split, value in enumerate(values)
    ]
