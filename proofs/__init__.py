"""Proofs: SymPy and exact numbers derive what the paper states, and refute what is false, from the
shipped functions.

`proofs/intersection.py` proves what `reference/lmlir/intersection.py` states, and so on;
`python -m proofs` runs them all.
"""
