/** What goes on after its turn is over: it is in the state, in the lists, and can be stopped. */
import { asks, begun, ended, fake, type Step, script } from "./harness/fake";
import { expect, test } from "./harness/test";
import { allow, composer, open, request, timeline, turn } from "./harness/ui";

test.describe("a command in the background", () => {
  test.use({ settings: fake() });

  test("keeps its session at work on every screen", async ({ page, daemon, isMobile }) => {
    const project = await daemon.project("ledger", { "wait.sh": "sleep 300\n" });
    await daemon.project("web-shop");
    const session = await daemon.session(project, { agent: "claude", prompt: "background sh wait.sh" });
    await open(page, session);
    // A person sees that it goes on after the call, before they allow it and after.
    const card = await request(page, "Run a command in the background?");
    await expect(card.getByText("Goes on in the background after the call returns")).toBeVisible();
    await allow(card);
    await expect(turn(page, 1)).toBeVisible();
    await expect(
      page.locator("header").getByText("Working in the background").filter({ visible: true }),
    ).toBeVisible();
    await expect(page.locator("header").getByText("Idle")).toHaveCount(0);
    await expect(timeline(page).getByText(/Allowed once · you.*Started in the background/)).toBeVisible();
    await expect(
      timeline(page).getByRole("button", { name: /^Started sh wait\.sh.*Background/ }),
    ).toBeVisible();
    // A message does not wait for it.
    await expect(composer(page)).toHaveAttribute("placeholder", /^Message\. /);
    const strip = page.getByRole("region", { name: "In the background" });
    await expect(strip.getByRole("button", { expanded: false })).toContainText(/sh wait\.sh · since \d/);
    await strip.getByRole("button", { expanded: false }).click();
    await expect(strip.getByRole("listitem")).toContainText("sh wait.sh");
    await expect(strip.getByRole("button", { name: "Stop sh wait.sh" })).toBeEnabled();
    if (!isMobile)
      await expect(
        page.getByRole("navigation", { name: "Sessions" }).getByText(/sh wait\.sh · since/),
      ).toBeVisible();
    for (const path of ["/", `/p/${project.slug}`]) {
      await page.goto(path);
      const line = page.getByRole("main").getByRole("link").filter({ hasText: "background sh wait.sh" });
      await expect(line, path).toContainText("Working");
      await expect(line, path).toContainText(/sh wait\.sh · since/);
    }
  });
});

/** A sub-agent that goes on after its call and its turn, as the newer CLI's do unasked, until it is told to stop. */
const agent = { description: "Look around", prompt: "look", subagent_type: "general-purpose" };
const task = { type: "system", task_id: "a1", tool_use_id: "toolu_a", session_id: "$session" };
const result = { type: "tool_result", tool_use_id: "toolu_a", content: "Async agent launched." };
const [called = {}, leave = {}] = asks("toolu_a", "Agent", agent);
const input = {
  session_id: "$session",
  cwd: ".",
  hook_event_name: "PreToolUse",
  tool_name: "Agent",
  tool_input: agent,
  tool_use_id: "toolu_a",
};
/** No tool runs past it. */
const gate: Step = {
  emit: {
    type: "control_request",
    request_id: "gate",
    request: { subtype: "hook_callback", callback_id: "gate", tool_use_id: "toolu_a", input },
  },
};
/** Two seconds or more, in whole ones or with tenths. */
const SECONDS = /(?:[2-9]|\d\d)(?:\.\d)? s|\d min/;

const sends: Step[] = [
  ...begun,
  called,
  gate,
  { expect: { type: "control_response", response: { request_id: "gate" } } },
  leave,
  { emit: { ...task, subtype: "task_started", task_type: "local_agent", ...agent } },
  { emit: { type: "user", message: { role: "user", content: [result] }, session_id: "$session" } },
  ended,
  { expect: { type: "control_request", request: { subtype: "stop_task" } } },
  {
    emit: {
      type: "control_response",
      response: { subtype: "success", request_id: "$request_id", response: {} },
    },
  },
];
const ends = (status: string): Step => ({
  emit: { ...task, subtype: "task_notification", status, summary: "Look around", output_file: "" },
});

