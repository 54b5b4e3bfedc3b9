"""C++ that is compiled when it is first needed, and kept by content."""

import functools
import hashlib
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from longfat import paths
from longfat.errors import InputError, LongfatError, SimulationError

HOW_TO_GET = "it needs a C++ compiler (g++, clang++ or $CXX)"
LONGEST_S = 300  # that a compiler may take
Stamp = tuple[int, int] | None  # of a file: when it was changed, and its size


@functools.cache
def compiler() -> tuple[str, ...] | None:
    """Return the command of the C++ compiler ($CXX, g++, clang++ or c++), or None."""
    if os.name != "posix":
        return None
    if command := shlex.split(os.environ.get("CXX", "")):
        return tuple(command)
    found = next((path for name in ("g++", "clang++", "c++") if (path := shutil.which(name))), None)
    return (found,) if found else None


@functools.cache
def _compiler_version() -> str:
    """Return what is another when the compiler is another."""
    program = shutil.which((compiler() or ("",))[0])
    if program is None:
        return ""
    status = os.stat(program)
    return f"{program} {status.st_size} {status.st_mtime_ns}"


def with_includes(sources: Iterable[Path], folders: Sequence[Path] = ()) -> list[Path]:
    """Return the sources and all that they include, in order: by a path relative to their own, or
    to one of the folders."""
    return _looked_for(sources, folders)[0]


def _looked_for(
    sources: Iterable[Path], folders: Sequence[Path]
) -> tuple[list[Path], dict[str, Stamp]]:
    """Return what `with_includes` does, and how each place is where it looked: a file that is
    missing today may be there later."""
    found: set[Path] = set()
    stamps: dict[str, Stamp] = {}
    waiting = [path.resolve() for path in sources]
    folders = [folder.resolve() for folder in folders]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            stamps[str(path)] = _stamp(str(path))
            for name in _included(_text(path)):
                for folder in (path.parent, *folders):
                    place = os.path.normpath(folder / name)
                    stamps[place] = _stamp(place)
                    if stamps[place]:
                        waiting.append(Path(place))
                        break
    return sorted(found), stamps


@functools.cache
def _included(text: str) -> list[str]:
    return re.findall(r'^ *# *include *"(.+?)"', text, re.MULTILINE)


def content_sha256(
    sources: Iterable[Path], folders: Sequence[Path] = (), within: Sequence[Path] = ()
) -> str:
    """Return the hash of sources and of all that they include (`with_includes`), or of what of it
    lies `within` folders. It is asked several times a run: while none of these files changes,
    they are not read again."""
    asked = tuple(map(tuple, (sources, folders, within)))
    if asked in _hashes:
        stamps, known = _hashes[asked]
        if all(_stamp(place) == then for place, then in stamps.items()):
            return known
    digest = hashlib.sha256()
    found, stamps = _looked_for(*asked[:2])
    for path in found:
        if not within or any(path.is_relative_to(folder) for folder in within):
            digest.update(path.name.encode() + b"\0" + _text(path).encode() + b"\0")
    _hashes[asked] = stamps, digest.hexdigest()
    return digest.hexdigest()


_hashes: dict[tuple, tuple[dict[str, Stamp], str]] = {}


def _stamp(path: str) -> Stamp:
    """Return what is another when a file has changed, or come."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def _text(path: Path) -> str:
    try:
        status = path.stat()
        return _read(path, status.st_mtime_ns, status.st_size)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}") from None


@functools.cache
def _read(path: Path, _changed: int, _size: int) -> str:
    return path.read_text("utf-8")


def place(
    folder: str,
    name: str,
    flags: Sequence[str],
    sources: Sequence[Path],
    folders: Sequence[Path] = (),
    product: str = "",
) -> Path:
    """Return where `compiled` keeps what it makes: `folder`/`name`-<hash> in the folder of builds
    (`paths.builds`). Raises InputError where there is no compiler."""
    command = compiler()
    if command is None:
        raise InputError(HOW_TO_GET.replace("it needs", "needed is"))
    parts = [*command, *flags, product, _compiler_version(), content_sha256(sources, folders)]
    key = hashlib.sha256("\0".join(filter(None, parts)).encode()).hexdigest()[:24]
    return paths.builds() / folder / f"{name}-{key}"


def compiled(
    folder: str,
    name: str,
    flags: Sequence[str],
    sources: Sequence[Path],
    folders: Sequence[Path] = (),
    product: str = "",
) -> Path:
    """Return what the compiler makes of the sources, compiled unless that is done.

    `folders` are where it looks for what they include; `product` is another when something else is
    another that goes into it. It is kept by content (`place`), whole or not at all. Raises
    InputError where there is no compiler, SimulationError where it fails, with the compiler's first
    error.
    """
    path = place(folder, name, flags, sources, folders, product)
    command = compiler() or ()
    if not path.exists():
        with scratch(path.parent) as fresh, alone(path.name, wait=True):
            if not path.exists():  # another may just have made it
                looks = [f"-I{one}" for one in folders]
                _compile([*command, *flags, *looks, *map(str, sources)], fresh / path.name)
                os.replace(fresh / path.name, path)
    return path


def _compile(command: list[str], path: Path) -> None:
    try:
        done = subprocess.run(
            [*command, "-o", str(path)], capture_output=True, text=True, timeout=LONGEST_S
        )
    except OSError as error:
        raise InputError(f"the C++ compiler {command[0]} cannot be run: {error}") from None
    except subprocess.TimeoutExpired:
        raise SimulationError(f"the compiler took longer than {LONGEST_S} s") from None
    if done.returncode:
        raise SimulationError(first_error(done.stderr))


@contextmanager
def alone(name: str, wait: bool = False) -> Iterator[bool]:
    """Tell whether no other thread or process is at what has this name, or `wait` until none is.

    None may be until this one ends, however it ends.
    """
    import fcntl

    folder = paths.builds()
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / f"{name}.lock", "w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            free = True
        except BlockingIOError:
            free = False
        yield free


def first_error(words: str) -> str:
    """Return the first error of a compiler: file, line and message."""
    lines = words.splitlines()
    found = next((line for line in lines if "error: " in line), words.strip()[-300:])
    return found.removeprefix(f"{Path.cwd()}/")


@contextmanager
def scratch(folder: Path) -> Iterator[Path]:
    """Give a folder within this one to compile in, from which what is whole is moved out.

    So processes that compile the same at once do not disturb each other, and one that is killed
    leaves nothing half done. Raises LongfatError where nothing can be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        fresh = tempfile.TemporaryDirectory(dir=folder)
    except OSError as error:
        reason = error.strerror or error
        raise LongfatError(f"nothing compiled can be kept in {folder}: {reason}") from None
    with fresh:
        yield Path(fresh.name)
