#!/usr/bin/env python3
"""The page of `spmvgen report` in a real browser: it loads without errors and without a network, sorts, filters, and works with the keyboard.

Usage: tests/browser/page_test.py SPMVGEN [--screenshots FOLDER] [TEST…]

What the page shows is held against figures computed here from the results. Status 77 (skipped) where there is no Chromium:
$SPMVGEN_CHROMIUM, or chromium-headless-shell, chromium, google-chrome on the PATH.
"""
import gzip
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest

import chromium
from made_results import NASTY, made_results

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
H200 = os.path.join(ROOT, "bench/results/h200-f64-all-kernels-hot-cold.jsonl.gz")
CPU = os.path.join(ROOT, "bench/results/cpu-xeon-f64-all-kernels-hot-cold.jsonl.gz")

SPMVGEN = SCREENSHOTS = BROWSER = None


def report(out, *inputs, title="Results"):
    subprocess.run([SPMVGEN, "report", *inputs, "-o", out, "--title", title], check=True, stderr=subprocess.PIPE)
    return out


def read_rows(path):
    with gzip.open(path, "rt") as file:
        rows = [json.loads(line) for line in file]
    return [row for row in rows if "kind" not in row]


def mean(numbers):
    numbers = list(numbers)
    return math.exp(sum(map(math.log, numbers)) / len(numbers))


