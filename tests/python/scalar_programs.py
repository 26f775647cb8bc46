"""Random functions of numbers, with nested loops and branches, which vectorize() has to compute as Python does: all their operations are exact.

    python tests/python/scalar_programs.py [COUNT] [FIRST SEED]

runs so many, and prints the source of each that differs.
"""

import linecache
import random
import sys

import numpy as np

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64"]
ELEMENTS = 37


class Writer:
    """Writes one function. Integers have one dtype, floats another: names keep theirs, so that all paths agree on types."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.integer, self.floating = self.rng.choice(INTEGERS), self.rng.choice(FLOATS)
        self.lines, self.names, self.loops, self.budget = [], 0, 0, 26

    def write(self):
        self.ints, self.floats = ["a", "b"], ["x", "y"]
        self.lines = ["def f(a, b, x, y):"]
        for _ in range(2):
            self.new_name(1)
        self.block(1, 0)
        self.put(1, f"return {self.result()}")
        return "\n".join(self.lines) + "\n"

    def put(self, depth, text):
        self.lines.append("    " * depth + text)

    def result(self):
        return f"{self.rng.choice(self.ints)}, {self.rng.choice(self.floats)}"

    def new_name(self, depth):
        self.names += 1
        if self.rng.random() < 0.5:
            self.put(depth, f"i{self.names} = {self.int_value(1)}")
            self.ints = [*self.ints, f"i{self.names}"]
        else:
            self.put(depth, f"f{self.names} = {self.float_value(1)}")
            self.floats = [*self.floats, f"f{self.names}"]

    def int_value(self, depth):
        """Of the integers' dtype: a name is in every operation."""
        rng = self.rng
        if depth > 2 or rng.random() < 0.25:
            return rng.choice(self.ints)
        kind = rng.randrange(9)
        a, b = self.int_value(depth + 1), self.int_value(depth + 1)
        if kind < 4:
            return f"({a} {rng.choice(['+', '-', '*', '&', '|', '^'])} {b})"
        if kind == 4:
            return f"({a} {rng.choice(['//', '%'])} {rng.randint(1, 9)})"
        if kind == 5:
            return f"({a} + {rng.randint(0, 9)})"
        if kind == 6:
            return f"({rng.choice(['<<', '>>']).join([a + ' ', ' ' + str(rng.randint(0, 7))])})"
        if kind == 7:
            return f"{rng.choice(['min', 'max'])}({a}, {b})"
        return f"({a} if {self.test(depth + 1)} else {b})"

    def float_value(self, depth):
        """Of the floats' dtype."""
        rng = self.rng
        if depth > 2 or rng.random() < 0.25:
            return rng.choice(self.floats)
        kind = rng.randrange(8)
        a, b = self.float_value(depth + 1), self.float_value(depth + 1)
        if kind < 3:
            return f"({a} {rng.choice(['+', '-', '*', '/'])} {b})"
        if kind == 3:
            return f"({a} {rng.choice(['+', '*', '-'])} {rng.choice([0.5, 2.0, 0.25, 3.0, 1.5])})"
        if kind == 4:
            return f"np.{rng.choice(['sqrt', 'abs', 'floor', 'trunc', 'square'])}({a})"
        if kind == 5:
            return f"np.{self.floating}({rng.choice(self.ints)})"
        if kind == 6:
            name = rng.choice(["min", "max", "np.minimum", "np.maximum"])
            # Of 0.0 and -0.0 NumPy gives either, and another one on another processor; Python gives the first.
            return f"({name}({a}, {b}) + 0.0)" if name.startswith("np") else f"{name}({a}, {b})"
        return f"({a} if {self.test(depth + 1)} else {b})"

    def test(self, depth):
        rng = self.rng
        kind = rng.randrange(6)
        comparison = rng.choice(["<", "<=", ">", ">=", "==", "!="])
        if kind < 2:
            return f"{self.int_value(depth + 1)} {comparison} {self.int_value(depth + 1)}"
        if kind < 4:
            return f"{self.float_value(depth + 1)} {comparison} {self.float_value(depth + 1)}"
        if kind == 4:
            return f"{rng.choice(self.ints)} {comparison} {rng.randint(0, 9)}"
        return f"({self.test(depth + 1)} {rng.choice(['and', 'or'])} not {self.test(depth + 1)})" if depth < 4 else "True"

    def block(self, depth, in_loops):
        for _ in range(self.rng.randint(1, 4)):
            if self.budget <= 0:
                break
            self.budget -= 1
            self.statement(depth, in_loops)

    def statement(self, depth, in_loops):
        rng, kind = self.rng, self.rng.randrange(12)
        if kind < 3 or depth > 4:
            assigned = [one for one in self.ints if one[0] == "i"]
            if assigned and rng.random() < 0.5:
                self.put(depth, f"{rng.choice(assigned)} {rng.choice(['+=', '-=', '*=', '^='])} {self.int_value(1)}")
            else:
                self.put(depth, f"{rng.choice(self.floats)} = {self.float_value(0)}")
        elif kind == 3:
            self.put(depth, f"{rng.choice(self.ints)} = {self.int_value(0)}")
        elif kind == 4 and depth == 1:
            self.new_name(depth)
        elif kind < 8:
            self.inside(depth, f"if {self.test(0)}:", in_loops)
            if rng.random() < 0.4:
                self.inside(depth, f"elif {self.test(0)}:", in_loops)
            if rng.random() < 0.5:
                self.inside(depth, "else:", in_loops)
        elif kind < 10 and in_loops < 2:
            self.loops += 1
            name = f"k{self.loops}"
            if rng.random() < 0.6:
                bounds = rng.choice([f"{rng.randint(0, 6)}", f"{rng.randint(0, 3)}, {rng.randint(2, 7)}", f"{rng.randint(3, 8)}, 0, -{rng.randint(1, 3)}"])
                self.inside(depth, f"for {name} in range({bounds}):", in_loops + 1)
            else:
                self.put(depth, f"{name} = 0")
                self.put(depth, f"while {name} < {rng.randint(1, 7)} and {self.test(1)}:")
                self.put(depth + 1, f"{name} += 1")
                self.scoped(depth + 1, in_loops + 1)
            if rng.random() < 0.2:
                self.inside(depth, "else:", in_loops)
        elif kind == 10 and in_loops:
            self.put(depth, f"if {self.test(0)}:")
            self.put(depth + 1, rng.choice(["break", "continue"]))
        elif kind == 11 and depth > 1:
            self.put(depth, f"if {self.test(0)}:")
            self.put(depth + 1, f"return {self.result()}")
        else:
            self.put(depth, f"{rng.choice(self.floats)} = {self.float_value(0)}")

    def inside(self, depth, head, in_loops):
        self.put(depth, head)
        self.scoped(depth + 1, in_loops)

    def scoped(self, depth, in_loops):
        before = len(self.lines)
        self.block(depth, in_loops)
        if len(self.lines) == before:
            self.put(depth, "pass")


