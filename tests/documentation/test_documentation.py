"""README and docs: the site builds strictly, Python snippets run, and command lines are those that solvent takes.

Fenced `python` blocks of a page run in their order, in one namespace, in a new folder. A block that cannot run here
(it needs hours, or files of the reader's) says so in a title that readers see: ```python title="Illustrative: ...".
It must still be Python. Lines of `sh` blocks, and code in the text, that begin with `solvent` are parsed with all
their options.
"""

from __future__ import annotations

import ast
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import chdir
from dataclasses import fields
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest
import typer

from solvent.app.command_line import app
from solvent.games.catalogue import load_game
from solvent.solving.settings import Settings, given_options
from solvent.training.settings import TrainingSettings

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^( *)```(\S+)([^\n]*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
ILLUSTRATIVE = 'title="Illustrative'
ACT_AT_ONCE = ("--install-completion", "--show-completion", "--help", "-h", "--version")
GROUPS = ("abstract", "bench", "cards", "reproduce")
COMMAND_LINE: Any = typer.main.get_command(app)


class Block(NamedTuple):
    page: Path
    line: int
    language: str
    options: str
    text: str


def blocks(page: Path) -> Iterator[Block]:
    """The fenced blocks of a page."""
    text = page.read_text(encoding="utf-8")
    for found in FENCE.finditer(text):
        indent, language, options, body = found.groups()
        line = text.count("\n", 0, found.start()) + 2
        yield Block(page, line, language, options, re.sub(f"^{indent}", "", body, flags=re.MULTILINE))


def commands(page: Path) -> Iterator[tuple[int, str, bool]]:
    """(line, command, whole): every solvent command of a page; those in the text need not be whole."""
    fenced = list(blocks(page))
    for block in fenced:
        if block.language in ("sh", "bash") and ILLUSTRATIVE not in block.options:
            joined = block.text.replace("\\\n", " ")
            for number, line in enumerate(joined.splitlines()):
                if line.startswith("solvent "):
                    yield block.line + number, line, True
    text = FENCE.sub(lambda found: "\n" * found[0].count("\n"), page.read_text(encoding="utf-8"))
    for found in re.finditer(r"`(solvent [^`]+)`", text):
        yield text.count("\n", 0, found.start()) + 1, found[1].replace("\n", " "), False


def parsed(line: str) -> Any:
    """Parse a command line without running it; the context has the options."""
    words = shlex.split(re.sub(r"\s+#\s.*$", "", line))
    end = next((k for k, word in enumerate(words) if word in ("|", ">", "&&")), len(words))
    # Options that act at once are left out: one of them writes to the shell's start-up file.
    rest = [word for word in words[1:end] if word not in ACT_AT_ONCE]
    context = COMMAND_LINE.make_context("solvent", rest, resilient_parsing=not rest)
    while hasattr(context.command, "resolve_command"):
        rest = [*context._protected_args, *context.args]
        if not rest:
            break
        name, command, rest = context.command.resolve_command(context, rest)
        alone = not rest and name in GROUPS  # it would print its help
        context = command.make_context(name, rest, parent=context, resilient_parsing=alone)
    return context


def check_values(context: Any) -> None:
    """Check the settings of a solve or a training, and that a game that is named exists."""
    kind = {"solve": Settings, "train": TrainingSettings}.get(context.info_name)
    if kind is None:
        return
    names = {each.name for each in fields(kind)}
    kind.of(given_options({name: value for name, value in context.params.items() if name in names}))
    game = context.params.get("game")
    if game and not game.endswith(".efg") and ".py:" not in game:
        load_game(game)


def _name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def test_site_builds_strictly(tmp_path: Path) -> None:
    pytest.importorskip("material", reason="the site is built with mkdocs-material")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "index.html").exists()


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_commands_parse(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    wrong = []
    for line, command, whole in commands(page):
        try:
            check_values(parsed(command))
        except Exception as error:
            said = getattr(error, "format_message", lambda error=error: str(error))()
            if whole or not said.startswith("Missing "):
                wrong.append(f"{_name(page)}:{line}: {command}\n    {said}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    "page", [page for page in PAGES if any(each.language == "python" for each in blocks(page))], ids=_name
)
def test_snippets_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("snippet")
    monkeypatch.setitem(sys.modules, "snippet", module)  # where dataclasses look their annotations up
    with chdir(tmp_path):
        for block in blocks(page):
            if block.language != "python":
                continue
            tree = ast.parse(block.text)
            if ILLUSTRATIVE in block.options:
                continue
            ast.increment_lineno(tree, block.line - 1)
            exec(compile(tree, str(block.page), "exec", dont_inherit=True), module.__dict__)
