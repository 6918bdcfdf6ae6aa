#!/usr/bin/env python3
"""Executes a notebook without Jupyter: every code cell in turn, in one namespace. With --write the results are put into
the notebook, as a notebook would show them; otherwise an exception in a cell is the failure."""

import ast
import contextlib
import io
import json
import sys


def shown(value):
    """What a notebook displays of the value of a cell's last line."""
    data = {"text/plain": repr(value)}
    for kind, method in (("image/svg+xml", "_repr_svg_"), ("text/html", "_repr_html_")):
        if hasattr(value, method):
            data[kind] = getattr(value, method)()
    return data


def execute(code, names):
    """Runs a cell; returns what it printed, and the value of its last line if that is an expression."""
    tree = ast.parse(code)
    last = ast.Expression(tree.body.pop().value) if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), names)
        value = eval(compile(last, "cell", "eval"), names) if last is not None else None
    return printed.getvalue(), value


def main(path, write):
    with open(path, encoding="utf-8") as file:
        notebook = json.load(file)
    names, number = {"__name__": "__main__"}, 0
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        number += 1
        printed, value = execute("".join(cell["source"]), names)
        outputs = [{"output_type": "stream", "name": "stdout", "text": printed}] if printed else []
        if value is not None:
            outputs.append({"output_type": "execute_result", "execution_count": number, "metadata": {},
                            "data": shown(value)})
        cell["execution_count"], cell["outputs"] = number, outputs
    if write:
        with open(path, "w", encoding="utf-8") as file:
            json.dump(notebook, file, indent=1, ensure_ascii=False)
            file.write("\n")
    print(f"{number} cells executed")


if __name__ == "__main__":
    main(sys.argv[1], "--write" in sys.argv)
