import { renderMermaidSVG } from "beautiful-mermaid";
import { describe, expect, it } from "vitest";
import { type Box, layout } from "./layout";

const diagrams = {
  flow: "flowchart LR\n  A[Browser] -->|entry| B(Queue)\n  B --> C{Key known?}\n  C -->|no| D[Insert]\n  C -->|yes| E[Again]\n  D --> F[(Ledger)]\n  F --> A\n  E --> E",
  groups:
    "flowchart TD\n  subgraph one [First]\n    direction LR\n    A --> B\n    subgraph in [Inner]\n      X --> Y\n    end\n  end\n  subgraph two\n    C\n  end\n  B --> C\n  one --> two\n  Y --> D",
  state: "stateDiagram-v2\n  [*] --> Idle\n  Idle --> Working: prompt\n  Working --> Idle\n  Working --> [*]",
  classes: "classDiagram\n  Animal <|-- Duck\n  Animal : +int age\n  Duck : +swim()",
  entities: "erDiagram\n  CUSTOMER ||--o{ ORDER : places\n  ORDER ||--|{ LINE : has",
  sequence: "sequenceDiagram\n  A->>B: hello\n  B-->>A: hi",
};

describe("diagrams", () => {
  it.each(Object.entries(diagrams))("are drawn: %s", (_, source) => {
    const svg = renderMermaidSVG(source);
    expect(svg).toMatch(/^<svg/);
    expect(svg).not.toMatch(/NaN|Infinity|undefined/);
  });

  it("have no two boxes in one place, and groups around what is theirs", () => {
    const leaf = (id: string): Box => ({ id, width: 60, height: 36 });
    const line = (from: string, to: string) => ({ id: `${from}${to}`, sources: [from], targets: [to] });
    const done = layout({
      id: "root",
      children: [
        { id: "g", children: [leaf("a"), leaf("b")], edges: [line("a", "b")] },
        leaf("c"),
        leaf("d"),
      ],
      edges: [line("b", "c"), line("b", "d"), line("g", "c")],
    });
    const [group, c, d] = done.children as [Required<Box>, Required<Box>, Required<Box>];
    for (const inner of group.children as Required<Box>[]) {
      expect(inner.x).toBeGreaterThan(0);
      expect(inner.y).toBeGreaterThan(20);
      expect(inner.y + inner.height).toBeLessThan(group.height);
    }
    expect(Math.abs(c.x - d.x)).toBeGreaterThanOrEqual(60);
    expect(c.y).toBeGreaterThan(group.y + group.height - 1);
  });
});
