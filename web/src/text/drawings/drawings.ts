/**
 * Draws what a finished block has of formulas and diagrams. Each way of drawing
 * is fetched when there is something for it to draw; until it came, and where it
 * fails, the source is shown.
 */
let maths: typeof import("./math") | undefined;

/** `open` while the block grows: what will be needed is fetched, so that it can be drawn the moment it is complete. */
export function drawings(block: HTMLElement, open: boolean): void {
  const formulas = [...block.querySelectorAll<HTMLElement>("code.math:not([data-tried])")];
  if (formulas.length > 0) {
    const draw = ({ math }: typeof import("./math")): void => {
      if (!open) formulas.filter((one) => one.isConnected).forEach(math);
    };
    if (maths) draw(maths);
    else
      import("./math").then(
        (found) => {
          maths = found;
          draw(found);
        },
        () => {},
      );
  }
  const diagrams = block.querySelectorAll<HTMLElement>(".code[data-lang=mermaid]:not([data-drawn])");
  if (diagrams.length > 0) {
    import("./diagram").then(
      async ({ diagram }) => {
        if (!open) for (const one of diagrams) await diagram(one);
      },
      () => {},
    );
  }
}
