/** An agent that lacks the past: the page says so in words, and each way on is one press. */
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Daemon, until } from "./harness/daemon";
import { fake } from "./harness/fake";
import { expect, test } from "./harness/test";
import { expectAccessible, open, say, timeline, turn } from "./harness/ui";

// Each turn has a process of its own, so that the next one looks for the past.
test.use({ settings: fake({ BATON_AGENT_LOST_MEMORY: "refuse", BATON_AGENT_RUNTIME: "resume" }) });

/** Takes away what the agent itself kept, once nobody has it in mind. */
async function forget(daemon: Daemon, id: string): Promise<void> {
  await until(async () => (await daemon.view(id)).pid == null, "the agent's process to be gone");
  const folder = join(daemon.home, ".claude/projects");
  const kept = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".jsonl"),
  );
  expect(kept).toHaveLength(1);
  for (const one of kept) rmSync(join(folder, one));
}

for (const [name, remedy, tag] of [
  ["Give it the history", "log", "@phone"],
  ["Go on without", "none", "@desktop"],
] as const)
  test(`is asked about, and "${name}" lets the message go`, { tag }, async ({ page, daemon, watch }) => {
    watch.allow(/status of 409/); // The message is refused until somebody has chosen.
    const project = await daemon.project("ledger");
    const session = await daemon.session(project, { agent: "claude", prompt: "say Hello." });
    await daemon.settled(session.id);
    await open(page, session);
    await expect(turn(page, 1)).toBeVisible();
    await forget(daemon, session.id);
    await say(page, "say Again.");
    const card = timeline(page).getByRole("region", { name: "The agent does not remember" });
    await expect(card).toContainText("own record of this session is gone");
    await expect(timeline(page).getByText("Not sent: it waits for your choice")).toBeVisible();
    // Neither the API's words nor those for a terminal.
    await expect(timeline(page).getByText(/memory_lost|--memory|Refused/)).toHaveCount(0);
    await expectAccessible(page, "the question what the agent goes on with");
    await card.getByRole("button", { name }).click();
    await expect(turn(page, 2)).toBeVisible();
    await expect(timeline(page).locator("[data-message]").last()).toContainText("Answered");
    await expect(card).toHaveCount(0);
    const events = await daemon.events(session.id);
    const lost = events.flatMap((event) =>
      event.type === "session.updated" && event.payload.memoryLost ? [event.payload.memoryLost.remedy] : [],
    );
    expect(lost).toEqual(["refuse", remedy]);
    expect(events.filter((event) => event.type === "user.message")).toHaveLength(2);
  });

test("is asked about by a session that fell asleep, too", { tag: "@phone" }, async ({
  page,
  daemon,
  watch,
}) => {
  watch.allow(/status of 409/); // It sleeps when it is told.
  const project = await daemon.project("ledger");
  const session = await daemon.session(project, { agent: "claude", prompt: "say Hello." });
  await daemon.settled(session.id);
  await forget(daemon, session.id);
  await expect(daemon.say(session.id, "say Again.")).rejects.toThrow("memory_lost");
  await daemon.ask("POST", `/sessions/${session.id}/stop`, {});
  await open(page, session);
  const card = timeline(page).getByRole("region", { name: "The agent does not remember" });
  await card.getByRole("button", { name: "Go on without" }).click();
  await expect(card).toHaveCount(0);
  await expect(
    timeline(page).getByText(/knows nothing of what was said.* It goes on without\./),
  ).toBeVisible();
  await say(page, "say Again.");
  await expect(turn(page, 2)).toBeVisible();
});
