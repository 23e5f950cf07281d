"""English notebooks own the code, their Chinese twins own their prose: `python -m notebooks.sync`.

A twin has the same cells in the same order, matched by cell id. Each of its markdown cells
remembers a fingerprint of the English text that it translates, so a later edit of the English
shows up as STALE. A twin's comments and docstrings may be translated. Outputs are not copied: refresh.py runs each
twin by itself. Where the folder of one language is missing (a fork in one language), or where a notebook's metadata
says `{"minigrad": {"twin": false}}`, there are no twins and nothing is asked.

    python -m notebooks.sync             give the twins the cells and the code they lack
    python -m notebooks.sync --check     say what is MISSING, STALE or different; exit 1 if any
    python -m notebooks.sync --accept    after translating: what is written now is up to date
"""

from __future__ import annotations

import argparse
import copy
import hashlib
import io
import sys
import tokenize
from pathlib import Path

import nbformat
from nbformat import NotebookNode

HERE = Path(__file__).resolve().parent
ENGLISH, CHINESE = 'set_language("en")', 'set_language("zh")'


def pairs(root: Path) -> list[tuple[Path, Path]]:
    """Every notebook that exists in either language, as (English path, Chinese path)."""
    names = {
        path.relative_to(root / language)
        for language in ("en", "zh")
        for path in (root / language).rglob("*.ipynb")
        if ".ipynb_checkpoints" not in path.parts
    }
    return [(root / "en" / name, root / "zh" / name) for name in sorted(names)]


def in_step(pair: tuple[Path, Path], root: Path) -> bool:
    """Whether a notebook is to have a twin."""
    alone = any(read(path).metadata.get("minigrad", {}).get("twin") is False for path in pair if path.exists())
    return all((root / language).is_dir() for language in ("en", "zh")) and not alone


def twins(root: Path = HERE) -> list[tuple[Path, Path]]:
    """The pairs that are to be in step: all but those of a fork in one language, and a teacher's own."""
    return [pair for pair in pairs(root) if in_step(pair, root)]


def read(path: Path) -> NotebookNode:
    """A notebook. Raises: ValueError for a file that is none, as one that a merge has left half-done."""
    try:
        return nbformat.read(path, as_version=4)
    except nbformat.reader.NotJSONError as error:
        raise ValueError(f"{path} is no notebook: it cannot be read as JSON.") from error


def write(notebook: NotebookNode, path: Path) -> bool:
    """Write what differs, with the same bytes on every system; say whether anything did."""
    text = nbformat.writes(notebook, indent=1).rstrip("\n") + "\n"
    if path.exists() and path.read_text("utf-8") == text:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")
    return True


def fingerprint(source: str) -> str:
    return hashlib.sha256(source.strip().encode()).hexdigest()[:10]


def in_chinese(index: int, source: str) -> str:
    """The code of a cell as the twin has it: only the first code cell may name the language."""
    return source.replace(ENGLISH, CHINESE) if index == 0 else source


def twin(english: NotebookNode, chinese: NotebookNode | None) -> tuple[NotebookNode, list[str]]:
    """What the Chinese notebook should be, given what it is, and what is wrong with its prose."""
    old = {cell.id: cell for cell in chinese.cells} if chinese else {}
    new = copy.deepcopy(english)
    if chinese:
        new.metadata = copy.deepcopy(chinese.metadata)
    code_cells = [cell for cell in new.cells if cell.cell_type == "code"]
    for index, cell in enumerate(code_cells):
        take_code(cell, old.get(cell.id), in_chinese(index, cell.source))
    prose = [cell for cell in new.cells if cell.cell_type == "markdown"]
    complaints = [take_prose(cell, old.get(cell.id)) for cell in prose]
    return new, [complaint for complaint in complaints if complaint]


