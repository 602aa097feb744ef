// Shows one document as text, never as markup: the query's words marked, a search of its own, and
// passages selected as evidence. Places go to and from the server in characters (code points).
export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const view = parentElement.__labelkit || (parentElement.__labelkit = install(parentElement));
  view.update(data, setTriggerValue);
  return () => {
    view.stop();
    delete parentElement.__labelkit;
  };
}

const MOST_HITS = 2000;

function install(parent) {
  const parts = build(parent);
  let data = null;
  let trigger = () => {};
  let text = new Characters("");
  let evidence = []; // {start, end, quote}, in characters
  let hits = []; // [start, end), in UTF-16 units, as all places on the screen
  let current = -1;
  let waiting = null; // the last change of the evidence, until the server has it
  let drawn = ""; // the marks that stand in the text now
  let picked = null; // the last selection in the text: tapping a button may clear the real one

  const draw = () => {
    const marks = evidence.map((span) => [text.units(span.start), text.units(span.end)]);
    const terms = data.terms.map(([start, end]) => [text.units(start), text.units(end)]);
    const now = current < 0 ? [] : [hits[current]];
    parts.text.replaceChildren(
      ...segments(text.string, { term: terms, evidence: marks, hit: hits, now }),
    );
    parts.list.replaceChildren(...evidence.map(entry));
    parts.list.hidden = evidence.length === 0;
    drawn = JSON.stringify([data.terms, evidence]);
    fit();
  };

  const entry = (span) => {
    const item = make("li", "");
    const quote = make("button", "lk-quoted", `“${span.quote}”`);
    quote.dir = "auto";
    quote.title = "Show it in the document";
    quote.addEventListener("click", () => reveal(text.units(span.start)));
    const remove = make("button", "lk-tool", "Remove");
    remove.setAttribute("aria-label", `Remove the evidence “${span.quote.slice(0, 80)}”`);
    remove.addEventListener("click", () => {
      change(evidence.filter((other) => other !== span));
      say("Evidence removed.");
      parts.pane.focus({ preventScroll: true });
    });
    item.append(quote, remove);
    return item;
  };

  const say = (words) => {
    parts.status.textContent = words;
  };

  // ---- search in the document

  const search = () => {
    const wanted = parts.search.value;
    hits = wanted.trim() === "" ? [] : occurrences(text.string, wanted);
    current = hits.length > 0 ? 0 : -1;
    draw();
    show();
  };

  const show = () => {
    const more = hits.length >= MOST_HITS ? "+" : "";
    parts.count.textContent =
      parts.search.value.trim() === "" ? "" : `${current + 1} of ${hits.length}${more}`;
    if (current >= 0) reveal(hits[current][0]);
  };

  const step = (by) => {
    if (hits.length === 0) return;
    current = (current + by + hits.length) % hits.length;
    draw();
    show();
  };

  const leaveSearch = () => {
    parts.pane.focus({ preventScroll: true });
    if (current < 0) return;
    // The place found becomes the selection: Shift and arrows widen it, e marks it.
    const range = document.createRange();
    range.setStart(...nodeAt(parts.text, hits[current][0]));
    range.setEnd(...nodeAt(parts.text, hits[current][1]));
    const selection = getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
  };

  const reveal = (unit) => {
    const range = document.createRange();
    range.setStart(...nodeAt(parts.text, unit));
    range.setEnd(...nodeAt(parts.text, Math.min(unit + 1, text.string.length)));
    const place = range.getBoundingClientRect();
    const pane = parts.pane.getBoundingClientRect();
    if (place.top < pane.top || place.bottom > pane.bottom) {
      parts.pane.scrollTop += place.top - pane.top - pane.height / 3;
    }
  };

  // ---- evidence

  const onSelection = () => {
    const selection = getSelection();
    if (selection.rangeCount === 0) return;
    const range = selection.getRangeAt(0);
    if (!parts.text.contains(range.startContainer) && !parts.text.contains(range.endContainer)) {
      return;
    }
    picked = trimmed(text.string, ...within(parts.text, range));
    parts.mark.classList.toggle("lk-armed", picked !== null);
  };

  const mark = () => {
    if (picked === null) onSelection(); // a quick key comes before the browser tells of it
    if (picked === null) {
      say("Select a passage of the document first, then mark it.");
      return;
    }
    change(joined(text, evidence, picked));
    say("Marked as evidence.");
    picked = null;
    parts.mark.classList.remove("lk-armed");
    getSelection().removeAllRanges();
    parts.pane.focus({ preventScroll: true });
  };

  const change = (spans) => {
    evidence = spans;
    waiting = { id: `${Date.now()}-${Math.random()}`, spans };
    write(data.store, JSON.stringify(waiting));
    draw();
    send();
  };

  // Kept here until the server says that it has this very change: a message that is sent while
  // the connection is down, or to a server that restarts, is lost.
  const send = () => {
    const kept = pending();
    if (kept !== null) trigger("evidence", kept);
  };

  const pending = () => {
    const kept = waiting ?? parsed(read(data.store));
    if (kept === null) return null;
    const stands = (span) => text.quote(span.start, span.end) === span.quote;
    if (kept.id !== data.answered && kept.spans.every(stands)) return kept;
    waiting = null;
    drop(data.store);
    return null;
  };

  // ---- keys

  const onKeyDown = (event) => {
    if (event.isComposing || event.defaultPrevented) return;
    if (document.activeElement === parts.search) return inSearch(event);
    if (typing(document.activeElement) || document.querySelector("[role=dialog]")) return;
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.shiftKey && event.key.startsWith("Arrow")) return extend(event);
    if (event.repeat) return;
    if (event.key === "/" && data.main) {
      event.preventDefault();
      parts.search.focus();
      parts.search.select();
    } else if (event.key === "e" && (picked !== null || (data.main && !selectedElsewhere()))) {
      event.preventDefault();
      mark();
    }
  };

  const inSearch = (event) => {
    if (event.key === "Enter" && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      step(event.shiftKey ? -1 : 1);
    } else if (event.key === "Escape") {
      event.preventDefault();
      leaveSearch();
    }
  };

  const extend = (event) => {
    if (document.activeElement !== parts.pane) return;
    event.preventDefault();
    const selection = getSelection();
    const inside = selection.rangeCount > 0 && parts.text.contains(selection.anchorNode);
    if (!inside) selection.collapse(...firstVisible(parts.pane, parts.text));
    const upright = event.key === "ArrowUp" || event.key === "ArrowDown";
    const onward = event.key === "ArrowDown" || event.key === "ArrowRight";
    const ways = upright ? ["backward", "forward"] : ["left", "right"];
    selection.modify("extend", ways[onward ? 1 : 0], upright ? "line" : "word");
  };

  const selectedElsewhere = () => {
    const node = getSelection().anchorNode;
    const view = node?.parentElement?.closest(".lk-doc");
    return view !== null && view !== undefined && view !== parts.root;
  };

  // ---- room: the pane takes what header and form leave of the screen

  const fit = () => {
    if (data === null || !data.main) return;
    const main = document.querySelector("[data-testid=stMain]");
    const form = document.querySelector("[data-testid=stBottom]");
    const top = parts.pane.getBoundingClientRect().top + (main?.scrollTop ?? 0);
    const below = parts.list.hidden ? 0 : parts.list.offsetHeight + 6;
    const room = innerHeight - top - (form?.offsetHeight ?? 0) - below - 10;
    const style = document.documentElement.style;
    const ground = main?.closest("[data-testid=stApp]");
    if (ground) {
      style.setProperty("--lk-ground", getComputedStyle(ground).backgroundColor);
      style.setProperty("--lk-ink", getComputedStyle(ground).color);
    }
    style.setProperty("--lk-room", `${Math.round(room)}px`);
    style.setProperty(
      "--lk-side",
      `${Math.round(room + below + parts.pane.offsetTop - parts.root.offsetTop)}px`,
    );
  };
  const sizes = new ResizeObserver(() => requestAnimationFrame(fit));

  // The form may be drawn after the document: look for it again until it is there.
  let looking = 0;
  const watch = (tries = 100) => {
    clearTimeout(looking);
    sizes.disconnect();
    const form = document.querySelector("[data-testid=stBottom]");
    const main = document.querySelector("[data-testid=stMain]");
    const card = document.querySelector(".st-key-lk_query_card");
    for (const part of [parts.tools, form, main, card]) if (part !== null) sizes.observe(part);
    if (form === null && tries > 0) looking = setTimeout(() => watch(tries - 1), 50);
  };

  // Behind the run that follows a reconnect.
  const connection = onReconnect(() => setTimeout(send, 300));

  parts.search.addEventListener("input", search);
  parts.back.addEventListener("click", () => step(-1));
  parts.on.addEventListener("click", () => step(1));
  parts.mark.addEventListener("mousedown", (event) => event.preventDefault());
  parts.mark.addEventListener("click", mark);
  document.addEventListener("selectionchange", onSelection);
  window.addEventListener("keydown", onKeyDown, true);
  window.addEventListener("resize", fit);

  return {
    update(next, setTriggerValue) {
      trigger = setTriggerValue;
      const another = data === null || next.text !== data.text;
      data = next;
      parts.title.textContent = data.title;
      parts.root.classList.toggle("lk-main", data.main);
      parts.pane.setAttribute("aria-label", data.main ? "Document" : `Document ${data.title}`);
      if (another) text = new Characters(data.text);
      const kept = pending();
      const now = kept === null ? data.evidence : kept.spans;
      if (kept !== null) send();
      // Drawn anew only where something differs: a run of the page must not take away what a
      // person is selecting at that moment. The buttons drawn know the passages they stand for.
      if (another || JSON.stringify([data.terms, now]) !== drawn) {
        evidence = now;
        draw();
      } else {
        fit();
      }
      watch();
    },
    stop() {
      clearTimeout(looking);
      sizes.disconnect();
      connection.disconnect();
      document.removeEventListener("selectionchange", onSelection);
      window.removeEventListener("keydown", onKeyDown, true);
      window.removeEventListener("resize", fit);
      parts.root.remove();
    },
  };
}

