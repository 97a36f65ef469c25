"""Numbers that carry symbols through the shipped functions.

`Traced` is a number with two faces: an expression in symbols, and its value at one sample point. A
comparison is decided by the value and written down as a condition on the symbols; so is the sign of
each factor that is taken out of a square root, as in sqrt(x^2) = x. So a function full of `if`,
`max` and `sorted` runs on symbols: what it returns is its result for *all* values that satisfy the
conditions, not only for the sample.

`Vector` is a vector of any inner product space, of any dimension: all that is known of it is its
inner products with the others. The shipped functions see it as a point with one coordinate; `dot`
multiplies two of them and gets their inner product, a symbol. A `Form` is a metric M in the same
sense: u M v is a symbol. What is proved with them holds in every dimension.

`vanishes` decides whether an expression with square roots is identically zero.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import sympy as sp

Condition = tuple[Any, str]


def vanishes(expression: Any) -> bool:
    """Whether an expression is identically 0: each root R of b is replaced by a symbol with R^2 =
    b, the rest is algebra.
    """
    expression = sp.sympify(unwrapped(expression))
    if expression == 0:
        return True
    return not differs_from_zero(expression) and is_identically_zero(expression)


def differs_from_zero(expression: Any) -> bool:
    """Whether it is clearly not 0 at one point, which spares the algebra; roots may be complex
    there, each one consistently.
    """
    point = {
        symbol: sp.Rational(97 + 2 * k * k, 53 + k)
        for k, symbol in enumerate(sorted(expression.free_symbols, key=str))
    }
    value = sp.N(expression.subs(point), 30)
    return bool(value.is_number and value.is_finite and abs(value) > sp.Float("1e-12"))


def is_identically_zero(expression: Any) -> bool:
    """The algebra: one root after the other is replaced, and both its even and its odd part must
    vanish.
    """
    bases = sorted(
        {p.base for p in expression.atoms(sp.Pow) if p.exp.is_Rational and p.exp.q == 2},
        key=sp.count_ops,
    )
    if not bases:
        return bool(sp.expand(sp.fraction(sp.together(expression))[0]) == 0)
    base = bases[-1]  # the most complicated one: it is inside of no other
    R = sp.Dummy("R", positive=True)
    with_R = expression.replace(
        lambda e: e.is_Pow and e.base == base and e.exp.is_Rational, lambda e: R ** (2 * e.exp)
    )
    numerator = sp.Poly(sp.fraction(sp.together(with_R))[0], R)
    parts = [
        sum(
            (c * base ** (k // 2) for (k,), c in numerator.terms() if k % 2 == parity),
            sp.Integer(0),
        )
        for parity in (0, 1)
    ]
    return all(part == 0 or is_identically_zero(part) for part in parts)


def unwrapped(number: Any) -> Any:
    """The expression of a traced number; anything else as it is, fractions as SymPy's."""
    if isinstance(number, Traced):
        return number.expression
    return (
        sp.Rational(number.numerator, number.denominator)
        if isinstance(number, Fraction)
        else number
    )


def exact_root(value: Any) -> Any:
    """The square root of a value at the sample: a fraction if it is one, else SymPy's."""
    if isinstance(value, Fraction):
        root = Fraction(math.isqrt(value.numerator), math.isqrt(value.denominator))
        if root * root == value:
            return root
    return sp.sqrt(unwrapped(value))


def exact_sign(value: Any) -> int:
    """1, 0 or -1. An irrational value is evaluated to 50 digits, and must then be clear of 0."""
    if not isinstance(value, Fraction):
        digits = sp.N(value, 50)
        if abs(digits) < sp.Float("1e-40"):
            raise ArithmeticError(f"the sign of {value} cannot be decided at this sample")
        value = digits
    return int(bool(value > 0)) - int(bool(value < 0))


