"""The ledger: what the paper states, what is wrong in it, what it leaves open, and the evidence.

`errata` and `choices` are the entries. `witnesses` refute in numbers what is printed, with the
arithmetic of the paper's tables (`tables_4_and_5`) and of a new run of them (`table_5_again`).
`items` has the names of the paper's statements, and `map` finds the functions, laws, proofs, tests
and pages of each.
"""
