"""The oracle: laws that judge anyone's implementation of the subject interface, version 1.

Each room answers one question of a reader:

subjects/       who is judged: a module, a file, a program or functions, and what goes wrong with
them inputs/         on what: corner cases, which every run tries first, random cases, large ones,
and layouts of arrays allowed/        what an honest program may return: brackets, checked against
the true value to 50 digits laws/           what must hold: statements, each with the inputs on
which it is tried, and the checker that asks judging/        what was found: the trial of a law, its
smallest counterexample, replayed in fresh processes reporting/      how it is shown: data, text, a
page with drawings, and lines that repeat a violation

Beside them stand what all rooms use, `interface` (the nine functions, read off `lmlir.subject`) and
`precision`, and what is built on them: `api` (``lmlir.check("mypackage.fast")``), `vectors` and the
pytest plugin.

item            a statement that a law cites, of the paper or our own (Theorem A), or "Subject
interface" for behavior bracket         the smallest and the largest value that an honest program
may return for one number violation       what a law raises: a sentence, the calls that show it, the
number got and its bracket counterexample  the smallest case found that violates a law; how to
repeat it is in the report
"""
