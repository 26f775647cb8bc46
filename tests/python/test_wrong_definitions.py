"""What defines code of one's own wrongly is refused where it is defined, and named."""

import numpy as np
import pytest
import weft as wf


def plus_one(v):
    return v + 1


COPY = "void f(long begin, long end, const double* x, double* r) { for (long k = begin; k < end; ++k) r[k] = x[k]; }"
space = {"wf": wf, "np": np, "f": plus_one, "COPY": COPY, "x": wf.asarray([1.0, 2.0])}

WRONG = [
    ("wf.index(2**70)", OverflowError, "index: the axis is an integer of at most 64 bits: got 1180591620717411303424"),
    ("wf.index(-2**63 - 1)", OverflowError, "index: the axis is an integer of at most 64 bits: got -9223372036854775809"),
    ("wf.index(1.0)", TypeError, "index: the axis is an integer: got float"),
    ("wf.index(True)", TypeError, "index: the axis is an integer: got bool"),
    ("wf.vectorize(f, doc=3)", TypeError, "vectorize: doc is a text: got int"),
    ("wf.vectorize(f, doc=b'text')", TypeError, "vectorize: doc is a text: got bytes"),
    ("wf.vectorize(f, cache='yes')", TypeError, "vectorize: cache is True or False: got 'yes'"),
    ("wf.vectorize(f, cache=None)", TypeError, "vectorize: cache is True or False: got None"),
    ("wf.vectorize(f, fallback='no')", TypeError, "vectorize: fallback is True or False: got 'no'"),
    ("wf.vectorize(f, fallback=0.5)", TypeError, "vectorize: fallback is True or False: got 0.5"),
    ("wf.vectorize(f, fallback=None)", TypeError, "vectorize: fallback is True or False: got None"),
    ("wf.vectorize(fallback='no')(f)", TypeError, "vectorize: fallback is True or False: got 'no'"),
    ("wf.vectorize(f, ulps=float('inf'))", wf.Error, "vectorize: ulps is a finite number that is not below 0: got inf"),
    ("wf.vectorize(f, ulps=10**400)", wf.Error, "vectorize: ulps is a finite number that is not below 0: got 1000"),
    ("wf.vectorize(f, ulps=np.float64('nan'))", wf.Error, "vectorize: ulps is a finite number that is not below 0: got "),
    ("wf.vectorize(f, ulps=np.True_)", wf.Error, "vectorize: ulps is a finite number that is not below 0: got "),
    ("wf.elementwise('r = x', 'T x', 'T r', ulps=10**400)", wf.Error, "elementwise: ulps is a finite number that is not below 0: got 1000"),
    *((f"wf.elementwise('r = x', 'T x, T {word}', 'T r', 'g')", wf.Error, f"g: input parameters:1:8: expected a parameter's name, got '{word}', a word that C++ keeps")
      for word in ("if", "return", "while", "for", "do", "this", "operator", "and", "true", "void", "default")),
    *((f"wf.elementwise('r = x; {word} = x', 'T x', 'T r, T {word}', 'g')", wf.Error,
       f"g: output parameters:1:8: expected a parameter's name, got '{word}', a word that C++ keeps") for word in ("if", "return", "not")),
    ("wf.elementwise('r = x', 'T x, T float', 'T r', 'g')", wf.Error, "g: input parameters:1:8: expected a parameter's name, got 'float'"),
    ("wf.elementwise('r = x', 'T x, T class', 'T r', 'g')", wf.Error, "g: input parameters:1:8: a class cannot be compiled"),
    ("wf.elementwise('r = x', 'T x, T M_PI', 'T r', 'g')", wf.Error, "g: input parameters:1:8: expected a parameter's name, got 'M_PI', which is a constant"),
    ("wf.elementwise('r = x', 'T x, T T', 'T r', 'g')", wf.Error, "g: input parameters:1:8: expected a parameter's name, got 'T', which is a type"),
    ("wf.elementwise('r = x', 'T x, x y', 'T r', 'g')", wf.Error, "g: input parameters:1:1: 'x' is a type: name the parameter otherwise"),
    ("wf.elementwise('r = x', 'return x', 'return r', 'g')", wf.Error, "g: input parameters:1:1: expected a type, got 'return', a word that C++ keeps"),
    ("wf.elementwise('r = x', 'T x', 'void r', 'g')", wf.Error, "g: output parameters:1:1: expected a type, got 'void', a word that C++ keeps"),
    ("wf.elementwise('int if = 3; r = x', 'T x', 'T r', 'g')", wf.Error, "g:1:5: expected a variable's name, got 'if', a word that C++ keeps"),
    ("wf.elementwise('r = h(x)', 'T x', 'T r', 'g', preamble='template <typename T> T h(T not) { return 1; }')", wf.Error,
     "g: preamble:1:29: expected a parameter's name, got 'not', a word that C++ keeps"),
    ("wf.elementwise('r = x', 'T x', 'T r', 'g', derivative='T if = 1; dr_dx = if')", wf.Error,
     "g: derivative:1:3: expected a variable's name, got 'if', a word that C++ keeps"),
    ("wf.elementwise({'cpu': 'r = x', 'cuda': 'int if = 1; r = x'}, 'T x', 'T r', 'g')", wf.Error, "g on cuda:1:5: expected a variable's name, got 'if'"),
    *((f"wf.elementwise('r = x', '{word} x', 'T r', 'g')", wf.Error,
       f"g: input parameters:1:1: '{word}' is no type: name one of C's or NumPy's, or a generic one, which is one letter or has a capital in front{said}")
      for word, said in (("flaot", "; did you mean 'float'?"), ("uint", "; it has 32 bits in C and 64 in NumPy: write uint32 or uint64"), ("Float", "; did you mean 'float'?"),
                         ("flot32", "; did you mean 'float32'?"), ("number", ""))),
    *((f"wf.elementwise('r = x + {word}', 'T x', 'T r', 'g')", wf.Error, f"g:1:9: there is no {name}: i is the number of the element; of the number of all take a parameter")
      for word, name in (("_ind.size()", "_ind"), ("_in_ind.size()", "_in_ind"), ("_ind.get()[0]", "_ind"), ("_out_ind[0]", "_out_ind"))),
    ("wf.elementwise('r = x + n', 'T x', 'T r', 'g')(x)", wf.Error,
     "g:1:9: 'n' is not defined: declare it, or take it as an input parameter: of the number of elements write long n, and give x.size"),
    ("wf.grad(lambda v: wf.sum(wf.elementwise('r = x', 'T x', 'T r', 'g', derivative='dr_dy = 2')(v)))(x)", wf.Error,
     "g: derivative:1:1: 'dr_dx' is never assigned: a derivative assigns one for each result and parameter, as in dr_dx = 1, or dr_dx = 0 where it has none: got dr_dy"),
    ("wf.elementwise('r = 1', '', 'T r', 'g')", wf.Error, "g: input parameters:1:1: g takes one input parameter at least, as in \"T x\": got none"),
    ("wf.elementwise('flaot q = x; r = q', 'T x', 'T r', 'g')", wf.Error,
     "g:1:1: 'flaot' is no type: name one of C's or NumPy's, or a generic one of the parameters; did you mean 'float'?"),
    ("wf.elementwise('r = x', 'T x', 'flaot r', 'g')", wf.Error, "g: output parameters:1:1: 'flaot' is no type: name one of C's or NumPy's, or a generic one"),
    ("wf.reduction('x', 'a + b', 'y = a', 0, 'T x, T if', 'T y', 'g')", wf.Error, "g: input parameters:1:8: expected a parameter's name, got 'if'"),
    ("wf.reduction('x', 'a + b', 'if = a', 0, 'T x', 'T if', 'g')", wf.Error, "g: output parameters:1:3: expected a parameter's name, got 'if'"),
    ("wf.reduction('x', 'a + b', 'y = a', 0, 'T x', 'U y', 'g')", wf.Error, "g: output parameters:1:1: no input parameter has the type 'U'"),
    ("wf.reduction('if = x', 'if = a_if', 'y = if', 'if = 0', 'T x', 'T y', 'g', state='T if')", wf.Error, "g: state:1:3: expected a parameter's name, got 'if'"),
    ("wf.reduction('a', 'a + b', 'y = a', 0, 'T a', 'T y', 'g')", wf.Error,
     "g: input parameters:1:1: 'a' is a value that the reduce joins with b: name the parameter otherwise"),
    ("wf.reduction('x', 'a + b', 'y = a', 0, 'T x', 'T y', 'g')()", wf.Error, "g: takes 1 operand: got 0"),
    ("wf.reduction('x', 'a + b', 'y = a', 0, 'T x', 'T y', 'g')(x, x)", wf.Error, "g: takes 1 operand: got 2"),
    ("wf.reduction('x', 'a + b', 'y = a', 0, 'T x', 'T y', 'g')(x, keepdims=None)", TypeError, "g: keepdims is True or False: got None"),
    ("wf.cpu_kernel('void if(long begin, long end, double* r) {}', 'if')", wf.Error, "if:1:6: 'if' is a word that C++ keeps: name the kernel otherwise"),
    ("wf.cpu_kernel('void f(long begin, long end, double* class) {}', 'f')", wf.Error,
     "f:1:30: a parameter has a type and a name, and 'class' is a word that C++ keeps"),
    ("wf.cpu_kernel('void f(long begin, long end, unsigned int) {}', 'f')", wf.Error,
     "f:1:30: a parameter has a type and a name, and 'int' is a word that C++ keeps"),
    ("wf.cpu_kernel('void f(long begin, long end, double* r, double r) {}', 'f')", wf.Error, "f:1:41: 'r' is a parameter already"),
    ("wf.cpu_kernel('void f(long begin, long end, ...) {}', 'f')", wf.Error, "f:1:30: a kernel takes as many arguments as it names: leave ... out"),
    ("wf.cpu_kernel('void f(long begin, long end, double* r) { if (end) {', 'f')", wf.Error, "f:1:41: this { is not closed"),
    ("wf.cuda_kernel('__global__ void f(double* this) {}', 'f')", wf.Error, "f:1:19: a parameter has a type and a name, and 'this' is a word that C++ keeps"),
    ("wf.cuda_kernel('__global__ void f(double* r) {', 'f')", wf.Error, "f:1:30: this { is not closed"),
    ("wf.kernel_output(-1, 'float64')", wf.Error, "kernel_output: extents are not negative: got (-1,)"),
    ("wf.kernel_output((2, -3), 'float64')", wf.Error, "kernel_output: extents are not negative: got (2, -3)"),
]  # fmt: skip