class CountingWriter(Writer):
    """Its elements leave loops at turns of their own, while what other tests ask is the same for all that are left: counts,
    and names that begin alike for all and change alike."""

    def __init__(self, seed):
        super().__init__(seed)
        self.counted = []

    def same_test(self):
        rng = self.rng
        comparison = rng.choice(["<", ">", "==", "==", "!=", ">="])
        return f"{rng.choice(self.counted)} {comparison} {rng.randint(0, 6)}"

    def test(self, depth):
        if self.counted and self.rng.random() < 0.3:
            return self.same_test()
        return super().test(depth)

    def statement(self, depth, in_loops):
        rng, kind = self.rng, self.rng.randrange(6)
        if kind < 2 and in_loops < 2 and depth < 5:
            self.loops += 1
            name, same = f"k{self.loops}", f"u{self.loops}"
            self.put(depth, f"{same} = {rng.choice(['0', '1', 'False', '1.0'])}")
            most = f"({rng.choice(self.ints)} & 7) + {rng.randint(0, 2)}"
            if rng.random() < 0.6:
                self.put(depth, f"for {name} in range({most}):")
            else:
                self.put(depth, f"{name} = 0")
                self.put(depth, f"while {name} < {most} and {self.test(2)}:")
                self.put(depth + 1, f"{name} += 1")
            self.counted += [name, same]
            self.put(depth + 1, rng.choice([f"{same} = {same} + 1", f"{same} = not {same}", f"{same} = {same} * 2 + 1", f"{same} = {name} > {rng.randint(0, 4)}", f"{same} = {same} * 0.5"]))
            self.scoped(depth + 1, in_loops + 1)
            del self.counted[-2:]
            if rng.random() < 0.3:
                self.inside(depth, "else:", in_loops)
        elif kind == 2 and self.counted:
            self.put(depth, f"if {self.same_test()}:")
            self.put(depth + 1, rng.choice(["break", "break", "continue", f"return {self.result()}"]))
        else:
            super().statement(depth, in_loops)


