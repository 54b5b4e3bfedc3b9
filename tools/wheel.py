"""What the wheel has beside the package: data, notebooks, and the archives of the four papers."""

from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CustomBuildHook(BuildHookInterface):
    """Let the package find outside the repository what it finds there (longfat.paths)."""

    def initialize(self, version, build_data):
        if version == "editable":  # it has the repository
            return
        root = Path(self.root)
        papers = {path.name for path in (root / "data" / "papers").iterdir()}
        paths = [*(root / "data").rglob("*"), *(root / "notebooks").rglob("*")]
        for place in (path.relative_to(root) for path in paths if path.is_file()):
            archive = place.parts[2] if place.parts[1] == "results" else None
            if archive is None or archive.split("-")[0] in papers:
                build_data["force_include"][str(root / place)] = f"longfat/{place}"
