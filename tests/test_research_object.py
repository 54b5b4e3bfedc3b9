"""The repository as a research object: licences, citation, changelog, and its RO-Crate."""

import json
import re
import subprocess
import sys
import tomllib
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

import pytest
import yaml

from longfat import papers, paths, store
from longfat.errors import InputError

pytestmark = pytest.mark.medium

ROOT = paths.DATA.parent


@pytest.mark.slow
def test_every_file_has_a_licence_and_a_holder():
    pytest.importorskip("reuse", reason="reuse has no wheel for this platform")
    command = [Path(sys.executable).with_name("reuse"), "--root", ROOT, "lint"]
    answer = subprocess.run(command, capture_output=True, text=True)
    assert answer.returncode == 0, answer.stdout


def test_the_two_licences_are_whole():
    texts = {path.name: path.read_text() for path in (ROOT / "LICENSES").iterdir()}
    assert set(texts) == {"GPL-2.0-only.txt", "CC-BY-4.0.txt", "MIT.txt", "ISC.txt"}
    assert texts["GPL-2.0-only.txt"] == (ROOT / "LICENSE").read_text()
    assert all(f"Section {number} " in texts["CC-BY-4.0.txt"] for number in range(1, 9))


def test_one_version_everywhere():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    changelog = (ROOT / "CHANGELOG.md").read_text()
    released = re.search(r"^## \[(\d+\.\d+\.\d+)\] - (\S+)$", changelog, re.MULTILINE)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert {version("longfat"), project["version"], citation["version"]} == {released[1]}
    assert citation["date-released"].isoformat() == released[2]


def test_the_citation_names_the_four_papers():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert {"cff-version", "message", "title", "authors", "license"} <= set(citation)
    bibliography = (ROOT / "book" / "references.bib").read_text().replace("{", "").replace("}", "")
    titles = [reference["title"] for reference in citation["references"]]
    assert len(titles) == len(papers.names()) == 4
    assert all(title in bibliography for title in titles)


@pytest.fixture(scope="module")
def crate(tmp_path_factory) -> Path:
    pytest.importorskip("rocrate")
    folder = tmp_path_factory.mktemp("crate") / "new"
    command = [sys.executable, ROOT / "tools" / "crate.py", folder]
    answer = subprocess.run(command, capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
    return folder


@pytest.mark.slow
def test_the_crate_is_read_back_with_all_that_it_names(crate):
    from rocrate.rocrate import ROCrate

    read = ROCrate(crate)
    named = {entity.id for entity in read.data_entities}
    expected = {
        path.relative_to(ROOT).as_posix()
        for path in [*paths.DATA.rglob("*"), *paths.NOTEBOOKS.glob("*.ipynb")]
        if path.is_file()
    }
    assert expected <= named
    for entity in read.data_entities:
        assert (crate / entity.id).is_file()
        assert read.dereference(entity["license"].id), f"{entity.id} has no licence"
    assert read.name.startswith("Long, Fat & Lossy")
    assert read.license.id == "https://spdx.org/licenses/CC-BY-4.0"


def test_the_crate_says_what_made_each_archive(crate):
    graph = json.loads((crate / "ro-crate-metadata.json").read_text())["@graph"]
    by_id = {entity["@id"]: entity for entity in graph}
    lines = store.provenance()
    actions = {name: by_id[f"#run-{name}"] for name in lines}
    assert set(actions) == {path.name for path in paths.RESULTS.iterdir() if path.is_dir()}
    assert all(one["@type"] == "CreateAction" and one["result"] for one in actions.values())
    action = actions["hybla-steady"]
    assert action["endTime"] == lines["hybla-steady"]["made"]
    engine = by_id[action["instrument"]["@id"]]
    assert engine["name"] == "longfat, engine 'segment'"
    assert action["object"] == {"@id": "notebooks/hybla.ipynb"}
    assert {"@id": "data/results/hybla-steady/flows.parquet"} in action["result"]
    assert by_id["./"]["conformsTo"]["@id"].startswith("https://w3id.org/ro/wfrun/process/")
    assert by_id["ro-crate-metadata.json"]["about"] == {"@id": "./"}
    assert str(ROOT) not in json.dumps(graph)


def test_a_crate_needs_an_empty_folder(tmp_path):
    pytest.importorskip("rocrate")
    import crate

    (tmp_path / "mine").write_text("")
    with pytest.raises(InputError, match="must be new or empty"):
        crate.write(tmp_path)


@pytest.mark.slow
def test_the_validator_of_process_run_crates_finds_nothing(crate, tmp_path):
    """Neither in what the profile demands nor in what it recommends.

    Without a network: the validator's cache is given the context that rocrate has with it, which is
    a later one that has the same terms.
    """
    pytest.importorskip("rocrate_validator", reason="no roc-validator here")
    from requests import Request
    from requests_cache import CachedRequest, CachedResponse, CachedSession
    from rocrate_validator import models, services

    metadata = json.loads((crate / "ro-crate-metadata.json").read_text())
    context = files("rocrate").joinpath("data", "ro-crate.jsonld").read_bytes()
    cache, asked = str(tmp_path / "cache"), Request("GET", metadata["@context"]).prepare()
    session = CachedSession(cache, backend="sqlite", expire_after=-1)
    session.cache.responses[session.cache.create_key(asked)] = CachedResponse(
        content=context,
        status_code=200,
        url=asked.url,
        headers={"Content-Type": "application/ld+json"},
        request=CachedRequest.from_request(asked),
    )
    session.close()
    result = services.validate(
        models.ValidationSettings(
            rocrate_uri=str(crate),
            profile_identifier="process-run-crate-0.5",
            requirement_severity=models.Severity.RECOMMENDED,
            offline=True,
            cache_path=cache,
        )
    )
    assert result.passed(), [issue.message for issue in result.get_issues()]
