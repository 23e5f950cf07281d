"""Exercise C: the order in which four cells were run."""

from tests.answers import Answers

ANSWERS = Answers("C", r"ABDB|A, B, D, B|4\.5 [+and]|2\.25 [+and]")

for order in ("ABDB", "a b d b", "A, B, D, B", ["A", "B", "D", "B"], ("A", "B", "D", "B"), "A → B → D → B", "ADBBB",
              "ABCABDB"):
    ANSWERS.right(order)

for idea, order in (
    ("top_to_bottom", "ABCD"), ("top_to_bottom", list("abcd")), ("never_moved", "ABD"), ("never_moved", "ABBD"),
    ("never_moved", "ABCBD"), ("never_moved", "ABDAB"), ("wrong_output", "ABDCB"), ("wrong_output", "ABCDB"),
    ("wrong_output", "ADB"), ("wrong_output", "ABBDB"), ("wrong_output", "ABDDB"), ("wrong_output", "AD"),
    ("unknown_cell", "ABEB"), ("unknown_cell", "1 2 4 2"), ("raised", "BDB"), ("raised", "CABDB"), ("raised", "DAB"),
    ("kind", 6.75), ("kind", {"A": 1}), ("wrong_output", "ABDCBB"), ("never_moved", "DAB"[1:]),
):
    ANSWERS.wrong(idea)(order)
