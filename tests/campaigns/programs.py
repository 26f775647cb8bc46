"""Random NumPy programs, run by NumPy and by Weft: every name has to hold the same at the end.

    build/venv/bin/python tests/campaigns/programs.py --count 100000 --jobs 2

A program is drawn statement by statement, and NumPy runs each as it is drawn, so that it is one that works. Seeds decide: a campaign
can be cut in parts and carried on. A program that fails is printed, with the lines taken out that the fault does not need.
"""

import argparse
import functools
import multiprocessing
import random
import sys
import time
import warnings

import ml_dtypes
import numpy as np

import weft as wf

INTEGERS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]
FLOATS = ["f2", "f4", "f8", "bfloat16"]
# The largest whole number to which every smaller one can be held, and how far rounded results may be apart.
WHOLE = {"float16": 2**11, "bfloat16": 2**8, "float32": 2**24, "float64": 2**53}
NAMES = {"float16": "f2", "bfloat16": "bfloat16", "float32": "f4", "float64": "f8"}
APART = {"float16": 2e-2, "bfloat16": 1.5e-1, "float32": 2e-4, "float64": 1e-9}


def dtype(name):
    return np.dtype(ml_dtypes.bfloat16) if name == "bfloat16" else np.dtype(name)


def is_float(a):
    return a.dtype.name in WHOLE


def is_integer(a):
    return a.dtype.kind in "iu"


class Numpy:
    """What programs call `m` where NumPy runs them, and the names that they use besides."""

    def __init__(self):
        self.names = {"m": np, "np": np, "array": lambda values, name: np.array(values).astype(dtype(name)), "compiled": self.compiled}

    @staticmethod
    def compiled(function):
        """Results of compiled functions are new arrays."""

        def call(*arguments):
            results = function(*arguments)
            return tuple(np.array(r) for r in results) if isinstance(results, tuple) else np.array(results)

        return call

    @staticmethod
    def look(value):
        return np.asarray(value)


class Weft:
    def __init__(self):
        self.names = {"m": wf, "np": np, "array": lambda values, name: wf.asarray(np.array(values).astype(dtype(name)).copy()), "compiled": wf.compile}

    @staticmethod
    def look(value):
        return np.array(value)


def run(lines, library):
    """The names that the lines leave, or what they raised."""
    names = dict(library.names)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec("\n".join(lines), names)
            return {k: library.look(v) for k, v in names.items() if k[0] == "v"}, None
        except Exception as error:  # whatever it is, it is compared
            return {}, error


