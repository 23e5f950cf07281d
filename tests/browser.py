"""Where this machine keeps a Chromium or Chrome, and how to get one where it has none."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

NAMES = (
    "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge",
)
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    r"%ProgramFiles%\Google\Chrome\Application\chrome.exe",
    r"%ProgramFiles(x86)%\Google\Chrome\Application\chrome.exe",
    r"%LocalAppData%\Google\Chrome\Application\chrome.exe",
    r"%ProgramFiles(x86)%\Microsoft\Edge\Application\msedge.exe",
)
# where `playwright install chromium` puts its own
DOWNLOADS = (
    "~/.cache/ms-playwright", "~/Library/Caches/ms-playwright", r"~\AppData\Local\ms-playwright",
)
HOW_TO_GET_ONE = "No Chromium or Chrome here: the browser tests were left out. Get one with: " + (
    r".venv\Scripts\python -m playwright install chromium" if os.name == "nt"
    else ".venv/bin/python -m playwright install chromium"
)


def find_browser() -> str | None:
    """The path of a Chromium, Chrome or Edge; `CHROMIUM` in the environment goes first."""
    named = [os.environ.get("CHROMIUM"), *map(shutil.which, NAMES)]
    placed = [os.path.expandvars(place) for place in PLACES]
    found = filter(None, (*named, *placed, *downloaded()))
    return next((path for path in found if is_program(path)), None)


def downloaded() -> list[str]:
    patterns = ("chromium-*/chrome-linux*/chrome", "chromium-*/chrome-mac*/*.app/Contents/MacOS/*",
                "chromium-*/chrome-win*/chrome.exe")
    folders = [Path(os.path.expanduser(folder)) for folder in DOWNLOADS]  # leaves "~\\x" alone
    return [str(path) for folder in folders for kind in patterns for path in folder.glob(kind)]


def is_program(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)
