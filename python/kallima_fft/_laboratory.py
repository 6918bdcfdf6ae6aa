"""Before there is a machine: schedules, machines and predictions as objects that show themselves in a notebook."""

import html
import json

from . import _core
from ._plan import plan_arguments


def _table(rows):
    cells = "".join("<tr>" + "".join(f"<td>{html.escape(str(c))}</td>" for c in row) + "</tr>" for row in rows)
    return f"<table>{cells}</table>"


class Machine:
    """What messages and arithmetic cost: Machine("loggp:L=2e-6,o=1e-6,g=1e-7,G=2e-9,r=5e10"), or alpha-beta, LogP,
    BSP."""

    def __init__(self, text):
        self.text = str(text)
        self.numbers = json.loads(_core.machine_json(self.text))  # with the meaning of each

    def __str__(self):
        return self.text

    def __repr__(self):
        return f"Machine({self.text!r})"

    def _repr_html_(self):
        return _table([(name, json.dumps(value)) for name, value in self.numbers.items()])


class Schedule:
    """Everything every rank will do, as data: `json` is what `kallima run --schedule` and `kallima draw` read."""

    def __init__(self, text):
        self.text = text
        self.json = json.loads(text)

    @property
    def ranks(self):
        return len(self.json["ranks"])

    def tasks(self, rank):
        return self.json["ranks"][rank]["tasks"]

    def save(self, path):
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.text)

    def _counts(self, rank):
        kinds = [task["kind"] for task in self.tasks(rank)]
        return {kind: kinds.count(kind) for kind in sorted(set(kinds))}

    def __repr__(self):
        name, exchanges = self.json["name"], self.json["exchanges"]
        return f"Schedule({name}, {self.ranks} ranks, {exchanges} exchanges, rank 0: {self._counts(0)})"

    def _repr_html_(self):
        return _table([("rank", "tasks")] + [(r, self._counts(r)) for r in range(min(self.ranks, 16))])


def schedule(shape, ranks, *, backward=False, **arguments):
    """What `ranks` ranks would do; further arguments are those of Plan."""
    return Schedule(_core.schedule_json(plan_arguments(shape, **arguments), ranks, backward))


def predict(shape, ranks, machine, *, backward=False, **arguments):
    """How long a transform would take on a machine: a Prediction, with its `time` in `unit`, how much of the exchange
    is `hidden`, and the `trace`, which is a picture in a notebook. Further arguments are those of Plan."""
    return _core.predict(plan_arguments(shape, **arguments), ranks, str(machine), backward)
