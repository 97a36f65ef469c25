"""Judge code in the worker of a page: a reader's code, the examples of a definition, the vectors of
an exercise.

Plain Python without numpy, so that Brython runs it in the browser; under CPython the tests run the
very same lines. A request and its answer are dictionaries that JSON can hold. A vector is judged by
its bracket: nothing is compared with a tolerance.
"""

import sys

from lmlir.distance import merged_intervals
from lmlir.intersection import segment_coefficients

MAX_OUTPUT_CHARACTERS = 20_000
READERS_CODE = "<string>"  # the file name that exec gives to a text
EXAMPLE = "<example>"  # the lines of an example are not the reader's


class Output:
    """The printed text, up to a limit, because an endless loop that prints must not fill the
    memory.
    """

    def __init__(self):
        self.text = ""

    def write(self, text):
        """Keep the text as long as there is room."""
        self.text += text[: MAX_OUTPUT_CHARACTERS - len(self.text)]

    def flush(self):
        """Do nothing: no text is buffered."""


def details(error):
    """An error as (line of the reader's own code or None, kind, message)."""
    message = getattr(error, "msg", None) or str(error)
    line = getattr(error, "lineno", None) if isinstance(error, SyntaxError) else None
    trace = error.__traceback__
    while trace is not None and not isinstance(error, SyntaxError):
        if trace.tb_frame.f_code.co_filename == READERS_CODE:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line, type(error).__name__, message


def described(error):
    """Describe an error for the reader: the line of the reader's own code, the kind, and the
    message.

    >>> try:
    ...     exec("x = 1\\ny = x / 0")
    ... except ZeroDivisionError as error:
    ...     print(described(error))
    line 2: ZeroDivisionError: division by zero
    """
    line, kind, message = details(error)
    return f"line {line}: {kind}: {message}" if line else f"{kind}: {message}"


class Raised:
    """An exception instead of an answer: its line, and the words after "Your code raised".

    >>> try:
    ...     exec("x = 1\\ny = x / 0")
    ... except ZeroDivisionError as error:
    ...     print(Raised(error).text)
    ZeroDivisionError in line 2: division by zero
    """

    def __init__(self, error):
        self.line, kind, message = details(error)
        where = f" in line {self.line}" if self.line else ""
        self.text = f"{kind}{where}: {message}" if message else f"{kind}{where}"


def executed(code, then=None):
    """Run the code in a fresh namespace, and `then` on it; the namespace, what was printed, and an
    error or None.
    """
    namespace = {"__name__": "__main__"}
    output = Output()
    before = sys.stdout
    sys.stdout = output
    failure = None
    try:
        exec(code, namespace)
        if then is not None:
            then(namespace)
    except BaseException as error:
        failure = described(error)
    finally:
        sys.stdout = before
    return namespace, output.text, failure


def ran(code, example):
    """Run the code; if it prints nothing and defines the function of the example, show the
    example's value.
    """

    def show(namespace):
        if example and example.split("(")[0] in namespace and not sys.stdout.text:
            print(f">>> {example}")
            print(repr(eval(compile(example, EXAMPLE, "eval"), namespace)))

    _, output, failure = executed(code, show)
    return {"verdict": "error" if failure else "none", "output": output, "text": failure or ""}


# -------------------------------------------------------------------------------------- definitions


def checked_examples(code, examples):
    """Run the code, then compare each example of the docstring, (expression, what it shows), with
    what it shows now.
    """
    namespace, output, failure = executed(code)
    if failure:
        return {"verdict": "error", "output": output, "text": failure}
    for expression, expected in examples:
        try:
            if not expected:
                exec(compile(expression, EXAMPLE, "exec"), namespace)
                continue
            shown = repr(eval(compile(expression, EXAMPLE, "eval"), namespace))
        except BaseException as error:
            text = f"For {expression} your code raised {Raised(error).text}"
            return {"verdict": "violates", "output": output, "text": text}
        if shown != expected:
            text = f"{expression} is {expected} in the docstring, and {shown} here."
            return {"verdict": "violates", "output": output, "text": text}
    return {
        "verdict": "conforms",
        "output": output,
        "text": "It agrees with the examples of the docstring.",
    }


