"""Pages of ten programs of tests/inside, without their comments and names, for a reader who has to say what is slow in each.

python tests/benchmarks/inside_pages.py FOLDER writes FOLDER/1.html to 10.html and FOLDER/answers.txt.
"""

import pathlib
import subprocess
import sys

INSIDE = pathlib.Path(__file__).resolve().parents[1] / "inside"
PROGRAMS = ("growing_sequence", "f64_array_widens_f32", "rows_one_by_one", "histogram_of_a_result", "stencil_of_a_costly_value", "decay_to_denormals", "split_norm",
            "spilling_kernel", "compiled_for_each_option", "more_threads_than_processors")
RUN = """
import runpy, sys
import weft as wf
names = runpy.run_path(sys.argv[1])
given = names["prepare"]()
with wf.set_tier("compile"), wf.profile() as p:
    names["main"](*given)
p.save(sys.argv[2])
"""


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    answers = []
    for number, name in enumerate(PROGRAMS, 1):
        text = (INSIDE / f"{name}.py").read_text(encoding="utf-8").splitlines()
        cause = text[0].removeprefix("# cause: ")
        kept = [line.removesuffix("  # here") for line in text if not line.startswith("#")]
        marked = [number for number, line in enumerate((line for line in text if not line.startswith("#")), 1) if line.endswith("# here")]
        program = folder / f"program_{number}.py"
        program.write_text("\n".join(kept) + "\n", encoding="utf-8")
        subprocess.run([sys.executable, "-c", RUN, str(program), str(folder / f"{number}.html")], check=True)
        answers.append(f"{number}. {cause}, line {', '.join(map(str, marked))}: {text[1].removeprefix('# ')}")
    (folder / "answers.txt").write_text("\n".join(answers) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
