"""The rivals of Table 5, one method a file, each written from its own paper, and what a user would pick in their place.

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

`catalog.py` lists them with their grids; `tuning.py` tunes them inside the training part and measures them.
"""