for (const [status, word] of [
  ["stopped", "Stopped"],
  ["failed", "Failed"],
  ["completed", "Finished"],
] as const)
  test.describe(`a sub-agent in the background that ${status}`, () => {
    test.use({ settings: script(...sends, ends(status), { hang: true }) });

    test("is at work after its call, and ends as it did", { tag: "@desktop" }, async ({ page, daemon }) => {
      const project = await daemon.project("ledger");
      await daemon.ask("POST", "/rules", { rule: "Agent", decision: "ask", scope: "user" });
      const session = await daemon.session(project, { agent: "claude", prompt: "send someone" });
      await open(page, session);
      await allow(await request(page, "Start a sub-agent?"));
      await expect(turn(page, 1)).toBeVisible();
      // Its call is over, and nothing says that it is.
      await expect(
        page.locator("header").getByText("Working in the background").filter({ visible: true }),
      ).toBeVisible();
      const row = timeline(page).getByRole("button", { name: /^Agent Look around/ });
      await expect(row).toContainText("Running");
      await expect(timeline(page).getByText(/Allowed once · you.*Started in the background$/)).toBeVisible();
      await expect(timeline(page).getByText(/Finished \d/)).toHaveCount(0);
      // Its time counts on, though its call took less than a second.
      await expect(row).toContainText(SECONDS);
      const strip = page.getByRole("region", { name: "In the background" });
      await strip.getByRole("button", { expanded: false }).click();
      await strip.getByRole("button", { name: "Stop Look around" }).click();
      await expect(strip).toHaveCount(0);
      await expect(row).not.toContainText("Running");
      await expect(row).toContainText(SECONDS);
      if (status === "completed") await expect(row).not.toContainText(/Stopped|Failed/);
      else await expect(row).toContainText(word);
      await page.goto(`/s/${session.id}/agents`);
      const panel = page.getByRole("complementary", { name: "Beside the timeline" });
      await panel.getByRole("tab", { name: /^Agents/ }).click();
      await expect(panel.getByRole("button", { name: /^Look around/ })).toContainText(`${word} · 0 steps`);
    });
  });

test.describe("with the real CLI", () => {
  test.use({ cli: true });

  test("a sub-agent in the background can be stopped by itself, and says so", { tag: "@phone" }, async ({
    page,
    daemon,
  }) => {
    const project = await daemon.project("ledger");
    const session = await daemon.session(project, { agent: "claude", prompt: "BGAGENT[STALL]" });
    await open(page, session);
    await expect(turn(page, 1)).toBeVisible();
    const row = timeline(page).getByRole("button", { name: /^Agent helper/ });
    await expect(row).toContainText("Running");
    const strip = page.getByRole("region", { name: "In the background" });
    await strip.getByRole("button", { expanded: false }).click();
    await strip.getByRole("button", { name: "Stop helper" }).click();
    await expect(strip).toHaveCount(0);
    await expect(row).toContainText("Stopped");
    await page.goto(`/s/${session.id}/agents`);
    await expect(page.getByRole("button", { name: /^helper/ })).toContainText("Stopped");
  });

  test("a command in the background can be stopped by itself", { tag: "@desktop" }, async ({
    page,
    daemon,
  }) => {
    const project = await daemon.project("ledger");
    const session = await daemon.session(project, { agent: "claude", prompt: "BG[sleep 300]" });
    await open(page, session);
    await expect(turn(page, 1)).toBeVisible();
    await expect(
      page.locator("header").getByText("Working in the background").filter({ visible: true }),
    ).toBeVisible();
    const strip = page.getByRole("region", { name: "In the background" });
    await strip.getByRole("button", { expanded: false }).click();
    await strip.getByRole("button", { name: /^Stop / }).click();
    await expect(strip).toHaveCount(0);
    await expect(timeline(page).getByText("Stopped", { exact: true })).toBeVisible();
    await expect(page.locator("header").getByText("Idle").filter({ visible: true })).toBeVisible();
  });
});
