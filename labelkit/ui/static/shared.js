// What the components of a page share: who is typing, storage, and the connection to the server.
function typing(element) {
  return (
    element !== null &&
    (element.isContentEditable || element.matches("input, textarea, select, [role=combobox]"))
  );
}

function swallow(event) {
  event.preventDefault();
  event.stopImmediatePropagation();
}

// Storage can be switched off or full: then the server's copy is all there is.
function read(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function write(key, text) {
  try {
    localStorage.setItem(key, text);
  } catch {
    // see above
  }
}

function drop(key) {
  try {
    localStorage.removeItem(key);
  } catch {
    // see above
  }
}

// Streamlit reconnects by itself and tells nobody. The attribute is not public: a browser test
// holds it.
function onReconnect(act) {
  const attribute = "data-test-connection-state";
  let connected = true;
  const observer = new MutationObserver(() => {
    const app = document.querySelector(`[${attribute}]`);
    const now = app !== null && app.getAttribute(attribute) === "CONNECTED";
    if (now && !connected) act();
    connected = now;
  });
  const attributes = { subtree: true, attributes: true, attributeFilter: [attribute] };
  observer.observe(document.body, attributes);
  return observer;
}
