import { expect, test } from "vitest";
import { keep, recall } from "../../store/db";
import type { Ground } from "./suggest.svelte";
import { Writing } from "./writing.svelte";

const nowhere = {} as Ground;
const draft = async (name: string) => (await recall("drafts", name))?.text;

test("a field that goes before it has taken up the draft leaves it as it is", async () => {
  await keep("drafts", "new", { text: "kept", attachments: [] });
  new Writing("new", nowhere).begin()();
  expect(await draft("new")).toBe("kept");

  const next = new Writing("new", nowhere);
  const end = next.begin();
  await expect.poll(() => next.text).toBe("kept");
  next.text = "more";
  end();
  await expect.poll(() => draft("new")).toBe("more");
});

test("what was taken out of the field is not kept when it goes", async () => {
  await keep("drafts", "new", { text: "sent", attachments: [] });
  const one = new Writing("new", nowhere);
  const end = one.begin();
  await expect.poll(() => one.text).toBe("sent");
  expect(one.take().text).toBe("sent");
  end();
  await expect.poll(() => draft("new")).toBe(undefined);
});
