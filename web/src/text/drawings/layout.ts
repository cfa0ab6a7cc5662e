/**
 * Places boxes and lines of a diagram, in the stead of elkjs, which the drawing
 * library wants: that is four times as large and under a licence that this
 * program does not take. Asked and answered in its words, done by dagre.
 */
import { Graph, layout as place } from "@dagrejs/dagre";

interface Point {
  x: number;
  y: number;
}
interface Line {
  id: string;
  sources: string[];
  targets: string[];
  labels?: { width?: number; height?: number; x?: number; y?: number }[];
  sections?: { id: string; startPoint: Point; endPoint: Point; bendPoints: Point[] }[];
}
export interface Box {
  id: string;
  x?: number;
  y?: number;
  width?: number;
  height?: number;
  children?: Box[];
  edges?: Line[];
  ports?: { id: string }[];
  layoutOptions?: Record<string, string>;
}

interface Frame extends Point {
  width: number;
  height: number;
}

const directions: Record<string, string> = { DOWN: "TB", UP: "BT", RIGHT: "LR", LEFT: "RL" };
/** Around what is in a group; its name stands above that. */
const INSET = 12;
const NAME = 28;

export function layout(root: Box): Box {
  const option = (name: string): string | undefined => root.layoutOptions?.[name];
  const number = (name: string, otherwise: number): number => Number(option(name) ?? otherwise) || otherwise;
  const rankdir = directions[option("elk.direction") ?? "DOWN"] ?? "TB";
  const across = rankdir === "LR" || rankdir === "RL";
  const padding = Number(/left=(\d+)/.exec(option("elk.padding") ?? "")?.[1] ?? 12);
  const groups = (root.children ?? []).some((one) => (one.children?.length ?? 0) > 0);
  const graph = new Graph({ multigraph: true, compound: true });
  graph.setGraph({
    rankdir,
    nodesep: number("elk.spacing.nodeNode", 28) + (groups && across ? NAME : 0),
    ranksep: number("elk.layered.spacing.nodeNodeBetweenLayers", 48),
    edgesep: 14,
  });
  /** What a line that ends at a group, or at its edge, is drawn to. */
  const stands = new Map<string, string>();
  const add = (box: Box, parent?: Box): void => {
    const inner = box.children ?? [];
    graph.setNode(box.id, { width: box.width ?? 0, height: box.height ?? 0 });
    if (parent) graph.setParent(box.id, parent.id);
    for (const one of inner) add(one, box);
    const [first] = inner;
    if (first) stands.set(box.id, stands.get(first.id) ?? first.id);
    for (const port of box.ports ?? []) {
      const line = box.edges?.find((one) => one.sources[0] === port.id || one.targets[0] === port.id);
      const other = line?.sources[0] === port.id ? line.targets[0] : line?.sources[0];
      if (other) stands.set(port.id, stands.get(other) ?? other);
    }
  };
  for (const box of root.children ?? []) add(box);
  const end = (id = ""): string => stands.get(id) ?? id;
  const lines = (box: Box): Line[] => [...(box.edges ?? []), ...(box.children ?? []).flatMap(lines)];
  for (const { id, sources, targets, labels } of lines(root)) {
    const [from, to] = [end(sources[0]), end(targets[0])];
    if (!graph.hasNode(from) || !graph.hasNode(to) || id.endsWith("_internal")) continue;
    const { width = 0, height = 0 } = labels?.[0] ?? {};
    graph.setEdge(from, to, { width, height, labelpos: "c" }, id);
  }
  place(graph);

  const frames = new Map<string, Frame>();
  const measure = (box: Box): void => {
    for (const one of box.children ?? []) measure(one);
    const { x = 0, y = 0, width = 0, height = 0 } = graph.node(box.id) as Partial<Record<string, number>>;
    const frame = { x: x - width / 2, y: y - height / 2, width, height };
    if (box.children?.length) {
      // A group holds its boxes and its name, whatever room was left for it.
      const inner = box.children.flatMap((one) => frames.get(one.id) ?? []);
      frame.x = Math.min(...inner.map((one) => one.x)) - INSET;
      frame.y = Math.min(...inner.map((one) => one.y)) - INSET - NAME;
      frame.width = Math.max(...inner.map((one) => one.x + one.width)) + INSET - frame.x;
      frame.height = Math.max(...inner.map((one) => one.y + one.height)) + INSET - frame.y;
    }
    frames.set(box.id, frame);
  };
  for (const box of root.children ?? []) measure(box);
  const routes = new Map(
    graph.edges().map((edge) => {
      const { points, x = 0, y = 0 } = graph.edge(edge) as { points: Point[]; x?: number; y?: number };
      const path = route(points, frames.get(edge.v) as Frame, frames.get(edge.w) as Frame, across);
      return [edge.name ?? "", { path, x, y }];
    }),
  );
  const all = [...frames.values(), ...[...routes.values()].flatMap(({ path }) => path.map(spot))];
  const left = Math.min(...all.map((one) => one.x)) - padding;
  const top = Math.min(...all.map((one) => one.y)) - padding;

  const drawn = (line: Line, dx: number, dy: number): Line => {
    const found = routes.get(line.id);
    if (!found) return line;
    const path = found.path.map((point) => ({ x: point.x - dx, y: point.y - dy }));
    const [startPoint, endPoint] = [path[0] as Point, path.at(-1) as Point];
    const bendPoints = path.slice(1, -1);
    const labels = line.labels?.map((label) => ({
      ...label,
      x: found.x - (label.width ?? 0) / 2 - dx,
      y: found.y - (label.height ?? 0) / 2 - dy,
    }));
    return { ...line, labels, sections: [{ id: `${line.id}s`, startPoint, endPoint, bendPoints }] };
  };
  const placed = (box: Box, dx: number, dy: number): Box => {
    const frame = frames.get(box.id) ?? { x: left, y: top, width: 0, height: 0 };
    return {
      ...box,
      ...frame,
      x: frame.x - dx,
      y: frame.y - dy,
      children: box.children?.map((one) => placed(one, frame.x, frame.y)),
      edges: box.edges?.map((line) => drawn(line, frame.x, frame.y)),
    };
  };
  const whole = placed({ ...root, id: "" }, left, top);
  const right = Math.max(...all.map((one) => one.x + one.width));
  const bottom = Math.max(...all.map((one) => one.y + one.height));
  return { ...whole, id: root.id, width: right - left + padding, height: bottom - top + padding };
}