@pytest.mark.parametrize(("expression", "kind", "said"), WRONG, ids=[one[0] for one in WRONG])
def test_is_refused_by_name(expression, kind, said):
    with pytest.raises(kind) as refused:
        eval(expression, dict(space))  # noqa: S307
    assert str(refused.value).startswith(said)


@pytest.mark.parametrize("expression", [
    "wf.vectorize(f, doc='text', cache=True, fallback=np.False_, ulps=np.int64(3))(x)", "wf.vectorize(f, cache=1, fallback=0)(x)",
    "wf.elementwise('r = x + 1', 'T x', 'T r', 'g', ulps=np.float32(2))(x)",
    # Names that C++ leaves free, though they mean something here.
    "wf.elementwise('r = x + i', 'T i, T x', 'T r', 'g')(1, x)", "wf.elementwise('r = x + sqrt', 'T sqrt, T x', 'T r', 'g')(1, x)",
    "wf.elementwise('final = x + raw_', 'T raw_, T x', 'T final', 'g')(1, x)",
])  # fmt: skip
def test_what_is_right_is_taken(expression):
    assert eval(expression, dict(space)).tolist() == [2.0, 3.0]  # noqa: S307


def test_numbers_with_marks_and_branches_of_the_preprocessor_are_taken(on_cpu):
    text = "void f(long begin, long end, double* r) { for (long k = begin; k < end; ++k) { r[k] = 10'000; } }"
    out = wf.kernel_output(2, "float64")
    assert wf.cpu_kernel(text, "f")(2, (out,)).tolist() == [10000, 10000]
    text = "void f(long begin, long end, double* r) {\n#if 1\n  if (end) {\n#else\n  {\n#endif\n    for (long k = begin; k < end; ++k) r[k] = k;\n  }\n}"
    assert wf.cpu_kernel(text, "f")(2, (out,)).tolist() == [0, 1]