class Sample:
    """A sample point: it makes traced symbols and keeps the conditions that the run has met."""

    def __init__(self) -> None:
        self.values: dict[Any, Any] = {}
        self.conditions: list[Condition] = []

    def number(self, name: str, value: Any) -> Traced:
        """A traced symbol, real, with its value at the sample."""
        symbol = sp.Symbol(name, real=True)
        value = Fraction(value)
        self.values[symbol] = unwrapped(value)
        return Traced(symbol, value, self)

    def vector(self, name: str, values: Sequence[Any]) -> list[Traced]:
        """A traced vector of coordinates."""
        return [self.number(f"{name}_{f + 1}", value) for f, value in enumerate(values)]

    def metric(self, name: str, values: Sequence[Sequence[Any]]) -> list[list[Traced]]:
        """A traced symmetric matrix: one symbol for the two entries that are equal."""
        F = range(len(values))
        return [
            [self.number(f"{name}_{min(f, g) + 1}{max(f, g) + 1}", values[f][g]) for g in F]
            for f in F
        ]

    def positive(self, factor: Any) -> Any:
        """The factor or its opposite, whichever is positive at the sample."""
        return factor if factor.subs(self.values) > 0 else sp.expand(-factor)


class Traced:
    """A number with an expression in symbols and its exact value at the sample."""

    def __init__(self, expression: Any, value: Any, sample: Sample) -> None:
        self.expression = expression
        self.value = value
        self.sample = sample

    def _like(self, other: Any) -> Traced | None:
        if isinstance(other, Traced):
            return other
        if isinstance(other, (int, Fraction)) or (isinstance(other, float) and other.is_integer()):
            return Traced(unwrapped(Fraction(other)), Fraction(other), self.sample)
        return None

    def _with(self, other: Any, operate: Any) -> Any:
        like = self._like(other)
        if like is None:
            return NotImplemented
        return Traced(
            operate(self.expression, like.expression), operate(self.value, like.value), self.sample
        )

    def __add__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a + b)

    def __radd__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: b + a)

    def __sub__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a - b)

    def __rsub__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: b - a)

    def __mul__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a * b)

    def __rmul__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: b * a)

    def __truediv__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a / b)

    def __rtruediv__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: b / a)

    def __neg__(self) -> Traced:
        return Traced(-self.expression, -self.value, self.sample)

    def __abs__(self) -> Traced:
        return -self if self._sign() == "<" else self

    def __pow__(self, exponent: Any) -> Traced:
        if exponent == Fraction(1, 2):
            return self.root()
        return Traced(self.expression**exponent, self.value**exponent, self.sample)

    def root(self) -> Traced:
        """The square root, with every irreducible factor under a root of its own, positive at the
        sample; the sign that a factor has there becomes a condition.
        """
        if self.expression == 0:
            return self
        if exact_sign(self.value) <= 0:
            raise ArithmeticError("choose a sample where what is under the root is positive")
        result = sp.Integer(1)
        for part, sign in zip(sp.fraction(sp.together(self.expression)), (1, -1), strict=True):
            constant, factors = sp.factor_list(part)
            result *= sp.sqrt(abs(constant)) ** sign
            for factor, power in factors:
                positive = self.sample.positive(factor)
                self.sample.conditions.append((factor, ">" if positive == factor else "<"))
                result *= positive ** sp.Rational(sign * power, 2)
        return Traced(result, exact_root(self.value), self.sample)

    def _sign(self) -> str:
        sign = "=><"[exact_sign(self.value)]
        if self.expression.free_symbols:
            self.sample.conditions.append((self.expression, sign))
        return sign

    def __lt__(self, other: Any) -> bool:
        return (self - other)._sign() == "<"

    def __gt__(self, other: Any) -> bool:
        return (self - other)._sign() == ">"

    def __le__(self, other: Any) -> bool:
        return (self - other)._sign() != ">"

    def __ge__(self, other: Any) -> bool:
        return (self - other)._sign() != "<"

    def __eq__(self, other: object) -> bool:
        difference = self - other
        return NotImplemented if difference is NotImplemented else difference._sign() == "="

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        return self._sign() != "="

    def __repr__(self) -> str:
        return f"{self.expression} [{self.value}]"


