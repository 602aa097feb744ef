"""Walk the standard library of the running Python and print its documentation as JSON lines.

This file is a program, run by path as `python -I -S -B walk.py`, and imports nothing of labelkit:
isolated, without site-packages, and in its own process it sees the standard library only, and the
several hundred modules it imports never reach the app. The rules that decide what is harvested:

* **Modules**: every name in `sys.stdlib_module_names` and every submodule of those packages, less
  private names, `EXCLUDED` and the parts in `EXCLUDED_PARTS`. A module that cannot be imported
  here is left out (the drift report then names its documents).
* **Objects**: classes, functions, methods and properties under public names (no leading
  underscore in any part), and the special forms of typing. Only an object's own `__doc__`.
  A method of a private base class counts for the first public class, by name, that has it.
* **One name each**: an object reachable under several names takes the first of: its name in
  `builtins`; in the outermost package around its home that lists it in `__all__`
  (`asyncio.gather`, not `asyncio.tasks.gather`); its home `__module__.__qualname__` where public
  (`posix` counts as `os`, `posixpath` and `genericpath` as `os.path`); the module of the home's
  name without underscore (`csv` for `_csv`); the shortest public name that remains;
  within each, the name that the object gives itself goes first (`OSError`, not `IOError`).
* **Text**: `inspect.cleandoc` with LF line ends. Left out: fewer than 20 characters; a bare
  signature; a memory address; the generated texts of named tuples and enumerations.
* **Identical texts**: among documents with the same text and the same last name part, only the
  first by (builtins, fewest dots, shortest, alphabetical) stays: `random.choice`, not also
  `random.Random.choice`. A text that then still stands under more than three names says nothing
  about any of them, and all are left out.
* **Topics**: every entry of `pydoc_data.topics`, whole.
"""

from __future__ import annotations

import importlib
import inspect
import json
import pkgutil
import platform
import re
import sys
import types
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

ALIASES = {"posix": "os", "posixpath": "os.path", "genericpath": "os.path"}
"""Implementation modules and the module that a programmer knows them by."""

EXCLUDED = {
    # depend on what is installed or on how Python was built
    *("tkinter", "turtle", "turtledemo", "idlelib", "curses", "readline", "rlcompleter"),
    *("dbm.gnu", "dbm.ndbm", "ensurepip", "lib2to3", "distutils", "nis", "ossaudiodev", "spwd"),
    *("crypt", "venv", "sysconfig", "site", "sitecustomize", "usercustomize"),
    # act when imported
    *("antigravity", "this"),
    # other systems
    *("msilib", "msvcrt", "nt", "ntpath", "nturl2path", "winreg", "winsound", "ctypes.wintypes"),
    *("ctypes.macholib", "asyncio.windows_events", "asyncio.windows_utils"),
    *("multiprocessing.popen_spawn_win32",),
    # implementations known by another name, and tables without documentation
    *("posix", "posixpath", "genericpath", "sre_compile", "sre_constants", "sre_parse"),
    *("encodings", "pydoc_data", "opcode", "token", "symbol", "nntplib"),
    # deprecated and gone in Python 3.12 or 3.13: advice that nobody should follow
    *("aifc", "asynchat", "asyncore", "audioop", "cgi", "cgitb", "chunk", "imghdr", "imp"),
    *("mailcap", "pipes", "smtpd", "sndhdr", "sunau", "telnetlib", "uu", "xdrlib"),
}
EXCLUDED_PARTS = {"test", "tests", "__main__"}
MINIMUM_CHARACTERS = 20
MAXIMUM_SHARING = 3
ADDRESS = re.compile(r"\bat 0x[0-9A-Fa-f]{4,}|\b0x[0-9a-f]{9,}")
SIGNATURE = re.compile(r"[\w.]+\([^\n]*\)(\s*->\s*[^\n ]+)?")
GENERATED = re.compile(r"Alias for field number \d+|An enumeration\.")


class Found(NamedTuple):
    """One documented object under the name it was found by."""

    name: str
    kind: str
    module: str
    text: str


def module_names() -> list[str]:
    """The dotted names of all modules in the rules above, sorted."""
    names = [name for name in sorted(sys.stdlib_module_names) if allowed(name)]
    return sorted({*names, "os.path", *(sub for name in names for sub in submodules(name))})


def allowed(name: str) -> bool:
    """Whether a module is public and not excluded, itself or through a package around it."""
    parts = name.split(".")
    if any(part.startswith("_") or part in EXCLUDED_PARTS for part in parts):
        return False
    return not any(".".join(parts[: end + 1]) in EXCLUDED for end in range(len(parts)))