function build(parent) {
  const root = make("div", "lk-doc");
  const title = make("h2", "lk-title");
  title.dir = "auto";
  const tools = make("div", "lk-tools");
  const search = make("input", "lk-find");
  search.type = "search";
  search.placeholder = "search in the document";
  search.setAttribute("aria-label", "Search in the document");
  search.setAttribute("aria-keyshortcuts", "/");
  const count = make("output", "lk-count");
  const back = make("button", "lk-tool lk-step", "Previous");
  back.setAttribute("aria-label", "Previous place");
  const on = make("button", "lk-tool lk-step", "Next");
  on.setAttribute("aria-label", "Next place");
  const mark = make("button", "lk-tool lk-mark-it", "Mark as evidence");
  mark.setAttribute("aria-keyshortcuts", "e");
  mark.append(make("kbd", "", "e"));
  const status = make("span", "lk-status");
  status.setAttribute("role", "status");
  tools.append(search, count, back, on, mark, status);
  const pane = make("div", "lk-pane");
  pane.tabIndex = 0;
  pane.setAttribute("role", "region");
  pane.setAttribute("aria-label", "Document");
  const text = make("div", "lk-text");
  text.dir = "auto";
  pane.append(text);
  const list = make("ul", "lk-evidence");
  list.setAttribute("aria-label", "Evidence");
  list.hidden = true;
  root.append(title, tools, pane, list);
  parent.append(root);
  return { root, title, tools, search, count, back, on, mark, status, pane, text, list };
}

function parsed(kept) {
  try {
    return kept === null ? null : JSON.parse(kept);
  } catch {
    return null;
  }
}
