/** Which of the page's own layers is open: the palette or the list of keys. */
let current = $state<"palette" | "keys" | undefined>();

export const layers = {
  get current() {
    return current;
  },
  open(which: "palette" | "keys"): void {
    current = which;
  },
  close(): void {
    current = undefined;
  },
};
