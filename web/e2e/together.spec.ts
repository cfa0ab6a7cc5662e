/** Several screens, a line that breaks, a daemon that dies: nothing is lost, nothing is done twice. */
import { expect, test } from "./harness/test";
import { allow, composer, open, request, say, timeline, turn } from "./harness/ui";
import { UNREACHABLE } from "./harness/watch";

test("two browsers on one session see the same, and who answered", async ({ page, daemon, another }) => {
  const project = await daemon.project("ledger");
  const session = await daemon.session(project, { prompt: "approval" });
  const other = await another({
    userAgent: "Mozilla/5.0 (iPad; CPU OS 17_0 like Mac OS X) AppleWebKit/605 Version/17.0 Safari/604.1",
  });
  await open(page, session);
  await open(other.page, session);
  const mine = await request(page);
  await request(other.page);
  await allow(mine);
  await expect(timeline(page).getByText(/Allowed once · you/)).toBeVisible();
  await expect(timeline(other.page).getByText(/Allowed once · Chrome on/)).toBeVisible();
  await expect(other.page.locator("[data-armed]")).toHaveCount(0);
  await expect(turn(other.page, 1)).toBeVisible();
  await say(other.page, "help");
  await expect(timeline(page).getByText(/Safari on iPad/)).toBeVisible();
  await expect(turn(page, 2)).toBeVisible();
  await expect(turn(other.page, 2)).toBeVisible();
  const rows = (on: typeof page) =>
    timeline(on).evaluate((box) =>
      [...box.querySelectorAll<HTMLElement>("[data-key]")].map((row) => row.dataset.key),
    );
  await expect.poll(() => rows(page)).toEqual(await rows(other.page));
});

test("an observer sees everything and can change nothing", async ({ daemon, another }) => {
  const project = await daemon.project("ledger");
  const session = await daemon.session(project, { prompt: "approval" });
  const { page } = await another({ scope: "observe" });
  await open(page, session);
  await expect(page.getByText("You can watch this session, not steer it.")).toBeVisible();
  await expect(timeline(page).getByText(/Waiting for another person or device/)).toBeVisible();
  await expect(page.getByRole("button", { name: /Allow|Deny/ })).toHaveCount(0);
  await daemon.answer(await daemon.asked(session.id), { decision: "allow" });
  await expect(turn(page, 1)).toBeVisible();
});

test.describe("while it streams", () => {
  test.use({ settings: { pace: 25 } });

  test("a daemon killed with a request open comes back with it, and the page too", async ({
    page,
    daemon,
    watch,
  }) => {
    watch.allow(...UNREACHABLE);
    const project = await daemon.project("ledger");
    const asking = await daemon.session(project, { prompt: "approval" });
    const { approval } = await daemon.asked(asking.id);
    const streaming = await daemon.session(project, { prompt: "slow" });
    await open(page, streaming);
    await expect(timeline(page).getByText("3", { exact: true })).toBeVisible();
    await daemon.kill();
    await expect(
      page
        .getByText(/as of \d/)
        .filter({ visible: true })
        .first(),
    ).toBeVisible();
    await daemon.start();
    await expect(page.getByText(/as of \d/).filter({ visible: true })).toHaveCount(0);
    // It goes on where it was, each number once.
    await expect(timeline(page).getByText("9", { exact: true })).toBeVisible();
    for (const number of ["1", "2", "3", "4", "5"])
      await expect(timeline(page).getByText(number, { exact: true })).toHaveCount(1);
    await page.getByRole("button", { name: "Stop" }).click();
    await expect(turn(page, 1)).toContainText("stopped by you");
    await open(page, asking);
    expect((await daemon.asked(asking.id)).approval.approvalId).toBe(approval.approvalId);
    await allow(await request(page));
    await expect(turn(page, 1)).toBeVisible();
    const resolved = (await daemon.events(asking.id)).filter((one) => one.type === "approval.resolved");
    expect(resolved).toHaveLength(1);
  });
});

test.describe("with the real CLI", () => {
  test.use({ cli: true });

  test("the real CLI's request outlives a restart", async ({ page, daemon, watch }) => {
    watch.allow(...UNREACHABLE);
    const project = await daemon.project("ledger");
    const session = await daemon.session(project, { agent: "claude", prompt: "WRITE[kept.txt|kept]" });
    await open(page, session);
    await request(page, "Write kept.txt?");
    await daemon.kill();
    await daemon.start();
    await expect(page.getByText(/as of \d/).filter({ visible: true })).toHaveCount(0);
    await allow(await request(page, "Write kept.txt?"));
    await expect(turn(page, 1)).toBeVisible();
  });
});

test("what is written offline waits here, and is sent once when the line is back", async ({
  page,
  context,
  daemon,
  watch,
}) => {
  watch.allow(...UNREACHABLE);
  const project = await daemon.project("ledger");
  const session = await daemon.session(project, { prompt: "help" });
  await open(page, session);
  await expect(turn(page, 1)).toBeVisible();
  await context.setOffline(true);
  await daemon.kill();
  await say(page, "text");
  await expect(timeline(page).getByText("Not sent, kept on this device")).toBeVisible();
  await expect(page.getByText("1 message waits here.")).toBeVisible();
  await expect(composer(page)).toHaveValue("");
  await daemon.start();
  await context.setOffline(false);
  await expect(turn(page, 2)).toBeVisible();
  await expect(timeline(page).getByText("Not sent, kept on this device")).toHaveCount(0);
  const said = (await daemon.events(session.id)).filter((one) => one.type === "user.message");
  expect(said).toHaveLength(2);
});

test("a device that is signed out elsewhere is out at once, and says so", async ({
  page,
  daemon,
  another,
  watch,
}) => {
  watch.allow(/status of 401/, ...UNREACHABLE);
  const project = await daemon.project("ledger");
  const session = await daemon.session(project, { prompt: "help" });
  const lost = await another({
    userAgent: "Mozilla/5.0 (iPad; CPU OS 17_0 like Mac OS X) AppleWebKit/605 Version/17.0 Safari/604.1",
  });
  await open(lost.page, session);
  await expect(turn(lost.page, 1)).toBeVisible();
  await page.goto("/settings/devices");
  await page.getByRole("button", { name: "Sign out Safari on iPad" }).click();
  await page.getByRole("button", { name: "Press again to sign out Safari on iPad" }).click();
  await expect(lost.page).toHaveURL(/\/signin/);
  await expect(lost.page.getByText(/signed out/i)).toBeVisible();
  await lost.page.goto(`/s/${session.id}`);
  await expect(lost.page).toHaveURL(/\/signin/);
  await expect(lost.page.getByText("demo agent")).toHaveCount(0);
});
