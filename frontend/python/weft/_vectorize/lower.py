"""A function's syntax tree as the text of a scalar function: names become values, and paths that part and meet become blocks that give them.

A return, a break or a continue sets a flag, and what follows is done where no flag is set. What is known while the tree is read, numbers of
Python's and branches that they decide, leaves no trace.
"""

from __future__ import annotations

import ast
from typing import Any

from weft._core import Error
from weft._vectorize.calls import Calls
from weft._vectorize.operators import Operators
from weft._vectorize.places import Places
from weft._vectorize.statements import RESULT, RETURNED, always_leaves, assigned_by, reads, tested_inside
from weft._vectorize.types import BOOL, INT, Type, promote
from weft._vectorize.values import Const, Local, Object, Several, Unbound, Value, form_of, is_called, is_number, leaves_of, not_number, rebuilt, same

_BROKEN, _SKIPPED = "$broken", "$skipped"
_FLAGS = (RETURNED, _BROKEN, _SKIPPED)
_MOST_TRIES = 12
_MOST_UNROLLED = 64
_MOST_NESTED = 60


class Scope:
    """The names of one function that is read, and where its text stands."""

    def __init__(self, source: Any, function: Any, outer: Scope | None = None):
        self.source, self.function, self.outer = source, function, outer
        self.names: dict[str, Any] = {flag: Const(False) for flag in _FLAGS}
        self.dead = False  # a return, a break or a continue was passed
        self.body: Any = None
        self.assigned: set[str] = set()


