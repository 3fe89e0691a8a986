"""What counted work leaves out of the times of kernels, learned: a few small trees for each kernel.

A tree is a number, what it adds to ln(time), or [figure, limit, tree up to the limit, tree above]. The
figures are those of runtime/tuner/cost/correction.hpp.
"""

import re

from spmvbench.errors import need

TREES, DEPTH, RATE = 20, 3, 0.25
LEAST_LEAF = 30  # times that a leaf is made of
LEAST_TIMES = 60  # of a kernel, for trees
MOST_RESIDUAL = 0.7  # of ln(time): beyond it something else is wrong
LEAST_SHARE = 1e-3  # of a cost in the sum

def names(costs, parameters):
    """Of the figures, in the order of figures()."""
    return ["us", *costs, *parameters]


def figures(kernels, shares, log_us, parameters, np):
    """A row for each time: ln(µs) as counted, shares of the costs, and these parameters in the kernel's name."""
    columns = [log_us, *np.log10(np.maximum(shares, LEAST_SHARE)).T]
    for parameter in parameters:
        found = (re.search(rf"_{parameter}(\d+)(?:_|$)", kernel) for kernel in kernels)
        columns.append(np.log2([1 + int(match.group(1)) if match else 1 for match in found]))
    return np.stack(columns, 1)


def fit(inputs, residual, weight, kernel, count, np):
    """Trees for each of `count` kernels, by number; none where there are few times."""
    boosting = need("sklearn.ensemble", "python3-sklearn").GradientBoostingRegressor
    residual = np.clip(residual, -MOST_RESIDUAL, MOST_RESIDUAL)
    trees = [[] for _ in range(count)]
    for k in range(count):
        mask = (kernel == k) & (weight > 0)
        if mask.sum() < LEAST_TIMES:
            continue
        model = boosting(
            n_estimators=TREES,
            max_depth=DEPTH,
            learning_rate=RATE,
            min_samples_leaf=LEAST_LEAF,
            subsample=0.7,
            max_features=0.4,
            random_state=1,
        )
        model.fit(inputs[mask], residual[mask], sample_weight=weight[mask])
        trees[k] = [_rounded(float(model.init_.constant_[0, 0]))]
        trees[k] += [_nested(stage[0].tree_, 0) for stage in model.estimators_]
    return trees


def _rounded(number):
    return float(f"{number:.4g}")


def _nested(tree, node):
    """The tree below a node, features by number."""
    less, above = tree.children_left[node], tree.children_right[node]
    if less == above:
        return round(RATE * float(tree.value[node, 0, 0]), 4)
    limit = _rounded(float(tree.threshold[node]))
    return [int(tree.feature[node]), limit, _nested(tree, less), _nested(tree, above)]


def value(tree, inputs, np):
    """What a tree says of each row."""
    if not isinstance(tree, list):
        return np.full(len(inputs), tree)
    feature, limit, less, above = tree
    return np.where(inputs[:, feature] <= limit, value(less, inputs, np), value(above, inputs, np))


def values(trees, inputs, kernel, np):
    """What all trees of its kernel add to each row's ln(time)."""
    added = np.zeros(len(inputs))
    for k, of_kernel in enumerate(trees):
        mask = kernel == k
        if of_kernel and mask.any():
            added[mask] = sum(value(tree, inputs[mask], np) for tree in of_kernel)
    return added


def named(tree, columns):
    """The same tree with names of figures."""
    if not isinstance(tree, list):
        return tree
    feature, limit, less, above = tree
    return [columns[feature], limit, named(less, columns), named(above, columns)]
