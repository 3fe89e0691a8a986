"""Trains the decision tree of level `rule` on tuning_db's records (docs/tuning.md).

A leaf is one kernel with the parameters that the hand-written rules give it, but for at most two
that the leaf gives; or it is "auto": whatever the hand-written rules choose, which are what was
known before. It is the one with the least mean loss over the leaf's matrices. The loss of a kernel
that takes r times as long as the best is ln r, and more where that is a risk: + 3 ln(r / 1.3) for r
> 1.3, + 2 ln(r / p) where plain CSR takes p < r times as long as the best. The tree grows by the
question that lessens the loss most. The number of leaves and the least number of matrices of a leaf
are chosen by leaving each class of matrices out in turn; in the numbers that are reported for a
class that was left out, these two were chosen without it, too.
"""

import collections
import datetime
import json
import math
import os
import subprocess
import sys
import tempfile

from spmvbench.errors import BenchError
from spmvbench.results import CLASSES, read_json

MOST_LEAVES = 12
LEAST_MATRICES = (4, 8)
KEPT_KERNELS = 20  # kernels that a tree may choose from, by forward selection
PARAMETER_COST = 0.005  # of each parameter that a leaf gives, in ln r: less is noise
HAND_WRITTEN = ("auto", ())
PRIOR = 0.02  # of each kernel but the hand-written rules', in ln r: what is known counts for something
UNKNOWN = math.log(10)  # loss of a kernel that was not timed on a matrix


def add_arguments(parser):
    parser.add_argument("records", nargs="+", metavar="RECORDS.json")
    parser.add_argument(
        "-o", dest="output", metavar="FILE", help="write the tree there, tuning_db/rule-DEVICE.json; else it is only shown"
    )
    parser.add_argument("--program", default="build/release/bin/bench_choice_quality", help="bench_choice_quality")
    parser.add_argument("--units", type=int, help="multiprocessors of the records' GPU")
    parser.add_argument("--note", default="", help="for people, kept in the file")
    parser.add_argument("--text", metavar="FILE", help="write the tree as text, and its table of classes as Markdown")
    parser.add_argument(
        "--left-out",
        dest="left_out",
        metavar="FILE",
        help="write the ratios of matrices whose class was left out, for spmvbench profile",
    )


class Example:
    """One record: its figures, and what each kernel costs."""

    def __init__(self, record):
        self.name, self.group, self.value = record["matrix"], record["group"], record["value"]
        self.threads = record["threads"]
        self.features = record["features"]
        self.base = record["base"]
        self.best = record["best"]["us"]
        self.times = {(kernel, tuple(sorted(params.items()))): us for kernel, params, us in record["timed"]}
        choices = record["choices"]
        self.plain = choices.get("plain CSR", {}).get("ratio")
        self.hand = choices["hand-written"].get("ratio")

    def ratio(self, leaf):
        """Time over the best time, or nothing: not timed."""
        kernel, overrides = leaf
        if leaf == HAND_WRITTEN:
            return self.hand
        if kernel not in self.base:
            return None
        params = {**self.base[kernel], **dict(overrides)}
        us = self.times.get((kernel, tuple(sorted(params.items()))))
        return us / self.best if us else None

    def leaves(self):
        """What its timed kernels are as leaves."""
        yield HAND_WRITTEN
        for kernel, params in self.times:
            if kernel not in self.base:
                continue
            base = self.base[kernel]
            overrides = tuple((name, value) for name, value in params if base.get(name) != value)
            if len(overrides) <= 2 and all(name != "deterministic" for name, _ in overrides):
                yield kernel, overrides


def loss(ratio, plain):
    if ratio is None:
        return UNKNOWN
    value = math.log(ratio) + 3 * max(0.0, math.log(ratio / 1.3))
    return value + 2 * max(0.0, math.log(ratio / plain)) if plain else value


def cost(leaf):
    return 0 if leaf == HAND_WRITTEN else PRIOR + PARAMETER_COST * len(leaf[1])


def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else 0.0


def geometric(ratios):
    return math.exp(mean(map(math.log, ratios)))


class Losses:
    """The losses of all leaves on all examples: table[leaf][example]."""

    def __init__(self, examples):
        self.examples = examples
        self.leaves = sorted({leaf for e in examples for leaf in e.leaves()})
        self.table = [[loss(e.ratio(leaf), e.plain) + cost(leaf) for e in examples] for leaf in self.leaves]

    def kept(self, among):
        """Forward selection: the leaves of which each example has a good one."""
        kept = [self.leaves.index(HAND_WRITTEN)]
        least = list(self.table[kept[0]])
        while len(kept) < min(KEPT_KERNELS, len(self.leaves)):
            gains = [sum(max(0.0, least[i] - row[i]) for i in among) for row in self.table]
            best = max(range(len(gains)), key=gains.__getitem__)
            if gains[best] <= 1e-9:
                break
            kept.append(best)
            least = [min(a, b) for a, b in zip(least, self.table[best])]
        return kept


