"""The repository as a research object: an RO-Crate of its notebooks, data and results.

    python tools/crate.py FOLDER

copies them into FOLDER, with `ro-crate-metadata.json`: who made what, from what, with what, under
which licence (https://www.researchobject.org/ro-crate/). Each archived experiment is an action, as
Process Run Crate has it: when it was run, by which engine, for which page.
"""

import re
import sys
from collections.abc import Iterable
from pathlib import Path

import yaml
from rocrate.model import ContextEntity
from rocrate.rocrate import ROCrate

from longfat import paths, store
from longfat.book import chapters
from longfat.errors import InputError

TEXT = "https://spdx.org/licenses/CC-BY-4.0"
CODE = "https://spdx.org/licenses/GPL-2.0-only"
PROFILE = "https://w3id.org/ro/wfrun/process/0.5"
BASE_VERSION = "1.1"  # of RO-Crate, on which the profile stands
DONE = "http://schema.org/CompletedActionStatus"
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
    crate = ROCrate(version=BASE_VERSION)
    crate.name = citation["title"]
    crate.description = citation["abstract"]
    crate.keywords = citation["keywords"]
    crate.datePublished = citation["date-released"].isoformat()
    crate.root_dataset["version"] = citation["version"]
    profile = {"@type": "CreativeWork", "name": "Process Run Crate", "version": "0.5"}
    crate.root_dataset["conformsTo"] = crate.add(ContextEntity(crate, PROFILE, profile))
    crate.license = _licence(crate, TEXT)
    # By their name together: in CITATION.cff too they are an entity, no person.
    about = {"@type": "Organization", "name": citation["authors"][0]["name"]}
    about["url"] = citation["repository-code"]
    authors = crate.add(ContextEntity(crate, "#authors", about))
    for role in ("author", "creator", "publisher"):
        crate.root_dataset[role] = authors
    for name in ("README.md", "CITATION.cff", "CHANGELOG.md", "book/references.bib"):
        _add(crate, root / name, TEXT)
    for path in sorted((root / "book").glob("*.md")):
        _add(crate, path, TEXT)
    for name in ("requirements.lock", "pyproject.toml"):
        _add(crate, root / name, CODE)
    for path in sorted(path for path in paths.DATA.rglob("*") if path.is_file()):
        _add(crate, path, TEXT)
    for path in sorted(paths.NOTEBOOKS.glob("*.ipynb")):
        _add(crate, path, TEXT)
    for line in store.provenance().values():
        _add_action(crate, line, citation["repository-code"])
    crate.write(folder)
    return crate


def _add_action(crate: ROCrate, line: dict[str, str], repository: str) -> None:
    """Add what made an archived experiment, as its line of provenance has it."""
    name = line["experiment"]
    made = paths.RESULTS / name
    pages = [
        f"{chapters.page(chapter)}.{end}"
        for chapter, one in chapters.stated().items()
        if name in {experiment.name for experiment in one.experiments}
        for end in ("ipynb", "md")
    ]
    of_it = {"versions of behaviour": line["versions"], "commit": line["commit"]}
    of_it |= {
        "platform": line["platform"],
        "runs": line["runs"],
        "processor time, s": line["wall_s"],
    }
    action = crate.add_action(
        _engine(crate, line, repository),
        f"#run-{name}",
        object=_one_or_all(found for page in pages if (found := crate.dereference(page))),
        result=_one_or_all(crate.dereference(_id(path)) for path in sorted(made.glob("*.parquet"))),
        properties={
            "name": f"the archived runs of {name}",
            "description": "; ".join(f"{what}: {value}" for what, value in of_it.items() if value),
            "endTime": line["made"],
            "actionStatus": DONE,
        },
    )
    action["agent"] = crate.root_dataset["author"]
    crate.root_dataset.append_to("mentions", action)


def _one_or_all(entities: Iterable[ContextEntity]) -> ContextEntity | list[ContextEntity]:
    """Return several as a list, and one as itself, as RO-Crate wants it."""
    found = list(entities)
    return found[0] if len(found) == 1 else found


def _engine(crate: ROCrate, line: dict[str, str], repository: str) -> ContextEntity:
    """Return the engine that made an experiment, in its version."""
    version = line["engine_version"] or f"longfat {line['longfat_version']}"
    url = f"{repository}/tree/v{line['longfat_version']}/src/longfat/engines/{line['engine']}"
    about = {
        "@type": "SoftwareApplication",
        "name": f"longfat, engine '{line['engine']}'",
        "softwareVersion": version,
        "url": url,
        "license": {"@id": _licence(crate, CODE).id},
        "softwareRequirements": "requirements.lock",
    }
    id_ = f"{url}#{'-'.join(re.findall(r'[A-Za-z0-9.]+', version))}"
    return crate.dereference(id_) or crate.add(ContextEntity(crate, id_, about))


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