# ---------------------------------------------------------------------------------------- exercises


def bound(end):
    """An end of a bracket; JSON has no infinity, so a missing end is a string."""
    return float(end) if isinstance(end, str) else end


def first_outside(answer, lower, upper, index=()):
    """The first number of an answer outside its bracket, as (index, what is there, lower, upper);
    None if all are inside.
    """
    if not isinstance(lower, list):
        try:
            inside = bool(bound(lower) <= answer <= bound(upper))
        except Exception:
            inside = False
        return None if inside else (index, answer, bound(lower), bound(upper))
    try:
        parts = list(answer)
    except TypeError:
        return index, answer, None, f"a list of {len(lower)}"
    if len(parts) != len(lower):
        return index, f"a list of {len(parts)}", None, f"a list of {len(lower)}"
    for k, part in enumerate(parts):
        found = first_outside(part, lower[k], upper[k], (*index, k))
        if found:
            return found
    return None


def copied(value):
    """A fresh copy of nested lists: the reader's code may change its arguments."""
    return [copied(part) for part in value] if isinstance(value, list) else value


def wrong_part(answer, allowed):
    """What is wrong with an answer, as (part of the answer, index, said, lower, upper), or None."""
    parts = [answer]
    if len(allowed) > 1:
        try:
            parts = list(answer)
        except TypeError:
            return "the answer", (), answer, None, f"{len(allowed)} parts"
    if len(parts) != len(allowed):
        return "the answer", (), f"{len(parts)} parts", None, f"{len(allowed)} parts"
    for part, bracket in zip(parts, allowed, strict=True):
        found = first_outside(part, bracket["lower"], bracket["upper"])
        if found:
            return bracket["name"], *found
    return None


def violation(function, vector):
    """What is wrong with the function's answer to a vector: a wrong part of it, an exception, or
    None.
    """
    try:
        return wrong_part(
            function(*[copied(value) for value in vector["arguments"].values()]), vector["allowed"]
        )
    except BaseException as error:
        return Raised(error)


def checked_vectors(code, name, vectors, progress):
    """Judge the function `name` that the code defines by all vectors; the first that fails is
    shown.
    """
    namespace, output, failure = executed(code)
    if failure is None and not callable(namespace.get(name)):
        failure = f"the code defines no function {name}"
    if failure:
        return {"verdict": "error", "output": output, "text": failure}
    failed = []

    def judge(_):
        for number, vector in enumerate(vectors):
            progress(number)
            found = violation(namespace[name], vector)
            if found:
                failed.append((vector, found))

    _, more, failure = executed("", judge)
    output += more
    if failure:
        return {"verdict": "error", "output": output, "text": failure}
    if not failed:
        text = f"All {len(vectors)} answers lie in their brackets."
        return {"verdict": "conforms", "output": output, "text": text}
    text = f"{counted(failed, len(vectors))} The first: {failed[0][0]['why']}."
    return {
        "verdict": "violates",
        "output": output,
        "text": text,
        "counterexample": counterexample(name, *failed[0]),
    }


def counted(failed, total):
    """Describe how many questions raised an exception, and how many got a wrong answer."""
    raised = sum(isinstance(found, Raised) for _, found in failed)
    wrong = len(failed) - raised
    told = [f"{raised} made your code raise an exception"] if raised else []
    told += [f"{wrong} got a wrong answer"] if wrong else []
    return f"Of {total} questions, {' and '.join(told)}."


# ---------------------------------------------------------------------------------- counterexamples

