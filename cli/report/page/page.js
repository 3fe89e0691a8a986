// What is shown: the controls, the theme, and drawing it all again when something changes.

let rows = new Map();

const clockLabels = {stream: "stream (back to back)", graph: "graph (without the host)", solver: "solver (another kernel between)", cold: "cold (caches emptied)"};

/** A choice among options ({id, label, group}); its value is state[name]. */
function choose(name, label, options, change, broad) {
    const groups = [...new Set(options.map((option) => option.group))];
    const list = (group) => options.filter((option) => option.group === group).map((option) => el("option", {value: option.id, selected: String(option.id) === String(state[name])}, option.label));
    return el("label", {class: broad ? "broad" : ""}, label, el("select", {id: "choose-" + name, onchange: (event) => {
        state[name] = name === "run" ? Number(event.target.value) : event.target.value;
        change();
    }}, groups.map((group) => (group ? el("optgroup", {label: group}, list(group)) : list(group)))));
}

/** The first of these that there is a time of. */
function firstTimed(ids) {
    return ids.find((id) => [...rows.values()].some((cases) => timeOf(rowOf(cases, id)) !== undefined));
}

/** Keeps of the state what the run has, and takes what is usual for the rest. */
function settle() {
    const values = kindsOf("value");
    if (!values.includes(state.value)) state.value = values.includes("f64") ? "f64" : values[0];
    const numbers = kindsOf("numbers", (row) => row.value === state.value);
    if (!numbers.includes(state.numbers)) state.numbers = numbers.includes("own") ? "own" : numbers[0];
    rows = chosenRows();
    labelMatrices(rows);
    const clocks = clocksOf(rows);
    if (clocks.length && !clocks.includes(state.clock)) state.clock = clocks[0];
    const choices = casesOf(rows, isChoice), ours = casesOf(rows, (row) => isOurs(row) && !isChoice(row)), peers = casesOf(rows, isPeer);
    const there = new Set([...choices, ...ours, ...peers, ...bests.filter((best) => firstTimed([best.id])).map((best) => best.id)]);
    if (!there.has(state.subject)) state.subject = firstTimed([...choices, "best:ours", ...ours]) || [...there][0];
    if (!there.has(state.baseline)) state.baseline = firstTimed(["best:csr", "best:peer", ...ours]) || [...there][0];
    return {values, numbers, clocks, choices, ours, peers, there};
}

function drawControls() {
    const {values, numbers, clocks, choices, ours, peers, there} = settle();
    const cases = (subject) => [
        ...choices.map((id) => ({id, label: labelOf(id), group: "Chosen"})),
        ...bests.filter((best) => there.has(best.id)).map((best) => ({id: best.id, label: best.label, group: "The fastest of each matrix"})),
        ...ours.map((id) => ({id, label: id, group: "Our kernels"})), ...peers.map((id) => ({id, label: id, group: "Other libraries"})),
    ];
    const classes = [...new Set([...rows.keys()].map((number) => data.matrices[number].class || "not known"))].sort();
    const again = () => {
        const focused = document.activeElement && document.activeElement.id;
        drawControls();
        draw();
        if (focused && byId(focused)) byId(focused).focus();
    };
    byId("controls").replaceChildren(
        choose("run", "Device", data.runs.map((run, id) => ({id, label: run.label})), again, true),
        choose("value", "Precision", values.map((id) => ({id, label: id})), again),
        ...(numbers.length > 1 ? [choose("numbers", "Numbers", numbers.map((id) => ({id, label: id === "own" ? "the matrices' own" : id})), again)] : []),
        choose("clock", "Clock", clocks.map((id) => ({id, label: clockLabels[id]})), again),
        choose("subject", "What", cases(), again), choose("baseline", "beside (baseline)", cases(), again),
        choose("structure", "Class", [{id: "", label: "all classes"}, ...classes.map((id) => ({id, label: id}))], draw),
        choose("only", "Matrices", [["all", "all"], ["slower", "slower than the baseline"], ["faster", "as fast or faster"], ["wrong", "with a wrong product"], ["timeless", "without a time"]].map(([id, label]) => ({id, label})), draw),
        el("label", {class: "broad"}, "Filter", el("input", {id: "query", type: "search", placeholder: "name, class, kernel", value: state.query, autocomplete: "off", spellcheck: "false", oninput: (event) => {
            state.query = event.target.value;
            draw();
        }})));
}

