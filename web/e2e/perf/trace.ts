/** What the page's main thread did, by kind, from the browser's own trace: it says what is ours where wall times say what the machine does. */
import type { Browser, Page } from "@playwright/test";

interface Entry {
  readonly name: string;
  readonly ph: string;
  readonly ts: number;
  readonly dur?: number;
  /** Of the processor, in contrast to the wall's. */
  readonly tdur?: number;
  readonly pid: number;
  readonly tid: number;
  readonly args?: { name?: string; data?: { url?: string; isMainFrame?: boolean } };
}

/** Milliseconds of processor time of the main thread, each counted once. */
export interface Work {
  readonly script: number;
  readonly gc: number;
  readonly parse: number;
  readonly style: number;
  readonly layout: number;
  readonly paint: number;
  readonly other: number;
  readonly total: number;
  /** How often. */
  readonly styles: number;
  readonly layouts: number;
  readonly frames: number;
  readonly painted: number;
}

const kinds: readonly (readonly [keyof Work, RegExp])[] = [
  ["gc", /GC|^V8\.GC/],
  ["parse", /^(ParseHTML|ParseAuthorStyleSheet)$/],
  ["style", /^(UpdateLayoutTree|RecalculateStyles|ScheduleStyleRecalculation|InvalidateLayout)$/],
  ["layout", /^(Layout|UpdateLayer|HitTest|IntersectionObserverController::computeIntersections)$/],
  ["paint", /^(PrePaint|Paint|PaintImage|Layerize|Commit|CompositeLayers|UpdateLayerTree|RasterTask)$/],
  [
    "script",
    /^(FunctionCall|EvaluateScript|FireAnimationFrame|TimerFire|RunMicrotasks|EventDispatch|v8\..*|V8\..*|WebSocketReceive|FireIdleCallback)$/,
  ],
];

const kindOf = (name: string): keyof Work => kinds.find(([, names]) => names.test(name))?.[0] ?? "other";

const CATEGORIES = ["devtools.timeline", "toplevel", "v8", "disabled-by-default-v8.gc", "blink.user_timing"];

/** Traces the page while something happens. */
export async function traced(browser: Browser, page: Page, does: () => Promise<void>): Promise<Work> {
  await browser.startTracing(page, { categories: CATEGORIES });
  // Names the process of this page among the others.
  await page.evaluate(() => performance.mark("baton-traced"));
  await does();
  const bytes = await browser.stopTracing();
  const { traceEvents } = JSON.parse(bytes.toString()) as { traceEvents: Entry[] };
  return work(traceEvents);
}

export function work(entries: readonly Entry[]): Work {
  const marked = entries.find((one) => one.name === "baton-traced");
  if (!marked) throw new Error("the page is not in the trace");
  const main = entries
    .filter((one) => one.pid === marked.pid && one.tid === marked.tid && one.ph === "X")
    .sort((a, b) => a.ts - b.ts || (b.dur ?? 0) - (a.dur ?? 0));
  const sums: Record<keyof Work, number> = {
    script: 0,
    gc: 0,
    parse: 0,
    style: 0,
    layout: 0,
    paint: 0,
    other: 0,
    total: 0,
    styles: 0,
    layouts: 0,
    frames: 0,
    painted: 0,
  };
  // Entries nest: what one holds is taken from it.
  const open: { until: number; kind: keyof Work }[] = [];
  for (const { name, ts, dur = 0, tdur = 0 } of main) {
    for (let top = open.at(-1); top && top.until <= ts; top = open.at(-1)) open.pop();
    const outer = open.at(-1);
    const kind = kindOf(name);
    if (outer) sums[outer.kind] -= tdur / 1000;
    else sums.total += tdur / 1000;
    sums[kind] += tdur / 1000;
    if (name === "UpdateLayoutTree") sums.styles += 1;
    if (name === "Layout") sums.layouts += 1;
    if (name === "FireAnimationFrame") sums.frames += 1;
    if (name === "PrePaint") sums.painted += 1;
    open.push({ until: ts + dur, kind });
  }
  return sums;
}

/** One line of a table, per second of the stream. */
export function words(one: Work, seconds: number): string {
  const part = (value: number): string => `${(value / seconds).toFixed(1)}`;
  const { script, gc, parse, style, layout, paint, other } = one;
  return `${part(one.total)} ms (script ${part(script)}, collection ${part(gc)}, parsing ${part(parse)}, style ${part(style)}, layout ${part(layout)}, paint ${part(paint)}, other ${part(other)})`;
}
