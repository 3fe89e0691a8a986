// The sortable table of all matrices that pass the filters.

const sorting = {column: "nnz", ascending: true};

const bestOurs = (entry) => fastest(entry.cases, (row) => isOurs(row) && !isChoice(row));
const bestPeer = (entry) => fastest(entry.cases, isPeer);
const relative = (a, b) => (a && b ? a / b : undefined);

/** What a row that has no time says instead. */
function withoutTime(row) {
    if (!row) return "";
    return row.wrong ? "WRONG" : row.none ? "none" : "";
}

const columns = [
    {id: "matrix", label: "matrix", text: true, of: (entry) => entry.matrix.label.toLowerCase(), show: (entry) => el("a", {href: "#" + entry.matrix.id, onclick: (event) => {
        event.preventDefault();
        openMatrix(entry.matrix);
    }}, entry.matrix.label)},
    {id: "speedup", label: "speed-up", of: (entry) => entry.speedup, show: (entry) => (entry.speedup === undefined ? "" : el("span", {class: entry.speedup < 1 ? "slower" : "faster"}, figure(entry.speedup) + (entry.speedup < 1 ? " ▾" : "")))},
    {id: "time", label: "µs", of: (entry) => entry.time, show: (entry) => (entry.time === undefined ? el("span", {class: "wrong"}, withoutTime(entry.subject)) : figure(entry.time))},
    {id: "kernel", label: "kernel", text: true, of: (entry) => (entry.subject ? kernelName(entry.subject) || entry.subject.case : ""), show: (entry) => el("code", {title: entry.subject ? entry.subject.kernel || "" : ""}, entry.subject ? kernelName(entry.subject) || entry.subject.case : "")},
    {id: "baseline", label: "baseline", text: true, of: (entry) => (entry.baseline ? entry.baseline.case : "")},
    {id: "baselineTime", label: "its µs", of: (entry) => entry.baselineTime, show: (entry) => (entry.baselineTime === undefined ? el("span", {class: "wrong"}, withoutTime(entry.baseline)) : figure(entry.baselineTime))},
    {id: "ours", label: "fastest of ours", text: true, of: (entry) => (bestOurs(entry) || {case: ""}).case},
    {id: "loss", label: "time over it", title: "its time over that of the fastest of our kernels", of: (entry) => relative(entry.time, timeOf(bestOurs(entry)))},
    {id: "peer", label: "best other library", text: true, of: (entry) => (bestPeer(entry) || {case: ""}).case},
    {id: "over", label: "over the other", title: "speed-up over the best other library", of: (entry) => relative(timeOf(bestPeer(entry)), entry.time)},
    {id: "class", label: "class", text: true, of: (entry) => entry.matrix.class || ""},
    {id: "nnz", label: "nonzeros", of: (entry) => entry.matrix.nnz, show: (entry) => whole(entry.matrix.nnz)},
    {id: "rows", label: "rows", of: (entry) => entry.matrix.rows, show: (entry) => whole(entry.matrix.rows)},
    {id: "mean", label: "a row", title: "nonzeros a row", of: (entry) => relative(entry.matrix.nnz, entry.matrix.rows)},
    {id: "rate", label: "GB/s", of: (entry) => (entry.time && entry.subject.bytes ? entry.subject.bytes / entry.time / 1e3 : undefined)},
    {id: "bytes", label: "bytes / CSR's", title: "bytes of an apply beside those of plain CSR", of: (entry) => (entry.subject && entry.subject.bytes ? entry.subject.bytes / csrBytes(entry.matrix, state.value) : undefined)},
    {id: "convert", label: "conversion", title: "conversion, in applies of the baseline", of: (entry) => (entry.subject && entry.baselineTime && entry.subject.convert_ms !== undefined ? (1e3 * entry.subject.convert_ms) / entry.baselineTime : undefined)},
    {id: "wrong", label: "wrong", of: (entry) => entry.troubles, show: (entry) => (entry.troubles ? el("span", {class: "wrong"}, entry.troubles) : "0")},
];

/** Numbers by size, texts by the alphabet, what is not known last in both directions. */
function compare(a, b, ascending) {
    const empty = (value) => value === undefined || value === "";
    if (empty(a) || empty(b)) return empty(a) - empty(b);
    const order = typeof a === "string" ? a.localeCompare(b, "en", {numeric: true}) : a - b;
    return ascending ? order : -order;
}

function sorted(entries) {
    const column = columns.find((one) => one.id === sorting.column);
    return [...entries].sort((a, b) => compare(column.of(a), column.of(b), sorting.ascending) || a.matrix.nnz - b.matrix.nnz);
}

function drawTable(entries) {
    const host = byId("table-body");
    const head = columns.map((column) => {
        const now = sorting.column === column.id;
        return el("th", {scope: "col", class: column.text ? "text" : "", "aria-sort": now ? (sorting.ascending ? "ascending" : "descending") : "none"},
            el("button", {type: "button", "data-column": column.id, title: column.title, onclick: () => {
                sorting.ascending = now ? !sorting.ascending : Boolean(column.text);
                sorting.column = column.id;
                drawTable(entries);
                host.querySelector(`button[data-column="${column.id}"]`).focus();
            }}, column.label));
    });
    const cell = (entry, column) => {
        const shown = column.show ? column.show(entry) : column.text ? column.of(entry) : figure(column.of(entry));
        return column.id === "matrix" ? el("th", {scope: "row"}, shown) : el("td", {class: column.text ? "text nowrap" : ""}, shown);
    };
    const about = `${plural(entries.length, "matrix", "matrices")}; speed-up of ${labelOf(state.subject)} over ${labelOf(state.baseline)}, clock ${state.clock}. A column's heading sorts by it.`;
    const [text, box] = tableBox("Table of matrices", about, head, sorted(entries).map((entry) => el("tr", {}, columns.map((column) => cell(entry, column)))), true);
    const before = host.querySelector(".scroll");
    const left = before ? before.scrollLeft : 0;
    host.replaceChildren(text, box);
    box.scrollLeft = left;
}
