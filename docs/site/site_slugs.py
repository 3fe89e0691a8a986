"""Anchors of headings as the pages' own links have them."""
import re


def slug(text, separator):
    plain = re.sub(r"[^\w\- ]", "", text.strip().lower())
    return plain.replace(" ", separator)
