"""The rivals of Table 5, one method per file, each written from its own paper, and classifiers that
users pick instead.

| name | file |
|---|---|
| `lmnn` | `lmnn.py` |
| `itml`, `itml-inverted` | `itml.py` |
| `nca` | `nca.py`, scikit-learn's |
| `mcml`, `mcml-rotation` | `mcml.py` |
| `gmml` | `gmml.py` |
| `rvml` | `rvml.py` |
| `scml` | `scml.py` |
| `r2lml`, `r2lml-full-step` | `r2lml.py` |
| `logistic`, `svm`, `forest`, `boosting`, `knn` | `users.py`, scikit-learn's |

`catalog.py` lists them with their grids; `tuning.py` tunes them inside the training part and
measures them; `own.py` does so with the paper's method, as `lmlir-tuned`. The committed run is
`book/results/rivals.jsonl`, made by

    lmlir experiment --methods NAME... --tune --out book/results/rivals.jsonl

on all data sets but Pima, which is Diabetes. A record has `accuracy` (the rival's own k),
`accuracy_k` for other k, `accuracy_eq10` (equation (10) with K = 10), `fair` (k and parameter
tuned), the `tuned` values, and processor `seconds` with the tuning; for a method without a k of its
own, `accuracy` and `fair` are the same.
"""