LEGENDS = {  # for each role that is drawn, what it means
    "intersection_ratios": {
        "true": "Thick: the piece inside the ball.",
        "said": "Dashed: as long as you said.",
    },
    "exact_background_ratios": {
        "true": "Thick: the pieces that no ball covers.",
        "said": "Dashed: as long as you said.",
    },
    "ratio_gradients": {"true": "Thick: the piece inside the ball."},
    "distances": {"true": "Thick: the pieces inside the balls."},
    "decision_values": {
        "minus": "Squares: the negative class.",
        "plus": "Circles: the positive class.",
    },
    "objective": {"similar": "Solid: similar pairs.", "dissimilar": "Dashed: dissimilar pairs."},
    "objective_gradient": {
        "similar": "Solid: similar pairs.",
        "dissimilar": "Dashed: dissimilar pairs.",
    },
}


def legend(name, drawn):
    """What the parts of a scene mean, of those alone that can be seen in it."""
    seen = {
        part["role"] for part in drawn or [] if part["kind"] != "line" or part["from"] != part["to"]
    }
    return " ".join(text for role, text in LEGENDS[name].items() if role in seen)


def shown(said, lower, upper):
    """Format the answer and the true value with as few digits as distinguish them.

    >>> shown(1.5, 0.25, 0.2500000000000001), shown(0.25000001, 0.25, 0.25)
    (('1.5', '0.25'), ('0.25000001', '0.25'))
    """
    if lower is None or isinstance(said, str):
        return str(said), str(upper) if lower is None else in_digits(lower, upper, 6)
    try:
        for digits in (6, 9, 12, 15):
            pair = f"{said:.{digits}g}", in_digits(lower, upper, digits)
            if pair[0] != pair[1]:
                return pair
    except (TypeError, ValueError):
        return repr(said), in_digits(lower, upper, 6)
    return repr(said), f"between {lower!r} and {upper!r}"


def in_digits(lower, upper, digits):
    """Format a bracket with `digits` digits: one number where its ends agree."""
    low = f"{lower + 0.0:.{digits}g}"
    high = f"{upper + 0.0:.{digits}g}"
    return low if low == high else f"between {low} and {high}"


def is_finite_number(x):
    """Whether a bar can be drawn for x."""
    return isinstance(x, (int, float)) and not isinstance(x, bool) and abs(x) < 1e300


def counterexample(name, vector, found):
    """The question, what was said and what is true, or what was raised, and the scene where it has
    one or two features.
    """
    if isinstance(found, Raised):
        ends = [(each["name"], each["lower"], each["upper"]) for each in vector["allowed"]]
        allowed = "; ".join(f"{part} from {lower!r} to {upper!r}" for part, lower, upper in ends)
        told = {"raised": found.text, "line": found.line, "bars": None}
        return {**told, **asked(name, vector["arguments"], allowed, (), None)}
    part, index, said, lower, upper = found
    said_text, true_text = shown(said, lower, upper)
    numbers = (
        lower is not None and is_finite_number(said) and abs(lower) < 1e300 and abs(upper) < 1e300
    )
    allowed = str(upper) if lower is None else f"from {lower!r} to {upper!r}"
    told = {
        "of": part if len(vector["allowed"]) == 1 else part + "".join(f"[{k}]" for k in index),
        "said": said_text,
        "true": true_text,
        "bars": [said + 0.0, (lower + upper) / 2] if numbers else None,
    }
    arguments = asked_about(name, vector["arguments"], index)
    return {**told, **asked(name, arguments, allowed, index, said if numbers else None)}


def asked(name, arguments, allowed, index, said):
    """The question in words and as a picture."""
    drawn = scene(name, arguments, index, said)
    question = {**{key: repr(value) for key, value in arguments.items()}, "allowed": allowed}
    return {"question": question, "scene": drawn, "legend": legend(name, drawn)}


def asked_about(name, arguments, index):
    """The arguments of a vector with only the pair, or the row of X, that the index is about."""
    kept = dict(arguments)
    for rows in (
        ("X_i", "X_j") if "X_i" in arguments else ("X",) if name == "decision_values" else ()
    ):
        if index:
            kept[rows] = [arguments[rows][index[0]]]
    return kept


