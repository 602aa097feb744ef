// A dialog over a page with keys of its own: the cursor goes into its field once, and while it is
// open no key acts on the page behind it, save the one that closes it.
export default function ({ data, parentElement }) {
  const state = parentElement.__labelkitDialog || (parentElement.__labelkitDialog = begin(data));
  return () => {
    window.removeEventListener("keydown", state.hold, true);
    delete parentElement.__labelkitDialog;
  };
}

function begin(data) {
  const hold = (event) => {
    const typing = event.target.matches("input, textarea");
    const sends = event.key === "Enter" && (event.ctrlKey || event.metaKey || event.altKey);
    const acts = !typing && /^[\p{L}\p{N}]$/u.test(event.key) && event.key !== data.closes;
    if (sends || acts) event.stopImmediatePropagation();
  };
  window.addEventListener("keydown", hold, true);
  focusIn(data.field, 60);
  return { hold };
}

function focusIn(key, tries) {
  const field = document.querySelector(`.st-key-${CSS.escape(key)} input`);
  const dialog = field && field.closest("[role='dialog']");
  if (dialog && dialog.contains(document.activeElement)) field.focus();
  else if (tries > 0) requestAnimationFrame(() => focusIn(key, tries - 1));
}
