// Places in a text: characters and units, marks, searches, selections.
function make(name, style, words) {
  const element = document.createElement(name);
  if (style) element.className = style;
  if (name === "button") element.type = "button";
  if (words !== undefined) element.textContent = words;
  return element;
}

// A text in characters as Python counts them; JavaScript counts most emoji as two.
class Characters {
  constructor(string) {
    this.string = string;
    this.starts = null; // the unit at which each character begins, if that differs at all
    if (/[\ud800-\udbff]/.test(string)) {
      this.starts = [];
      for (let unit = 0; unit < string.length; unit += string.codePointAt(unit) > 0xffff ? 2 : 1) {
        this.starts.push(unit);
      }
      this.starts.push(string.length);
    }
  }

  units(character) {
    if (this.starts === null) return Math.min(character, this.string.length);
    return this.starts[Math.min(character, this.starts.length - 1)];
  }

  character(unit) {
    if (this.starts === null) return unit;
    let low = 0;
    let high = this.starts.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.starts[middle] < unit) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  quote(start, end) {
    return this.string.slice(this.units(start), this.units(end));
  }
}

// Text nodes and marks; a piece may be a word of the query, evidence and a place found at once.
function segments(string, layers) {
  const cuts = new Set([0, string.length]);
  Object.values(layers).flat().forEach(([start, end]) => cuts.add(start).add(end));
  const edges = [...cuts].sort((a, b) => a - b);
  const at = Object.fromEntries(Object.keys(layers).map((name) => [name, 0]));
  const pieces = [];
  for (let i = 0; i + 1 < edges.length; i++) {
    const styles = Object.keys(layers).filter((name) => {
      const spans = layers[name];
      while (at[name] < spans.length && spans[at[name]][1] <= edges[i]) at[name]++;
      return at[name] < spans.length && spans[at[name]][0] <= edges[i];
    });
    const piece = string.slice(edges[i], edges[i + 1]);
    pieces.push(
      styles.length === 0
        ? document.createTextNode(piece)
        : make("mark", styles.map((name) => `lk-${name}`).join(" "), piece),
    );
  }
  return pieces;
}

// Case is ignored, as long as that leaves every letter in its place.
function occurrences(string, wanted) {
  const lower = string.toLowerCase();
  const folds = lower.length === string.length;
  const [where, what] = folds ? [lower, wanted.toLowerCase()] : [string, wanted];
  const found = [];
  for (let at = where.indexOf(what); at >= 0; at = where.indexOf(what, at + what.length)) {
    found.push([at, at + what.length]);
    if (found.length >= MOST_HITS) break;
  }
  return found;
}

function nodeAt(root, unit) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  let left = unit;
  let node = walker.nextNode();
  while (node !== null) {
    if (left <= node.data.length) return [node, left];
    left -= node.data.length;
    node = walker.nextNode();
  }
  return [root, 0];
}

function firstVisible(pane, root) {
  const box = pane.getBoundingClientRect();
  const middle = box.left + box.width / 2;
  const range = document.caretRangeFromPoint?.(middle, box.top + 6);
  if (range && root.contains(range.startContainer)) {
    return [range.startContainer, range.startOffset];
  }
  return nodeAt(root, 0);
}

// The part of a range inside the text, in units.
function within(root, range) {
  const whole = document.createRange();
  whole.selectNodeContents(root);
  const before = whole.cloneRange();
  if (range.compareBoundaryPoints(Range.START_TO_START, whole) > 0) {
    before.setEnd(range.startContainer, range.startOffset);
  } else {
    before.collapse(true);
  }
  const upto = whole.cloneRange();
  if (range.compareBoundaryPoints(Range.END_TO_END, whole) < 0) {
    upto.setEnd(range.endContainer, range.endOffset);
  }
  return [before.toString().length, upto.toString().length];
}

function trimmed(string, start, end) {
  while (start < end && /\s/.test(string[start])) start++;
  while (end > start && /\s/.test(string[end - 1])) end--;
  if (/[\udc00-\udfff]/.test(string[start] ?? "")) start--; // never half an emoji
  if (/[\udc00-\udfff]/.test(string[end] ?? "")) end++;
  return start < end ? [start, end] : null;
}

// The evidence with one more passage; what overlaps becomes one.
function joined(text, evidence, [start, end]) {
  let span = { start: text.character(start), end: text.character(end) };
  const apart = [];
  for (const other of evidence) {
    if (other.end < span.start || other.start > span.end) apart.push(other);
    else {
      span = {
        start: Math.min(span.start, other.start),
        end: Math.max(span.end, other.end),
      };
    }
  }
  const added = { ...span, quote: text.quote(span.start, span.end) };
  return [...apart, added].sort((a, b) => a.start - b.start);
}
