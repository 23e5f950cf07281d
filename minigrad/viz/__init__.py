"""Pictures of the graph, and the player.

Pictures see only the records of `minigrad.graph.snapshot`. Tensors are held by those who ask about them: `reasons`,
`routes`, and the widgets that run the learner's code.
"""

from ..graph import fetcher

# no file bears the name of a function in it: importing the file would hide the function
_HOME = {"draw": "display", "Drawing": "display", "step": "player", "Player": "player", "watch": "panel",
         "Watch": "panel", "why": "reasons", "doctor": "reasons", "Explanation": "reasons", "paths": "routes",
         "Paths": "routes", "nudge": "nudging", "training": "monitor", "versions": "board",
         "detective": "board", "save_page": "exported", "compare": "compared", "Comparison": "compared"}
__all__ = sorted(_HOME)

__getattr__, __dir__ = fetcher(__name__, _HOME)
