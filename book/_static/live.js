/* Live blocks: edit, run and check Python in the page, with no network and no server.

   The scripts are loaded when a block is first used. Python runs in a worker made from a string, because a page opened from
   disk may not open a worker by its address; so an endless loop can be stopped, and the page lives. A worker is kept for the
   next run, and replaced when it was stopped. */
"use strict";
window.lmlirLive = (() => {
  const LONGEST_SILENCE = 5000; // milliseconds in which code that runs must finish or answer the next question
  const here = document.currentScript.src.replace(/[^/]*$/, "");
  let loading = null, address = "", questions = {}, worker = null, ready = false, job = null, number = 0;

  // ---- the worker ----

  function load() { // the script with the worker's program, once
    loading ||= new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = here + "live/python.js";
      script.onload = resolve;
      script.onerror = () => { loading = null; reject(new Error("_static/live/python.js could not be loaded")); };
      document.head.append(script);
    });
    return loading;
  }

  function receive(source, vectors) { // what that script calls
    address = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    questions = vectors;
  }

  async function start() {
    await load();
    if (worker) return;
    worker = new Worker(address);
    worker.onmessage = (event) => hear(JSON.parse(event.data));
    worker.onerror = (event) => {
      event.preventDefault();
      end();
      if (job) finish({ verdict: "error", output: "", text: `Python failed: ${event.message}` });
    };
  }

  function end() { // a worker that computes hears nothing: it can only be ended
    if (worker) worker.terminate();
    worker = null;
    ready = false;
  }

  function hear(message) {
    if (message.ready) {
      ready = true;
      send();
    } else if (job && message.id === job.id) {
      if (message.answer) return finish(message.answer);
      watch();
      if (message.progress) say(job.block, "running", `Question ${message.progress + 1} of ${job.request.vectors.length} ...`);
    }
  }

  function send() {
    if (!ready || !job || job.sent) return;
    job.sent = true;
    say(job.block, "running", "Running ...");
    worker.postMessage(JSON.stringify({ id: job.id, ...job.request }));
    watch();
  }

  function watch() {
    clearTimeout(job.timer);
    job.timer = setTimeout(() => stop(`Stopped: no answer for ${LONGEST_SILENCE / 1000} seconds. An endless loop?`), LONGEST_SILENCE);
  }

  // ---- a job: one block runs at a time ----

  async function begin(block, request) {
    if (job) stop("Stopped, because another block was started.");
    job = { id: ++number, block, request, timer: 0, sent: false };
    const mine = job;
    block.classList.add("live-open");
    block.querySelector(".live-run").textContent = "Run";
    block.querySelector(".live-stop").disabled = false;
    clear(block);
    say(block, "running", ready ? "Running ..." : "Starting Python, which takes some seconds the first time ...");
    try {
      await start();
      if (job !== mine) return;
      if (request.kind === "vectors") request.vectors = questions[block.dataset.exercise];
      send();
    } catch (error) {
      if (job === mine) finish({ verdict: "error", output: "", text: error.message });
    }
  }

  function stop(text) {
    if (!job) return;
    const warm = job.sent;
    if (warm) end();
    finish({ verdict: "stopped", output: "", text });
    if (warm) start();
  }

  function finish(answer) {
    const { block, timer } = job;
    clearTimeout(timer);
    job = null;
    block.querySelector(".live-stop").disabled = true;
    const output = block.querySelector(".live-output");
    output.textContent = answer.output + (answer.verdict === "error" ? answer.text : "");
    output.hidden = !output.textContent;
    countLines(block, answer.counterexample?.line ?? Number(/^line (\d+):/.exec(answer.text)?.[1]));
    say(block, answer.verdict, answer.verdict === "error" ? "It does not run." : answer.text || "Done.");
    if (answer.counterexample) show(block.querySelector(".live-counterexample"), answer.counterexample);
  }

  function clear(block) {
    const [output, picture] = [block.querySelector(".live-output"), block.querySelector(".live-counterexample")];
    output.textContent = picture.textContent = "";
    output.hidden = picture.hidden = true;
  }

  function say(block, verdict, text) {
    const place = block.querySelector(".live-verdict");
    const words = { conforms: "Conforms", violates: "Violates", error: "Error", stopped: "Stopped" };
    place.dataset.verdict = verdict;
    place.textContent = "";
    if (words[verdict]) place.append(element("strong", {}, words[verdict]), " ");
    place.append(text.replace(/^Stopped[:,] /, ""));
  }

  // ---- the counterexample ----

  function element(tag, attributes = {}, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.append(...children);
    return node;
  }

  function drawn(tag, attributes, text = "") {
    const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.textContent = text;
    return node;
  }

  function show(place, example) {
    const said = (text) => element("b", { class: "live-said" }, text), truth = (text) => element("b", { class: "live-true" }, text);
    const sentence = element("p", {}, ...(example.raised ? ["Your code raised ", said(example.raised)]
      : [`For ${example.of} you said `, said(example.said), "; true is ", truth(example.true), "."]));
    const table = element("dl");
    for (const [name, value] of Object.entries(example.question)) table.append(element("dt", {}, name), element("dd", {}, value));
    place.append(sentence);
    if (example.scene) place.append(picture(example));
    if (example.legend) place.append(element("p", { class: "live-legend" }, example.legend));
    place.append(element("details", {}, element("summary", {}, "The question"), table));
    place.hidden = false;
  }

  const WIDTH = 520, HEIGHT = 280, BARS = 66, EDGE = 34;

  function picture({ scene, bars, raised, said, true: truth }) {
    const svg = drawn("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT + (bars ? BARS : 0)}`, role: "img" });
    svg.append(drawn("title", {}, raised ? `The question for which your code raised ${raised}` : `The counterexample: you said ${said}, true is ${truth}.`));
    const clip = `live-clip-${number}`, frame = drawn("clipPath", { id: clip });
    frame.append(drawn("rect", { x: 0, y: 0, width: WIDTH, height: HEIGHT }));
    const group = drawn("g", { "clip-path": `url(#${clip})` }), at = view(scene);
    for (const part of scene) for (const node of PARTS[part.kind](part, at)) group.append(node);
    svg.append(frame, group);
    if (bars) svg.append(...barsOf(bars, said, truth));
    return svg;
  }

  function view(scene) { // from the scene's coordinates to the picture's: all points, and of the balls what is near them
    const points = scene.flatMap((part) => part.kind === "line" ? [part.from, part.to] : part.kind === "point" ? [part.at] : []);
    const low = [0, 1].map((k) => Math.min(...points.map((point) => point[k])));
    const high = [0, 1].map((k) => Math.max(...points.map((point) => point[k])));
    const room = 0.8 * Math.max(high[0] - low[0], high[1] - low[1]) || 1;
    const least = low.map((value) => value - room), most = high.map((value) => value + room);
    for (const { at, radius } of scene.filter((part) => part.kind === "ball"))
      for (const k of [0, 1]) {
        low[k] = Math.max(Math.min(low[k], at[k] - radius), least[k]);
        high[k] = Math.min(Math.max(high[k], at[k] + radius), most[k]);
      }
    const scale = Math.min((WIDTH - 2 * EDGE) / (high[0] - low[0] || 1), (HEIGHT - 2 * EDGE) / (high[1] - low[1] || 1));
    const place = ([x, y]) => [WIDTH / 2 + (x - (low[0] + high[0]) / 2) * scale, HEIGHT / 2 - (y - (low[1] + high[1]) / 2) * scale];
    return { place, scale };
  }

  const PARTS = {
    ball: (part, { place, scale }) => {
      const [cx, cy] = place(part.at);
      return [drawn("circle", { cx, cy, r: Math.max(part.radius * scale, 1.5), class: `live-part-${part.role}` })];
    },
    line: (part, { place }) => {
      let [[x1, y1], [x2, y2]] = [place(part.from), place(part.to)];
      const length = Math.hypot(x2 - x1, y2 - y1);
      if (part.role === "said" && length > 0) { // beside the segment, so that both can be seen
        const [up, right] = [11 * (x2 - x1) / length, -11 * (y2 - y1) / length];
        [x1, x2, y1, y2] = [x1 + right, x2 + right, y1 + up, y2 + up];
      }
      return [drawn("line", { x1, y1, x2, y2, class: `live-part-${part.role}` })];
    },
    point: (part, { place }) => {
      const [x, y] = place(part.at), size = 5;
      const mark = part.role === "minus"
        ? drawn("rect", { x: x - size, y: y - size, width: 2 * size, height: 2 * size, class: "live-part-minus" })
        : drawn("circle", { cx: x, cy: y, r: size, class: `live-part-${part.role}` });
      const side = x > WIDTH - 50 ? -1 : 1;
      const [letter, index = ""] = part.label.split("_");
      const label = drawn("text", { x: x + 9 * side, y: y - 9, "text-anchor": side > 0 ? "start" : "end" }, letter);
      label.append(drawn("tspan", { dy: 4, "font-size": "75%" }, index));
      return part.label ? [mark, label] : [mark];
    },
  };

  function barsOf([said, truth], saidText, trueText) {
    const left = 100, room = WIDTH - left - 170, least = Math.min(said, truth, 0), most = Math.max(said, truth, 0);
    const x = (value) => left + room * (value - least) / (most - least || 1);
    return [["said", said, "you said", saidText], ["true", truth, "true", trueText]].flatMap(([role, value, label, text], row) => {
      const y = HEIGHT + 10 + 27 * row;
      return [
        drawn("text", { x: left - 8, y: y + 13, "text-anchor": "end" }, label),
        drawn("rect", { x: Math.min(x(value), x(0)), y, width: Math.max(Math.abs(x(value) - x(0)), 1.5), height: 16, class: `live-bar-${role}` }),
        drawn("text", { x: Math.max(x(value), x(0)) + 8, y: y + 13 }, text),
      ];
    });
  }

  // ---- blocks ----

  function find(name) {
    const block = [...document.querySelectorAll(".live")].find((each) => each.dataset.live === name);
    if (!block) throw new Error(`there is no live block named ${name} on this page`);
    return block;
  }

  const editor = (block) => block.querySelector(".live-editor");

  function write(block, text) {
    editor(block).value = text;
    countLines(block);
  }

  function countLines(block, wrong = 0) { // the numbers beside the editor; the line of an error stands out
    const count = editor(block).value.split("\n").length;
    const numbers = Array.from({ length: count }, (_, k) => element("span", k + 1 === wrong ? { class: "live-wrong" } : {}, `${k + 1}`));
    block.querySelector(".live-lines").replaceChildren(...numbers);
  }

  function draft(block, use) { // what `use` does with the place where an exercise's draft is kept; a page from disk may have none
    try {
      return block.dataset.exercise ? use(window.localStorage, `lmlir-draft-${block.dataset.exercise}`) : null;
    } catch {
      return null;
    }
  }

  function edited(block) { // by the reader: the text outlives the page, unless it is the stub
    const { value, defaultValue } = editor(block);
    countLines(block);
    draft(block, (store, key) => value === defaultValue ? store.removeItem(key) : store.setItem(key, value));
  }

  function restore(block) { // a text that was set before wins
    const kept = draft(block, (store, key) => store.getItem(key));
    if (kept === null || editor(block).value !== editor(block).defaultValue) return;
    write(block, kept);
    say(block, "none", "This is your draft; Reset brings the stub back.");
  }

  function download(block, file) {
    const link = element("a", { href: URL.createObjectURL(new Blob([editor(block).value], { type: "text/x-python" })), download: file });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  function setCode(name, text) {
    const block = find(name);
    block.classList.add("live-open");
    write(block, text);
  }

  function keys(event) { // Tab indents; Escape lets the next Tab leave the editor
    const area = event.target;
    if (event.key === "Escape") area.dataset.leave = "yes";
    else if (event.key === "Tab" && !area.dataset.leave && !event.shiftKey) {
      event.preventDefault();
      const [from, to] = [area.selectionStart, area.selectionEnd];
      area.setRangeText("    ", from, to, "end");
      edited(area.closest(".live"));
    } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) area.closest(".live").querySelector(".live-run").click();
    else if (event.key === "Enter") {
      const indent = /(?:^|\n)([ ]*)[^\n]*$/.exec(area.value.slice(0, area.selectionStart))[1];
      const deeper = /:[ ]*$/.test(area.value.slice(0, area.selectionStart)) ? "    " : "";
      event.preventDefault();
      area.setRangeText("\n" + indent + deeper, area.selectionStart, area.selectionEnd, "end");
      edited(area.closest(".live"));
    } else if (event.key !== "Tab" && event.key !== "Shift") delete area.dataset.leave;
  }

  function prepare(block) {
    const values = JSON.parse(block.dataset.values), code = () => editor(block).value;
    block.querySelector(".live-run").onclick = () => begin(block, { kind: "run", code: code(), example: values.example || "" });
    block.querySelector(".live-check").onclick = () => begin(block, values.exercise
      ? { kind: "vectors", code: code(), function: values.function }
      : { kind: "examples", code: code(), examples: values.examples });
    block.querySelector(".live-stop").onclick = () => { if (job && job.block === block) stop("Stopped: by you."); };
    block.querySelector(".live-reset").onclick = () => {
      if (job && job.block === block) stop("Stopped: by you.");
      editor(block).value = editor(block).defaultValue;
      edited(block);
      clear(block);
      say(block, "none", "");
    };
    const save = block.querySelector(".live-download");
    if (save) save.onclick = () => download(block, save.dataset.file);
    editor(block).addEventListener("keydown", keys);
    editor(block).addEventListener("input", () => edited(block));
    editor(block).addEventListener("scroll", () => { block.querySelector(".live-lines").scrollTop = editor(block).scrollTop; });
    countLines(block);
    restore(block);
    editor(block).addEventListener("focus", () => start().catch(() => {}), { once: true });
  }

  const prepareAll = () => document.querySelectorAll(".live").forEach(prepare);
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", prepareAll);
  else prepareAll();
  return { setCode, receive, code: (name) => editor(find(name)).value };
})();
