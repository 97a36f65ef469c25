"""The oracle: laws that judge anyone's implementation of the subject interface, version 1.

subject         an implementation under judgment: a module, a file or a program (`subjects`)
engine          runs subjects in processes of their own, so that nothing they do reaches the judge (`engine`)
interface       the nine functions that a subject may offer, read off `lmlir.subject` (`interface`)
law             a statement that every subject must satisfy, with the inputs on which it is tried (`laws`)
item            a statement that a law cites, of the paper or our own (Theorem A), or "Subject interface" for behavior
case            one input; corner cases are tried in every run, then random ones (`cases`, `corner_cases`, `strategies`)
bracket         the smallest and the largest value that an honest program may return for one number (`brackets`)
truth           the true value to 50 digits, against which the brackets are checked (`exact`)
checker         asks a subject the questions of a law and compares its answers (`checker`)
judging         running all laws on a subject, with one of four verdicts (`runner.judge`)
violation       what a law raises: a sentence, the calls that show it, the number got and its bracket (`violations`)
counterexample  the smallest case found that violates a law; how to repeat it is in the report (`runner`, `report`)
again           a counterexample is replayed in fresh processes, and what depends on earlier calls is traced to them (`again`)

To judge from Python: ``lmlir.check("mypackage.fast")``.
"""
