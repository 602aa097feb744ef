// Measures how long a pair was worked on: its page visible, and a pointer, key, wheel or finger
// used within the last half minute. The sum is told right before a save, so it costs no run.
export default function (component) {
  const { data, parentElement, setStateValue } = component;
  const watch = parentElement.__labelkit || (parentElement.__labelkit = install());
  watch.update(data, setStateValue);
  return () => {
    watch.stop();
    delete parentElement.__labelkit;
  };
}

const IDLE = 30_000; // milliseconds without a sign of life that still count as reading
const SIGNS = ["pointerdown", "pointermove", "keydown", "wheel", "scroll", "touchmove"];

function install() {
  let data = null;
  let tell = () => {};
  let seconds = 0;
  let lastSign = performance.now();
  let lastTick = performance.now();

  const tick = () => {
    const now = performance.now();
    const passed = Math.min(now - lastTick, 2000); // more: the computer slept
    lastTick = now;
    if (data === null || document.visibilityState !== "visible" || now - lastSign > IDLE) return;
    seconds += passed / 1000;
    write(data.store, seconds.toFixed(1));
  };

  const sign = () => {
    tick();
    lastSign = performance.now();
  };

  const report = () => {
    sign();
    tell("spent", { item: data.item, seconds: Math.round(seconds * 10) / 10 });
  };

  const onClick = (event) => {
    if (event.target.closest?.(`.st-key-${CSS.escape(data.button)}`)) report();
  };

  const onKeyDown = (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.repeat) report();
  };

  const timer = setInterval(tick, 1000);
  SIGNS.forEach((name) => window.addEventListener(name, sign, { capture: true, passive: true }));
  window.addEventListener("click", onClick, true);
  window.addEventListener("keydown", onKeyDown, true);

  return {
    update(next, setStateValue) {
      tell = setStateValue;
      if (data === null || data.item !== next.item) {
        if (data !== null) drop(data.store);
        seconds = Number(read(next.store)) || 0; // after a refresh
        lastTick = performance.now();
      }
      data = next;
    },
    stop() {
      clearInterval(timer);
      SIGNS.forEach((name) => window.removeEventListener(name, sign, { capture: true }));
      window.removeEventListener("click", onClick, true);
      window.removeEventListener("keydown", onKeyDown, true);
    },
  };
}
