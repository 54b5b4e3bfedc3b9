"""How often a study's runs are repeated."""

from dataclasses import dataclass

from longfat.errors import InputError, quoted

PROFILES = ("paper", "quick")


@dataclass(frozen=True, kw_only=True)
class Setting:
    """As often as the study says, in a quick look twice, or as often as is stated in `seeds`."""

    quick: bool = False
    seeds: int | None = None

    def repetitions(self, usual: int, quick: int = 2) -> int:
        """Return how often an experiment is run that is usually run so often."""
        return self.seeds or (quick if self.quick else usual)


def setting(profile: str = "paper", seeds: int | None = None) -> Setting:
    """Return the setting at a profile. Raises InputError for another one, and for no run."""
    if profile not in PROFILES:
        raise InputError(f"profile is '{profile}': it must be paper or quick")
    if seeds is not None and not (isinstance(seeds, int) and seeds >= 1):
        raise InputError(f"seeds is {quoted(seeds)}: it must be a whole number, 1 or more")
    return Setting(quick=profile == "quick", seeds=seeds)
