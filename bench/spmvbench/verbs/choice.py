"""The Markdown section of docs/tuning-results.md about one device, of what bench_choice_quality and `spmvbench train` wrote."""

import re

from spmvbench.results import open_text, read_json
from spmvbench.tables import mean, table

LEVELS = {
    "plain CSR": "plain CSR",
    "hand-written": "hand-written rules alone",
    "rule": "**rule** (learned, then hand-written)",
    "rule (left out)": "rule, each class left out of the training",
    "model": "**model**",
    "model (timed)": "model, of what was timed",
    "measure (replayed)": "**measure**, replayed on the records",
    "measure": "**measure**, in a run of its own",
}


def add_arguments(parser):
    parser.add_argument("quality", metavar="QUALITY.json", help="of bench_choice_quality --json")
    parser.add_argument("--name", required=True, help="of the device, for people")
    parser.add_argument("--rule", required=True, metavar="FILE.json", help="of spmvbench train -o")
    parser.add_argument("--tree", required=True, metavar="FILE.txt", help="of its --text")
    parser.add_argument("--left-out", required=True, metavar="FILE.json", help="of its --left-out")
    parser.add_argument("--plots", required=True, metavar="PREFIX", help="PREFIX-f64.svg, beside the page, is the plot of f64")


def short(kernel):
    """csr_vector lanes8 unroll1 of csr_vector_f64_i32_o32_a1_b0_k1_lanes8_unroll1."""
    found = re.match(r"(.+?)_[fc]\d+_.*?i\d+_o\d+_a1_b0_k1_?(.*)", kernel)
    return f"`{found[1]}` {found[2].replace('_', ' ')}".strip() if found else f"`{kernel}`"


def ratio(record, level):
    return record["choices"].get(level, {}).get("ratio")


def levels_table(records):
    rows = []
    for level, words in LEVELS.items():
        asked = [r for r in records if level in r["choices"]]
        known = [r for r in asked if ratio(r, level)]
        if not known:
            continue
        ratios = [ratio(r, level) for r in known]
        worst = max(known, key=lambda r: ratio(r, level))
        within = [f"{100 * sum(x <= limit for x in ratios) / len(ratios):.0f} %" for limit in (1.05, 1.1, 1.25, 1.5, 2)]
        plain = [(ratio(r, "plain CSR"), ratio(r, level)) for r in known if ratio(r, "plain CSR")]
        gain = f"{mean([p / x for p, x in plain]):.2f}" if plain else "-"
        slower = str(sum(x > 1.03 * p for p, x in plain)) if plain else "-"
        rows.append(
            [
                words,
                str(len(known)),
                str(len(asked) - len(known)),
                f"**{mean(ratios):.3f}**",
                f"{max(ratios):.2f} ({worst['matrix'].removeprefix('gallery:')} {worst['value']})",
                *within,
                gain,
                slower,
            ]
        )
    table(
        [
            "level",
            "cases",
            "not timed",
            "mean ratio",
            "worst",
            "≤ 1.05",
            "≤ 1.1",
            "≤ 1.25",
            "≤ 1.5",
            "≤ 2",
            "plain CSR ÷ it",
            "slower than plain CSR",
        ],
        rows,
        left=None,
    )


def matrices_table(records):
    present = [
        level for level in ("plain CSR", "rule", "rule (left out)", "model", "measure") if any(ratio(r, level) for r in records)
    ]
    rows = []
    for r in sorted(records, key=lambda r: (r["value"], r["threads"], r["group"], r["nnz"])):
        case = r["value"] + (f", {r['threads']} threads" if r["threads"] > 0 else "")
        rows.append(
            [
                r["matrix"].removeprefix("gallery:"),
                r["group"],
                case,
                f"{r['nnz']:,}",
                f"{r['best']['us']:.1f}",
                short(r["best"]["kernel"]),
            ]
            + [f"{ratio(r, level):.2f}" if ratio(r, level) else "-" for level in present]
            + [r["choices"]["rule"]["reason"]]
        )
    table(["matrix", "class", "case", "nonzeros", "best µs", "best kernel", *present, "level rule says"], rows, left=None)


def run(a):
    quality, rule = read_json(a.quality), read_json(a.rule)
    apart = {(r["matrix"], r["value"], r["threads"]): r["choices"] for r in read_json(a.left_out)["records"]}
    with open_text(a.tree) as file:
        tree, classes = file.read().split("\n\n", 1)
    records = quality["records"]
    for r in records:
        r["choices"] |= apart.get((r["matrix"], r["value"], r["threads"]), {})
    values = sorted({r["value"] for r in records}, reverse=True)
    print(f"## {a.name}\n")
    print(
        f"{len({r['matrix'] for r in records})} matrices in {', '.join(values)}; records of {rule['date']} and before, "
        f"kernels of generator "
        f"`{rule['generator'][:12]}`. {rule['note']} Level rule takes {quality['choosing_us']:.0f} µs beyond the features.\n"
    )
    if quality["disturbed"]:
        print(f"Left out: {quality['disturbed']} records in which threads waited for a processor (other programs ran).\n")
    for value in values:
        print(f"![Performance profile, {a.name}, {value}]({a.plots}-{value}.svg)\n")
    levels_table(records)
    if "kernel" in rule["tree"]:
        print(
            "There is no learned rule of this device: no question that a tree could ask made classes better "
            "that were left out of its training.\n"
        )
    else:
        print(
            f"The tree of `tuning_db/rule-{a.plots.removeprefix('tuning-')}.json`; "
            f"`auto` = as the hand-written rules choose:\n\n```\n{tree}\n```\n"
        )
        print(
            f"Its leaves' number ({rule['settings']['leaves']} before equal ones were joined) and least size "
            f"({rule['settings']['least_matrices']} cases) are chosen by leaving classes out.\n"
        )
    print(classes)
    print("<details><summary>All matrices</summary>\n")
    matrices_table(records)
    print("</details>\n")
