// Puts the cursor into a field of a dialog, once, after the dialog took the focus to itself.
export default function ({ data, parentElement }) {
  if (parentElement.__labelkitFocused) return;
  parentElement.__labelkitFocused = true;
  focusIn(data.field, 60);
}

function focusIn(key, tries) {
  const field = document.querySelector(`.st-key-${CSS.escape(key)} input`);
  const dialog = field && field.closest("[role='dialog']");
  if (dialog && dialog.contains(document.activeElement)) field.focus();
  else if (tries > 0) requestAnimationFrame(() => focusIn(key, tries - 1));
}
