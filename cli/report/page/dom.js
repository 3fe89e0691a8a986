// Elements and figures for people. Text from results only ever becomes text, never HTML.

const svgNamespace = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes || {})) {
        if (value === undefined || value === null || value === false) continue;
        if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
        else element.setAttribute(name, value === true ? "" : value);
    }
    for (const child of children.flat(Infinity))
        if (child !== undefined && child !== null && child !== false)
            element.append(child instanceof Node ? child : String(child));
    return element;
}

/** An HTML element: attributes by name, "onclick" and the like as listeners, then its children. */
function el(name, attributes, ...children) {
    return fill(document.createElement(name), attributes, children);
}

/** The same of SVG. */
function shape(name, attributes, ...children) {
    return fill(document.createElementNS(svgNamespace, name), attributes, children);
}

function byId(id) {
    return document.getElementById(id);
}

/** Three significant digits: 0.123, 12.3, 1230. */
function figure(value) {
    if (value === undefined || value === null || !Number.isFinite(value)) return "";
    if (value === 0) return "0";
    if (Math.abs(value) >= 100) return whole(value);
    return value.toFixed(Math.min(6, Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))))));
}

/** 1,234,567 */
function whole(value) {
    return value === undefined || value === null ? "" : Math.round(value).toLocaleString("en-US");
}

function inBytes(bytes) {
    const units = ["B", "kB", "MB", "GB", "TB"];
    let unit = 0;
    while (bytes >= 1000 && unit + 1 < units.length) {
        bytes /= 1000;
        ++unit;
    }
    return figure(bytes) + " " + units[unit];
}

function percent(share) {
    return figure(100 * share) + " %";
}

function plural(count, noun, many) {
    return whole(count) + " " + (count === 1 ? noun : many || noun + "s");
}

/** A table below what it is about, in a box that scrolls by itself, also with the keyboard. */
function tableBox(label, about, head, body, tall) {
    return [el("p", {class: "soft about"}, about), el("div", {class: tall ? "scroll tall" : "scroll", tabindex: 0, role: "region", "aria-label": label},
        el("table", {"aria-label": label}, el("thead", {}, el("tr", {}, head)), el("tbody", {}, body)))];
}

function notice(text) {
    return el("p", {class: "notice"}, text);
}
