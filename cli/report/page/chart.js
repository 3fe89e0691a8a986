// Axes, points and curves in SVG. A figure is drawn for the width that it has, so that its text keeps its size on a phone.

const superscripts = "⁰¹²³⁴⁵⁶⁷⁸⁹";

function powerOfTen(exponent) {
    return "10" + (exponent < 0 ? "⁻" : "") + [...String(Math.abs(exponent))].map((digit) => superscripts[digit]).join("");
}

/** 0.05, 2500, 10⁵, 2·10⁵ */
function tickText(value) {
    if (value >= 0.01 && value < 10000) return String(+value.toPrecision(3));
    const exponent = Math.floor(Math.log10(value) + 1e-9), digits = +(value / 10 ** exponent).toPrecision(2);
    return (digits === 1 ? "" : digits + "·") + powerOfTen(exponent);
}

/** A logarithmic scale from `domain` to `range`, with ticks. */
function logScale(domain, range, label) {
    const [low, high] = domain.map(Math.log10);
    const scale = (value) => range[0] + ((Math.log10(value) - low) / (high - low || 1)) * (range[1] - range[0]);
    const decades = high - low;
    const steps = decades > 3 ? [1] : decades > 0.9 ? [1, 2, 5] : [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8];
    scale.ticks = [];
    const every = Math.max(1, Math.ceil(decades / 7));
    for (let exponent = Math.floor(low); exponent <= Math.ceil(high); ++exponent)
        for (const step of steps) {
            const value = step * 10 ** exponent;
            if (exponent % every === 0 && value >= domain[0] * 0.999 && value <= domain[1] * 1.001) scale.ticks.push(value);
        }
    scale.text = label || tickText;
    return scale;
}

function linearScale(domain, range, ticks, label) {
    const scale = (value) => range[0] + ((value - domain[0]) / (domain[1] - domain[0])) * (range[1] - range[0]);
    scale.ticks = ticks;
    scale.text = label || String;
    return scale;
}

/** The least and the largest of numbers above 0, with a little room, as the ends of a logarithmic axis. */
function extent(numbers, room) {
    const positive = numbers.filter((n) => n > 0 && Number.isFinite(n));
    if (!positive.length) return [1, 10];
    const low = Math.min(...positive), high = Math.max(...positive);
    return [low / room, high * room];
}

const margin = {left: 58, right: 14, top: 10, bottom: 44};

/** Where a figure's inside lies at the width that `host` has. */
function frameOf(host, ratio) {
    const width = Math.max(260, Math.round(host.clientWidth || 600));
    const height = Math.round(Math.min(440, Math.max(260, width * ratio)));
    return {width, height, x: [margin.left, width - margin.right], y: [height - margin.bottom, margin.top]};
}

/** The axes: grid lines, numbers and what they mean. */
function axes(frame, x, y, xTitle, yTitle) {
    const parts = [];
    const few = Math.max(2, Math.floor((frame.x[1] - frame.x[0]) / 48));
    const keep = Math.ceil(x.ticks.length / few);
    for (const [i, tick] of x.ticks.entries()) {
        parts.push(shape("line", {class: "grid", x1: x(tick), x2: x(tick), y1: frame.y[0], y2: frame.y[1]}));
        if (i % keep === 0) parts.push(shape("text", {x: x(tick), y: frame.y[0] + 16, "text-anchor": "middle"}, x.text(tick)));
    }
    for (const tick of y.ticks) {
        parts.push(shape("line", {class: "grid", x1: frame.x[0], x2: frame.x[1], y1: y(tick), y2: y(tick)}));
        parts.push(shape("text", {x: frame.x[0] - 6, y: y(tick) + 4, "text-anchor": "end"}, y.text(tick)));
    }
    parts.push(shape("path", {class: "axis", fill: "none", d: `M${frame.x[0]} ${frame.y[1]}V${frame.y[0]}H${frame.x[1]}`}));
    const middle = (frame.y[0] + frame.y[1]) / 2;
    parts.push(shape("text", {class: "label", x: (frame.x[0] + frame.x[1]) / 2, y: frame.height - 6, "text-anchor": "middle"}, xTitle));
    parts.push(shape("text", {class: "label", x: 0, y: 0, "text-anchor": "middle", transform: `translate(13 ${middle}) rotate(-90)`}, yTitle));
    return shape("g", {"aria-hidden": "true"}, parts);
}