class Node:
    def __init__(self, among, leaf, total):
        self.among, self.leaf, self.total = among, leaf, total
        self.split = None  # (gain, feature, limit, less, not less)
        self.question = None

    def is_leaf(self):
        return self.question is None


def round_limit(low, high):
    """The roundest number in (low, high], near their geometric mean."""
    middle = math.sqrt(low * high) if low > 0 else high / 2
    for digits in range(1, 17):
        limit = float(f"{middle:.{digits - 1}e}")
        if low < limit <= high:
            return limit
    return high


class Tree:
    """Grows a tree, one leaf at a time, over some of the examples."""

    def __init__(self, losses, among, least):
        self.losses, self.least = losses, least
        self.kept = losses.kept(among)
        self.names = sorted(losses.examples[0].features)
        self.root = self.node(among)
        self.open = [self.root]
        self.count = 1

    def node(self, among):
        totals = [(sum(self.losses.table[leaf][i] for i in among), leaf) for leaf in self.kept]
        total, leaf = min(totals)
        node = Node(among, leaf, total)
        node.split = self.best_split(node)
        return node

    def best_split(self, node):
        best = None
        for name in self.names:
            values = [self.losses.examples[i].features[name] for i in node.among]
            order = sorted(range(len(values)), key=values.__getitem__)
            ordered = [values[k] for k in order]
            if ordered[0] == ordered[-1]:
                continue
            members = [node.among[k] for k in order]
            ahead = [math.inf] * len(members)  # least total of the first k members, and of the others
            behind = [math.inf] * len(members)
            for leaf in self.kept:
                row, total = self.losses.table[leaf], 0.0
                whole = sum(row[i] for i in members)
                for k, i in enumerate(members):
                    if total < ahead[k]:
                        ahead[k] = total
                    if whole - total < behind[k]:
                        behind[k] = whole - total
                    total += row[i]
            for k in range(self.least, len(members) - self.least + 1):
                if ordered[k - 1] == ordered[k]:
                    continue
                gain = node.total - ahead[k] - behind[k]
                if best is None or gain > best[0] + 1e-9:
                    best = (gain, name, round_limit(ordered[k - 1], ordered[k]), members[:k], members[k:])
        return best

    def grow(self):
        """One leaf more; whether there is one."""
        wanted = [n for n in self.open if n.split and n.split[0] > 1e-6]
        if not wanted:
            return False
        node = max(wanted, key=lambda n: n.split[0])
        _, name, limit, less, not_less = node.split
        node.question = (name, limit, self.node(sorted(less)), self.node(sorted(not_less)))
        self.open.remove(node)
        self.open += node.question[2:]
        self.count += 1
        return True

    def decide(self, example):
        node = self.root
        while not node.is_leaf():
            name, limit, less, not_less = node.question
            node = less if example.features[name] < limit else not_less
        return self.losses.leaves[node.leaf]


def trial(losses, groups, left_out):
    """Losses with each class of `groups` left out, by (least matrices, leaves). Never looks at `left_out`."""
    totals = collections.defaultdict(float)
    inside = [i for i, e in enumerate(losses.examples) if e.group != left_out]
    for least in LEAST_MATRICES:
        for group in groups:
            if group == left_out:
                continue
            tested = [e for e in losses.examples if e.group == group]
            tree = Tree(losses, [i for i in inside if losses.examples[i].group != group], least)
            for leaves in range(1, MOST_LEAVES + 1):
                if leaves > 1:
                    tree.grow()
                totals[least, leaves] += sum(loss(e.ratio(tree.decide(e)), e.plain) for e in tested)
    return totals


def settings(losses, groups, left_out=None):
    """The least loss; of settings within 1 % of an example the fewest leaves."""
    totals = trial(losses, groups, left_out)
    best = min(totals.values())
    return min((leaves, -least) for (least, leaves), total in totals.items() if total <= best + 0.003 * len(losses.examples))


def grown(losses, among, setting):
    leaves, least = setting[0], -setting[1]
    tree = Tree(losses, among, least)
    while tree.count < leaves and tree.grow():
        pass
    return tree


def figures(ratios):
    known = [r for r in ratios if r is not None]
    return {
        "matrices": len(known),
        "not_timed": len(ratios) - len(known),
        "geometric_mean": round(geometric(known), 4),
        "worst": round(max(known), 3),
    }


def slower(examples, ratios):
    return [f"{e.name} {e.value}" for e, r in zip(examples, ratios) if r and e.plain and r > 1.03 * e.plain]


def merged(node, tree):
    """As the file has it: where all answers are the same leaf, no question."""
    leaves = leaves_of(node)
    if len(leaves) == 1:
        return leaf_json(node.among, leaves.pop(), tree)
    name, limit, less, not_less = node.question
    return {"feature": name, "below": limit, "then": merged(less, tree), "else": merged(not_less, tree)}


def leaves_of(node):
    return {node.leaf} if node.is_leaf() else leaves_of(node.question[2]) | leaves_of(node.question[3])


