/** Whether there is room for the rail and for something beside a screen. */
const query = matchMedia("(min-width: 1100px)");
let current = $state(query.matches);
query.addEventListener("change", () => {
  current = query.matches;
});

export const wide = {
  get current(): boolean {
    return current;
  },
};
