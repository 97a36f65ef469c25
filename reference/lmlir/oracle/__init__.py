"""The oracle: laws that judge anyone's implementation of the subject interface, version 1.

Each room answers one question of a reader:

- `subjects/`: who is judged. A module, a file, a program or functions, and what goes wrong.
- `inputs/`: on what. Corner cases, which every run tries first, random cases, large ones, layouts
  of arrays, and how a failing case is made smaller.
- `allowed/`: what an honest program may return. Brackets, and the true values to 50 digits that
  verify them.
- `laws/`: what must hold. Statements, each with the inputs on which it is tried, and the checker
  that asks.
- `judging/`: what was found. The trial of a law and its smallest counterexample, replayed in fresh
  processes.
- `reporting/`: how it is shown. Data, text, a page with drawings, and lines that repeat a
  violation.

Beside them stand what all rooms use, `interface` (the nine functions, read off `lmlir.subject`) and
`precision`, and what is built on them: `api` (``lmlir.check("mypackage.fast")``), `vectors` and the
pytest plugin.

- An *item* is a statement that a law cites, of the paper or our own (Theorem A), or "Subject
  interface" for behavior.
- A *bracket* is the smallest and the largest value that an honest program may return for one
  number.
- A *violation* is what a law raises: a sentence, the calls that show it, the number got and its
  bracket.
- A *counterexample* is the smallest case found that violates a law. The report contains how to
  repeat it.
"""
