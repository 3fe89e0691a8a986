// Speed-up over size and over the longest row (the Ginkgo paper's Figures 4 and 7), and the roofline.

const evenLine = (x, y, frame) => shape("line", {class: "even", x1: frame.x[0], x2: frame.x[1], y1: y(1), y2: y(1)});

function speedupPoints(entries, xOf, xName) {
    return entries.filter((entry) => entry.speedup !== undefined && xOf(entry) > 0).map((entry) => ({
        x: xOf(entry), y: entry.speedup, matrix: entry.matrix,
        mark: entry.speedup >= 1 ? "circle" : "triangle", colour: entry.speedup >= 1 ? "var(--good)" : "var(--bad)",
        text: `${entry.matrix.label}: ${figure(entry.speedup)} times as fast\n${labelOf(state.subject)} ${figure(entry.time)} µs (${kernelName(entry.subject) || entry.subject.case})\n${labelOf(state.baseline)} ${figure(entry.baselineTime)} µs (${entry.baseline.case})\n${xName(entry)}`,
    }));
}

function drawSpeedup(entries) {
    const timed = entries.filter((entry) => entry.speedup !== undefined);
    byId("speedup-text").textContent = `How many times as fast ${labelOf(state.subject)} is as ${labelOf(state.baseline)}, clock ${state.clock}; above the dashed line it is faster. A point leads to its matrix.`;
    const key = [{mark: "circle", colour: "var(--good)", label: "as fast or faster"}, {mark: "triangle", colour: "var(--bad)", label: "slower"}];
    const domain = extent([...timed.map((entry) => entry.speedup), 1], 1.15);
    const plot = (host, title, xTitle, points) => {
        if (!points.length) return false;
        scatter(host, {title, xTitle, yTitle: "speed-up", points, key, yDomain: domain, lines: [evenLine],
            describe: `${title}: ${plural(points.length, "matrix", "matrices")}, ${points.filter((p) => p.y >= 1).length} as fast or faster. Arrow keys go from point to point, Enter opens the matrix.`});
        return true;
    };
    const bySize = speedupPoints(entries, (entry) => entry.matrix.nnz, (entry) => whole(entry.matrix.nnz) + " nonzeros");
    if (!plot(byId("speedup-nnz"), "Over the number of nonzeros", "nonzeros", bySize))
        byId("speedup-nnz").replaceChildren(notice("No matrix that is selected has a time of both."));
    const ratio = (entry) => {
        const features = featuresOf(entry.matrix);
        return features && features.max_row > 0 ? features.max_row / entry.matrix.rows : undefined;
    };
    const byRows = speedupPoints(entries, ratio, (entry) => `longest row ${whole(featuresOf(entry.matrix).max_row)} of ${whole(entry.matrix.rows)} rows`);
    if (!plot(byId("speedup-rows"), "Over the longest row by the number of rows", "longest row / rows", byRows))
        byId("speedup-rows").replaceChildren(notice(timed.length ? "These results do not tell the longest row: they were measured by a spmvgen whose bench did not write it. Measure again to see the speed-up over max(row) / rows." : "No matrix that is selected has a time of both."));
    else if (byRows.length < bySize.length)
        byId("speedup-rows").append(notice(`${plural(bySize.length - byRows.length, "matrix", "matrices")} without a known longest row left out.`));
}

/** Where A, x and y lie is not known of a cached product: both roofs are drawn. */
function rooflines(bandwidth) {
    const read = [...bandwidth.read].sort((a, b) => a[0] - b[0]);
    const memory = read[read.length - 1][1], peak = Math.max(...read.map((point) => point[1]));
    const roofs = [{rate: memory, label: `memory ${figure(memory / 1e9)} GB/s`}];
    if (peak > 1.2 * memory) roofs.push({rate: peak, label: `caches ${figure(peak / 1e9)} GB/s`});
    return {read, roofs};
}

/** A text that ends at (x, y), along a line of that slope. */
function roofText(text, x, y, slope = 0) {
    return shape("text", {class: "label halo", "text-anchor": "end", transform: `translate(${x.toFixed(1)} ${y.toFixed(1)}) rotate(${(Math.atan(slope) * 180 / Math.PI).toFixed(1)})`}, text);
}

