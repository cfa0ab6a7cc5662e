/** How much room there is, by the same widths as the style sheets have. */
function room(least: string): { readonly current: boolean } {
  const query = matchMedia(`(min-width: ${least})`);
  let current = $state(query.matches);
  query.addEventListener("change", () => {
    current = query.matches;
  });
  return {
    get current(): boolean {
      return current;
    },
  };
}

/** Whether there is room for more than a column, as on a tablet. */
export const roomy = room("768px");
/** Whether there is room for the rail and for something beside a screen. */
export const wide = room("1100px");
/** Whether there is room for sessions side by side. */
export const spacious = room("1500px");