def submodules(name: str) -> Iterator[str]:
    """The allowed modules inside a package, at any depth."""
    for entry in pkgutil.iter_modules(getattr(load(name), "__path__", ())):
        inner = f"{name}.{entry.name}"
        if allowed(inner):
            yield inner
            yield from submodules(inner)


def load(name: str) -> types.ModuleType | None:
    """A module, or None where it cannot be imported on this system."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def is_public(name: str) -> bool:
    """Whether no part of a dotted name is private."""
    return not any(part.startswith("_") or part == "<locals>" for part in name.split("."))


def is_special_form(thing: object) -> bool:
    """Whether this is an object such as typing.Optional, which carries a text of its own."""
    return type(thing).__module__ == "typing" and hasattr(thing, "_name")


def is_function(thing: object) -> bool:
    """Whether this is a function, in Python, in C, bound, or behind a functools wrapper."""
    return inspect.isroutine(thing) or isinstance(thing, types.MethodType)


def home_of(thing: Any) -> tuple[str, str]:
    """The module and qualified name that an object itself gives."""
    module = getattr(thing, "__module__", None)
    qualname = getattr(thing, "__qualname__", None)
    if isinstance(thing, types.MethodType) or not isinstance(module, str):
        return "", ""
    return ALIASES.get(module, module), qualname if isinstance(qualname, str) else ""


class Library:
    """The imported modules and the one name that each of their objects goes by."""

    def __init__(self, names: Iterable[str]) -> None:
        loaded = {name: load(name) for name in names}
        self.modules = {name: module for name, module in loaded.items() if module is not None}
        self.names: dict[int, list[str]] = defaultdict(list)
        self.things: dict[int, Any] = {}
        for name in self.modules:
            for attribute, thing in self.exports(name):
                self.things[id(thing)] = thing
                self.names[id(thing)].append(f"{name}.{attribute}")

    def exports(self, name: str) -> Iterator[tuple[str, Any]]:
        """A module's public classes, functions and special forms that are its own to show."""
        module = self.modules[name]
        listed = getattr(module, "__all__", None) or ()
        for attribute in sorted({*vars(module), *listed}):
            thing = getattr(module, attribute, None)
            if attribute.startswith("_") or thing is None:
                continue
            shown = inspect.isclass(thing) or is_function(thing) or is_special_form(thing)
            if shown and self.belongs(name, attribute, thing):
                yield attribute, thing

    def belongs(self, name: str, attribute: str, thing: Any) -> bool:
        """Whether a module defines, lists or stands in for this object, not merely imports it."""
        listed = getattr(self.modules[name], "__all__", None)
        if listed is not None and attribute in listed:
            return True
        home = home_of(thing)[0]
        return name == "builtins" or home in (name, "") or (listed is None and not allowed(home))

    def canonical(self, thing: Any) -> str:
        """The one name of an object; see the rules at the top."""
        return min(self.names[id(thing)], key=lambda name: self.preference(name, thing))

    def preference(self, name: str, thing: Any) -> tuple[int, bool, int, int, str]:
        """Sort key of a name: rank under the rules, own name, dots, length and alphabet."""
        module, _, attribute = name.rpartition(".")
        home, qualname = home_of(thing)
        if module == "builtins":
            rank = 0
        elif home.startswith(f"{module}.") and self.lists(name):
            rank = 1
        elif name == f"{home}.{qualname}":
            rank = 2
        elif module == home.lstrip("_"):
            rank = 3
        else:
            rank = 4 if self.lists(name) else 5
        return rank, attribute != qualname, name.count("."), len(name), name

    def lists(self, name: str) -> bool:
        """Whether the module's `__all__` has this name."""
        module, _, attribute = name.rpartition(".")
        return attribute in (getattr(self.modules[module], "__all__", None) or ())

    def objects(self) -> Iterator[tuple[str, str, Any]]:
        """Every object with the module and the name it goes by, sorted by name."""
        named = ((self.canonical(thing), thing) for thing in self.things.values())
        for name, thing in sorted(named, key=lambda pair: pair[0]):
            yield name.rpartition(".")[0], name, thing


def own_doc(thing: Any) -> str:
    """The text of an object's own `__doc__`, or "" where it has none."""
    text = getattr(thing, "__doc__", None)
    if not isinstance(text, str):
        return ""
    inherited = not inspect.isclass(thing) and text == type(thing).__doc__
    return "" if inherited else text