class Space:
    """An inner product space of any dimension.

    A basis vector's coordinates, if given, only serve as the sample.
    """

    def __init__(self, sample: Sample | None = None) -> None:
        self.sample = sample
        self.coordinates: dict[str, Sequence[Any]] = {}

    def vector(self, name: str, coordinates: Sequence[Any] = ()) -> Vector:
        """A vector of which nothing is known."""
        self.coordinates[name] = [Fraction(x) for x in coordinates]
        return Vector({name: 1}, self)

    def zero(self) -> Vector:
        """The zero vector."""
        return Vector({}, self)

    def inner(self, u: str, v: str, form: str = "", scale: Fraction = Fraction(1)) -> Any:
        """The inner product of two basis vectors, or u M v: a symbol, traced if there is a
        sample.
        """
        u, v = sorted((u, v))
        name = f"{u}{form or '·'}{v}"
        if self.sample is None:
            return sp.Symbol(name, real=True)
        value = sum(a * b for a, b in zip(self.coordinates[u], self.coordinates[v], strict=True))
        return self.sample.number(name, scale * value)


class Vector:
    """A linear combination of basis vectors. Times another vector: their inner product."""

    def __init__(self, parts: dict[str, Any], space: Space, form: Form | None = None) -> None:
        self.parts = {name: part for name, part in parts.items() if unwrapped(part) != 0}
        self.space = space
        self.form = form

    def __add__(self, other: Any) -> Vector:
        if not isinstance(other, Vector):
            return self if other == 0 else NotImplemented
        names = {**self.parts, **other.parts}
        parts = {name: self.parts.get(name, 0) + other.parts.get(name, 0) for name in names}
        return Vector(parts, self.space, self.form or other.form)

    __radd__ = __add__

    def __neg__(self) -> Vector:
        return -1 * self

    def __sub__(self, other: Any) -> Vector:
        return self + (-1) * other

    def __mul__(self, other: Any) -> Any:
        if not isinstance(other, Vector):
            return Vector(
                {name: part * other for name, part in self.parts.items()}, self.space, self.form
            )
        form = self.form or other.form
        total: Any = 0
        for u, part_u in self.parts.items():
            for v, part_v in other.parts.items():
                inner = (
                    self.space.inner(u, v, form.name, form.scale)
                    if form
                    else self.space.inner(u, v)
                )
                total = total + part_u * part_v * inner
        return total

    def __rmul__(self, other: Any) -> Any:
        return self * other

    def __truediv__(self, other: Any) -> Vector:
        return Vector(
            {name: part / other for name, part in self.parts.items()}, self.space, self.form
        )

    def __eq__(self, other: object) -> bool:
        difference = self - other
        return not difference.parts

    def __bool__(self) -> bool:
        return bool(self.parts)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return " + ".join(f"({part}) {name}" for name, part in self.parts.items()) or "0"


class Form:
    """A metric M of any dimension: times a vector it is M v, and u times that is the symbol uMv.

    At the sample it is a multiple of the inner product.
    """

    def __init__(self, name: str, scale: Any = 1) -> None:
        self.name, self.scale = name, Fraction(scale)

    def __mul__(self, vector: Vector) -> Vector:
        return Vector(vector.parts, vector.space, self)


def any_triple(
    space: Space, w: Sequence[Any] = (), d: Sequence[Any] = ()
) -> tuple[list[Vector], list[Vector], list[Vector]]:
    """x_i = o + w, x_j = o + w + d and o, which is how any three points can be written."""
    o = space.vector("o", [0] * len(w))
    from_center = space.vector("w", w)
    direction = space.vector("d", d)
    return [o + from_center], [o + from_center + direction], [o]


def ball_with_roots(lambda_u: Any, lambda_v: Any) -> tuple[list[Any], list[Any], list[Any], Any]:
    """x_i, x_j, a center off the line and a radius such that the line meets the sphere at exactly
    these coefficients.
    """
    middle = Fraction(lambda_u + lambda_v) / 2
    half = Fraction(lambda_v - lambda_u) / 2
    start = [Fraction(0), Fraction(0)]
    end = [Fraction(1), Fraction(0)]
    return start, end, [middle, half * 3 / 4], half * 5 / 4
