// Figures that one wants first.

function tile(value, label, alarm) {
    return el("div", {class: alarm ? "tile alarm" : "tile"}, el("b", {}, value), el("span", {}, label));
}

/** Of entries: the mean of the speed-ups, their least, and on how many there is none. */
function speedupsOf(entries) {
    const timed = entries.filter((entry) => entry.speedup !== undefined);
    const least = timed.reduce((a, b) => (a && a.speedup <= b.speedup ? a : b), undefined);
    return {mean: geometricMean(timed.map((entry) => entry.speedup)), least, count: timed.length, faster: timed.filter((entry) => entry.speedup >= 1).length};
}

/** Times as fast as the fastest of some rows: of the subject, in the mean. */
function meanOver(entries, wanted) {
    return geometricMean(entries.map((entry) => {
        const other = timeOf(fastest(entry.cases, wanted));
        return other && entry.time ? other / entry.time : undefined;
    }).filter((ratio) => ratio !== undefined));
}

function drawSummary(entries) {
    const all = speedupsOf(entries);
    const wrong = entries.reduce((sum, entry) => sum + entry.troubles, 0);
    const own = meanOver(entries, (row) => isOurs(row) && !isChoice(row)), peer = meanOver(entries, isPeer);
    byId("tiles").replaceChildren(...[
        tile(all.count ? figure(all.mean) + " ×" : "none", `as fast as ${labelOf(state.baseline)}, geometric mean of ${plural(all.count, "matrix", "matrices")}`),
        all.least && tile(figure(all.least.speedup) + " ×", `at the least: ${all.least.matrix.label}`, all.least.speedup < 1),
        tile(`${all.faster} of ${all.count}`, "matrices as fast or faster"),
        own && tile(figure(own) + " ×", "as fast as the fastest of our kernels"),
        peer && tile(figure(peer) + " ×", "as fast as the best other library of each matrix"),
        wrong > 0 && tile(whole(wrong), wrong === 1 ? "product is WRONG and has no time" : "products are WRONG and have no time", true),
    ].filter(Boolean));
    drawClasses(entries);
}

function drawClasses(entries) {
    const classes = new Map();
    for (const entry of entries) {
        const name = entry.matrix.class || "not known";
        if (!classes.has(name)) classes.set(name, []);
        classes.get(name).push(entry);
    }
    if (!entries.length) return byId("classes").replaceChildren(notice("No matrix is selected."));
    const row = (name, list) => {
        const of = speedupsOf(list);
        const peer = meanOver(list, isPeer);
        return el("tr", {}, el("th", {scope: "row"}, name), el("td", {}, whole(list.length)),
            el("td", {class: of.mean < 1 ? "slower" : ""}, figure(of.mean)),
            el("td", {class: of.least && of.least.speedup < 1 ? "slower" : ""}, of.least ? figure(of.least.speedup) : ""),
            el("td", {class: "text"}, of.least ? of.least.matrix.label : ""), el("td", {}, of.count ? percent(of.faster / of.count) : ""), el("td", {}, figure(peer)));
    };
    const sorted = [...classes].sort((a, b) => b[1].length - a[1].length);
    const heading = (name, text) => el("th", {class: text ? "text" : "", scope: "col"}, name);
    byId("classes").replaceChildren(...tableBox("Speed-up by class of structure", `Speed-up of ${labelOf(state.subject)} over ${labelOf(state.baseline)} by class of structure`,
        [heading("class", true), heading("matrices"), heading("mean"), heading("least"), heading("of", true), heading("as fast or faster"), heading("over the best other library")],
        [sorted.map(([name, list]) => row(name, list)), sorted.length > 1 && row("all", entries)]));
}