# Seeds from here on are those of functions whose loops count.
COUNTING = 1_000_000


def function_of(seed):
    """The function, its source, and its arguments."""
    writer = (CountingWriter if seed >= COUNTING else Writer)(seed)
    source, name = writer.write(), f"<scalar program {seed}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    space = {"np": np}
    exec(compile(source, name, "exec"), space)  # noqa: S102
    rng = np.random.default_rng(seed)
    info = np.iinfo(writer.integer)
    ints = [rng.integers(max(info.min, -60), min(info.max, 60), ELEMENTS).astype(writer.integer) for _ in range(2)]
    ints[0][:2] = info.min, info.max
    floats = [rng.normal(0, 4, ELEMENTS).astype(writer.floating) for _ in range(2)]
    floats[0][:5] = 0.0, -0.0, np.inf, -np.inf, np.nan
    return space["f"], source, [*ints, *floats], (writer.integer, writer.floating)


def difference(seed):
    """How the compiled function differs from Python's; empty where it does not."""
    import weft as wf

    f, source, arrays, dtypes = function_of(seed)
    with np.errstate(all="ignore"):
        want = [f(*(x[k] for x in arrays)) for k in range(ELEMENTS)]
    got = wf.vectorize(f)(*(wf.asarray(x) for x in arrays))
    for k, dtype in enumerate(dtypes):
        expected = np.array([one[k] for one in want])
        found = np.asarray(got[k])
        if found.dtype != expected.dtype or expected.dtype != dtype:
            return f"seed {seed}: result {k} is {found.dtype}: want {expected.dtype}\n{source}"
        same = found == expected
        if np.issubdtype(dtype, np.floating):  # 0.0 is not -0.0; a NaN has any bits
            same &= np.signbit(found) == np.signbit(expected)
            same |= np.isnan(found) & np.isnan(expected)
        if not same.all():
            at = int(np.flatnonzero(~same)[0])
            operands = ", ".join(repr(x[at]) for x in arrays)
            return f"seed {seed}: result {k} of f({operands}) is {found[at]!r}: want {expected[at]!r}\n{source}"
    return ""


if __name__ == "__main__":
    count, first = (int(sys.argv[k]) if len(sys.argv) > k else (300, 1)[k - 1] for k in (1, 2))
    wrong = 0
    for number in range(first, first + count):
        try:
            found = difference(number)
        except Exception as error:
            found = f"seed {number}: {type(error).__name__}: {error}\n{function_of(number)[1]}"
        if found:
            wrong += 1
            print(found, flush=True)
    print(f"{wrong} of {count} differ")
    sys.exit(wrong > 0)