const spot = ({ x, y }: Point): Frame => ({ x, y, width: 0, height: 0 });
/** How far from a corner a line ends. */
const CORNER = 8;

/** From one box to the other: out of a side that looks ahead, and round the corner back to itself. */
function route(points: readonly Point[], from: Frame, to: Frame, across: boolean): Point[] {
  if (from === to) {
    const [x, y] = [from.x + from.width, from.y + from.height / 2];
    const at = (dx: number, dy: number): Point => ({ x: x + dx, y: y + dy });
    return [at(0, -CORNER), at(20, -CORNER), at(20, CORNER), at(0, CORNER)];
  }
  const inner = points.slice(1, -1);
  const [first, last] = [points[0] as Point, points.at(-1) as Point];
  return square(
    [side(from, first, inner[0] ?? last, across), ...inner, side(to, last, inner.at(-1) ?? first, across)],
    across,
  );
}

/** Where a line meets a box that it comes to from there. */
function side(box: Frame, point: Point, there: Point, across: boolean): Point {
  const within = (at: number, from: number, size: number): number =>
    Math.min(Math.max(at, from + Math.min(CORNER, size / 2)), from + size - Math.min(CORNER, size / 2));
  if (across) {
    const after = there.x > box.x + box.width / 2;
    return { x: after ? box.x + box.width : box.x, y: within(point.y, box.y, box.height) };
  }
  const after = there.y > box.y + box.height / 2;
  return { x: within(point.x, box.x, box.width), y: after ? box.y + box.height : box.y };
}

/** The same way with right angles only: halfway between two places it turns. */
function square(points: readonly Point[], across: boolean): Point[] {
  const path = points.slice(0, 1);
  for (const to of points.slice(1)) {
    const from = path.at(-1) as Point;
    if (Math.abs(from.x - to.x) < 1 || Math.abs(from.y - to.y) < 1) {
      path.push(Math.abs(from.x - to.x) < 1 ? { x: from.x, y: to.y } : { x: to.x, y: from.y });
      continue;
    }
    const half = across ? (from.x + to.x) / 2 : (from.y + to.y) / 2;
    path.push(
      across ? { x: half, y: from.y } : { x: from.x, y: half },
      across ? { x: half, y: to.y } : { x: to.x, y: half },
      to,
    );
  }
  return path;
}

/** As much of the other's manners as the library relies on. */
export default class {
  readonly worker: { worker: { onmessage?: (answer: object) => void; dispatcher: object } };

  constructor() {
    const worker: { onmessage?: (answer: object) => void; dispatcher: object } = {
      dispatcher: {
        saveDispatch: ({ data }: { data: { id: number; graph: Box } }) =>
          worker.onmessage?.({ data: { id: data.id, data: layout(data.graph) } }),
      },
    };
    this.worker = { worker };
  }
}
