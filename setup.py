"""Write `links.json` into every wheel and sdist: an installed package has no proofs, tests and book
to read the links from.

Everything else about the build is in `pyproject.toml`.
"""

import json
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

sys.path.insert(0, str(Path(__file__).parent / "reference"))

from lmlir.ledger.map import links


def write_links(package: Path) -> None:
    """Write the links of this checkout, or of this unpacked sdist, into a copy of the package."""
    (package / "ledger" / "links.json").write_text(
        json.dumps(links(), ensure_ascii=False) + "\n", encoding="utf-8"
    )


class BuildWithLinks(build_py):
    """Add the links to a wheel."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:  # an editable install reads the checkout
            write_links(Path(self.build_lib) / "lmlir")


class SdistWithLinks(sdist):
    """Add the links to an sdist."""

    def make_release_tree(self, base_dir: str, files: list[str]) -> None:
        super().make_release_tree(base_dir, files)
        write_links(Path(base_dir) / "reference" / "lmlir")


setup(cmdclass={"build_py": BuildWithLinks, "sdist": SdistWithLinks})
