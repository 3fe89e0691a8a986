// The results, and what is asked of them: docs/how-to/benchmark-and-report.md tells the words.

const data = JSON.parse(byId("data").textContent);
data.matrices.forEach((matrix, number) => { matrix.id = "m" + number; });

/** What the controls say; page.js changes it. */
const state = {run: 0, value: "", numbers: "own", clock: "stream", subject: "", baseline: "", query: "", structure: "", only: "all"};

const isOurs = (row) => row.library === "spmvgen";
const isChoice = (row) => isOurs(row) && /^auto([/:]|$)/.test(row.case);
const isPeer = (row) => !isOurs(row);
const isCusparse = (row) => row.library === "cusparse";

/** Cases that stand for the fastest of several on each matrix. */
const bests = [
    {id: "best:ours", label: "the fastest of our kernels", ours: true, of: (row) => isOurs(row) && !isChoice(row)},
    {id: "best:csr-pre", label: "best cuSPARSE CSR, preprocessed", of: (row) => isCusparse(row) && /\/(csr_.*_pre|spmvop_.*)$/.test(row.case)},
    {id: "best:csr", label: "best cuSPARSE CSR", of: (row) => isCusparse(row) && /\/(csr|spmvop)_/.test(row.case)},
    {id: "best:cusparse", label: "best of all cuSPARSE formats", of: isCusparse},
    {id: "best:peer", label: "best of all other libraries", of: isPeer},
];

/** The results of the run, value type and numbers that are chosen. */
function chosenResults() {
    return data.results.filter((row) => row.run === state.run && row.value === state.value && row.numbers === state.numbers);
}

/** The same: matrix → case → row. */
function chosenRows() {
    const found = new Map();
    for (const row of chosenResults()) {
        if (!found.has(row.matrix)) found.set(row.matrix, new Map());
        found.get(row.matrix).set(row.case, row);
    }
    return found;
}

/** Names matrices; those of a run that have the same name also by their size. */
function labelMatrices(rows) {
    const matrices = [...rows.keys()].map((number) => data.matrices[number]);
    const count = new Map();
    for (const {name} of matrices) count.set(name, (count.get(name) || 0) + 1);
    for (const matrix of matrices)
        matrix.label = count.get(matrix.name) > 1 ? `${matrix.name} (${whole(matrix.rows)} × ${whole(matrix.cols)}, ${whole(matrix.nnz)} nonzeros)` : matrix.name;
}

/** What there is of a field, among results of the run that `wanted` takes. */
function kindsOf(field, wanted = () => true) {
    return [...new Set(data.results.filter((row) => row.run === state.run && wanted(row)).map((row) => row[field]))];
}

function clocksOf(rows) {
    const all = [...rows.values()].flatMap((cases) => [...cases.values()]);
    return ["stream", "graph", "solver", "cold"].filter((clock) => all.some((row) => row[clock]));
}

/** Names of cases in the order in which they were measured. */
function casesOf(rows, wanted) {
    const names = new Set();
    for (const cases of rows.values())
        for (const row of cases.values()) if (wanted(row)) names.add(row.case);
    return [...names];
}

/** Microseconds, or undefined: what is wrong or could not run has none. */
function timeOf(row) {
    return row && row[state.clock] ? row[state.clock][0] : undefined;
}

function fastest(cases, wanted) {
    let best;
    for (const row of cases.values())
        if (wanted(row) && timeOf(row) !== undefined && (!best || timeOf(row) < timeOf(best))) best = row;
    return best;
}

/** The row of a case, or of the fastest that a "best:…" stands for. */
function rowOf(cases, id) {
    const best = bests.find((one) => one.id === id);
    return best ? fastest(cases, best.of) : cases.get(id);
}

function labelOf(id) {
    const best = bests.find((one) => one.id === id);
    if (best) return best.label;
    const choice = /^auto(\/[^:]*)?(:.*)?$/.exec(id);
    return choice ? `chosen (${(choice[1] || "/rule").slice(1)})${(choice[2] || "").replaceAll(":", " ")}` : id;
}

function geometricMean(numbers) {
    return numbers.length ? Math.exp(numbers.reduce((sum, n) => sum + Math.log(n), 0) / numbers.length) : undefined;
}

const bytesOfValue = {f32: 4, f64: 8, c32: 8, c64: 16};

/** Bytes of plain CSR, x and y, each once. */
function csrBytes(matrix, value) {
    const size = bytesOfValue[value] || 8;
    return matrix.nnz * (size + 4) + 4 * (matrix.rows + 1) + size * (matrix.rows + matrix.cols);
}

function operations(matrix, value) {
    return (value.startsWith("c") ? 8 : 2) * matrix.nnz;
}

/** Of the values that are chosen, or of others: structure is the same. */
function featuresOf(matrix) {
    const all = matrix.features || {};
    return all[state.value + (state.numbers === "own" ? "" : " " + state.numbers)] || Object.values(all)[0];
}

/** csr_vector of csr_vector_f64_i32_…: no kernel's name has a part that is a value type. */
function kernelName(row) {
    const parts = (row.kernel || "").split("_");
    const cut = parts.findIndex((part) => /^[fc](16|32|64)$/.test(part));
    return cut < 0 ? row.kernel || "" : parts.slice(0, cut).join("_");
}

/**
 * What is selected: one entry a matrix that passes the filters, with its rows, the row of the subject and of the baseline, and
 * how many times as fast the subject is.
 */
function selected(all) {
    const query = state.query.trim().toLowerCase();
    const entries = [];
    for (const [number, cases] of all) {
        const matrix = data.matrices[number];
        const subject = rowOf(cases, state.subject), baseline = rowOf(cases, state.baseline);
        const t = timeOf(subject), b = timeOf(baseline);
        const entry = {matrix, cases, subject, baseline, time: t, baselineTime: b, speedup: t && b ? b / t : undefined};
        entry.troubles = [...cases.values()].filter((row) => row.wrong).length;
        if (state.structure && (matrix.class || "not known") !== state.structure) continue;
        if (query && !(matrix.label + " " + (matrix.class || "") + " " + (subject ? subject.kernel || "" : "")).toLowerCase().includes(query)) continue;
        if (state.only === "slower" && !(entry.speedup < 1)) continue;
        if (state.only === "faster" && !(entry.speedup >= 1)) continue;
        if (state.only === "wrong" && entry.troubles === 0) continue;
        if (state.only === "timeless" && t !== undefined) continue;
        entries.push(entry);
    }
    return entries;
}