def leaf_json(among, leaf, tree):
    kernel, overrides = tree.losses.leaves[leaf]
    examples = [tree.losses.examples[i] for i in among]
    ratios = [r for r in (e.ratio((kernel, overrides)) for e in examples) if r is not None]
    return {
        "kernel": kernel,
        "params": dict(overrides),
        "matrices": len({e.name for e in examples}),
        "mean": round(geometric(ratios), 3),
        "worst": round(max(ratios), 3),
    }


def shown(node, indent=""):
    if "kernel" in node:
        params = "".join(f" {name}={value}" for name, value in node["params"].items())
        return (
            f"{indent}{node['kernel']}{params}   ({100 * (node['mean'] - 1):.0f} % above the best in the mean of "
            f"{node['matrices']} matrices, {100 * (node['worst'] - 1):.0f} % at worst)\n"
        )
    limit = f"{node['below']:g}"
    return (
        f"{indent}{node['feature']} < {limit}:\n{shown(node['then'], indent + '    ')}"
        f"{indent}{node['feature']} ≥ {limit}:\n{shown(node['else'], indent + '    ')}"
    )


def class_table(examples, groups, tree, left_out):
    text = "| class | matrices | hand-written | worst | tree | worst | left out | worst |\n" + "|---|" + "---|" * 7 + "\n"
    for group in groups + [None]:
        of = [(e, t, o) for e, t, o in zip(examples, tree, left_out) if group in (None, e.group)]
        columns = [
            [r for r in column if r] for column in ([e.hand for e, _, _ in of], [t for _, t, _ in of], [o for _, _, o in of])
        ]
        cells = [f"{geometric(c):.3f} | {max(c):.2f}" if c else "- | -" for c in columns]
        text += f"| {group or '**all**'} | {len({e.name for e, _, _ in of})} | {' | '.join(cells)} |\n"
    return text


def read(arguments):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "training.json")
        command = [arguments.program, "--for-training", "--classes", CLASSES, "--json", path] + arguments.records
        if arguments.units:
            command += ["--units", str(arguments.units)]
        try:
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        except (OSError, subprocess.CalledProcessError) as error:
            raise BenchError(f"{arguments.program}: {error}: build it, or name it with --program") from None
        return read_json(path)


def train(arguments):
    data = read(arguments)
    # Where the matrix itself decides (strips, by their bytes), no tree is asked.
    examples = [Example(r) for r in data["records"] if not r.get("by_matrix")]
    if not examples:
        raise BenchError("all of these matrices decide by themselves; a tree needs others, too")
    groups = sorted({e.group for e in examples})
    losses = Losses(examples)
    left_out = [None] * len(examples)
    for group in groups:
        among = [i for i, e in enumerate(examples) if e.group != group]
        tree = grown(losses, among, settings(losses, groups, group))
        for i, e in enumerate(examples):
            if e.group == group:
                left_out[i] = e.ratio(tree.decide(e))
        print(f"without {group}: {tree.count} leaves", file=sys.stderr)
    setting = settings(losses, groups)
    tree = grown(losses, list(range(len(examples))), setting)
    ratios = [e.ratio(tree.decide(e)) for e in examples]
    quality = {
        "hand_written": {
            **figures([e.hand for e in examples]),
            "slower_than_plain_csr": slower(examples, [e.hand for e in examples]),
        },
        "training": {**figures(ratios), "slower_than_plain_csr": slower(examples, ratios)},
        "leave_one_class_out": {**figures(left_out), "slower_than_plain_csr": slower(examples, left_out)},
    }
    root = merged(tree.root, tree)
    threads = sorted({e.threads for e in examples})
    rule = {
        "kind": "spmvgen learned rule",
        "schema": 1,
        "device": data["device"],
        "values": sorted({e.value for e in examples}, reverse=True),
    }
    if threads[-1] > 0:
        rule["threads"] = {"least": threads[0], "most": threads[-1]}
    rule |= {
        "generator": data["generator"],
        "date": datetime.date.today().isoformat(),
        "command": "spmvbench train " + " ".join(arguments.records),
        "note": arguments.note,
        "matrices": len({e.name for e in examples}),
        "classes": groups,
        "settings": {"leaves": setting[0], "least_matrices": -setting[1]},
        "quality": quality,
        "tree": root,
    }
    text = shown(root) + "\n" + class_table(examples, groups, ratios, left_out)
    level = "rule (left out)"
    apart = {
        "records": [
            {
                "matrix": e.name,
                "group": e.group,
                "value": e.value,
                "threads": e.threads,
                "choices": {level: {"ratio": r} if r else {}},
            }
            for e, r in zip(examples, left_out)
        ]
    }
    return rule, text, apart


def run(arguments):
    rule, text, apart = train(arguments)
    print(text)
    for name, of in rule["quality"].items():
        print(f"{name}: {of}")
    if arguments.output:
        with open(arguments.output, "w") as file:
            json.dump(rule, file, indent=1, ensure_ascii=False)
            file.write("\n")
    if arguments.left_out:
        with open(arguments.left_out, "w") as file:
            json.dump(apart, file, indent=1)
            file.write("\n")
    if arguments.text:
        with open(arguments.text, "w") as file:
            file.write(text)
