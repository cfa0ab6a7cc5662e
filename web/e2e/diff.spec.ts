/** Changes and files: the list, both views, what was looked at, pictures, and text to read. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "./harness/test";
import { expectAccessible } from "./harness/ui";

const before = Array.from({ length: 30 }, (_, at) => `let row_${at + 1} = ${at + 1};`).join("\n");
const after = before.replace("let row_9 = 9;", "let row_9 = 90;").replace("let row_20 = 20;\n", "");

test("changed files are listed, shown in one column or two, and marked as viewed until they change again", async ({
  page,
  daemon,
  isMobile,
}) => {
  const project = await daemon.project("ledger", {
    "src/main.rs": `${before}\n`,
    "src/other.rs": "fn other() {}\n",
    "notes.txt": "one\n",
  });
  const write = (name: string, text: string): void => writeFileSync(join(project.path, name), text);
  write("src/main.rs", `${after}\n`);
  write("src/other.rs", "fn another() {}\n");
  write("notes.txt", "two\n");
  await page.goto(`/p/${project.slug}/diff`);
  const file = (name: string) => page.getByRole("region", { name, exact: true });
  await expect(file("src/main.rs").getByText("let row_9 = 90;")).toBeVisible();
  if (isMobile) await page.getByText("All changed files").click();
  const list = page.getByRole("navigation", { name: "Changed files" });
  await expect(list.getByRole("button")).toHaveCount(3);
  await list.getByRole("button", { name: /other\.rs/ }).click();
  await expect(file("src/other.rs").getByRole("button", { name: /src\/other\.rs/ })).toBeFocused();
  await expect(file("src/other.rs")).toBeInViewport();
  if (!isMobile) {
    await page.getByRole("button", { name: "Split" }).click();
    const pair = file("src/main.rs").locator(".pair").filter({ hasText: "let row_9 = 90;" });
    const [left, right] = await pair.locator(".line").evaluateAll((all) => all.map((one) => one.textContent));
    expect(left).toContain("let row_9 = 9;");
    expect(right).toContain("let row_9 = 90;");
    // The choice is the device's.
    await page.reload();
    await expect(pair).toBeVisible();
    await expectAccessible(page, "a change in two columns");
    await page.getByRole("button", { name: "Unified" }).click();
    await expect(page.locator(".pair")).toHaveCount(0);
  }
  await file("src/main.rs").getByRole("checkbox", { name: "Viewed" }).click();
  await expect(file("src/main.rs").getByText("let row_9 = 90;")).toHaveCount(0);
  await expect(page.getByText("1 viewed", { exact: true })).toBeVisible();
  await page.reload();
  const viewed = file("src/main.rs").getByRole("checkbox", { name: "Viewed" });
  await expect(viewed).toBeChecked();
  await expect(file("src/other.rs").getByRole("checkbox", { name: "Viewed" })).not.toBeChecked();
  write("src/main.rs", `${after}\nlet more = 1;\n`);
  await page.reload();
  await expect(viewed).not.toBeChecked();
  await expect(file("src/main.rs").getByText("let more = 1;")).toBeVisible();
});

/** Point 5. */
test("lines are chosen by a finger, and put right by a line", { tag: "@phone" }, async ({ page, daemon }) => {
  const project = await daemon.project("ledger", { "a.txt": `${before}\n` });
  await page.goto(`/p/${project.slug}/files?path=a.txt`);
  const bar = page.getByRole("button", { name: "Choose a line to comment on" });
  await expect(bar).toBeVisible();
  const box = await bar.boundingBox();
  expect(box?.width).toBeGreaterThanOrEqual(44);
  const line = await page.locator("[data-at='9']").boundingBox();
  await page.touchscreen.tap((box?.x ?? 0) + 20, (line?.y ?? 0) + 10);
  const comment = page.locator("[data-comment]");
  await expect(comment).toContainText("Comment on line 10");
  await comment.getByRole("button", { name: "One line up" }).click();
  await expect(comment).toContainText("Comment on line 9");
  await comment.getByRole("button", { name: "One more line" }).click();
  await expect(comment).toContainText("Comment on lines 9 to 10");
  await comment.getByRole("textbox").fill("why?");
  await comment.getByRole("button", { name: "Keep" }).click();
  await expect(page.getByRole("region", { name: "Comments to send" })).toContainText("1 comment");
  await expectAccessible(page, "a file with a comment to send");
});

test("markdown is shown to be read, as its source, or both", async ({ page, daemon, isMobile }) => {
  const project = await daemon.project("ledger", { "README.md": "# Ledger\n\nIt **books** things.\n" });
  await page.goto(`/p/${project.slug}/files?path=README.md`);
  const text = page.getByRole("article");
  await expect(text.getByRole("heading", { name: "Ledger" })).toBeVisible();
  await page.getByRole("button", { name: "Source" }).click();
  await expect(page.getByText("# Ledger")).toBeVisible();
  await expect(text).toHaveCount(0);
  if (!isMobile) {
    await page.getByRole("button", { name: "Both" }).click();
    await expect(text).toBeVisible();
    await expect(page.getByText("# Ledger")).toBeVisible();
  }
  // Who asks for a line sees lines.
  await page.goto(`/p/${project.slug}/files?path=README.md&line=3`);
  await expect(page.locator(".meant")).toContainText("It **books** things.");
});