function draw() {
    const all = rows.size;
    const entries = selected(rows);
    byId("status").textContent = entries.length === all ? plural(all, "matrix", "matrices") : `${entries.length} of ${plural(all, "matrix", "matrices")}`;
    drawSummary(entries);
    drawProfile(entries);
    drawSpeedup(entries);
    drawRoofline(entries);
    drawTable(entries);
    drawMatrices(entries);
    drawMethod();
}

function drawMethod() {
    const run = data.runs[state.run];
    const gpu = run.machine.gpu;
    const text = (value) => (typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value));
    byId("subtitle").textContent = `${run.label}, ${run.date}; spmvgen ${text(run.versions.spmvgen)}`;
    const peers = Object.entries(run.peers).map(([name, peer]) => el("li", {}, name + " ", peer && peer.version ? text(peer.version) : "absent" + (peer && peer.absent ? ": " + text(peer.absent) : "")));
    byId("method-body").replaceChildren(
        list([["device", run.device + (gpu ? `, ${text(gpu.name)}, ${text(gpu.target)}, driver ${text(gpu.driver)}` : "")], ["CPU", `${text(run.machine.cpu)}, ${text(run.machine.processors)} processors`], ["date", run.date],
            ...Object.entries(run.method).map(([name, value]) => [name.replaceAll("_", " "), text(value)]),
            ...Object.entries(run.versions).map(([name, value]) => [name, text(value)])]),
        peers.length ? [el("h3", {}, "Other libraries"), el("ul", {}, peers)] : "",
        el("h3", {}, run.commands.length === 1 ? "Command" : "Commands"), ...run.commands.map((command) => el("p", {}, el("code", {}, command))),
        data.notes.length ? [el("h3", {}, "Notes on the files"), el("ul", {}, data.notes.map((note) => el("li", {}, note)))] : "");
}

// The theme: the system's, unless the button says otherwise.
const themes = ["system", "light", "dark"];
const darkSystem = window.matchMedia("(prefers-color-scheme: dark)");

function remembered() {
    try {
        return localStorage.getItem("spmvgen-theme");
    } catch {
        return null; // a page opened as a file may keep nothing
    }
}

function setTheme(theme) {
    document.documentElement.dataset.theme = theme === "system" ? (darkSystem.matches ? "dark" : "light") : theme;
    const button = byId("theme");
    button.dataset.theme = theme;
    button.textContent = {system: "◐ system", light: "☀ light", dark: "☾ dark"}[theme];
    button.setAttribute("aria-label", `Colours: ${theme}. Press to change.`);
    try {
        localStorage.setItem("spmvgen-theme", theme);
    } catch {
        // the choice holds until the page is closed
    }
}

function start() {
    setTheme(themes.includes(remembered()) ? remembered() : "system");
    byId("theme").addEventListener("click", () => setTheme(themes[(themes.indexOf(byId("theme").dataset.theme) + 1) % themes.length]));
    darkSystem.addEventListener("change", () => setTheme(byId("theme").dataset.theme));
    byId("controls").addEventListener("submit", (event) => event.preventDefault());
    document.addEventListener("keydown", (event) => {
        if (event.key === "Escape") hideTooltip();
    });
    drawControls();
    draw();
    const named = () => data.matrices.find((matrix) => "#" + matrix.id === location.hash);
    window.addEventListener("hashchange", () => named() && openMatrix(named()));
    if (named()) openMatrix(named());
    let width = document.body.clientWidth;
    window.addEventListener("resize", () => {
        if (document.body.clientWidth === width) return;
        width = document.body.clientWidth;
        const entries = selected(rows);
        drawProfile(entries);
        drawSpeedup(entries);
        drawRoofline(entries);
    });
}

start();
