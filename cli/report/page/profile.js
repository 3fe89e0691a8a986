// The performance profile of Dolan and Moré, as in the Ginkgo paper's Figures 11, 14 and 15.

const profile = {shown: null, factor: 1.25, hovered: null, key: ""};
const largestFactor = 10;

/** Each case keeps its look whatever else is shown: eight colours for the usual ones, then the same with other dashes. */
function lookOf(id) {
    const number = profile.looks.indexOf(id);
    return {colour: `var(--c${number % 8})`, dash: ["", "7 4", "2 3", "10 3 2 3"][Math.floor(number / 8) % 4]};
}

/** Which cases are shown at first: what was chosen, the fastest of all our kernels, and a few of each side that are near the best. */
function usualCases(entries, cases) {
    const least = (entry, wanted) => timeOf(fastest(entry.cases, wanted));
    const loss = (id) => geometricMean(entries.map((entry) => {
        const time = timeOf(rowOf(entry.cases, id)), best = least(entry, () => true);
        return time && best ? time / best : 20;
    }));
    const near = (wanted, count) => cases.filter(wanted).map((id) => [loss(id), id]).sort((a, b) => a[0] - b[0]).slice(0, count).map(([, id]) => id);
    return new Set([...near((id) => !profile.ours.has(id) && !profile.peers.has(id), 2), ...near((id) => profile.ours.has(id), 3), ...near((id) => profile.peers.has(id), 3)]);
}

/** For each case shown: the factors over the fastest of those shown, ascending, of matrices on which it ran. */
function profileOf(entries, shown) {
    const factors = new Map([...shown].map((id) => [id, []]));
    let matrices = 0;
    for (const {cases} of entries) {
        const times = [...shown].map((id) => [id, timeOf(cases.get(id))]).filter(([, time]) => time !== undefined);
        if (!times.length) continue;
        ++matrices;
        const least = Math.min(...times.map(([, time]) => time));
        for (const [id, time] of times) factors.get(id).push(time / least);
    }
    for (const list of factors.values()) list.sort((a, b) => a - b);
    return {factors, matrices};
}

function shareWithin(factors, factor, matrices) {
    return matrices ? factors.filter((f) => f <= factor * (1 + 1e-12)).length / matrices : 0;
}

function curveOf(factors, matrices, x, y) {
    let path = "", share = 0;
    factors.forEach((factor, i) => {
        if (factor > largestFactor) return;
        const last = share;
        share = (i + 1) / matrices;
        path += path ? `H${x(factor).toFixed(1)}V${y(share).toFixed(1)}` : `M${x(1).toFixed(1)} ${y(last).toFixed(1)}H${x(factor).toFixed(1)}V${y(share).toFixed(1)}`;
    });
    return (path || `M${x(1)} ${y(0)}`) + `H${x(largestFactor).toFixed(1)}`;
}

function drawProfile(entries) {
    const host = byId("profile-body");
    profile.entries = entries;
    const rows = chosenResults();
    const cases = [...new Set(rows.map((row) => row.case))];
    profile.ours = new Set(rows.filter((row) => isOurs(row) && !isChoice(row)).map((row) => row.case));
    profile.peers = new Set(rows.filter(isPeer).map((row) => row.case));
    const key = `${state.run} ${state.value} ${state.numbers}`;
    if (profile.key !== key || !profile.shown) {
        profile.shown = usualCases(entries, cases);
        profile.looks = [...profile.shown, ...cases.filter((id) => !profile.shown.has(id))];
        profile.key = key;
    }
    profile.cases = cases;
    if (!entries.length) return host.replaceChildren(notice("No matrix is selected."));
    host.replaceChildren(el("div", {id: "profile-figure"}), profileReader(), profileSets(), el("div", {id: "profile-legend"}));
    redrawProfile();
}

function redrawProfile() {
    const result = profileOf(profile.entries, profile.shown);
    drawCurves(result);
    drawLegend(result);
}

function drawCurves({factors, matrices}) {
    const host = byId("profile-figure");
    const frame = frameOf(host, 0.45);
    const x = logScale([1, largestFactor], frame.x);
    x.ticks = [1, 1.25, 1.5, 2, 3, 4, 5, 7, 10];
    const y = linearScale([0, 1], frame.y, [0, 0.25, 0.5, 0.75, 1], (share) => 100 * share + " %");
    const curves = [...factors].map(([id, list]) => {
        const look = lookOf(id);
        const dimmed = profile.hovered && profile.hovered !== id;
        return shape("path", {
            class: "curve" + (id === state.subject ? " subject" : "") + (dimmed ? " dimmed" : ""), stroke: look.colour,
            "stroke-dasharray": look.dash, d: curveOf(list, matrices, x, y), "data-case": id,
        }, shape("title", {}, labelOf(id)));
    });
    const drawing = shape("svg", {viewBox: `0 0 ${frame.width} ${frame.height}`, role: "img", "aria-label": `Performance profile of ${plural(factors.size, "case")} on ${plural(matrices, "matrix", "matrices")}; the legend below has the shares.`},
        axes(frame, x, y, "times as long as the fastest of those shown", "share of matrices"), curves,
        shape("line", {class: "cursor", x1: x(profile.factor), x2: x(profile.factor), y1: frame.y[0], y2: frame.y[1]}));
    drawing.addEventListener("pointermove", (event) => {
        const box = drawing.getBoundingClientRect();
        const at = ((event.clientX - box.left) / box.width) * frame.width;
        setFactor(10 ** ((at - frame.x[0]) / (frame.x[1] - frame.x[0]) * Math.log10(largestFactor)));
    });
    host.replaceChildren(el("figure", {}, drawing));
}