/** The mark of a series, around (0, 0): shapes differ, so that colour is not needed to tell them apart. */
const marks = {
    circle: () => shape("circle", {r: 4.5}),
    triangle: () => shape("path", {d: "M0 5.2L5.2 -4H-5.2Z"}),
    square: () => shape("rect", {x: -4, y: -4, width: 8, height: 8}),
    diamond: () => shape("path", {d: "M0 -5.5L5.5 0L0 5.5L-5.5 0Z"}),
};

function showTooltip(text, x, y) {
    const tip = byId("tooltip");
    tip.textContent = text;
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    tip.style.left = Math.max(4, Math.min(x + 14, window.innerWidth - box.width - 4)) + "px";
    tip.style.top = (y + 18 + box.height > window.innerHeight ? Math.max(4, y - box.height - 12) : y + 18) + "px";
}

function hideTooltip() {
    byId("tooltip").hidden = true;
}

/** Lets one tab stop reach all points: arrows go from one to the next, Enter follows it. */
function rove(points) {
    points.forEach((point, i) => {
        point.setAttribute("tabindex", i === 0 ? 0 : -1);
        point.addEventListener("keydown", (event) => {
            const to = {ArrowRight: i + 1, ArrowUp: i + 1, ArrowLeft: i - 1, ArrowDown: i - 1, Home: 0, End: points.length - 1}[event.key];
            if (to === undefined || !points[to]) return;
            event.preventDefault();
            point.setAttribute("tabindex", -1);
            points[to].setAttribute("tabindex", 0);
            points[to].focus();
        });
    });
}

function pointMark(point, x, y) {
    const one = shape("g", {
        class: "point", role: "link", transform: `translate(${x(point.x).toFixed(1)} ${y(point.y).toFixed(1)})`,
        fill: point.hollow ? "none" : point.colour, stroke: point.colour, "fill-opacity": 0.75, "aria-label": point.text, "data-matrix": point.matrix.id,
    }, shape("circle", {r: 11, fill: "transparent", stroke: "none"}), marks[point.mark]());
    const tell = (left, top) => showTooltip(point.text, left, top);
    one.addEventListener("pointerenter", (event) => tell(event.clientX, event.clientY));
    one.addEventListener("pointerleave", hideTooltip);
    one.addEventListener("focus", () => {
        const box = one.getBoundingClientRect();
        tell(box.right, box.top);
    });
    one.addEventListener("blur", hideTooltip);
    one.addEventListener("click", () => openMatrix(point.matrix));
    one.addEventListener("keydown", (event) => {
        if (event.key === "Enter" || event.key === " ") {
            event.preventDefault();
            openMatrix(point.matrix);
        }
    });
    return one;
}

/**
 * A figure of points with logarithmic axes. `plot`: title, xTitle, yTitle, points ({x, y, mark, colour, hollow, text, matrix}), lines
 * (functions of the scales and the frame that give SVG), key (what the marks mean), xText (of ticks), describe (for readers of screens).
 */
function scatter(host, plot) {
    const frame = frameOf(host, 0.72);
    const x = logScale(plot.xDomain || extent(plot.points.map((p) => p.x), 1.5), frame.x, plot.xText);
    const y = logScale(plot.yDomain || extent(plot.points.map((p) => p.y), 1.3), frame.y, plot.yText);
    const clip = host.id + "-clip";
    const points = [...plot.points].sort((a, b) => a.x - b.x).map((point) => pointMark(point, x, y));
    rove(points);
    const drawing = shape("svg", {viewBox: `0 0 ${frame.width} ${frame.height}`, role: "group", "aria-label": plot.describe},
        shape("clipPath", {id: clip}, shape("rect", {x: frame.x[0], y: frame.y[1], width: frame.x[1] - frame.x[0], height: frame.y[0] - frame.y[1]})),
        axes(frame, x, y, plot.xTitle, plot.yTitle),
        shape("g", {"clip-path": `url(#${clip})`, "aria-hidden": "true"}, (plot.lines || []).map((line) => line(x, y, frame))),
        points);
    const key = el("div", {class: "row soft"}, (plot.key || []).map((entry) => el("span", {class: "row"},
        shape("svg", {viewBox: "-8 -8 16 16", width: 16, height: 16, style: "width:16px", "aria-hidden": "true", stroke: entry.colour, fill: entry.hollow ? "none" : entry.colour}, marks[entry.mark]()),
        entry.label)));
    host.replaceChildren(el("figure", {}, el("figcaption", {}, plot.title), drawing, key));
}
