/** Keeps the shell above an on-screen keyboard where the browser does not do it by itself (iOS). */
export function watchKeyboard(): () => void {
  const visual = window.visualViewport;
  if (!visual) return () => {};
  const update = (): void => {
    const editing = document.activeElement?.matches("input, textarea, [contenteditable]") ?? false;
    const covered = editing && visual.scale === 1 ? innerHeight - visual.height - visual.offsetTop : 0;
    document.documentElement.style.setProperty("--kb", `${Math.max(0, Math.round(covered))}px`);
    // A keyboard is the only thing that takes a third of a phone away.
    document.documentElement.toggleAttribute(
      "data-keyboard",
      visual.height < screen.height * 0.66 && editing,
    );
  };
  visual.addEventListener("resize", update);
  visual.addEventListener("scroll", update);
  addEventListener("focusin", update);
  addEventListener("focusout", update);
  return () => {
    visual.removeEventListener("resize", update);
    visual.removeEventListener("scroll", update);
    removeEventListener("focusin", update);
    removeEventListener("focusout", update);
  };
}
