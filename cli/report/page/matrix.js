// A part for each matrix: where its entries are, what was chosen and why, and every case. Filled when it is opened.

/** Cells of one shade are one path. */
function spyPlot(matrix) {
    const grid = matrix.density;
    if (!grid) return notice("Where its entries are is not in these results: they were measured by a spmvgen whose bench did not write it.");
    const paths = new Array(10).fill("");
    for (let line = 0; line < grid.lines; ++line)
        for (let column = 0; column < grid.columns; ++column) {
            const shade = Number(grid.cells[line * grid.columns + column]);
            if (shade > 0) paths[shade] += `M${column} ${line}h1v1h-1z`;
        }
    return el("figure", {}, shape("svg", {class: "spy", viewBox: `0 0 ${Math.max(1, grid.columns)} ${Math.max(1, grid.lines)}`, role: "img", "shape-rendering": "crispEdges",
        "aria-label": `Where the entries of ${matrix.label} are, in ${grid.columns} by ${grid.lines} cells`},
    paths.map((d, shade) => d && shape("path", {d, fill: "currentColor", "fill-opacity": (0.12 + 0.88 * shade / 9).toFixed(2)}))),
    el("figcaption", {class: "soft"}, `${whole(matrix.rows)} × ${whole(matrix.cols)}; the stronger the colour, the more entries`));
}