def figure(value):
    """As the page writes numbers."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.{max(0, 2 - math.floor(math.log10(abs(value))))}f}"


def speedups(rows, cache, baseline):
    """matrix → time of the least of the baseline's cases over the choice's."""
    found = {}
    for name in {row["matrix"] for row in rows}:
        cases = {row["case"]: row[cache]["us"] for row in rows if row["matrix"] == name and cache in row}
        others = [us for case, us in cases.items() if baseline(case)]
        if "auto" in cases and others:
            found[name] = min(others) / cases["auto"]
    return found


def cusparse_csr(case):
    return case.startswith("cusparse/csr_")


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.made = os.path.join(cls.folder.name, "made.jsonl")
        made_results(cls.made)
        cls.big = report(os.path.join(cls.folder.name, "big.html"), H200, CPU)
        cls.small = report(os.path.join(cls.folder.name, "small.html"), cls.made, title=NASTY)
        cls.rows = read_rows(H200)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def setUp(self):
        BROWSER.troubles.clear()

    def tearDown(self):
        BROWSER.evaluate("1")
        self.assertEqual(BROWSER.troubles, [])

    def shoot(self, name, places=("",)):
        """Pictures of the window where each of these begins; "" = as it is."""
        for place in places if SCREENSHOTS else ():
            if place:
                self.js(f"document.documentElement.style.scrollBehavior = 'auto'; document.getElementById('{place}').scrollIntoView()")
            BROWSER.screenshot(os.path.join(SCREENSHOTS, "-".join(filter(None, (name, place))) + ".png"))

    def js(self, expression):
        return BROWSER.evaluate(expression)

    def table(self, column):
        """Texts of a column, by its heading."""
        return self.js("""(() => {
            const heads = [...document.querySelectorAll('#table-body thead th')].map((th) => th.innerText.trim());
            const at = heads.indexOf(%s);
            return [...document.querySelectorAll('#table-body tbody tr')].map((tr) => tr.children[at].innerText.trim());
        })()""" % json.dumps(column))

    def choose(self, name, value):
        self.js("(() => { const s = document.getElementById('choose-%s'); s.value = %s; s.dispatchEvent(new Event('change')); })()" % (name, json.dumps(value)))

    def sort(self, column):
        self.js("document.querySelector('#table-body button[data-column=\"%s\"]').click()" % column)
        return self.js("document.querySelector('#table-body button[data-column=\"%s\"]').closest('th').getAttribute('aria-sort')" % column)

    def test_loads_at_every_size_and_in_both_themes(self):
        for name, size in {"desktop": (1280, 900), "tablet": (768, 1024), "phone": (360, 740)}.items():
            for dark in (False, True):
                with self.subTest(size=name, dark=dark):
                    BROWSER.open(self.big, *size, dark=dark, touch=name == "phone")
                    self.assertEqual(len(self.table("matrix")), 82)
                    self.js("document.querySelector('details.matrix').open = true")
                    BROWSER.wait("document.querySelector('details.matrix[open] .inside table')")
                    # Nothing wider than the window but what scrolls in a box of its own.
                    self.assertLessEqual(self.js("document.documentElement.scrollWidth"), size[0])
                    self.assertEqual(self.js("""[...document.querySelectorAll('body *')].filter((e) => !e.closest('.scroll, svg, .skip, #tooltip') && e.getClientRects().length
                        && e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.outerHTML.slice(0, 80))"""), [])
                    self.assertEqual(self.js("[...document.querySelectorAll('.pair > div, #profile-figure')].every((host) => host.querySelectorAll('svg').length > 0 || host.querySelector('.notice'))"), True)
                    self.shoot(f"{name}-{'dark' if dark else 'light'}", ("", "summary", "profile", "speedup", "roofline", "table", "matrices", "method"))

    def test_shows_what_was_measured(self):
        BROWSER.open(self.big)
        for clock, field in (("stream", "hot"), ("cold", "cold")):  # schema 1 calls the first hot
            self.choose("clock", clock)
            expected = speedups(self.rows, field, cusparse_csr)
            shown = dict(zip(self.table("matrix"), self.table("speed-up")))
            self.assertEqual(len(shown), 82)
            for name, ratio in expected.items():
                self.assertAlmostEqual(float(shown[name].split()[0]) / ratio, 1, delta=0.006, msg=name)
            tiles = self.js("[...document.querySelectorAll('.tile b')].map((b) => b.innerText)")
            self.assertEqual(tiles[0], figure(mean(expected.values())) + " ×")
            self.assertEqual(tiles[1], figure(min(expected.values())) + " ×")

    def test_baseline_precision_and_device_are_chosen(self):
        BROWSER.open(self.big)
        self.choose("baseline", "best:peer")
        expected = mean(speedups(self.rows, "hot", lambda case: "/" in case).values())
        self.assertEqual(self.js("document.querySelector('.tile b').innerText"), figure(expected) + " ×")
        self.choose("run", 1)
        self.assertIn("2 threads", self.js("document.getElementById('subtitle').innerText"))
        self.assertEqual(self.js("[...document.getElementById('choose-baseline').options].some((o) => o.value.startsWith('cusparse'))"), False)
        self.assertEqual(self.js("[...document.getElementById('choose-subject').options].some((o) => o.value === 'auto/model')"), True)
        BROWSER.open(self.small)
        self.assertEqual(self.table("speed-up")[0], "2.00")
        self.choose("numbers", "random")
        self.assertEqual(self.table("speed-up"), ["1.50"])
        self.choose("value", "f32")
        self.assertEqual(self.table("speed-up")[0], "4.00")
        self.assertIsNone(self.js("document.getElementById('choose-numbers')"))

    def test_sorts(self):
        BROWSER.open(self.big)
        self.assertEqual(self.sort("speedup"), "descending")
        numbers = [float(text.split()[0]) for text in self.table("speed-up")]
        self.assertEqual(numbers, sorted(numbers, reverse=True))
        self.assertGreater(numbers[0], numbers[-1])
        self.assertEqual(self.sort("speedup"), "ascending")
        self.assertEqual([float(text.split()[0]) for text in self.table("speed-up")], sorted(numbers))
        self.assertEqual(self.sort("matrix"), "ascending")
        names = [name.lower() for name in self.table("matrix")]
        self.assertEqual(names[0], "333sp")
        self.assertEqual(sorted(names), sorted({row["matrix"].lower() for row in self.rows}))
        self.assertEqual(self.js("document.querySelectorAll('#table-body th[aria-sort=ascending], #table-body th[aria-sort=descending]').length"), 1)

    def test_filters(self):
        BROWSER.open(self.big)
        self.js("document.getElementById('query').focus()")
        BROWSER.type("_OSM")
        self.assertEqual(sorted(self.table("matrix")), ["belgium_osm", "netherlands_osm"])
        self.assertEqual(self.js("document.getElementById('status').innerText"), "2 of 82 matrices")
        self.assertEqual(self.js("document.querySelectorAll('details.matrix').length"), 2)
        self.assertEqual(self.js("document.querySelectorAll('#speedup-nnz .point').length"), 2)
        BROWSER.type(" nothing")
        self.assertEqual(self.table("matrix"), [])
        self.assertIn("No matrix is selected.", self.js("document.getElementById('profile-body').innerText"))
        self.js("(() => { const q = document.getElementById('query'); q.value = ''; q.dispatchEvent(new Event('input')); })()")
        self.choose("only", "slower")
        self.assertEqual(sorted(self.table("matrix")), sorted(name for name, ratio in speedups(self.rows, "hot", cusparse_csr).items() if ratio < 1))
        self.choose("only", "all")
        self.choose("structure", "road")
        self.assertIn("roadNet-CA", self.table("matrix"))
        self.assertEqual(set(self.table("class")), {"road"})

    def test_the_profile_is_that_of_the_results(self):
        BROWSER.open(self.big)
        self.js("[...document.querySelectorAll('#profile-body button')].find((b) => b.innerText === 'all').click()")
        cases = {row["case"] for row in self.rows}
        self.assertEqual(self.js("document.querySelectorAll('#profile-figure .curve').length"), len(cases))
        times = {}
        for row in self.rows:
            if "hot" in row:
                times.setdefault(row["matrix"], {})[row["case"]] = row["hot"]["us"]
        least = {name: min(of.values()) for name, of in times.items()}
        for factor in (1.0, 1.25, 2.0):
            self.js(f"setFactor({factor})")
            shares = self.js("Object.fromEntries([...document.querySelectorAll('#profile-legend button')].map((b) => [b.dataset.case, b.querySelector('.share').innerText]))")
            for case in cases:
                # Times have five digits on the page.
                within = [sum(1 for name, of in times.items() if of.get(case, math.inf) <= factor * least[name] * (1 + slack)) / len(times) for slack in (-1e-4, 1e-4)]
                shown = float(shares[case].replace(" %", "")) / 100
                self.assertTrue(within[0] - 0.001 <= shown <= within[1] + 0.001, (case, factor, within, shown))

    def test_works_with_the_keyboard(self):
        BROWSER.open(self.big)
        focused = "document.activeElement.%s"
        BROWSER.key("Tab")
        self.assertEqual(self.js(focused % "className"), "skip")
        BROWSER.key("Tab")
        self.assertEqual(self.js(focused % "id"), "theme")
        reached = set()
        for _ in range(60):
            BROWSER.key("Tab")
            reached.add(self.js(focused % "id") or self.js(focused % "dataset.case") or self.js(focused % "className") or "point")
        self.assertLessEqual({"choose-run", "choose-value", "choose-clock", "choose-subject", "choose-baseline", "choose-structure", "choose-only", "query", "profile-factor", "auto", "cusparse/csr_alg1"}, reached)
        # The legend: a space takes a curve away and brings it back, and the button keeps the focus.
        self.js("document.querySelector('#profile-legend button[data-case=auto]').focus()")
        curves = self.js("document.querySelectorAll('#profile-figure .curve').length")
        BROWSER.key(" ")
        self.assertEqual(self.js(focused % "getAttribute('aria-pressed')"), "false")
        self.assertEqual(self.js("document.querySelectorAll('#profile-figure .curve').length"), curves - 1)
        BROWSER.key("Enter")
        self.assertEqual(self.js(focused % "getAttribute('aria-pressed')"), "true")
        # The slider of the factor.
        self.js("document.getElementById('profile-factor').focus()")
        before = self.js("document.getElementById('profile-factor-text').innerText")
        BROWSER.key("ArrowRight")
        self.assertNotEqual(self.js("document.getElementById('profile-factor-text').innerText"), before)
        # Points: one tab stop, arrows go on, Enter opens the matrix and takes the focus there.
        self.assertEqual(self.js("document.querySelectorAll('#speedup-nnz .point[tabindex=\"0\"]').length"), 1)
        self.js("document.querySelector('#speedup-nnz .point[tabindex=\"0\"]').focus()")
        BROWSER.key("ArrowRight")
        BROWSER.key("ArrowRight")
        self.assertIn("bcsstk28", self.js(focused % "getAttribute('aria-label')"))
        self.assertIn("bcsstk28", self.js("document.getElementById('tooltip').innerText"))
        BROWSER.key("Enter")
        self.assertEqual(self.js(focused % "tagName"), "SUMMARY")
        self.assertIn("bcsstk28", self.js(focused % "innerText"))
        self.assertEqual(self.js(focused % "parentElement.open"), True)
        BROWSER.key("Enter")
        self.assertEqual(self.js(focused % "parentElement.open"), False)
        # A heading of the table.
        self.js("document.querySelector('#table-body button[data-column=rows]').focus()")
        BROWSER.key("Enter")
        self.assertEqual(self.js(focused % "dataset.column"), "rows")
        self.assertEqual(self.js(focused % "closest('th').getAttribute('aria-sort')"), "descending")
        self.shoot("keyboard")

    def test_the_theme_follows_the_system_and_the_button(self):
        background = "getComputedStyle(document.documentElement).backgroundColor"
        for dark in (True, False):
            BROWSER.open(self.small, dark=dark)
            self.js("localStorage.clear()")
            BROWSER.open(self.small, dark=dark)
            system = self.js(background)
            self.assertEqual(self.js("document.documentElement.dataset.theme"), "dark" if dark else "light")
            seen = []
            for _ in range(3):
                self.js("document.getElementById('theme').click()")
                seen.append(self.js(background))
            self.assertNotEqual(seen[0], seen[1])
            self.assertEqual(seen[2], system)
        self.js("document.getElementById('theme').click(); document.getElementById('theme').click()")
        BROWSER.open(self.small)
        self.assertEqual(self.js("document.documentElement.dataset.theme"), "dark")
        self.js("localStorage.clear()")

    def test_texts_stand_out_in_both_themes(self):
        for dark in (False, True):
            BROWSER.open(self.small, dark=dark)
            least = self.js("""(() => {
                const probe = document.body.appendChild(document.createElement('i'));
                const light = (name) => {
                    probe.style.color = `var(--${name})`;
                    const [r, g, b] = getComputedStyle(probe).color.match(/[\\d.]+/g).map((c) => c / 255).map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
                    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
                };
                const contrast = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
                const pairs = [['ink', 'paper', 7], ['soft', 'paper', 4.5], ['soft', 'sheet', 4.5], ['accent', 'paper', 4.5], ['good', 'paper', 4.5], ['bad', 'paper', 4.5], ['bad', 'sheet', 4.5],
                    ['warn-ink', 'warn-paper', 4.5], ...[0, 1, 2, 3, 4, 5, 6, 7].map((c) => ['c' + c, 'paper', 3])];
                const low = pairs.filter(([a, b, least]) => contrast(a, b) < least).map(([a, b]) => `${a} on ${b}: ${contrast(a, b).toFixed(2)}`);
                probe.remove();
                return low;
            })()""")
            self.assertEqual(least, [])

    def test_no_text_becomes_markup(self):
        BROWSER.open(self.small)
        self.js("document.querySelectorAll('details.matrix').forEach((d) => { d.open = true; })")
        BROWSER.wait("document.querySelectorAll('details.matrix .inside table').length === 2")
        self.assertEqual(self.js("typeof window.broken"), "undefined")
        self.assertEqual(self.js("document.querySelectorAll('img, i, b b, iframe').length"), 0)
        self.assertEqual(self.js("document.scripts.length"), 2)
        self.assertEqual(self.js("document.title"), NASTY)
        self.assertEqual(self.js("document.querySelector('h1').textContent"), NASTY)
        self.assertIn(NASTY, self.table("matrix"))
        text = self.js("document.getElementById('matrices').innerText")
        for expected in (NASTY, "short & <i>regular</i> rows", "none: " + NASTY):
            self.assertIn(expected, text)
        self.assertIn("Test & <b>CPU</b>", self.js("document.getElementById('method').innerText"))

    def test_wrong_products_are_shown_as_wrong(self):
        BROWSER.open(self.small)
        shown = dict(zip(self.table("matrix"), self.table("µs")))
        self.assertEqual(shown[NASTY], "WRONG")
        self.assertEqual(shown["good"], "10.0")
        self.assertEqual(dict(zip(self.table("matrix"), self.table("wrong")))[NASTY], "1")
        self.assertIn("1\nproduct is WRONG and has no time", self.js("document.getElementById('tiles').innerText"))
        self.choose("only", "wrong")
        self.assertEqual(self.table("matrix"), [NASTY])
        self.assertEqual(self.js("document.querySelectorAll('#speedup-nnz .point').length"), 0)
        self.js("document.querySelector('details.matrix').open = true")
        BROWSER.wait("document.querySelector('details.matrix .inside table')")
        self.assertIn("WRONG: 1 of 4 elements of y are wrong", self.js("document.querySelector('details.matrix').innerText"))
        self.assertNotIn("5.00", self.js("document.querySelector('details.matrix table').innerText"))

    def test_a_matrix_has_its_plot_and_what_was_chosen(self):
        BROWSER.open(self.small + "#m0")
        BROWSER.wait("document.querySelector('#m0 .inside table')")
        text = self.js("document.getElementById('m0').innerText")
        for expected in ("short & <i>regular</i> rows", "predicted 9.00 µs (device-x.json)", "csr_rows_f64_i32_o32_a1_b0_k1", "2 different, exact in f32", "2.00; 1 to 3"):
            self.assertIn(expected, text)
        # Cells 5, 0, 1, 2: three of them hold something, of three shades.
        self.assertEqual(self.js("[...document.querySelectorAll('#m0 .spy path')].map((p) => p.getAttribute('d')).sort()"), ["M0 0h1v1h-1z", "M0 1h1v1h-1z", "M1 1h1v1h-1z"])
        self.assertEqual(self.js("document.querySelectorAll('#speedup-rows .point').length"), 1)
        self.shoot("matrix")

    def test_what_old_results_lack_is_said(self):
        BROWSER.open(self.big)
        self.assertIn("do not tell the longest row", self.js("document.getElementById('speedup-rows').innerText"))
        self.js("document.querySelector('details.matrix').open = true")
        BROWSER.wait("document.querySelector('details.matrix .inside table')")
        self.assertIn("Where its entries are is not in these results", self.js("document.querySelector('details.matrix').innerText"))
        self.assertIn("memory 4,613 GB/s", self.js("document.getElementById('roofline').textContent"))
        self.choose("run", 1)
        self.assertIn("there is no ceiling to draw", self.js("document.getElementById('roofline').innerText"))

    def test_motion_is_left_out_where_it_is_not_wanted(self):
        for still, behaviour in ((True, "auto"), (False, "smooth")):
            BROWSER.open(self.small, still=still)
            self.assertEqual(self.js("getComputedStyle(document.documentElement).scrollBehavior"), behaviour)

    def test_what_can_be_used_has_a_name(self):
        BROWSER.open(self.small + "#m0")
        BROWSER.wait("document.querySelector('#m0 .inside table')")
        nodes = BROWSER.call("Accessibility.getFullAXTree")["nodes"]
        used = [n for n in nodes if not n.get("ignored") and n.get("role", {}).get("value") in ("button", "combobox", "searchbox", "slider", "link", "image", "region", "group", "form")]
        self.assertGreater(len(used), 30)
        self.assertEqual([n["role"]["value"] for n in used if not n.get("name", {}).get("value") and n["role"]["value"] != "group"], [])
        roles = {n["role"]["value"] for n in nodes if not n.get("ignored")}
        self.assertLessEqual({"main", "heading", "table", "columnheader", "rowheader", "status", "slider"}, roles)


def main():
    global SPMVGEN, SCREENSHOTS, BROWSER
    arguments = sys.argv[1:]
    if not arguments or arguments[0].startswith("-"):
        sys.exit(__doc__)
    SPMVGEN = os.path.abspath(arguments.pop(0))
    if arguments[:1] == ["--screenshots"]:
        SCREENSHOTS = arguments[1]
        arguments = arguments[2:]
        os.makedirs(SCREENSHOTS, exist_ok=True)
    path = chromium.find()
    if path is None:
        print("SKIPPED: no Chromium: install chromium-headless-shell, or set SPMVGEN_CHROMIUM")
        sys.exit(77)
    with chromium.Browser(path) as BROWSER:
        print("in", BROWSER.call("Browser.getVersion")["product"])
        unittest.main(argv=[sys.argv[0], *arguments])


if __name__ == "__main__":
    main()
