"""What the built book needs beyond Jupyter Book: MathJax beside the pages, texts for figures.

A Sphinx extension (`setup`) and a plugin of MyST-NB (entry point `myst_nb.mime_renderers`).
"""

from importlib.resources import as_file, files
from pathlib import Path

from myst_nb.core.render import MimeRenderPlugin
from sphinx.util.fileutil import copy_asset_file

MATHJAX = "tex-svg.js"  # SVG: some browsers refuse a web font to a page that is read from a disk


class AltText(MimeRenderPlugin):
    """Renders an image with the text that `report.show_figure` stores with it."""

    @staticmethod
    def handle_mime(renderer, data, inline):
        """Return the image's nodes, or None where there is no text for it."""
        alt = data.output_metadata.get(data.mime_type, {}).get("alt")
        if inline or not alt or not data.mime_type.startswith("image/"):
            return None
        (image,) = renderer.render_image(data)
        image["alt"] = alt
        return [image]


def _copy_mathjax(app, exception):
    if exception or app.builder.format != "html":
        return
    folder = Path(app.outdir, "_static", "mathjax")
    folder.mkdir(exist_ok=True)
    with as_file(files("sphinx-mathjax-offline") / "static" / "mathjax" / MATHJAX) as source:
        copy_asset_file(source, folder)


def setup(app):
    """Let the pages find MathJax, the one script that sets the equations, beside them."""
    app.config.mathjax_path = f"mathjax/{MATHJAX}"
    app.connect("build-finished", _copy_mathjax)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
