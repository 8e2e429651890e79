"use strict";
// The page's own script. All it knows stands in the blocks of JSON above; it writes text, and never markup.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const words = data.words;
  const AROUND = 16000; // characters of a document that are shown at once
  const MOST_PARTS = 6; // chunks that are named as holding some of a passage
  const FIRST_WORDS = 80; // characters of what came first in the search
  const FIRST = 60; // entries of a list that are shown at once
  const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u115f\u1160\u3164\uffa0\u2800]/u;
  const STATE_WORDS = { w: data.isRanked ? "answered" : "whole", c: "cut", h: "header_lost", e: "not_embedded", i: "not_indexed", b: "below" };

  const WORST_FIRST = "chbeiw";

  const state = { cell: null, line: 0, question: null, document: null, from: 0, filter: "", search: "", questions: FIRST, documents: FIRST };
  const byId = (id) => document.getElementById(id);
  const filled = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? values[name] : whole));
  const say = (name, values = {}) => filled(words[name], values);
  const number = (n) => n.toLocaleString("en-US");

  function element(tag, attributes = {}, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (value === false || value === null || value === undefined) continue;
      if (name === "onclick") made.addEventListener("click", value);
      else made.setAttribute(name, value);
    }
    made.append(...children);
    return made;
  }

  // ---- settings

  const lineOf = data.cells.map(() => 0);
  data.lines.forEach((line, place) => line.cells.forEach((cell) => { lineOf[cell] = place; }));

  function select(cell) {
    state.cell = cell;
    state.line = lineOf[cell];
    soon();
  }

  let waiting = false;
  function soon() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; draw(); });
  }

  function drawBar() {
    const line = data.lines[state.line];
    const [name, size, , figures] = data.cells[state.cell];
    byId("line").value = String(state.line);
    const slider = byId("size");
    slider.max = String(line.cells.length - 1);
    slider.value = String(line.cells.indexOf(state.cell));
    slider.setAttribute("aria-valuetext", name);
    byId("slider").hidden = line.cells.length < 2;
    byId("size-told").textContent = size === null ? "" : `${number(size)} ${line.unit}`;
    byId("setting").textContent = name;
    byId("chip").textContent = say("look_at", { setting: name });
    byId("cell-figures").replaceChildren(...data.titles.flatMap((title, place) => (figures[place] === "" ? [] :
      [element("div", {}, element("dt", {}, title), element("dd", {}, figures[place]))])));
  }

  function drawMarks() {
    for (const old of document.querySelectorAll(".selected")) old.classList.remove("selected");
    for (const mark of document.querySelectorAll(`[data-cell="${state.cell}"]`)) {
      if (mark.tagName !== "BUTTON") mark.classList.add("selected");
    }
    for (const picture of document.querySelectorAll(".picture")) {
      const own = picture.querySelector(`[data-line="${state.line}"]`);
      picture.classList.toggle("chosen", own !== null);
      if (own) own.classList.add("selected");
    }
  }

  // ---- questions

  const stateOf = (question) => (data.states ? data.states[state.cell][question] : "");

  function drawFilters() {
    const counts = {};
    if (data.states) for (const letter of data.states[state.cell]) counts[letter] = (counts[letter] || 0) + 1;
    for (const label of byId("filters").querySelectorAll("label")) {
      const letter = label.querySelector("input").value;
      const n = letter ? counts[letter] || 0 : data.questions.length;
      label.querySelector(".n").textContent = number(n);
      label.hidden = letter !== "" && letter !== "w" && !n && !allCounts[letter];
    }
  }

  const allCounts = {};
  for (const states of data.states || []) for (const letter of states) allCounts[letter] = (allCounts[letter] || 0) + 1;

  function drawQuestions() {
    const wanted = state.search.trim().toLowerCase();
    const found = [];
    data.questions.forEach((question, place) => {
      if (state.filter && stateOf(place) !== state.filter) return;
      if (!wanted || wordsOf(question).includes(wanted)) found.push(place);
    });
    if (data.states) {
      const rank = Object.fromEntries([...WORST_FIRST].map((letter, n) => [letter, n]));
      found.sort((one, other) => rank[stateOf(one)] - rank[stateOf(other)] || one - other);
    }
    byId("found").textContent = say("found", { n: number(found.length), total: number(data.questions.length) }) +
      (data.states ? "" : ` ${words.not_named}`);
    const items = found.slice(0, state.questions).map((place) => {
      const [id, text] = data.questions[place];
      const letter = stateOf(place);
      const told = letter ? element("span", { class: letter === "w" ? "state" : "state bad" }, words[STATE_WORDS[letter]]) : "";
      const button = element("button", { type: "button", "data-question": place, "aria-current": String(place === state.question),
        onclick: () => openQuestion(place) }, told, element("span", { class: "name" }, id), text);
      return element("li", {}, button);
    });
    replaceKeepingFocus(byId("question-list"), items, "data-question");
    drawMore(byId("more-questions"), found.length - state.questions);
  }

  function wordsOf([id, text, , evidence]) {
    return [id, text, ...evidence.map(([name]) => documentName(name))].join(" ").toLowerCase();
  }

  function drawMore(button, n) {
    button.hidden = n <= 0;
    button.textContent = say("more", { n: number(n) });
  }

  // a list that is drawn anew keeps the focus on the entry that had it
  function replaceKeepingFocus(list, items, name) {
    const focused = list.contains(document.activeElement) ? document.activeElement.getAttribute(name) : null;
    const at = list.scrollTop;
    list.replaceChildren(...items);
    list.scrollTop = at;
    if (focused !== null) list.querySelector(`[${name}="${focused}"]`)?.focus({ preventScroll: true });
  }

  function openQuestion(place) {
    state.question = place;
    const [, , , evidence] = data.questions[place];
    const there = evidence.find(([name, start, end]) => textOf(name) && !held(name, start, end)) || evidence.find(([name]) => textOf(name));
    if (there) goTo(there[0], there[1]);
    else if (evidence.length) { goTo(evidence[0][0], evidence[0][1]); }
    draw();
    intoView();
  }

  function held(name, start, end) {
    const chunks = chunksOf(name);
    return chunks === null || chunks.some(([from, to]) => from <= start && end <= to);
  }

  // ---- documents

  const documentName = (name) => (typeof name === "number" ? data.documents[name][0] : name);
  const blockOf = new Map(data.shown.map((name, block) => [name, block]));
  const kept = new Map();

  // Offsets count code points; where all of them are one unit of JavaScript, its strings can be cut as they are.
  function textOf(name) {
    if (!blockOf.has(name)) return null;
    if (!kept.has(name)) {
      const found = JSON.parse(byId(`document-${blockOf.get(name)}`).textContent);
      const points = /[\ud800-\udbff]/.test(found.text) ? Array.from(found.text) : null;
      const text = {
        length: points ? points.length : found.text.length,
        slice: points ? (from, to) => points.slice(from, to).join("") : (from, to) => found.text.slice(from, to),
        spans: found.spans,
        evidence: evidenceIn(name),
        parts: readSpans(found.parts || ""),
      };
      kept.set(name, text);
    }
    return kept.get(name);
  }

  function evidenceIn(name) {
    const found = [];
    data.questions.forEach(([, , , evidence], question) => {
      for (const [there, start, end] of evidence) if (there === name) found.push([start, end, question]);
    });
    return found.sort((one, other) => one[0] - other[0]);
  }

  // The chunks of a document in the selected cell, or null where they are not known. Windows are arithmetic.
  function chunksOf(name) {
    const text = textOf(name);
    const line = data.lines[state.line];
    if (!text) return null;
    if (line.windows) return windows(text.length, ...data.cells[state.cell].slice(1, 3), line.windows === "all");
    const written = text.spans[state.cell];
    return written === undefined ? null : readSpans(written);
  }

  function windows(length, size, overlap, keepTail) {
    const found = [];
    for (let start = 0; start < length; start += size - overlap) {
      found.push([start, Math.min(start + size, length)]);
      if (start + size >= length && !keepTail) break;
    }
    return found;
  }

  // "14 a -5:f": lengths in base 36, each with its distance from the end before it where there is one
  function readSpans(written) {
    let at = 0;
    return written === "" ? [] : written.split(" ").map((part) => {
      const [step, length] = part.includes(":") ? part.split(":") : ["0", part];
      const start = at + parseInt(step, 36);
      at = start + parseInt(length, 36);
      return [start, at];
    });
  }

  function drawDocuments() {
    const lost = data.lost[state.cell].split(" ");
    const losses = data.documents.map((_, place) => {
      const [cuts, headers] = (lost[place] || "0").split(":");
      return cuts === "?" ? null : [Number(cuts), Number(headers || 0)];
    });
    const sum = (place) => (losses[place] ? losses[place][0] + losses[place][1] : -1);
    const order = data.documents.map((_, place) => place).sort((one, other) => sum(other) - sum(one) || one - other);
    const items = order.slice(0, state.documents).map((place) => {
      const [name, characters] = data.documents[place];
      const button = element("button", { type: "button", "data-document": place, "aria-current": String(place === state.document),
        onclick: () => { state.question = null; goTo(place, 0); draw(); intoView(); } },
        element("span", { class: sum(place) > 0 ? "state bad" : "state" }, lostWords(losses[place])),
        element("span", { class: "name" }, name), say("characters", { n: number(characters) }));
      return element("li", {}, button);
    });
    replaceKeepingFocus(byId("document-list"), items, "data-document");
    drawMore(byId("more-documents"), order.length - state.documents);
  }

  function lostWords(found) {
    if (!found) return words.unknown_lost;
    const [cuts, headers] = found;
    if (headers && !cuts) return say("headers_lost", { headers: number(headers) });
    if (headers) return say("lost", { cuts: number(cuts), headers: number(headers) });
    return cuts ? say("cuts_lost", { cuts: number(cuts) }) : words.nothing_lost;
  }

  // ---- the document

  function goTo(name, target) {
    state.document = name;
    state.target = target;
    const text = textOf(name);
    state.from = text && target > AROUND / 2 ? Math.max(0, Math.min(target - AROUND / 4, text.length - AROUND)) : 0;
    state.from = Math.floor(state.from);
    state.to = state.from + AROUND;
  }

  // Scrolls the text to the place, and the page to the text where that is out of sight.
  function intoView() {
    const box = byId("text");
    const there = (state.question === null && box.querySelector(".cut.harmful")) || box.querySelector(".target");
    if (there) box.scrollTop += there.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 4;
    const { top } = (there || byId("viewer-heading")).getBoundingClientRect();
    if (top < byId("bar").getBoundingClientRect().bottom || top > innerHeight - 60) byId("viewer-heading").scrollIntoView();
  }

  function drawViewer() {
    byId("viewer-hint").hidden = state.document !== null;
    byId("viewer-heading").textContent = state.document === null ? words.document : documentName(state.document);
    const box = byId("text");
    const text = state.document === null ? null : textOf(state.document);
    drawAsked();
    box.hidden = text === null;
    if (text === null) return;
    const chunks = chunksOf(state.document);
    const at = box.scrollTop;
    const to = Math.min(state.to, text.length);
    const parts = [];
    if (state.from > 0) parts.push(further("earlier", () => { state.from = Math.max(0, state.from - AROUND); }));
    parts.push(...marked(text, chunks || [], state.from, to));
    if (to < text.length) parts.push(further("later", () => { state.to += AROUND; }));
    box.replaceChildren(...parts);
    box.scrollTop = at;
  }

  function further(name, change) {
    return element("button", { type: "button", class: "more", onclick: () => { change(); drawViewer(); } }, words[name]);
  }

  // The text from one offset to another, in pieces: each has the same chunks and the same evidence all through.
  function marked(text, chunks, from, to) {
    const evidence = text.evidence.filter(([start, end]) => start < to && end > from);
    const near = [];
    chunks.forEach(([start, end], n) => { if (start < to && end > from) near.push([start, end, n]); });
    // without questions, what ought to stay whole and does not
    const lost = chunks.length ? text.parts.filter(([start, end]) => start < to && end > from && !near.some(([first, last]) => first <= start && end <= last)) : [];
    const edges = new Set([from, to]);
    for (const [start, end] of [...near, ...evidence, ...lost]) {
      if (start > from && start < to) edges.add(start);
      if (end > from && end < to) edges.add(end);
    }
    if (state.target >= from && state.target < to) edges.add(state.target);
    const places = [...edges].sort((one, other) => one - other);
    const starts = new Map();
    for (const [start, , n] of near) if (start >= from) starts.set(start, [...(starts.get(start) || []), n + 1]);
    const found = [];
    for (let place = 0; place + 1 < places.length; place++) {
      const [start, end] = [places[place], places[place + 1]];
      if (start === state.target) found.push(element("span", { class: "target" }));
      const here = evidence.filter(([first, last]) => first <= start && end <= last);
      const own = here.some(([, , question]) => question === state.question);
      if (starts.has(start)) {
        const inside = ([first, last, question]) => first < start && start < last && (state.question === null || question === undefined || question === state.question);
        const isHeld = ([first, last]) => near.some(([begin, behind]) => begin <= first && last <= behind);
        const harmful = lost.some(inside) || evidence.some((one) => inside(one) && !isHeld(one));
        const names = starts.get(start);
        found.push(element("span", { class: harmful ? "cut harmful" : "cut", "data-n": `${harmful ? `✂ ${words.cut_here} ` : ""}${names.join("·")}` }));
      }
      const covering = near.filter(([first, last]) => first <= start && end <= last);
      const classes = covering.length ? [`c${covering[0][2] % 2}`] : [];
      if (covering.length > 1) classes.push("both");
      if (lost.some(([first, last]) => first <= start && end <= last)) classes.push("lost");
      if (own) classes.push("own");
      else if (here.length && state.question === null) classes.push("other");
      found.push(element(own ? "mark" : "span", { class: classes.join(" ") }, ...shown(text.slice(start, end))));
    }
    return found;
  }

  // A text in which what is not seen is written out.
  function shown(text) {
    const plain = text.replace(/\r\n?/g, "\n");
    const found = [];
    let held = "";
    for (const character of plain) {
      if (character === "\n" || character === "\t" || !HIDDEN.test(character)) { held += character; continue; }
      if (held) found.push(held);
      held = "";
      const code = `U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
      found.push(element("span", { class: "hidden", title: say("hidden", { code }) }, code));
    }
    if (held) found.push(held);
    return found;
  }

  function lineNumber(text, offset) {
    return (text.slice(0, offset).match(/\r\n|\r|\n/g) || []).length + 1;
  }

  // ---- what is told of the open question

  function drawAsked() {
    const parts = [];
    if (state.question !== null) {
      const [id, text, anyIsEnough, evidence] = data.questions[state.question];
      const letter = stateOf(state.question);
      const told = letter ? ` (${words[STATE_WORDS[letter]]}${rankWords(letter)})` : "";
      parts.push(element("p", { class: "question" }, `${id}${told}: ${text}`));
      if (letter === "h") parts.push(element("p", {}, words.no_row));
      if (anyIsEnough && evidence.length > 1) parts.push(element("p", {}, say("one_is_enough", { n: evidence.length })));
      parts.push(element("ol", {}, ...evidence.map(passage)));
      parts.push(...rankedAbove());
    }
    const line = data.lines[state.line];
    if (state.document !== null && textOf(state.document) === null) parts.push(element("p", { class: "hint" }, words.no_document));
    else if (state.document !== null && chunksOf(state.document) === null) {
      parts.push(element("p", { class: "hint" }, say("no_spans", { reason: line.lacking || "" })));
    }
    byId("asked").replaceChildren(...parts);
  }

  function rankWords(letter) {
    if (letter !== "b" || !data.ranks) return "";
    const rank = data.ranks[state.cell][state.question];
    return `, ${rank ? say("rank", { n: number(rank) }) : words.no_rank}`;
  }

  function passage([name, start, end]) {
    const text = textOf(name);
    const where = text ? `${documentName(name)}, ${say("line", { n: number(lineNumber(text, start)) })}` : documentName(name);
    const open = element("button", { type: "button", onclick: () => { goTo(name, start); draw(); intoView(); } }, where);
    const chunks = text ? chunksOf(name) : null;
    if (!chunks) return element("li", {}, open);
    return element("li", {}, open, " ", heldWords(chunks, start, end));
  }

  // the words of `chunkscope show --question`
  function heldWords(chunks, start, end) {
    const length = end - start;
    const parts = [];
    let missing = length;
    let at = start;
    for (const [n, [from, to]] of chunks.entries()) {
      if (from <= start && end <= to) return say("holds_whole", { n: number(n + 1), before: number(start - from), after: number(to - end) });
      const [first, last] = [Math.max(from, start), Math.min(to, end)];
      if (first >= last) continue;
      missing -= Math.max(0, last - Math.max(first, at));
      at = Math.max(at, last);
      const held = { chunk: number(n + 1), n: number(last - first), first: number(first - start + 1) };
      parts.push(say(first === start ? "first_part" : last === end ? "last_part" : "middle_part", held));
    }
    const told = parts.length ? [say("holds_parts", { n: number(length), parts: parts.slice(0, MOST_PARTS).join(words.comma) })] : [];
    if (missing) told.push(say("holds_none", { n: number(missing) }));
    return told.join(" ");
  }

  function rankedAbove() {
    if (!data.isRanked) return [];
    const above = (data.above[state.cell] || {})[state.question];
    if (!above) return [element("p", { class: "hint" }, words.not_kept)];
    const items = above.map(([name, start, end, meets]) => {
      const text = textOf(name);
      const open = element("button", { type: "button", onclick: () => { goTo(name, start); draw(); intoView(); } }, documentName(name));
      const line = text ? `, ${say("line", { n: number(lineNumber(text, start)) })}` : "";
      const begin = text ? shown(text.slice(start, Math.min(end, start + FIRST_WORDS)).replace(/\s+/g, " ")) : [];
      return element("li", {}, open, line, meets ? element("b", {}, ` ${words.meets}`) : "", element("br"), element("span", { class: "begin" }, ...begin));
    });
    const isMissed = stateOf(state.question) === "b";
    return [element("details", { open: isMissed ? "" : null }, element("summary", {}, words.ranked_above), element("ol", {}, ...items))];
  }

  // ---- pictures

  function drawTip(mark, event) {
    const tip = byId("tip");
    const [name, , , figures] = data.cells[Number(mark.dataset.cell)];
    const rows = data.titles.flatMap((title, place) => (figures[place] === "" ? [] : [element("div", {}, `${title}: ${figures[place]}`)]));
    tip.replaceChildren(element("b", {}, name), ...rows);
    tip.hidden = false;
    const { width, height } = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - width - 8))}px`;
    tip.style.top = `${event.clientY + 18 + height > innerHeight ? Math.max(4, event.clientY - height - 12) : event.clientY + 18}px`;
  }

  function listen() {
    document.addEventListener("click", (event) => {
      const mark = event.target.closest("[data-cell]");
      if (mark) select(Number(mark.dataset.cell));
    });
    document.addEventListener("pointermove", (event) => {
      const mark = event.target.closest?.(".picture [data-cell]");
      if (mark) drawTip(mark, event);
      else byId("tip").hidden = true;
    });
    document.addEventListener("scroll", () => { byId("tip").hidden = true; }, true);
    document.addEventListener("keydown", (event) => { if (event.key === "Escape") byId("tip").hidden = true; });
    byId("line").addEventListener("change", (event) => {
      const line = data.lines[Number(event.target.value)];
      const size = data.cells[state.cell][1];
      const near = (cell) => Math.abs((data.cells[cell][1] || 0) - (size || 0));
      select(line.cells.reduce((best, cell) => (near(cell) < near(best) ? cell : best)));
    });
    byId("size").addEventListener("input", (event) => select(data.lines[state.line].cells[Number(event.target.value)]));
    byId("filters").addEventListener("change", (event) => { state.filter = event.target.value; state.questions = FIRST; drawQuestions(); });
    byId("search").addEventListener("input", (event) => { state.search = event.target.value; state.questions = FIRST; drawQuestions(); });
    byId("more-questions").addEventListener("click", () => { state.questions += 5 * FIRST; drawQuestions(); });
    byId("more-documents").addEventListener("click", () => { state.documents += 5 * FIRST; drawDocuments(); });
  }

  function draw() {
    drawBar();
    drawMarks();
    if (data.questions.length) {
      drawFilters();
      drawQuestions();
    }
    drawDocuments();
    drawViewer();
  }

  function start() {
    for (const mark of document.querySelectorAll(".picture [data-cell]")) {
      mark.classList.add(mark.getAttribute("opacity") === "0" ? "point" : "field");
    }
    for (const picture of document.querySelectorAll(".picture")) {
      if (picture.scrollWidth > picture.clientWidth) picture.tabIndex = 0;
    }
    byId("line").append(...data.lines.map((line, place) => element("option", { value: place }, line.label)));
    byId("questions").hidden = !data.questions.length;
    const letters = data.states ? ["", "c", "h", "b", "e", "i", "w"] : [""];
    byId("filters").append(...letters.map((letter) => element("label", {},
      element("input", { type: "radio", name: "filter", value: letter, checked: letter === "" ? "" : null }),
      letter ? words[STATE_WORDS[letter]] : words.all, " ", element("span", { class: "n" }))));
    new IntersectionObserver(([bar]) => { byId("chip").hidden = bar.isIntersecting || bar.boundingClientRect.top < 0; }).observe(byId("bar"));
    listen();
    select(data.advised ?? 0);
  }

  if (data.cells.length) start();
})();
