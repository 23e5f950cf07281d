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

# ---- other hands: any order that leaves these outputs is right, however it is written

for order in ("AB CA BD B", "ABCADAABDB", "abdb\n", "[A][B][D][B]", "A>B>D>B", "A-B-D-B", list("A B D B"),
              ["ab", "db"], "ACBDB", "ABDABDB", ("a", "B", "d", "B"), "A, B. D; B!"):
    ANSWERS.right(order)

for idea, order in (
    ("wrong_output", "ABDCBDB"), ("wrong_output", "ABDBB"), ("wrong_output", "ABDBCB"), ("wrong_output", "ADBB"),
    ("never_moved", "ABDCAB"), ("never_moved", "ABBB"), ("never_moved", "AB"), ("never_moved", "ABCB"),
    ("wrong_output", "A"), ("wrong_output", "AC"), ("raised", "B"), ("raised", "D"), ("raised", "CD"),
    ("unknown_cell", "A, B, D, then B"), ("unknown_cell", "In[1] In[2]"), ("unknown_cell", ["A", "B", 4, "B"]),
    ("kind", None), ("kind", {"A", "B"}), ("wrong_output", "ABDDBB"), ("kind", 1234), ("wrong_output", "ABDBDB"),
    ("wrong_output", "ABDBD"), ("wrong_output", ["A", "D", "B", "C", "B"]), ("kind", lambda: "ABDB"),
):
    ANSWERS.wrong(idea)(order)

# ---- from a Chinese keyboard

for order in ("ＡＢＤＢ", "（ＡＢＤＢ）", "A、B、D、B", "ａ，ｂ，ｄ，ｂ"):
    ANSWERS.right(order)

for idea, order in (("top_to_bottom", "ＡＢＣＤ"), ("unknown_cell", "甲乙丁乙"), ("never_moved", "Ａ，Ｂ，Ｂ，Ｄ")):
    ANSWERS.wrong(idea)(order)
