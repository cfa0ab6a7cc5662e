/** Live frames: text that is being written. Frames may be lost, merged, repeated or late. */
import type { LiveFrame, TextDelta } from "../gen/events";
import type { Draft } from "./draft";
import type { Chunk, LiveBlock } from "./view";

export function foldLive(draft: Draft, frame: LiveFrame): void {
  // An event that came later has made this frame out of date.
  if (frame.after < draft.seq) return;
  switch (frame.type) {
    case "assistant.delta":
    case "thinking.delta":
      draft.live = grown(draft.live, frame, frame.payload, frame.type === "thinking.delta");
      return;
    case "tool.progress":
      draft.progress = new Map(draft.progress).set(frame.payload.toolUseId, frame.payload.elapsedMs);
      return;
    default:
      // Bytes of a terminal are for the terminal alone.
      return;
  }
}

function grown(
  blocks: readonly LiveBlock[],
  frame: LiveFrame,
  delta: TextDelta,
  thinking: boolean,
): readonly LiveBlock[] {
  const { messageId, block, offset, text } = delta;
  const at = blocks.findIndex((one) => one.messageId === messageId && one.block === block);
  const known = at < 0 ? "" : (blocks[at]?.text ?? "");
  // Beyond what is known there is a gap, which only the event can fill.
  if (offset > known.length) return blocks;
  const news = text.slice(known.length - offset);
  if (news === "" && at >= 0) return blocks;
  const next: LiveBlock = { messageId, block, thinking, text: known + news, ts: frame.ts, turn: frame.turn };
  return at < 0 ? [...blocks, next] : blocks.with(at, next);
}

/**
 * Names the row of a block, which is the same while it grows and when it is
 * there. An agent may use an id again in a later turn.
 */
export const blockKey = (turn: number, messageId: string, block: number): string =>
  `x:${turn}:${messageId}:${block}`;

/** The same for one that is being written: no row of the last ones may have it. */
export function liveKey(chunks: readonly Chunk[], block: LiveBlock): string {
  const key = blockKey(block.turn, block.messageId, block.block);
  return chunks.slice(-2).some((chunk) => chunk.at.has(key)) ? `l:${key}` : key;
}

/** The event has the whole of it. */
export function closeBlock(draft: Draft, messageId: string, block: number): void {
  const others = draft.live.filter((one) => one.messageId !== messageId || one.block !== block);
  if (others.length !== draft.live.length) draft.live = others;
}

/** Nothing under way outlives its turn. */
export function closeAll(draft: Draft): void {
  if (draft.live.length > 0) draft.live = [];
  if (draft.progress.size > 0) draft.progress = new Map();
}
