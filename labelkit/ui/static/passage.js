// Brings the marked passage of a document's pane into view, once for each thing that is shown.
export default function ({ data, parentElement }) {
  if (parentElement.__labelkitShown === data.shown) return;
  parentElement.__labelkitShown = data.shown;
  bring(data.target, 60);
}

function bring(target, tries) {
  const marks = document.querySelectorAll(`.${CSS.escape(target)}`);
  if (marks.length === 0) {
    if (tries > 0) requestAnimationFrame(() => bring(target, tries - 1));
    return;
  }
  marks.forEach((mark) => {
    const pane = mark.closest(".lk-pane");
    // The pane alone scrolls: the page stays where the reader has it.
    const above = mark.getBoundingClientRect().top - pane.getBoundingClientRect().top;
    pane.scrollTop += above - pane.clientHeight / 4;
  });
}
