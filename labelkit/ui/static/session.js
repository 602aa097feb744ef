// Keeps the person's name in a cookie, lets a held key act once, and asks for a run after the
// connection was lost: Streamlit reconnects by itself but leaves the old page standing.
export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const keeper = parentElement.__labelkit || (parentElement.__labelkit = install());
  keeper.update(data, setTriggerValue);
  return () => {
    keeper.stop();
    delete parentElement.__labelkit;
  };
}

const CONNECTION = "data-test-connection-state"; // not public: a browser test holds it

function install() {
  let person; // undefined until the first update
  let trigger = () => {};
  let connected = true;
  const observer = new MutationObserver(() => {
    const app = document.querySelector(`[${CONNECTION}]`);
    const now = app !== null && app.getAttribute(CONNECTION) === "CONNECTED";
    // A moment later, so that what the draft keepers commit goes first.
    if (now && !connected) setTimeout(() => trigger("reconnected", Date.now()), 150);
    connected = now;
  });
  // A key held down acts once: Streamlit's shortcuts would fire with every repeat. Window and
  // not document, to come before them; while somebody types, keys repeat as ever.
  const onKeyDown = (event) => {
    const saves = event.key === "Enter" && (event.ctrlKey || event.metaKey);
    const acts = /^[a-z0-9]$/i.test(event.key) && !typing(document.activeElement);
    if (event.repeat && (saves || acts)) {
      event.preventDefault();
      event.stopImmediatePropagation();
    }
  };
  window.addEventListener("keydown", onKeyDown, true);
  observer.observe(document.body, {
    subtree: true,
    attributes: true,
    attributeFilter: [CONNECTION],
  });
  return {
    update(data, setTriggerValue) {
      trigger = setTriggerValue;
      // Only a change is written: an old tab must not bring back the name it was opened with.
      if (data.person === person) return;
      person = data.person;
      if (person) remember(data.cookie, person);
      else if (person === "") forget(data.cookie, data.drafts);
    },
    stop() {
      observer.disconnect();
      window.removeEventListener("keydown", onKeyDown, true);
    },
  };
}

function typing(element) {
  return (
    element !== null &&
    (element.isContentEditable || element.matches("input, textarea, select, [role=combobox]"))
  );
}

function remember(cookie, person) {
  document.cookie = `${cookie}=${person}; path=/; max-age=31536000; samesite=lax`;
}

// On a shared computer nothing typed by one person stays for the next.
function forget(cookie, workspace) {
  document.cookie = `${cookie}=; path=/; max-age=0; samesite=lax`;
  try {
    Object.keys(localStorage)
      .filter((key) => key.startsWith(`labelkit:draft:${workspace}:`))
      .forEach((key) => localStorage.removeItem(key));
  } catch {
    // Storage is switched off: then nothing was kept either.
  }
}