/** Moves the line at which the legend tells the shares. */
function setFactor(factor) {
    profile.factor = Math.min(largestFactor, Math.max(1, factor));
    const result = profileOf(profile.entries, profile.shown);
    const frame = frameOf(byId("profile-figure"), 0.45);
    const x = logScale([1, largestFactor], frame.x);
    const cursor = document.querySelector("#profile-figure .cursor");
    for (const end of ["x1", "x2"]) cursor.setAttribute(end, x(profile.factor));
    byId("profile-factor").value = Math.log10(profile.factor);
    byId("profile-factor").setAttribute("aria-valuetext", figure(profile.factor) + " times");
    byId("profile-factor-text").textContent = figure(profile.factor) + " ×";
    for (const button of document.querySelectorAll("#profile-legend button[data-case]")) {
        const factors = result.factors.get(button.dataset.case);
        button.querySelector(".share").textContent = factors ? percent(shareWithin(factors, profile.factor, result.matrices)) : "";
    }
}

function profileReader() {
    return el("div", {class: "row"},
        el("label", {for: "profile-factor"}, "Shares in the legend are those within"),
        el("output", {id: "profile-factor-text", for: "profile-factor"}, figure(profile.factor) + " ×"),
        el("input", {id: "profile-factor", type: "range", min: 0, max: 1, step: 0.01, value: Math.log10(profile.factor), "aria-valuetext": figure(profile.factor) + " times",
            oninput: (event) => setFactor(10 ** Number(event.target.value))}));
}

function profileSets() {
    const set = (label, choose) => el("button", {type: "button", onclick: () => {
        profile.shown = new Set(choose());
        redrawProfile();
    }}, label);
    const {cases} = profile;
    return el("div", {class: "row", role: "group", "aria-label": "Cases shown in the profile"}, "Show",
        set("the usual", () => usualCases(profile.entries, cases)),
        set("our kernels", () => cases.filter((id) => profile.ours.has(id))),
        set("chosen and other libraries", () => cases.filter((id) => !profile.ours.has(id))),
        set("all", () => cases), set("none", () => []));
}

function drawLegend({factors, matrices}) {
    const button = (id) => {
        const look = lookOf(id);
        const shown = profile.shown.has(id);
        const hover = (to) => () => {
            profile.hovered = shown ? to : null;
            for (const curve of document.querySelectorAll("#profile-figure .curve"))
                curve.classList.toggle("dimmed", Boolean(profile.hovered) && curve.dataset.case !== profile.hovered);
        };
        return el("button", {type: "button", "aria-pressed": String(shown), "data-case": id, onpointerenter: hover(id), onpointerleave: hover(null), onfocus: hover(id), onblur: hover(null),
            onclick: () => {
                if (!profile.shown.delete(id)) profile.shown.add(id);
                profile.hovered = null;
                redrawProfile();
                [...document.querySelectorAll("#profile-legend button[data-case]")].find((one) => one.dataset.case === id).focus();
            }},
        shape("svg", {viewBox: "0 0 30 14", "aria-hidden": "true"}, shape("line", {x1: 1, x2: 29, y1: 7, y2: 7, stroke: look.colour, "stroke-width": id === state.subject ? 4 : 2.5, "stroke-dasharray": look.dash})),
        el("span", {}, labelOf(id)),
        el("span", {class: "share"}, shown ? percent(shareWithin(factors.get(id), profile.factor, matrices)) : ""));
    };
    const group = (title, wanted) => {
        const ids = profile.cases.filter(wanted);
        return ids.length ? [el("h3", {}, title), ids.map(button)] : [];
    };
    byId("profile-legend").replaceChildren(el("div", {class: "legend", role: "group", "aria-label": "Legend: each button shows or hides a curve"},
        group("Chosen", (id) => !profile.ours.has(id) && !profile.peers.has(id)), group("Our kernels", (id) => profile.ours.has(id)), group("Other libraries", (id) => profile.peers.has(id))));
}
