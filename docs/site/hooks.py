"""What the site needs beside MkDocs: links that leave docs/ become names of files."""
import pathlib
import re

LINK = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")


def on_page_markdown(markdown, page, config, files):
    docs = pathlib.Path(config["docs_dir"]).resolve()
    here = pathlib.Path(page.file.abs_src_path).parent

    def kept_or_named(match):
        text, link = match.groups()
        path = link.partition("#")[0]
        if not path or "://" in link:
            return match.group()
        target = (here / path).resolve()
        if target.is_relative_to(docs) or not target.is_relative_to(docs.parent):
            return match.group()
        return f"{text} (`{target.relative_to(docs.parent)}`)"

    return LINK.sub(kept_or_named, markdown)
