// Keeps what a person types in one text area through refresh, closed tab, lost connection and
// server restart, and puts the cursor there when a level is chosen by key.
export default function (component) {
  const { data, parentElement } = component;
  const keeper = parentElement.__labelkit || (parentElement.__labelkit = install());
  keeper.update(data);
  return () => {
    keeper.stop();
    delete parentElement.__labelkit;
  };
}

const IDLE = 700; // milliseconds without a key before the server gets the text
const CHANGE_OF_MIND = 1000; // milliseconds in which a second level key replaces the first

function install() {
  let data = null;
  let timer = 0;
  let held = null; // the level's key that moved the cursor, until it is let go
  let jumpedAt = -Infinity;

  // React replaces the node: look it up each time.
  const area = () => document.querySelector(`.st-key-${CSS.escape(data.field)} textarea`);

  const commit = () => {
    clearTimeout(timer);
    // Streamlit commits on blur; a synthetic one leaves the real focus and the caret alone.
    area()?.dispatchEvent(new FocusEvent("focusout", { bubbles: true }));
  };

  const restore = (tries) => {
    const field = area();
    if (field === null) {
      if (tries > 0) requestAnimationFrame(() => restore(tries - 1));
      return;
    }
    document.documentElement.dataset.labelkitReady = data.field; // tests wait for it
    const kept = read(data.store);
    if (kept === null) return;
    // A focused field that differs from both copies is being typed in, here or in another tab.
    const untouched = field.value === data.value || field.value === "";
    if (kept !== field.value && (untouched || document.activeElement !== field)) {
      fill(field, kept);
      commit();
    } else if (kept === data.value) {
      drop(data.store); // the server has it
    }
  };

  const onInput = (event) => {
    if (event.target !== area()) return;
    write(data.store, event.target.value);
    clearTimeout(timer);
    timer = setTimeout(commit, IDLE);
  };

  // A level's key presses its button (Streamlit does that) and moves the cursor here. A second
  // one right behind it is a change of mind, not the first letter of the reason.
  const changesMind = (field) =>
    field !== null &&
    document.activeElement === field &&
    field.value === "" &&
    performance.now() - jumpedAt < CHANGE_OF_MIND;

  const onKeyDown = (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
    const field = area();
    if (event.repeat && event.key === held) return swallow(event);
    if (event.key === "Escape" && event.target === field) return field?.blur();
    if (!(event.key in data.buttons)) return;
    if (changesMind(field)) {
      swallow(event);
      document.querySelector(`.st-key-${CSS.escape(data.buttons[event.key])} button`)?.click();
    } else if (typing(document.activeElement)) {
      return;
    } else if (field === null) {
      // The next item is half drawn. Choosing without moving the cursor would let the letters
      // of the reason act as keys, so nothing is chosen yet.
      swallow(event);
    } else {
      // At once, not in a timeout: the first letter typed after the digit would be lost.
      event.preventDefault();
      field.focus();
    }
    held = event.key;
    jumpedAt = performance.now();
  };

  const onKeyUp = (event) => {
    if (event.key === held) held = null;
  };

  const observer = onReconnect(commit);
  document.addEventListener("input", onInput, true);
  window.addEventListener("keydown", onKeyDown, true);
  document.addEventListener("keyup", onKeyUp, true);

  return {
    update(next) {
      if (data !== null && data.field !== next.field) clearTimeout(timer);
      data = next;
      data.forget.forEach(drop);
      restore(60);
    },
    stop() {
      clearTimeout(timer);
      observer.disconnect();
      document.removeEventListener("input", onInput, true);
      window.removeEventListener("keydown", onKeyDown, true);
      document.removeEventListener("keyup", onKeyUp, true);
    },
  };
}

function fill(field, text) {
  const setter = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value").set;
  setter.call(field, text);
  field.dispatchEvent(new Event("input", { bubbles: true }));
}
