"""One Chinese word per idea, and API words left as they are, in notebooks and messages alike."""

import re
import tomllib
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).parent.parent
NOTEBOOKS = ROOT / "notebooks"
NAMES = sorted(str(p.relative_to(NOTEBOOKS / "zh")) for p in (NOTEBOOKS / "zh").rglob("*.ipynb"))
MESSAGES = {section: entries for file in sorted((ROOT / "minigrad" / "text").glob("*.toml"))
            for section, entries in tomllib.loads(file.read_text("utf-8")).items()}

# What is said here -> the words for the same idea that are not used.
FORBIDDEN = {
    "累加": ["积累", "累积", "累计"],
    "原地": ["就地", "原位"],
    "叶子": ["叶节点", "叶结点", "叶张量"],
    "节点": ["结点"],
    "张量": ["张亮", "纤量"],
    "计算图": ["运算图", "演算图"],
    "反向传播": ["后向传播", "逆向传播", "反传", "回传", "倒传"],
    "前向": ["正向传播", "前馈传播"],
    "雅可比": ["雅克比", "雅各比"],
    "向量": ["矢量"],
    "标量": ["纯量"],
    "钩子": ["挂钩", "勾子"],
    "版本计数器": ["版本计数值"],
    "基张量": ["基底张量"],
    "广播": ["扩播"],
    "反广播": ["去广播", "解广播"],
    "分离": ["剥离", "脱离计算图"],
    "追踪": ["跟踪"],
    "偏导数": ["偏微分"],
    "局部导数": ["本地导数"],
    "优化器": ["优化子"],
    "学习率": ["学习速率"],
    "随机种子": ["乱数"],
    "起始梯度": ["种子梯度"],
    "断点": ["中断点"],
    "自动微分": ["自动微分法"],
    "数据类型": ["资料型别"],
}
VARIANTS = sorted(word for words in FORBIDDEN.values() for word in words)
API_WORDS = {
    "requires_grad", "requires_grad=True", "requires_grad_()", "grad_fn", ".grad", "backward()",
    "detach()", "no_grad", "torch.no_grad()", "retain_graph=True", "create_graph=True",
    "register_hook", "gradient", "AccumulateGrad", "is_leaf", ".data", "Variable",
}
TICKED = re.compile(r"`([^`\n]+)`")


def prose(name, lang):
    nb = nbformat.read(NOTEBOOKS / lang / name, as_version=4)
    return {cell.id: cell.source for cell in nb.cells if cell.cell_type == "markdown"}


def sentences():
    return {f"{s}.{k}": pair for s, entries in MESSAGES.items() for k, pair in entries.items()}


def api_words(text):
    return API_WORDS & set(TICKED.findall(text))


def unused_words(text):
    return [word for word in VARIANTS if word in text]


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_uses_one_word_per_idea(name):
    wrong = {cell: unused_words(text) for cell, text in prose(name, "zh").items()}

    assert not {cell: words for cell, words in wrong.items() if words}


@pytest.mark.parametrize("name", NAMES)
def test_comments_and_docstrings_of_ours_are_chinese(name):
    """What was recorded stays as it was written."""
    cells = nbformat.read(NOTEBOOKS / "zh" / name, as_version=4).cells
    ours = "\n".join(c.source for c in cells if c.cell_type == "code" and "seed" not in c.metadata.get("minigrad", {}))
    comments = re.findall(r'(?:^|  )# .*|^ +""".*', ours, re.MULTILINE)

    assert [comment for comment in comments if not re.search("[一-龥]", comment)] == []


def test_messages_use_one_word_per_idea():
    wrong = {key: unused_words(pair["zh"]) for key, pair in sentences().items()}

    assert not {key: words for key, words in wrong.items() if words}


@pytest.mark.parametrize("name", NAMES)
def test_api_words_are_the_same_in_both_languages(name):
    english, chinese = prose(name, "en"), prose(name, "zh")

    assert {c: api_words(t) for c, t in chinese.items()} == {
        c: api_words(t) for c, t in english.items()
    }


@pytest.mark.parametrize("name", NAMES)
def test_the_first_node_is_introduced_with_its_api_word(name):
    text = "\n".join(prose(name, "zh").values())

    assert "节点（`grad_fn`）" in text
    assert text.index("节点") == text.index("节点（`grad_fn`）")


@pytest.mark.parametrize("name", NAMES)
def test_chinese_prose_is_chinese(name):
    for cell, text in prose(name, "zh").items():
        assert re.search(r"[\u4e00-\u9fff]", text), cell
        assert not re.search(r"[\u4e00-\u9fff][,;:?!](?![\w/])", text), cell  # full-width marks
        assert not re.search(r"\"[\u4e00-\u9fff]|[\u4e00-\u9fff]\"", TICKED.sub("", text)), cell


@pytest.mark.parametrize("key", sorted(sentences()))
def test_a_message_speaks_both_languages_with_the_same_blanks(key):
    pair = sentences()[key]
    blanks = {lang: set(re.findall(r"(?<!\{)\{(\w+)", text)) for lang, text in pair.items()}

    assert set(pair) == {"en", "zh"}
    assert blanks["en"] == blanks["zh"]