def scene(name, arguments, index, said):
    """Balls, segments and points in the plane; a line is drawn as a plane's axis, more features are
    not drawn.
    """
    points = arguments["X_i"] if "X_i" in arguments else arguments["X"]
    if not points or len(points[0]) > 2:
        return None
    flat = {
        key: in_plane(arguments[key])
        for key in ("X_i", "X_j", "X", "X_minus", "X_plus")
        if key in arguments
    }
    marked = (
        index[1] if name in ("intersection_ratios", "ratio_gradients") and len(index) >= 2 else None
    )
    balls = zip(in_plane(arguments["centers"]), arguments["radii"], strict=True)
    drawn = [
        ball(center, radius, marked is None or s == marked)
        for s, (center, radius) in enumerate(balls)
    ]
    if "X_i" in flat:
        return drawn + pair_scene(name, arguments, marked, said, flat["X_i"][0], flat["X_j"][0])
    if name == "decision_values":
        return drawn + decision_scene(flat["X"], flat["X_minus"], flat["X_plus"])
    return drawn + objective_scene(flat["X"], arguments["similar"], arguments["dissimilar"])


def in_plane(points):
    """Points of a line get a second coordinate of 0."""
    return [[*point, 0.0][:2] for point in points]


def ball(center, radius, marked):
    """A ball of the scene; those that the question is not about are fainter."""
    return {"kind": "ball", "at": center, "radius": radius, "role": "ball" if marked else "other"}


def line(start, end, role):
    """A straight piece of the scene."""
    return {"kind": "line", "from": start, "to": end, "role": role}


def point(at, label, role):
    """A point of the scene."""
    return {"kind": "point", "at": at, "label": label, "role": role}


def along(start, end, share):
    """The point at this share of the way."""
    return [a + share * (b - a) for a, b in zip(start, end, strict=True)]


def pair_scene(name, arguments, marked, said, start, end):
    """One segment: its pieces inside the balls, and for a share the piece that was said."""
    pieces = [
        segment_coefficients(arguments["X_i"][0], arguments["X_j"][0], center, radius)
        for s, (center, radius) in enumerate(
            zip(arguments["centers"], arguments["radii"], strict=True)
        )
        if marked is None or s == marked
    ]
    if name == "exact_background_ratios":
        ends = [0, *(at for piece in merged_intervals(pieces) for at in piece), 1]
        pieces = list(zip(ends[::2], ends[1::2], strict=True))
    drawn = [line(start, end, "segment")]
    drawn += [line(along(start, end, p), along(start, end, q), "true") for p, q in pieces if p < q]
    if said is not None and name in ("intersection_ratios", "exact_background_ratios"):
        first = min((piece for piece in pieces if piece[0] < piece[1]), default=(0, 0))[0]
        drawn.append(
            line(
                along(start, end, first),
                along(start, end, first + max(-3.0, min(said, 3.0))),
                "said",
            )
        )
    return [*drawn, point(start, "x_i", "end"), point(end, "x_j", "end")]


def decision_scene(X, minus, plus):
    """The points that are asked about, and the members of both classes."""
    return [
        *(point(member, "", "minus") for member in minus),
        *(point(member, "", "plus") for member in plus),
        *(point(x, "x", "end") for x in X),
    ]


def objective_scene(X, similar, dissimilar):
    """All points, and the pairs that pull together or push apart."""
    pairs = [line(X[i], X[j], "similar") for i, j in similar] + [
        line(X[m], X[n], "dissimilar") for m, n in dissimilar
    ]
    return [*pairs, *(point(x, f"x_{k}", "end") for k, x in enumerate(X))]


# ------------------------------------------------------------------------------------------- worker


def answered(request, progress):
    """The answer to a request of the page."""
    if request["kind"] == "run":
        return ran(request["code"], request.get("example"))
    if request["kind"] == "examples":
        return checked_examples(request["code"], request["examples"])
    return checked_vectors(request["code"], request["function"], request["vectors"], progress)
