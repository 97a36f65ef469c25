"""The ledger: what the paper states, what is wrong in it, what it leaves open, and the evidence.

`errata` and `choices` are the entries; `witnesses` refute what is printed, in numbers; `tables_4_and_5` is the arithmetic
of the paper's tables; `items` are the paper's statements by name, and `links` ties laws, proofs, tests and pages to them.
"""