def take_code(cell: NotebookNode, old: NotebookNode | None, source: str) -> None:
    """The English code; the twin's own comments and outputs, as long as they belong to that code."""
    cell.source, cell.outputs, cell.execution_count = source, [], None
    if old is not None and old.cell_type == "code" and without_comments(old.source) == without_comments(source):
        cell.source, cell.outputs, cell.execution_count = old.source, old.outputs, old.execution_count


def without_comments(source: str) -> list[str]:
    """Code as its tokens, without docstrings too; what Python cannot read, a cell in another language, as it is."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    except (tokenize.TokenError, SyntaxError):
        return [source]
    said = [token for token in tokens if token.type not in (tokenize.COMMENT, tokenize.NL)]
    return [token.string for before, token in zip([said[0], *said], said, strict=False)
            if (before.type, token.type) != (tokenize.INDENT, tokenize.STRING)]


def take_prose(cell: NotebookNode, old: NotebookNode | None) -> str | None:
    """The twin's own words, with the fingerprint of what they translate."""
    wanted = fingerprint(cell.source)
    ours = cell.metadata.setdefault("minigrad", NotebookNode())
    ours.translates = ""
    if old is None or old.cell_type != "markdown":
        return f"MISSING {cell.id}: {cell.source[:60]!r} is not translated"
    untranslated = old.source.strip() == cell.source.strip()
    ours.translates = old.metadata.get("minigrad", {}).get("translates", "")
    english, cell.source = cell.source, old.source
    if not ours.translates and untranslated:
        return f"MISSING {cell.id}: {english[:60]!r} is not translated"
    if ours.translates != wanted:
        return f"STALE {cell.id}: {english[:60]!r} was changed after it was translated"
    return None


def accept(english: NotebookNode, chinese: NotebookNode) -> None:
    """Take every Chinese text that differs from the English as its translation of today."""
    originals = {cell.id: cell.source for cell in english.cells if cell.cell_type == "markdown"}
    for cell in chinese.cells:
        original = originals.get(cell.id, cell.source)
        if cell.cell_type == "markdown" and cell.source.strip() != original.strip():
            ours = cell.metadata.setdefault("minigrad", NotebookNode())
            ours.translates = fingerprint(original)


def differences(chinese: NotebookNode, wanted: NotebookNode) -> list[str]:
    """Where the twin has other cells, other code or other marks than it should."""
    if [cell.id for cell in chinese.cells] != [cell.id for cell in wanted.cells]:
        return ["DIFFERENT: not the same cells in the same order"]
    return [
        f"DIFFERENT {want.id}: {part} is not that of the English cell"
        for have, want in zip(chinese.cells, wanted.cells, strict=True)
        for part in ("cell_type", "source", "metadata")
        if have[part] != want[part]
    ]


def check(english_path: Path, chinese_path: Path) -> list[str]:
    if not english_path.exists():
        return ["DIFFERENT: it has no English original"]
    if not chinese_path.exists():
        return ["MISSING: the whole notebook"]
    chinese = read(chinese_path)
    wanted, complaints = twin(read(english_path), chinese)
    return complaints + differences(chinese, wanted)


def update(english_path: Path, chinese_path: Path, accepting: bool) -> list[str]:
    if not english_path.exists():
        return ["DIFFERENT: it has no English original"]
    english = read(english_path)
    chinese = read(chinese_path) if chinese_path.exists() else None
    if accepting and chinese:
        accept(english, chinese)
    wanted, complaints = twin(english, chinese)
    write(wanted, chinese_path)
    return complaints


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 if it should")
    parser.add_argument("--accept", action="store_true", help="the Chinese is up to date as it is")
    parser.add_argument("--root", type=Path, default=HERE, help="the folder that has en and zh")
    options = parser.parse_args(arguments)
    failed = False
    for pair in twins(options.root):
        found = check(*pair) if options.check else update(*pair, options.accept)
        for complaint in found:
            print(f"{pair[1].relative_to(options.root).as_posix()}: {complaint}")
        failed |= bool(found)
    return int(failed and options.check)


if __name__ == "__main__":
    sys.exit(main())
