"""Markdown tables, and the figures in them."""

import math


def table(head, rows, left=1):
    """Prints a table; columns after the first `left` are aligned to the right. None: no alignment is given."""
    print("| " + " | ".join(head) + " |")
    print("|" + ("---|" * len(head) if left is None else "---|" * left + "---:|" * (len(head) - left)))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def mean(numbers):
    """The geometric one, of numbers that are there; None of none."""
    numbers = [n for n in numbers if n]
    return math.exp(sum(map(math.log, numbers)) / len(numbers)) if numbers else None


def figure(number):
    """Three significant digits; "" of None."""
    if number is None:
        return ""
    if number == 0 or abs(number) >= 100:
        return f"{number:.0f}"
    return f"{number:.{max(0, 2 - math.floor(math.log10(abs(number))))}f}"


def fixed(number, digits=2):
    """So many digits after the point; "" of None."""
    return "" if number is None else f"{number:.{digits}f}"


def ratio(a, b):
    """a / b where both are there and not 0."""
    return a / b if a and b else None