class Drawing:
    """Draws a program. With `exact` all floats are whole and small, so that every result has the same bits in any order."""

    def __init__(self, seed, without=()):
        self.weights = {kind: 0 if kind in without else weight for kind, weight in self.STATEMENTS.items()}
        self.random = random.Random(seed)
        self.exact = seed % 2 == 0
        self.lines, self.names, self.rough, self.count = [], dict(Numpy().names), set(), 0

    # ---- draws
    def pick(self, options):
        return self.random.choice(options)

    def chance(self, share):
        return self.random.random() < share

    def arrays(self, fits=lambda a: True, smooth=False):
        return [k for k, v in self.names.items() if k[0] == "v" and isinstance(v, np.ndarray) and fits(v) and not (smooth and k in self.rough)]

    def array(self, fits=lambda a: True, smooth=False):
        # The youngest half is likelier, so that programs grow long.
        names = self.arrays(fits, smooth)
        return self.pick(names[len(names) // 2 :] if self.chance(0.5) else names) if names else None

    def shape(self):
        extents = [1, 2, 3, 4, 5, 7, 8, 16, 17, 33, 64, 100, 257, 300]
        shape = [self.pick(extents) for _ in range(self.pick([0, 1, 1, 1, 2, 2, 2, 3]))]
        while int(np.prod(shape)) > 6000:
            shape[shape.index(max(shape))] = self.pick(extents[:5])
        if shape and self.chance(0.02):
            shape[0] = 0
        return tuple(shape)

    def number(self, a):
        if a.dtype.kind == "b":
            return self.pick(["True", "False"])
        if a.dtype.name == "bfloat16":  # NumPy makes float32 of one with a number
            return f"array([{self.pick([2.0, -1.0, 0.0])}], 'bfloat16')"
        if is_integer(a):
            return str(self.random.randint(0 if a.dtype.kind == "u" else -5, 9))
        return self.pick(["2.0", "-1.0", "0.0", "3.0"]) if self.exact else self.pick(["2.5", "-0.75", "0.0", "1e-3", "3"])

    def bound(self, n):
        return "" if self.chance(0.4) else str(self.random.randint(-n - 1, n + 1))

    def key(self, a):
        """Of slices, numbers, None and an ellipsis."""
        parts = []
        for n in a.shape[: self.random.randint(0, a.ndim)]:
            if n and self.chance(0.2):
                parts.append(str(self.random.randint(-n, n - 1)))
            else:
                parts.append(f"{self.bound(n)}:{self.bound(n)}" + self.pick(["", "", "", ":2", ":-1", ":-2", ":3"]))
        if self.chance(0.1):
            parts.insert(self.random.randint(0, len(parts)), "None")
        if self.chance(0.15) or not parts:
            parts.append("...")
        return ", ".join(parts)

    def positions(self, n, count):
        return "np.array([" + ", ".join(str(self.random.randint(-n, n - 1)) for _ in range(count)) + "])"

    def beside(self, name):
        """Another array that goes with this one in an operation, or a number."""
        a = self.names[name]

        def fits(b):
            if ("bfloat16" in (a.dtype.name, b.dtype.name)) and a.dtype != b.dtype:
                return False
            try:
                return np.broadcast_shapes(a.shape, b.shape) == a.shape
            except ValueError:
                return False

        return self.number(a) if self.chance(0.3) else self.array(fits)

    # ---- statements: each gives lines that leave a new name or change one, and the names that they read
    def new(self, text, *read):
        self.count += 1
        return f"v{self.count} = {text}", read

    def fresh(self):
        shape, name = self.shape(), self.pick(["bool", *INTEGERS, *FLOATS, "f4", "f8"])
        size = int(np.prod(shape))
        seed = self.random.randrange(10**6)
        low = 0 if name[0] in "ub" and name != "bfloat16" else -4
        values = f"np.random.default_rng({seed}).integers({low}, {2 if name == 'bool' else 5}, {size})"
        if not self.exact and name in FLOATS:
            values = f"np.random.default_rng({seed}).uniform(-2, 2, {size})"
        if name in ("i8", "u8") and self.chance(0.2):
            values += f" + {2**60 + 1}"
        return self.new(f"array({values}, {name!r}).reshape({shape})")

    def binary(self):
        a = self.array()
        b = a and self.beside(a)
        if not b:
            return None
        op = self.pick(["+", "-", "*", "&", "|", "^"] if self.names[a].dtype.kind in "biu" else ["+", "-", "*"])
        if not self.exact and is_float(self.names[a]) and self.chance(0.2):
            return self.new(f"{a} / (m.abs({b}) + 1)", a, b)
        return self.new(f"{a} {op} {b}" if self.chance(0.8) else f"{b} {op} {a}", a, b)

    def divided(self):
        a = self.array(is_integer)
        b = a and self.array(lambda b: is_integer(b) and b.shape == self.names[a].shape)
        return b and self.new(f"{a} {self.pick(['//', '%'])} {self.pick([b, '3', '7'])}", a, b)

    def unary(self):
        a = self.array(lambda a: a.dtype.kind != "b")
        if not a:
            return None
        functions = ["abs", "negative", "square"] if a in self.rough else ["abs", "negative", "square", "sign"]
        # Where an argument is large or has few digits, a result has none.
        if not self.exact and is_float(self.names[a]) and self.names[a].dtype.itemsize > 2 and np.abs(self.names[a]).max(initial=0) < 100:
            functions += ["exp", "sin", "tanh", "cos", "arctan", "expm1"]
        return self.new(f"m.{self.pick(functions)}({a})", a)

    def compared(self):
        a = self.array(smooth=True)
        b = a and self.beside(a)
        return b and b not in self.rough and self.new(f"{a} {self.pick(['<', '<=', '>', '==', '!='])} {b}", a, b)

    def larger(self):
        a = self.array(lambda a: a.dtype.kind != "b")
        b = a and self.beside(a)
        return b and self.new(f"m.{self.pick(['maximum', 'minimum'])}({a}, {b})", a, b)

    def mask_of(self, name, whole=True):
        # NumPy reads a mask while it writes to what the mask shares memory with.
        a = self.names[name]
        return self.array(lambda m: m.dtype == bool and m.ndim and m.shape == a.shape[: a.ndim if whole else m.ndim] and not np.may_share_memory(m, a))

    def chosen(self):
        a = self.array()
        mask, b = a and self.mask_of(a), a and self.beside(a)
        return mask and b and self.new(f"m.where({mask}, {a}, {b})", mask, a, b)

    @staticmethod
    def fits(a, name):
        limits = np.iinfo(dtype(name))
        a = a.astype("f8")
        return bool(((a >= limits.min) & (a <= limits.max)).all())

    def converted(self):
        a = self.array()
        if not a:
            return None
        to = self.pick(INTEGERS + ["f4", "f8"])
        # What a dtype does not hold is converted as the processor likes.
        if is_float(self.names[a]) and to in INTEGERS and (a in self.rough or not self.fits(self.names[a], to)):
            to = "f8"
        return self.new(f"{a}.astype({to!r})", a)

    def viewed(self):
        a = self.array(lambda a: a.ndim)
        if not a:
            return None
        n, axis = self.names[a].ndim, self.random.randrange(self.names[a].ndim)
        if self.names[a].dtype.name == "bfloat16" and self.chance(0.5):
            return self.new(f"{a}[{self.key(self.names[a])}]", a)
        return self.new(self.pick([f"{a}[{self.key(self.names[a])}]"] * 4 + [
            f"{a}.T", f"m.ravel({a}).copy()", f"m.flip({a}, {axis})", f"m.roll({a}, {self.random.randint(-5, 5)}, {axis})", f"m.roll({a}, 1)",
            f"m.expand_dims({a}, {axis})", f"m.repeat({a}, 2, {axis})", f"m.concatenate([{a}, {a}], {axis})", f"m.moveaxis({a}, 0, {n - 1})",
            f"m.pad({a}, 1)", f"m.pad({a}, 1, mode={self.pick(['edge', 'wrap'])!r})", f"m.stack([{a}, {a}])",
        ]), a)

    def reduced(self):
        a = self.array(lambda a: a.ndim and a.size)
        if not a:
            return None
        axis = self.pick(["", "", f"axis={self.random.randrange(self.names[a].ndim)}", f"axis={self.random.randrange(self.names[a].ndim)}, keepdims=True"])
        functions = ["sum", "max", "min"] if self.names[a].dtype.kind != "b" else ["sum", "any", "all"]
        if a not in self.rough and self.names[a].dtype.kind != "b":
            functions += ["argmax", "argmin", "count_nonzero"]
        name = self.pick(functions)
        if name == "sum" and self.names[a].dtype.name == "bfloat16":
            name = "max"  # NumPy rounds each sum to bfloat16
        if name.startswith("arg"):
            axis = axis.replace(", keepdims=True", "")
        sliced = f"[{self.pick(['1:', ':2', '::2', '0'])}]" if axis.startswith("axis") and self.chance(0.3) else ""
        return self.new(f"m.{name}({a}, {axis}){sliced}", a)

    def scanned(self):
        # NumPy rounds each sum to a half.
        a = self.array(lambda a: a.ndim and a.size and a.dtype.kind != "b" and not (is_float(a) and a.dtype.itemsize == 2))
        return a and self.new(f"m.cumsum({a}, axis={self.random.randrange(self.names[a].ndim)})", a)

    def taken(self):
        a = self.array(lambda a: a.ndim and a.shape[0])
        if not a:
            return None
        at = self.positions(self.names[a].shape[0], self.pick([1, 3, 20]))
        mask = self.mask_of(a, whole=False)
        return self.new(f"{a}[{mask}]" if mask and self.chance(0.4) else f"{a}[{at}]", a, mask)

    def written(self):
        a = self.array(lambda a: a.size and a.ndim and a.flags.writeable)
        if not a:
            return None
        array = self.names[a]
        value = self.pick([self.number(array), self.beside(a), self.number(array)])
        if not value:
            return None
        key, mask = self.key(array), self.mask_of(a, whole=False)
        if value[0] == "v":
            key = "..."
            if is_integer(array) and is_float(self.names[value]):
                return None
        if mask and self.chance(0.4):
            key, value = mask, self.number(array)
            if self.mask_of(a) and self.chance(0.5):
                key = self.mask_of(a)
                value = f"{a}[{key}] {self.pick(['+', '*', '-'])} {value}" if array.dtype.kind != "b" else value
        elif array.ndim and self.chance(0.15):
            key, value = self.positions(array.shape[0], 4), self.number(array)
        op = self.pick(["", "", "+", "*"]) if array.dtype.kind != "b" else ""
        return f"{a}[{key}] {op}= {value}", (a, value if value[0] == "v" else None)

    def in_place(self):
        a = self.array(lambda a: a.size and a.flags.writeable and a.dtype.kind != "b")
        b = a and self.beside(a)
        return b and (f"{a} {self.pick(['+', '-', '*'])}= {b}", (a, b))

    def copied(self):
        a = self.array(lambda a: a.size and a.flags.writeable)
        mask = a and self.mask_of(a)
        b = a and self.array(lambda b: b.shape == self.names[a].shape and "bfloat16" not in (b.dtype.name, self.names[a].dtype.name), smooth=is_integer(self.names[a]))
        if not (mask and b):
            return None
        if self.names[a].dtype.kind in "iu" and self.names[b].dtype.kind == "f":
            return None
        unsafe = f"m.copyto({a}, {b}, where={mask}, casting='unsafe')"
        same = self.names[a].dtype == self.names[b].dtype and self.names[a].dtype.kind != "b"
        return self.pick([unsafe, f"m.add({a}, {b}, out={a}, where={mask})"]) if same else unsafe, (a, b)

    def added_at(self):
        a = self.array(lambda a: a.ndim and a.shape[0] and a.flags.writeable and a.dtype.kind != "b" and a.dtype.name not in ("bfloat16", "uint64"))
        return a and (f"m.add.at({a}, {self.positions(self.names[a].shape[0], 5)}, {self.number(self.names[a])})", (a,))

    def looped(self):
        a = self.array(lambda a: a.ndim == 1 and 3 < a.size < 40 and a.flags.writeable and a.dtype.kind != "b")
        if not a:
            return None
        n = self.number(self.names[a])
        body = self.pick([f"{a}[i] = {a}[i - 1] + {n}", f"{a}[i] += {a}[i - 1]", f"{a}[i - 1:i + 1] = {n}", f"{a}[i:] = {a}[i - 1:-1]"])
        leave = f"    if {a}[i] > 3:\n        break\n" if a not in self.rough and self.chance(0.5) else ""
        return f"for i in range(1, {min(self.names[a].size, self.random.randint(2, 12))}):\n{leave}    {body}", (a,)

    def called(self):
        """A compiled function of one or two arrays, which may be the same, or parts of one."""
        a = self.array(lambda a: a.ndim and 1 < a.shape[0] and a.flags.writeable and a.dtype.kind in "if")
        if not a:
            return None
        like = self.array(lambda b: b.shape == self.names[a].shape and b.dtype == self.names[a].dtype and b.flags.writeable)
        n = self.number(self.names[a])
        first, second = self.pick([(a, a), (a, like), (f"{a}[:-1]", f"{a}[1:]"), (f"{a}[1:]", f"{a}[:-1]"), (f"{a}[::-1]", a), (a, like)])
        write = self.pick(["", f"    x += {n}\n", f"    x[1:] = {n}\n", f"    y *= {n}\n", "    x[...] = y\n", f"    x[0] = {n}\n    y[-1:] += {n}\n"])
        result = self.pick(["x + y", "x[1:] - y[1:]", "m.maximum(x, y)", "x[::-1] * y", "m.sum(x) + y", "x[1:]"])
        self.count += 2
        text = f"@compiled\ndef f(x, y):\n{write}    return {result}, {self.pick(['x * 2', 'y[:1]', 'x', 'y + x'])}\n"
        return text + f"v{self.count - 1}, v{self.count} = f({first}, {second})", (a, like)

    def scalar(self):
        a = self.array(lambda a: a.size and a.ndim and a.dtype.kind != "b")
        b = a and self.array(lambda b: b.dtype == self.names[a].dtype)
        if not b:
            return None
        return self.new(f"{b} + {a}[{', '.join(str(self.random.randrange(n)) for n in self.names[a].shape)}]", a, b)

    STATEMENTS = {
        "fresh": 3, "binary": 8, "divided": 1, "unary": 4, "compared": 3, "larger": 2, "chosen": 3, "converted": 3, "viewed": 7, "reduced": 4,
        "scanned": 1, "taken": 3, "written": 7, "in_place": 4, "copied": 3, "added_at": 1, "looped": 1, "called": 2, "scalar": 2,
    }  # fmt: skip

    # ---- programs
    def sound(self):
        """Whether every array may be compared later: of a moderate size, finite, and whole where bits count."""
        for name, a in self.names.items():
            if name[0] != "v":
                continue
            if not isinstance(a, (np.ndarray, np.generic)) or a.size > 20_000 or a.ndim > 5 or a.dtype.kind not in "biufV" or a.dtype.kind == "V" and not is_float(a):
                return False
            if is_float(a) and a.size:
                wide = np.asarray(a).astype("f8")
                if not np.isfinite(wide).all() or np.abs(wide).max() > (min(WHOLE[a.dtype.name], 2**40) if self.exact else 1e4):
                    return False
                if self.exact and (wide != np.round(wide)).any():
                    return False
        return True

    def draw(self):
        for _ in range(self.random.randint(4, 18)):
            kind = "fresh" if not self.arrays() else self.random.choices(list(self.weights), self.weights.values())[0]
            drawn = getattr(self, kind)()
            if not drawn:
                continue
            line, read = drawn
            names, error = self.attempt(line)
            if error is not None:
                continue
            kept, self.names = self.names, names
            if not self.sound():
                # What the line wrote to in place is lost with it.
                self.names, error = kept, None
                self.names = self.attempt_all()
                continue
            self.lines.append(line)
            if not self.exact:
                touched = {k for k, v in self.names.items() if k[0] == "v" and (k not in kept or v is not kept[k])} | {r for r in read if r}
                if any(r in self.rough or (r in self.names and is_float(np.asarray(self.names[r]))) for r in read if r) or kind == "fresh":
                    self.rough |= {k for k in touched if k in self.names and is_float(np.asarray(self.names[k]))}
                # Views share what was written.
                self.rough |= {k for k, v in self.names.items() if k[0] == "v" and is_float(np.asarray(v))}
        return self.lines

    def attempt(self, line):
        names = dict(self.names)
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                exec(line, names)
            except Exception as error:  # a program that does not work
                self.names = self.attempt_all()
                return None, error
        return names, None

    def attempt_all(self):
        names = dict(Numpy().names)
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec("\n".join(self.lines), names)
        return names


def problem(lines, exact):
    """What differs; empty when all is well."""
    want, refused = run(lines, Numpy())
    got, error = run(lines, Weft())
    if refused is not None:
        return ""
    if error is not None:
        return f"raises {type(error).__name__}: {error}"
    # What was rounded to few digits has no more of them in a wider dtype.
    apart = max((APART[name] for name, short in NAMES.items() if f"'{short}'" in "\n".join(lines)), default=APART["float64"])
    for name, theirs in want.items():
        ours = got[name]
        if ours.dtype != theirs.dtype or ours.shape != theirs.shape:
            return f"{name} is {ours.dtype}{ours.shape}, not {theirs.dtype}{theirs.shape}"
        if exact or not is_float(theirs):
            same = np.array_equal(ours.astype("f8"), theirs.astype("f8")) if is_float(theirs) else np.array_equal(ours, theirs)
        else:
            size = max(1.0, float(np.abs(theirs.astype("f8")).max(initial=0)))
            same = bool((np.abs(ours.astype("f8") - theirs.astype("f8")) <= size * max(apart, APART[theirs.dtype.name])).all())
        if not same:
            return f"{name} is {ours.reshape(-1)[:8].tolist()}, not {theirs.reshape(-1)[:8].tolist()}"
    return ""


def shrunk(lines, exact):
    """The same fault with as few lines as leave it."""
    smaller = True
    while smaller:
        smaller = False
        for k in reversed(range(len(lines))):
            fewer = lines[:k] + lines[k + 1 :]
            if problem(fewer, exact):
                lines, smaller = fewer, True
    return lines


def one(seed, without):
    try:
        drawing = Drawing(seed, without)
        lines = drawing.draw()
        if not problem(lines, drawing.exact):
            return None
        lines = shrunk(lines, drawing.exact)
        return f"seed {seed}: {problem(lines, drawing.exact)}\n" + "\n".join(lines)
    except Exception as error:  # a fault of this script counts as one
        return f"seed {seed}: the campaign itself raised {type(error).__name__}: {error}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--count", type=int, default=1000, help="how many programs")
    parser.add_argument("--jobs", type=int, default=multiprocessing.cpu_count(), help="processes")
    parser.add_argument("--without", nargs="*", default=[], choices=Drawing.STATEMENTS, help="kinds of statements to leave out")
    given = parser.parse_args()
    began, failed, done = time.monotonic(), 0, 0
    # A process that ends now and then shows that nothing piles up in it.
    with multiprocessing.get_context("spawn").Pool(given.jobs, maxtasksperchild=2000) as pool:
        for report in pool.imap_unordered(functools.partial(one, without=given.without), range(given.first, given.first + given.count), chunksize=20):
            done += 1
            if report:
                failed += 1
                print(report + "\n", flush=True)
            if done % 10_000 == 0:
                print(f"{done} programs, {failed} failed", flush=True)
    print(f"{given.count} programs from seed {given.first}, {failed} failed, {time.monotonic() - began:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
