"""Answers to the exercises of the course, right and wrong, and what each must be told.

Each module is one exercise: right answers in different styles, and wrong ones with their misconception.
"""


class Answers:
    """`@right` above a right answer; `@wrong("sign")` above one that must be told `sign`."""

    def __init__(self, exercise, forbidden=""):
        self.exercise, self.rights, self.wrongs = exercise, [], []
        self.forbidden = forbidden  # a pattern of what no verdict may say

    def right(self, answer):
        self.rights.append(answer)
        return answer

    def wrong(self, misconception):
        def keep(answer):
            self.wrongs.append((misconception, answer))
            return answer

        return keep
