/** Puts text as models write it in the place of the stand-in's digits, token for token, before the page sees it. */
import type { Page } from "@playwright/test";

/** About what an answer of a few screens looks like: headings, prose, lists, code, a table. */
const ANSWER = `## What was wrong

The ledger kept **two totals** for each account, and \`close_month\` only updated one of them. Every report after the first
of the month therefore showed the balance of the month before, which nobody noticed while both were the same.

1. \`Ledger::post\` adds to \`running\` and never looks at \`closed\`.
2. \`close_month\` copies \`running\` to \`closed\`, but *before* the last postings of the day arrive.
3. The report reads \`closed\`, see [the manual](https://example.com/ledger) for why it does.

### The change

The total is now computed from the postings themselves, so there is nothing left that could disagree:

\`\`\`rust
pub fn balance(&self, account: AccountId, at: Date) -> Result<Money, LedgerError> {
    self.postings
        .iter()
        .filter(|one| one.account == account && one.date <= at)
        .try_fold(Money::ZERO, |sum, one| sum.checked_add(one.amount))
        .ok_or(LedgerError::Overflow { account })
}
\`\`\`

| file | what changes |
|---|---|
| \`src/ledger.rs\` | the total is computed |
| \`src/report.rs\` | asks for the day, not for the month |

- The old column stays in the database and is not read any more.
- A migration that removes it can follow once no older version runs.

> The numbers of the last three months were wrong by at most one day of postings.

`;

export async function usualText(page: Page): Promise<void> {
  await page.addInitScript((answer) => {
    const tokens = answer.match(/\s*\S{1,5}|\s+$/g) ?? [];
    const known = new Map<string, { at: number; length: number; text: string }>();
    /** What comes after what was said of this block, as many tokens as numbers came. */
    const next = (id: string, count: number): { offset: number; text: string } => {
      const block = known.get(id) ?? { at: 0, length: 0, text: "" };
      let text = "";
      for (let made = 0; made < count; made++) text += tokens[block.at++ % tokens.length] ?? "";
      const offset = block.length;
      block.length += text.length;
      block.text += text;
      known.set(id, block);
      return { offset, text };
    };
    const words = (data: string): string => {
      if (!data.includes('"assistant.')) return data;
      const said = JSON.parse(data);
      const one = said.frame ?? said.event;
      const { messageId, block, text } = one.payload;
      const id = `${messageId} ${block}`;
      if (one.type === "assistant.delta")
        Object.assign(one.payload, next(id, text.trim().split(/\s+/).length));
      else if (one.type === "assistant.text" && known.has(id)) one.payload.text = known.get(id)?.text;
      return JSON.stringify(said);
    };
    const { WebSocket: Real } = window;
    window.WebSocket = class extends Real {
      override set onmessage(heard: ((event: MessageEvent) => void) | null) {
        super.onmessage =
          heard && ((event) => heard(new MessageEvent("message", { data: words(String(event.data)) })));
      }
    };
  }, ANSWER);
}
