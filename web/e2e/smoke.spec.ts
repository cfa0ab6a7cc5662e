/** That what the other tests stand on works: both agents, a crash, a restart, and the watch that is kept. */

import { expect, test } from "./harness/test";
import { open, timeline, turn } from "./harness/ui";
import { UNREACHABLE } from "./harness/watch";

test.use({ serviceWorkers: "allow" });

test("a session of the demo is shown to its end", { tag: "@phone" }, async ({ page, daemon }) => {
  const project = await daemon.project("ledger");
  await open(page, await daemon.session(project, { prompt: "text" }));
  await expect(turn(page, 1)).toBeVisible();
});

test("a page comes back by itself after a crash and after a restart", { tag: "@desktop" }, async ({
  page,
  daemon,
  watch,
}) => {
  // While there is no daemon nobody answers, and browsers say so.
  watch.allow(...UNREACHABLE);
  const project = await daemon.project("ledger");
  const session = await daemon.session(project, { prompt: "text" });
  await open(page, session);
  await expect(turn(page, 1)).toBeVisible();
  await daemon.kill();
  await expect(page.getByText(/as of/).filter({ visible: true }).first()).toBeVisible();
  await daemon.start();
  await daemon.say(session.id, "help");
  await expect(turn(page, 2)).toBeVisible();
  await daemon.restart();
  await daemon.say(session.id, "think");
  await expect(turn(page, 3)).toBeVisible();
});

test("what a page must not do is seen", { tag: "@desktop" }, async ({ page, watch }) => {
  await page.goto("/");
  await page.evaluate(() => {
    console.error("a word in the console");
    document.body.append(
      Object.assign(document.createElement("img"), { src: "http://127.0.0.1:9/picture.png" }),
    );
    document.body.insertAdjacentHTML("beforeend", '<p style="color: red">inline</p>');
    setTimeout(() => {
      throw new Error("nobody caught this");
    });
  });
  const wanted = [/a word in the console/, /policy: img-src/, /policy: style-src/, /nobody caught this/];
  for (const one of wanted) await expect.poll(() => watch.faults.join("\n")).toMatch(one);
  watch.allow(/./);
});

test.describe("with the real CLI", () => {
  test.use({ cli: true });

  test("its answer is shown", { tag: "@phone" }, async ({ page, daemon }) => {
    const project = await daemon.project("ledger", { "README.md": "# Ledger\n" });
    await open(page, await daemon.session(project, { agent: "claude", prompt: "hello there" }));
    await expect(timeline(page).getByText("You said: hello there")).toBeVisible();
    await expect(turn(page, 1)).toBeVisible();
  });
});