def members(cls: type, name: str, module: str, seen: set[int]) -> Iterator[Found]:
    """The methods, properties and nested classes of a class and of its private bases."""
    for attribute, raw, owner in attributes(cls, seen):
        thing = raw.__func__ if isinstance(raw, (classmethod, staticmethod)) else raw
        if attribute.startswith("_") or id(thing) in seen:
            continue
        inner = f"{name}.{attribute}"
        if inspect.isclass(thing):
            if thing.__qualname__ == f"{owner.__qualname__}.{attribute}":
                seen.add(id(thing))
                yield Found(inner, "class", module, own_doc(thing))
                yield from members(thing, inner, module, seen)
        elif is_method(thing) and defined_in(thing, owner):
            seen.add(id(thing))
            yield Found(inner, "method", module, own_doc(thing))


def attributes(cls: type, named: set[int]) -> Iterator[tuple[str, Any, type]]:
    """What a class defines, then what its bases without a public name define for it."""
    taken: set[str] = set()
    for owner in cls.__mro__:
        if owner is cls or id(owner) not in named:
            for attribute, raw in vars(owner).items():
                if attribute not in taken:
                    yield attribute, raw, owner
        taken.update(vars(owner))


def is_method(thing: object) -> bool:
    """Whether a class attribute is a method or a property of one kind or another."""
    cached = type(thing).__name__ in ("cached_property", "singledispatchmethod")
    return is_function(thing) or inspect.isdatadescriptor(thing) or cached


def defined_in(thing: Any, cls: type) -> bool:
    """Whether a method is written in this class, not borrowed from another public one."""
    qualname = getattr(thing, "__qualname__", "")
    home = qualname.rpartition(".")[0] if isinstance(qualname, str) else ""
    return not home or home == cls.__qualname__ or not is_public(home)


def everything(library: Library) -> Iterator[Found]:
    """Every documented module, class, function, method and topic, before texts are sifted."""
    for name, module in library.modules.items():
        yield Found(name, "module", name, own_doc(module))
    seen = set(library.things)
    for home, name, thing in library.objects():
        kind = "function" if is_function(thing) else "class"
        yield Found(name, kind, home, own_doc(thing))
        if inspect.isclass(thing):
            yield from members(thing, name, home, seen)
    topics = importlib.import_module("pydoc_data.topics").topics
    for name in sorted(topics):
        yield Found(f"topics.{name}", "topic", "pydoc_data.topics", topics[name])


def clean(text: str) -> str:
    """A docstring without its indentation, with LF line ends."""
    lines = inspect.cleandoc(text.replace("\r\n", "\n").replace("\r", "\n")).split("\n")
    return "\n".join(line.rstrip() for line in lines).strip()


def worth_reading(text: str) -> bool:
    """Whether a cleaned text says something, and says the same on every run."""
    if len(text) < MINIMUM_CHARACTERS or ADDRESS.search(text):
        return False
    return not (SIGNATURE.fullmatch(text) or GENERATED.fullmatch(text))


def without_repeats(found: list[Found]) -> list[Found]:
    """Apply the rule for identical texts."""
    first_names = keep_first(found, lambda one: (one.text, one.name.rpartition(".")[2]))
    sharing: dict[str, int] = defaultdict(int)
    for one in first_names:
        sharing[one.text] += 1
    return [one for one in first_names if sharing[one.text] <= MAXIMUM_SHARING]


def keep_first(found: list[Found], key: Callable[[Found], object]) -> list[Found]:
    """The preferred one of all that share a key, sorted by name."""
    chosen: dict[object, Found] = {}
    for one in sorted(found, key=name_order):
        chosen.setdefault(key(one), one)
    return sorted(chosen.values(), key=lambda one: one.name)


def name_order(one: Found) -> tuple[bool, int, int, str]:
    """Preference among names for one text: builtins, fewest dots, shortest, alphabetical."""
    return one.module != "builtins", one.name.count("."), len(one.name), one.name


def harvested() -> list[Found]:
    """All documents of this Python, sorted by name; a name stands for one document only."""
    found = [one._replace(text=clean(one.text)) for one in everything(Library(module_names()))]
    readable = [one for one in found if is_public(one.name) and worth_reading(one.text)]
    return without_repeats(keep_first(readable, lambda one: one.name))


def main() -> None:
    """Print one JSON object per document."""
    version = platform.python_version()
    for one in harvested():
        metadata = {"type": one.kind, "module": one.module, "python": version}
        row = {"doc_id": one.name, "title": one.name, "text": one.text, "metadata": metadata}
        sys.stdout.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