function drawRoofline(entries) {
    const hosts = [byId("roofline-flops"), byId("roofline-bytes")];
    const bandwidth = data.runs[state.run].bandwidth;
    const known = bandwidth && bandwidth.read.length ? rooflines(bandwidth) : null;
    byId("roofline-text").textContent = "Arrays of A, x and y count once each, as they are stored: a format with fewer bytes lies further to the right. " +
        (known ? `The ceilings are the bandwidth of reading (${bandwidth.source}). Products that stay in a cache lie above the memory's.` : "The device's bandwidth is not in these results, and this spmvgen has no profile of it: there is no ceiling to draw.");
    const points = [];
    for (const entry of entries)
        for (const [row, id, mark, colour] of [[entry.subject, state.subject, "circle", "var(--c0)"], [entry.baseline, state.baseline, "square", "var(--c1)"]]) {
            const time = timeOf(row);
            if (!time || !row.bytes || !entry.matrix.nnz) continue;
            const flops = operations(entry.matrix, state.value);
            points.push({matrix: entry.matrix, mark, colour, hollow: mark === "square", bytes: row.bytes, time,
                intensity: flops / row.bytes, gflops: flops / time / 1e3, gbs: row.bytes / time / 1e3,
                text: `${entry.matrix.label}, ${labelOf(id)} (${kernelName(row) || row.case}): ${figure(time)} µs\n${inBytes(row.bytes)}, ${figure(row.bytes / time / 1e3)} GB/s, ${figure(flops / time / 1e3)} GFLOP/s\n${figure(flops / row.bytes)} operations a byte`});
        }
    if (!points.length) return hosts.forEach((host) => host.replaceChildren(notice("No product that is selected has a time and bytes.")));
    const key = [{mark: "circle", colour: "var(--c0)", label: labelOf(state.subject)}, {mark: "square", colour: "var(--c1)", hollow: true, label: labelOf(state.baseline)}];
    const describe = (what) => `${what}: ${plural(points.length, "product")}. Arrow keys go from point to point, Enter opens the matrix.`;
    const intensities = extent(points.map((p) => p.intensity), 1.4);
    const tops = known ? known.roofs.map((roof) => 1.4 * roof.rate * intensities[1] / 1e9) : [];
    scatter(hosts[0], {
        title: "Operations a second over operations a byte", xTitle: "operations / byte", yTitle: "GFLOP/s", key, describe: describe("Roofline"),
        xDomain: intensities, yDomain: extent([...points.map((p) => p.gflops), ...tops], 1.3), points: points.map((p) => ({...p, x: p.intensity, y: p.gflops})),
        lines: known ? known.roofs.map((roof) => (x, y, frame) => {
            const at = (intensity) => y(roof.rate * intensity / 1e9);
            const slope = (at(intensities[1]) - at(intensities[0])) / (frame.x[1] - frame.x[0]);
            return [shape("line", {class: "roof", x1: x(intensities[0]), x2: x(intensities[1]), y1: at(intensities[0]), y2: at(intensities[1])}),
                roofText(roof.label, frame.x[1] - 6, at(intensities[1]) - 7, slope)];
        }) : [],
    });
    const rates = known ? known.read : [];
    const sizes = extent(points.map((p) => p.bytes), 1.5);
    scatter(hosts[1], {
        title: "Bytes a second over the bytes of a product", xTitle: "bytes of A, x and y", yTitle: "GB/s", key, describe: describe("Bandwidth"), xText: (bytes) => inBytes(bytes).replace(/\.0+ /, " "),
        xDomain: sizes, yDomain: extent([...points.map((p) => p.gbs), ...rates.map((rate) => rate[1] / 1e9)], 1.3), points: points.map((p) => ({...p, x: p.bytes, y: p.gbs})),
        lines: known ? [(x, y, frame) => {
            const inside = (value) => Math.min(Math.max(value, sizes[0]), sizes[1]);
            const last = rates[rates.length - 1];
            const line = rates.length > 1 ? rates : [[sizes[0], rates[0][1]], [sizes[1], rates[0][1]]];
            return [shape("polyline", {class: "roof", points: [...line, [sizes[1], last[1]]].filter(([bytes]) => bytes > 0).map(([bytes, rate]) => `${x(inside(bytes)).toFixed(1)},${y(rate / 1e9).toFixed(1)}`).join(" ")}),
                roofText("rate of reading", frame.x[1] - 6, frame.y[1] + 13)];
        }] : [],
    });
}
