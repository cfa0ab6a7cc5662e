/** Single letters count only when nothing that takes text has the focus. */
export const inField = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest("input, textarea, select, [contenteditable]") !== null;
