"""The repository as a research object: an RO-Crate of its notebooks, data and results.

    python tools/crate.py FOLDER

copies them into FOLDER, with `ro-crate-metadata.json`: who made what, from what, with what, under
which licence (https://www.researchobject.org/ro-crate/).
"""

import sys
from pathlib import Path

import yaml
from rocrate.model import ContextEntity, Person
from rocrate.rocrate import ROCrate

from longfat import paths
from longfat.errors import InputError

TEXT = "https://spdx.org/licenses/CC-BY-4.0"
CODE = "https://spdx.org/licenses/GPL-2.0-only"
FORMATS = {
    ".bib": "application/x-bibtex",
    ".csv": "text/csv",
    ".ipynb": "application/x-ipynb+json",
    ".json": "application/json",
    ".md": "text/markdown",
    ".parquet": "application/vnd.apache.parquet",
    ".cff": "application/yaml",
}


def write(folder: Path) -> ROCrate:
    """Write the crate into `folder`, which must be new or empty, and return it.

    Raises InputError where there is no repository to take it from, and for a folder with content.
    """
    root = paths.DATA.parent
    if not (root / "CITATION.cff").is_file():
        raise InputError(f"a research object is made of the book's repository, and {root} is none")
    if folder.exists() and any(folder.iterdir()):
        raise InputError(f"{folder}: the folder of a research object must be new or empty")
    citation = yaml.safe_load((root / "CITATION.cff").read_text("utf-8"))
    crate = ROCrate()
    crate.name = citation["title"]
    crate.description = citation["abstract"]
    crate.keywords = citation["keywords"]
    crate.datePublished = citation["date-released"].isoformat()
    crate.root_dataset["version"] = citation["version"]
    crate.license = _licence(crate, TEXT)
    crate.creator = [
        crate.add(Person(crate, f"#author-{number}", {"name": author["name"]}))
        for number, author in enumerate(citation["authors"], 1)
    ]
    package = crate.add(
        ContextEntity(
            crate,
            "#longfat",
            {
                "@type": "SoftwareApplication",
                "name": "longfat",
                "version": citation["version"],
                "softwareVersion": citation["version"],
                "url": citation["repository-code"],
                "license": _licence(crate, CODE).id,
                "softwareRequirements": "requirements.lock",
            },
        )
    )
    for name in ("README.md", "CITATION.cff", "CHANGELOG.md", "book/references.bib"):
        _add(crate, root / name, TEXT)
    for name in ("requirements.lock", "pyproject.toml"):
        _add(crate, root / name, CODE)
    results = sorted(paths.RESULTS.rglob("*.parquet"))
    for path in sorted(path for path in paths.DATA.rglob("*") if path.is_file()):
        _add(crate, path, TEXT)
    for path in sorted(paths.NOTEBOOKS.glob("*.ipynb")):
        notebook = _add(crate, path, TEXT, {"@type": ["File", "SoftwareSourceCode"]})
        made = [
            crate.dereference(_id(p)) for p in results if p.parent.name.startswith(f"{path.stem}-")
        ]
        if made:
            crate.add_action(
                package,
                f"#reproduce-{path.stem}",
                object=notebook,
                result=made,
                properties={"name": f"longfat reproduce {path.stem}"},
            )
    crate.write(folder)
    return crate


def _id(path: Path) -> str:
    return path.relative_to(paths.DATA.parent).as_posix()


def _add(crate: ROCrate, path: Path, licence: str, more: dict | None = None):
    about = {
        "name": path.name,
        "encodingFormat": FORMATS.get(path.suffix, "text/plain"),
        "license": {"@id": _licence(crate, licence).id},
    } | (more or {})
    return crate.add_file(path, _id(path), properties=about, record_size=True)


def _licence(crate: ROCrate, url: str) -> ContextEntity:
    known = crate.dereference(url)
    about = {"@type": "CreativeWork", "name": url.rpartition("/")[2], "identifier": url}
    return known or crate.add(ContextEntity(crate, url, about))


if __name__ == "__main__":
    try:
        write(Path(*sys.argv[1:]))
    except InputError as error:
        sys.exit(f"longfat: {error}")