function list(pairs) {
    return el("dl", {}, pairs.filter((pair) => pair && pair[1] !== undefined && pair[1] !== "").map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
}

function valuesText(features) {
    if (features.all_equal) return "all equal";
    const exact = ["int8", "bf16", "f16", "f32"].find((type) => features["exact_" + type]);
    const distinct = features.distinct_values;
    return [distinct > 256 ? "more than 256 different" : distinct > 0 ? whole(distinct) + " different" : "", exact ? "exact in " + exact : ""].filter(Boolean).join(", ");
}

function featureList(matrix) {
    const features = featuresOf(matrix);
    if (!features) return [list([["class", matrix.class], ["rows", whole(matrix.rows)], ["columns", whole(matrix.cols)], ["nonzeros", whole(matrix.nnz)], ["a row", figure(relative(matrix.nnz, matrix.rows))]]), notice("More features are not in these results.")];
    const fill = features.block_fill || [];
    return list([
        ["class", matrix.class], ["rows × columns", `${whole(matrix.rows)} × ${whole(matrix.cols)}`], ["nonzeros", whole(matrix.nnz)],
        ["a row", `${figure(features.mean_row)}; ${whole(features.min_row)} to ${whole(features.max_row)}, deviation ${figure(Math.sqrt(features.variance_row || 0))}`],
        ["empty rows", features.empty_rows ? whole(features.empty_rows) : "none"], ["bandwidth", whole(features.bandwidth)],
        ["pattern symmetric", features.pattern_symmetry === undefined ? "" : percent(features.pattern_symmetry)],
        ["values", valuesText(features)],
        ["column distances", features.delta_share ? `${percent(features.delta_share[0])} are 1, ${percent(features.delta_share[1])} fit 8 bits, ${percent(features.delta_share[2])} 16 bits` : ""],
        ["blocks filled", fill.length === 4 ? ["2×2", "3×3", "4×4", "8×8"].map((size, i) => `${size} ${percent(1 / fill[i] || 0)}`).join(", ") : ""],
        ["1 % most used columns", features.top_cols_share === undefined ? "" : percent(features.top_cols_share) + " of the entries"],
    ]);
}

/** What a level chose, why, and how that went. */
function choicePart(matrix, cases, row) {
    const time = timeOf(row), best = fastest(cases, (one) => isOurs(one) && !isChoice(one));
    const ratio = relative(time, timeOf(best));
    const measured = (row.measured || []).map(([kernel, us]) => el("li", {}, el("code", {}, kernel), ` ${figure(us)} µs`));
    return el("div", {}, el("h3", {}, labelOf(row.case)),
        list([
            ["kernel", row.kernel ? el("code", {}, row.kernel) : ""], ["why", row.reason], ["format", [row.format, row.storage && row.storage !== state.value ? "values stored as " + row.storage : ""].filter(Boolean).join(", ")],
            ["time", time !== undefined ? `${figure(time)} µs` + (row.predicted_us ? `; predicted ${figure(row.predicted_us)} µs` + (row.profile ? ` (${row.profile})` : "") : "") : ""],
            ["no time", row.wrong ? el("span", {class: "wrong"}, "WRONG: " + row.wrong) : row.none || ""],
            ["beside the fastest of ours", ratio ? (ratio <= 1.02 ? "as fast" : `${figure(ratio)} times the time of ${best.case}`) : ""],
            ["bytes an apply", row.bytes ? `${inBytes(row.bytes)}, ${figure(row.bytes / csrBytes(matrix, state.value))} of plain CSR's` : ""],
            ["stored entries", row.stored !== undefined && row.stored !== matrix.nnz ? `${whole(row.stored)}, ${figure(relative(row.stored, matrix.nnz))} of the nonzeros` : ""],
            ["conversion", row.convert_ms !== undefined ? `${figure(row.convert_ms)} ms; planning ${figure(row.plan_ms)} ms` : ""],
            ["launches", row.launches || ""],
        ]), measured.length ? [el("p", {class: "soft"}, "Measured by the level:"), el("ul", {}, measured)] : "");
}

function caseTable(matrix, cases) {
    const rows = [...cases.values()];
    const timed = rows.filter((row) => timeOf(row) !== undefined).sort((a, b) => timeOf(a) - timeOf(b));
    const rest = rows.filter((row) => timeOf(row) === undefined).sort((a, b) => Boolean(b.wrong) - Boolean(a.wrong));
    const most = timed.length ? timeOf(timed[timed.length - 1]) : 1, least = timed.length ? timeOf(timed[0]) : 1;
    const longest = Math.min(most, 8 * least);
    const body = timed.map((row) => {
        const [us, low, high] = row[state.clock];
        const kind = row.case === state.subject ? "bar subject" : isOurs(row) ? "bar ours" : "bar";
        return el("tr", {}, el("th", {scope: "row"}, labelOf(row.case)), el("td", {}, figure(us)), el("td", {class: "nowrap"}, low ? `${figure(low)} – ${figure(high)}` : ""), el("td", {}, figure(us / least)),
            el("td", {class: "bars"}, shape("svg", {viewBox: "0 0 100 14", preserveAspectRatio: "none", "aria-hidden": "true"}, shape("rect", {class: kind, x: 0, y: 1, height: 12, width: (100 * Math.min(us, longest)) / longest}))),
            el("td", {}, row.bytes ? figure(row.bytes / us / 1e3) : ""), el("td", {class: "text"}, row.kernel ? el("code", {}, row.kernel) : row.note || ""));
    });
    const without = rest.map((row) => el("tr", {}, el("th", {scope: "row"}, labelOf(row.case)),
        el("td", {colspan: 6, class: row.wrong ? "text wrong" : "text soft"}, row.wrong ? "WRONG: " + row.wrong : row.none ? "none: " + row.none : `no time by ${state.clock}` + (row.untimed && row.untimed[state.clock] ? ": " + row.untimed[state.clock] : ""))));
    return tableBox("Every case of " + matrix.label, `Every case, clock ${state.clock}; bars end at eight times the fastest.`,
        [el("th", {class: "text", scope: "col"}, "case"), ...["µs", "quartiles", "times the fastest", "", "GB/s"].map((name) => (name ? el("th", {scope: "col"}, name) : el("td", {}))), el("th", {class: "text", scope: "col"}, "kernel")],
        [body, without]);
}

function fillMatrix(details, entry) {
    const {matrix, cases} = entry;
    const choices = [...cases.values()].filter(isChoice);
    details.querySelector(".inside").replaceChildren(
        el("div", {}, spyPlot(matrix)), el("div", {}, featureList(matrix)),
        el("div", {class: "wide"}, choices.length ? choices.map((row) => choicePart(matrix, cases, row)) : notice("No level's choice was measured on this matrix (--kernels auto).")),
        el("div", {class: "wide"}, caseTable(matrix, cases)));
    details.dataset.filled = "yes";
}

function drawMatrices(entries) {
    const host = byId("matrices-body");
    const open = new Set([...host.querySelectorAll("details[open]")].map((details) => details.id));
    const step = (all) => el("button", {type: "button", onclick: () => host.querySelectorAll("details").forEach((details) => { details.open = all; })}, all ? "Open all" : "Close all");
    const parts = sorted(entries).map((entry) => {
        const details = el("details", {class: "matrix", id: entry.matrix.id, open: open.has(entry.matrix.id), ontoggle: () => {
            if (details.open && !details.dataset.filled) fillMatrix(details, entry);
        }},
        el("summary", {}, el("b", {}, entry.matrix.label), el("span", {class: "soft"}, `${whole(entry.matrix.nnz)} nonzeros` + (entry.matrix.class ? ", " + entry.matrix.class : "")),
            el("span", {class: entry.speedup < 1 ? "slower" : "faster"}, entry.speedup === undefined ? "" : `${figure(entry.speedup)} ×`),
            entry.troubles > 0 && el("span", {class: "wrong"}, plural(entry.troubles, "wrong product"))),
        el("div", {class: "inside"}));
        if (details.open) fillMatrix(details, entry);
        return details;
    });
    host.replaceChildren(...(parts.length ? [el("div", {class: "row"}, step(true), step(false)), ...parts] : [notice("No matrix is selected.")]));
}

/** Opens a matrix's part and goes there. */
function openMatrix(matrix) {
    hideTooltip();
    const details = byId(matrix.id);
    if (!details) return;
    details.open = true;
    history.replaceState(null, "", "#" + matrix.id);
    details.querySelector("summary").focus({preventScroll: true});
    details.scrollIntoView({block: "start"});
}
