/** What goes on beside the conversation: sub-agents and background tasks, as far as they are loaded. */
import type { TaskRow, ToolRow, View } from "./view";

export interface Beside {
  readonly agents: readonly ToolRow[];
  readonly tasks: readonly TaskRow[];
}

/** The latest first. */
export function beside(view: View): Beside {
  const agents: ToolRow[] = [];
  const tasks: TaskRow[] = [];
  for (const chunk of view.chunks.toReversed()) {
    for (const row of chunk.rows.toReversed()) {
      if (row.kind === "task") tasks.push(row);
      else if (row.kind === "tool" && (row.agent || row.children.length > 0)) agents.push(row);
    }
  }
  return { agents, tasks };
}