class Lower(Calls, Operators, Places):
    """Reads one function, and those that it calls."""

    # ---- statements

    def body(self, statements: list[Any]) -> None:
        """Statements one after the other, up to one that always leaves."""
        for k, node in enumerate(statements):
            if self.scope.dead:
                return
            rest = statements[k + 1:]
            if isinstance(node, ast.If) and rest:
                # What follows a branch that leaves belongs to the other one.
                if always_leaves(node.body) and not always_leaves(node.orelse):
                    return self.branch(self.test(node.test), lambda n=node: self.body(n.body), lambda n=node, r=rest: self.body([*n.orelse, *r]), node)
                if node.orelse and always_leaves(node.orelse) and not always_leaves(node.body):
                    return self.branch(self.test(node.test), lambda n=node, r=rest: self.body([*n.body, *r]), lambda n=node: self.body(n.orelse), node)
            self.statement(node)
            if rest and not self.scope.dead and self.may_have_left():
                return self.branch(self.left(), self.stay_away, lambda r=rest: self.go_on(r), node)
        return None

    def stay_away(self) -> None:
        """The path that has left, of which it is known how where there is one way alone."""
        ways = [flag for flag in _FLAGS if self.scope.names[flag] != Const(False)]
        if len(ways) == 1:
            self.scope.names[ways[0]] = Const(True)
        self.scope.dead = True

    def go_on(self, statements: list[Any]) -> None:
        """What follows on the path that has not left."""
        self.reset()
        self.body(statements)

    def reset(self) -> None:
        """Says that nothing has left."""
        for flag in _FLAGS:
            self.scope.names[flag] = Const(False)

    def may_have_left(self) -> bool:
        """Whether a flag may be set."""
        return any(self.scope.names[flag] != Const(False) for flag in _FLAGS)

    def left(self) -> Any:
        """Whether a flag is set."""
        flags = [self.scope.names[flag] for flag in _FLAGS if self.scope.names[flag] != Const(False)]
        result = flags[0] if flags else Const(False)
        for flag in flags[1:]:
            result = self.either(result, flag)
        return result

    def statement(self, node: Any) -> None:
        """One statement."""
        method = getattr(self, "do_" + type(node).__name__, None)
        if method is None:
            raise self.scope.source.refuse_kind(node)
        method(node)

    def do_Pass(self, node: Any) -> None:
        """Nothing."""

    def do_Expr(self, node: Any) -> None:
        """A docstring, or a value that nobody reads."""
        if not isinstance(node.value, ast.Constant):
            self.value(node.value)

    def do_Return(self, node: Any) -> None:
        """The result, and the flag that there is one."""
        if node.value is None or (isinstance(node.value, ast.Constant) and node.value.value is None):
            raise self.scope.source.refuse(node, "return without a number", "return a number or a tuple of numbers on every path")
        result = self.value(node.value)
        if not is_number(result):
            raise self.scope.source.refuse(node, f"a result that is {self.described(result)}", "return a number or a tuple of numbers")
        self.scope.names[RESULT] = result
        self.leave(RETURNED)

    def leave(self, flag: str) -> None:
        """Sets a flag."""
        self.scope.names[flag] = Const(True)
        self.scope.dead = True

    def do_Break(self, node: Any) -> None:
        """Leaves the loop."""
        self.leave(_BROKEN)

    def do_Continue(self, node: Any) -> None:
        """Leaves the turn."""
        self.leave(_SKIPPED)

    def do_Assign(self, node: Any) -> None:
        """Names for a value."""
        value = self.value(node.value)
        for target in node.targets:
            self.assign(target, value)

    def do_AnnAssign(self, node: Any) -> None:
        """The same with a type, which says nothing here."""
        if node.value is not None:
            self.assign(node.target, self.value(node.value))

    def do_AugAssign(self, node: Any) -> None:
        """x += y."""
        if not isinstance(node.target, ast.Name):
            raise self.scope.source.refuse(node, "an assignment to an element", "give each number a name of its own")
        read = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
        self.assign(node.target, self.binary(node, type(node.op).__name__, self.value(read), self.value(node.value)))

    def assign(self, target: Any, value: Any) -> None:
        """A name, or names, for a value."""
        if isinstance(target, ast.Name):
            self.scope.names[target.id] = value
            return
        if not isinstance(target, (ast.Tuple, ast.List)):
            raise self.scope.source.refuse(target, "an assignment to an element or an attribute", "give each number a name of its own")
        if not isinstance(value, Several):
            raise self.scope.source.refuse(target, f"an assignment of {self.described(value)} to several names", "assign a tuple of as many values")
        parts, names = list(value.parts), list(target.elts)
        for k, one in enumerate(names):
            if isinstance(one, ast.Starred) and len(parts) >= len(names) - 1:
                end = len(parts) - (len(names) - 1 - k)
                names[k], parts[k:end] = one.value, [Several(tuple(parts[k:end]), "list")]
        if len(parts) != len(names):
            raise self.scope.source.refuse(target, f"an assignment of {len(value.parts)} values to {len(names)} names", "write as many names as values")
        for one, part in zip(names, parts):
            self.assign(one, part)

    def do_FunctionDef(self, node: Any) -> None:
        """A function inside of the function: what it reads from outside is read when it is called."""
        if node.decorator_list:
            raise self.scope.source.refuse(node, "a decorator inside of the function", "write the function outside, or leave the decorator out")
        self.scope.names[node.name] = Local(node, self.scope, self.defaults_of(node))

    def do_If(self, node: Any) -> None:
        """Two paths."""
        self.branch(self.test(node.test), lambda: self.body(node.body), lambda: self.body(node.orelse), node)

    # ---- paths that part and meet

    def branch(self, test: Any, first: Any, second: Any, node: Any) -> None:
        """Two paths of statements, of which one is taken."""
        self.choose(test, first, second, node)

    def choose(self, test: Any, first: Any, second: Any, node: Any) -> Any:
        """The same of paths that may give a value."""
        scope = self.scope
        if isinstance(test, Const):
            return (first if test.number else second)()
        before, given, ends, texts = dict(scope.names), [], [], []
        for path in (first, second):
            scope.names, scope.dead = dict(before), False
            self.depth += 1
            if self.depth > _MOST_NESTED:
                raise scope.source.refuse(node, f"a nesting of more than {_MOST_NESTED} choices", "write one if after the other, without else, and return once at the end")
            texts.append(self.text.inside(lambda p=path: given.append(p())))
            self.depth -= 1
            ends.append((scope.names, scope.dead))
        scope.names = {}
        outs: list[Value] = []
        gives: list[list[str]] = [[], []]

        def meet(values: list[Any]) -> Any:
            return self.meet(values, texts, outs, gives, node)

        (names, dead), (others, others_dead) = ends
        for name in [*names, *(other for other in others if other not in names)]:
            a, b = names.get(name), others.get(name)
            if same(a, b):
                scope.names[name] = a
            elif a is None or b is None or isinstance(a, Unbound) or isinstance(b, Unbound):
                there = b if a is None or isinstance(a, Unbound) else a
                known = next((one.of for one in (a, b) if isinstance(one, Unbound) and one.of is not None), None)
                missing_is_dead = dead if a is None or isinstance(a, Unbound) else others_dead
                if there is None or isinstance(there, Unbound) or not (missing_is_dead or name == RESULT) or not is_number(there):
                    scope.names[name] = Unbound(name, known if there is None or isinstance(there, Unbound) or is_number(there) else there)
                else:
                    scope.names[name] = meet([a if a is there else None, b if b is there else None])
            elif not (is_number(a) and is_number(b)):
                scope.names[name] = Unbound(name, b if is_number(a) else a)
            else:
                scope.names[name] = meet([a, b])
        result = meet(given) if given[0] is not None and given[1] is not None else None
        scope.dead = dead and others_dead
        self.write_if(test, texts, outs, gives)
        return result

    def write_if(self, test: Any, texts: list[list[str]], outs: list[Value], gives: list[list[str]]) -> None:
        """The branch, once it is known what its paths give."""
        if not outs:
            return
        named = ", ".join(f"{out.name} : {out.type.dtype}" for out in outs)
        self.text.lines += [
            f"{named} = if {test.name} {{", *texts[0], f"give {', '.join(gives[0])}", "} else {", *texts[1], f"give {', '.join(gives[1])}", "}",
        ]

    def meet(self, values: list[Any], texts: list[list[str]], outs: list[Value], gives: list[list[str]], node: Any) -> Any:
        """The value that is one of two; None: there is none on that path, and nobody reads it."""
        there = [value for value in values if value is not None]
        if len(there) == 2 and same(there[0], there[1]):
            return there[0]
        if not all(is_number(one) for one in there):
            called = all(is_called(one) for one in there)
            raise self.scope.source.refuse(node, f"a choice between {self.described(there[0])} and {self.described(there[-1])}",
                                           "call each where it is chosen, as f(x) if … else g(x)" if called else "choose between numbers")
        if form_of(there[0]) != form_of(there[-1]):
            raise self.scope.source.refuse(node, "a value that is a tuple of another length on another path", "return and assign tuples of one length")
        sides = [leaves_of(value) if value is not None else None for value in values]
        made = []
        for k in range(len(leaves_of(there[0]))):
            parts = [side[k] if side is not None else None for side in sides]
            known = [part for part in parts if part is not None]
            if len(known) == 2 and same(known[0], known[1]):
                made.append(known[0])
                continue
            t = known[0].type if len(known) == 1 else promote(known[0].type, known[1].type)
            out = Value(self.text.fresh(), t)
            outs.append(out)
            for side, part in enumerate(parts):
                texts[side] += self.text.inside(lambda s=side, p=part, u=t: gives[s].append(self.named(self.cast(p if p is not None else Const(0), u))))
            made.append(out)
        return rebuilt(there[0], made)

    # ---- loops

    def do_While(self, node: Any) -> None:
        """A loop for as long as something holds."""
        if any(isinstance(one, ast.NamedExpr) for one in ast.walk(node.test)):
            return self.body(tested_inside(node))
        self.loop(node, node.body, {}, lambda: self.test(node.test), lambda: None)
        endless = isinstance(node.test, ast.Constant) and node.test.value
        if endless and self.scope.names[_BROKEN] == Const(False):
            self.scope.names[RETURNED], self.scope.dead = Const(True), True
        return self.after_loop(node)

    def after_loop(self, node: Any) -> None:
        """The part behind else, which runs where nothing has broken out of the loop."""
        broken = self.scope.names[_BROKEN]
        self.scope.names[_BROKEN] = self.scope.names[_SKIPPED] = Const(False)
        if not node.orelse:
            return

        def otherwise() -> None:
            # It does not run where the function has returned, either.
            self.branch(self.scope.names[RETURNED], self.stay_away, lambda: self.go_on(node.orelse), node)

        self.branch(broken, lambda: None, otherwise, node)

    def do_For(self, node: Any) -> None:
        """A loop over a range, or over a tuple, whose turns are written one after the other."""
        if isinstance(node.iter, ast.Call) and isinstance(node.iter.func, ast.Name) and self.look_up(node.iter.func) == Object(range):
            return self.over_range(node)
        several = self.value(node.iter)
        if not isinstance(several, Several):
            raise self.scope.source.refuse(node.iter, "a loop over " + self.described(several), "write for … in range(…)")
        if len(several.parts) > _MOST_UNROLLED:
            raise self.scope.source.refuse(node.iter, f"a loop over a tuple of more than {_MOST_UNROLLED}", "write for … in range(…)")

        self.turns(node, several.parts)
        self.scope.dead = self.scope.names[RETURNED] == Const(True)
        return self.after_loop(node)

    def turns(self, node: Any, parts: tuple[Any, ...]) -> None:
        """The turns of a loop over a tuple."""
        if not parts:
            return
        self.assign(node.target, parts[0])
        self.body(node.body)
        names = self.scope.names
        names[_SKIPPED] = Const(False)
        if Const(True) in (names[_BROKEN], names[RETURNED]):
            return
        self.scope.dead = False
        if not self.may_have_left():
            return self.turns(node, parts[1:])

        def rest() -> None:
            self.reset()
            self.turns(node, parts[1:])

        self.branch(self.left(), self.stay_away, rest, node)

    def over_range(self, node: Any) -> None:
        """for i in range(…)."""
        call = node.iter
        if call.keywords or not 1 <= len(call.args) <= 3 or any(isinstance(one, ast.Starred) for one in call.args):
            raise self.scope.source.refuse(call, "such a range", "write range(stop), range(start, stop) or range(start, stop, step)")
        bounds = [self.value(one) for one in call.args]
        for one, bound in zip(call.args, bounds):
            if not isinstance(bound, (Value, Const)) or bound.type.kind > 1:
                raise self.scope.source.refuse(one, f"a range of {self.described(bound)}", "write int(…) around it")
        start, stop = (Const(0), bounds[0]) if len(bounds) == 1 else (bounds[0], bounds[1])
        step = bounds[2] if len(bounds) == 3 else Const(1)
        if step == Const(0):
            raise self.scope.source.refuse(call, "a range with a step of 0", "write another step")
        start, stop = self.cast(start, INT), self.cast(stop, INT)
        step = step if isinstance(step, Const) else self.cast(step, INT)
        goes_up = Const(step.number > 0) if isinstance(step, Const) else self.text.op("greater", [step.name, self.text.constant(0, INT).name], BOOL)
        self.counters += 1
        counter = f"$counter{self.counters}"

        def turn() -> None:
            self.assign(node.target, self.scope.names[counter])

        def test() -> Any:
            ends = [self.named(self.scope.names[counter]), self.named(stop)]
            if isinstance(goes_up, Const):
                return self.text.op("less" if goes_up.number else "greater", ends, BOOL)
            below, above = (self.text.op(op, ends, BOOL) for op in ("less", "greater"))
            goes_on = self.selected(goes_up, below, above, BOOL)
            moves = self.text.op("not_equal", [step.name, self.text.constant(0, INT).name], BOOL)
            return self.text.op("bitwise_and", [goes_on.name, moves.name], BOOL)

        def step_on() -> None:
            self.scope.names[counter] = self.text.op("add", [self.named(self.scope.names[counter]), self.named(self.cast(step, INT))], INT)

        self.scope.names[counter] = start
        self.loop(node, node.body, {counter}, test, step_on, turn)
        del self.scope.names[counter]
        self.after_loop(node)
        return None

    def carried(self, node: Any, hidden: Any) -> list[str]:
        """The names that go from turn to turn, or out of the loop."""
        stands_for = getattr(node, "stands_for", node)
        assigned = assigned_by([*node.body, *([node.target] if isinstance(node, ast.For) else [ast.Expr(node.test)])])
        names = [name for name in self.scope.names if name in assigned or name in hidden]
        behind = ast.Module(stands_for.orelse, [])
        outside = sorted(name for name in assigned if name not in names and name != RESULT and
                         (reads(self.scope.body, name, stands_for) or reads(behind, name, None)))
        more = [RESULT] if RESULT in assigned and RESULT not in names else []
        return [*names, *outside, *more, *(flag for flag in (_BROKEN,) if flag not in names)]

    def loop(self, node: Any, statements: list[Any], hidden: Any, test: Any, step_on: Any, turn: Any = None) -> None:
        """A loop. The types of what it carries are found by trying: a turn may widen them."""
        scope, text = self.scope, self.text
        before = dict(scope.names)
        forms: dict[str, Any] = {}
        types: dict[str, list[Type]] = {}
        for name in self.carried(node, hidden):
            value = before.get(name)
            if value is not None and name not in _FLAGS and is_number(value):
                forms[name], types[name] = value, [leaf.type for leaf in leaves_of(value)]
        wanted = self.carried(node, hidden)
        for _ in range(_MOST_TRIES):
            attempt = self.attempt(node, statements, forms, types, test, step_on, turn)
            if not self.widened(node, attempt["after"], wanted, forms, types):
                break
        else:
            raise scope.source.refuse(node, "a loop whose types do not settle", "give its names their types before the loop, as in x = 0.0")
        names = [(name, k) for name in forms for k in range(len(types[name]))]
        after, params, head, tail, condition = (attempt[key] for key in ("after", "params", "head", "tail", "condition"))
        starts, gives = [], []
        for name, k in names:
            value = before.get(name)
            start = leaves_of(value)[k] if value is not None and not isinstance(value, Unbound) else Const(0)
            starts.append(self.named(self.cast(start, types[name][k])))
            tail += text.inside(lambda n=name, j=k: gives.append(self.named(self.cast(leaves_of(after[n])[j], types[n][j]))))
        outs = {(name, k): Value(text.fresh(), types[name][k]) for name, k in names}
        named = ", ".join(f"{outs[at].name} : {outs[at].type.dtype}" for at in names)
        carried = ", ".join(f"{params[at].name} = {start}" for at, start in zip(names, starts))
        text.lines += [
            f"{named} = while {carried} {{" if names else "while {", *head, f"test {condition}", *tail, f"give {', '.join(gives)}" if gives else "give", "}",
        ]
        scope.names = {name: value for name, value in before.items() if name not in wanted}
        for name in wanted:
            if name in forms:
                scope.names[name] = rebuilt(forms[name], [outs[name, k] for k in range(len(types[name]))])
            elif name in before and name not in forms:
                scope.names[name] = before[name] if same(after.get(name), before[name]) else Unbound(name, not_number(before[name], after.get(name)))
            elif (made := not_number(after.get(name))) is not None:
                scope.names[name] = Unbound(name, made)
        scope.names[_SKIPPED] = Const(False)
        scope.dead = False

    def attempt(self, node: Any, statements: list[Any], forms: dict[str, Any], types: dict[str, list[Type]], test: Any, step_on: Any, turn: Any) -> dict[str, Any]:
        """The loop's two blocks, for these types of what it carries."""
        scope, text = self.scope, self.text
        before = scope.names
        scope.names = dict(before)
        params: dict[tuple[str, int], Value] = {}
        for name, form in forms.items():
            for k, t in enumerate(types[name]):
                params[name, k] = Value(text.fresh(), t)
            scope.names[name] = rebuilt(form, [params[name, k] for k in range(len(types[name]))])
        condition: list[str] = []

        def head() -> None:
            left = self.left() if self.may_have_left() else Const(False)
            goes_on = self.test_of(node, test())
            condition.append(self.named(self.cast(goes_on if left == Const(False) else self.without(goes_on, left), BOOL)))

        def tail() -> None:
            self.reset()
            if turn is not None:
                turn()
            self.depth += 1
            self.body(statements)
            self.depth -= 1
            scope.names[_SKIPPED] = Const(False)
            scope.dead = False
            step_on()

        try:
            first = text.inside(head)
            second = text.inside(tail)
            return {"after": scope.names, "params": params, "head": first, "tail": second, "condition": condition[0]}
        finally:
            scope.names, scope.dead = before, False

    def widened(self, node: Any, after: dict[str, Any], wanted: list[str], forms: dict[str, Any], types: dict[str, list[Type]]) -> bool:
        """Whether a turn gave what the types do not hold, which they then do."""
        changed = False
        for name in wanted:
            value = after.get(name)
            if value is None or isinstance(value, Unbound) or not is_number(value):
                if name in forms and isinstance(value, Unbound):
                    raise self.scope.source.refuse(node, f"{name}, which has a value on some paths alone,", f"give {name} a value before the loop")
                continue
            if name not in forms:
                if name in _FLAGS and value == Const(False):
                    continue
                forms[name], types[name] = value, [leaf.type for leaf in leaves_of(value)]
                changed = True
                continue
            if form_of(value) != form_of(forms[name]):
                raise self.scope.source.refuse(node, f"{name}, which is a tuple of another length after a turn,", "keep its length")
            for k, leaf in enumerate(leaves_of(value)):
                t = promote(types[name][k], leaf.type)
                if t != types[name][k]:
                    types[name][k], changed = t, True
        return changed

    # ---- the function

    def inlined(self, source: Any, node: Any, function: Any, arguments: dict[str, Any], outer: Any, at: Any) -> Any:
        """What a function gives for these arguments."""
        if any(one is node for one in self.under_way):
            raise self.scope.source.refuse(at, f"{source.name}, which calls itself,", "write a loop")
        caller = self.scope
        self.scope = Scope(source, function, outer)
        self.scope.names.update(arguments)
        self.under_way.append(node)
        try:
            if isinstance(node, ast.Lambda):
                return self.value(node.body)
            self.scope.body = node
            self.scope.assigned = assigned_by(node.body)
            self.body(node.body)
            returned = self.scope.names[RETURNED]
            if returned != Const(True):
                raise source.refuse(node.body[-1], "a path that ends without return", "return a number at the end of the function")
            if RESULT not in self.scope.names:
                raise source.refuse(node.body[-1], "a function that never ends", "leave its loop by return or break")
            return self.scope.names[RESULT]
        except RecursionError:
            raise Error(f"{source.name}: it is too long, or nests too deep, to be compiled: split it into several functions") from None
        finally:
            self.under_way.pop()
            self.scope = caller
