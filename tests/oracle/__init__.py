"""The oracle: the same code run in torch and in minigrad, and what must agree.

`expressions` looks at one operation from every side, `semantics` runs snippets like a
terminal would, `programs` makes random ones. Each compares minigrad with live torch where
torch can be imported, and with what torch said (tests/data) everywhere.
`python -m tests.oracle.record` writes those recordings, `python -m tests.oracle.fuzz` searches.
"""
