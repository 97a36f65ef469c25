"""The oracle: laws that judge anyone's implementation of the subject interface, version 1.

How the parts fit together (nothing is imported here, so that ``import lmlir`` stays light):

``laws.LAWS``
    a tuple of `Law` objects in the order in which they run. A law has ``.name`` (snake case), ``.items`` (items of the
    paper, for instance ``"Definition 8"``), ``.statement`` (one sentence of words), ``.functions`` (interface functions
    it calls), ``.any_of`` (True: it runs when at least one of them is offered; False: when all are),
    ``.cases(precision)`` (a Hypothesis strategy of `Case`), ``.examples(precision)`` (the kept cases, always tried
    first) and ``.check(checker, case)``, which raises `Violation` when the subject breaks the law.
    ``laws.by_name(name)`` finds one.

``cases.Case``
    one input: ``.inputs`` (a dict from the argument names of the interface to arrays and numbers), ``.flags`` (words such
    as ``"tangent"``) and ``.reason`` (a sentence why it is there; kept examples have one).

``subjects``
    ``subjects.load("package.module")``, ``subjects.load("file.py")``, ``subjects.from_module(module)`` and
    ``subjects.from_functions({"distances": function, ...}, name="my mutant")`` give a `Subject`;
    ``program.start("program args")`` gives one that speaks the line protocol. ``subject.offers`` is the list of names.

``runner``
    ``runner.run_law(law, subject, profile="quick", precision="float64", seed=0, shrink=True) -> LawResult`` runs one law up
    to its first violation (``shrink=False``: as fast as possible, the input as it was found). A `LawResult` has ``.law``
    (the Law), ``.status`` ("held", "violated", "not offered"), ``.examples`` (how many), ``.violation`` (a `Violation` or
    None), ``.rows`` (visits of Table 2 and Table 3) and ``.kinks`` (how often the kink rule was used).
    ``runner.judge(subject, profile="default", precision="float64", seed=0, only=None, first_violation_only=False,
    shrink=True, progress=None, violated=None) -> Report``
    runs all laws; ``Report`` has ``.verdict`` ("conforms", "violates", "cannot be judged"), ``.reason``, ``.results`` (a list
    of `LawResult`) and ``.violated`` (names of the violated laws). ``report.as_json(report)`` and ``report.as_text(report)``
    write it.

``violations.Violation``
    an exception with ``.law``, ``.sentence``, ``.calls`` (a list of ``Call(function, arguments, answer)``), ``.where``
    (index of the offending number), ``.got``, ``.lower`` and ``.upper`` (the bracket allowed).

``brackets``
    ``brackets.for_call(function, arguments, precision="float64")`` gives the allowed ``(lower, upper)`` for every number
    that an interface function returns: a pair of arrays, or a list of such pairs where the function returns several arrays.

``kill_matrix.resembling(violated, law)``
    asked by the report, if the kill matrix is there: names of the mutants that fail in the same pattern as a subject that
    violates the laws named in ``violated``, for the report's entry on ``law``.
"""
