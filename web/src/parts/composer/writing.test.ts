import { JSDOM } from "jsdom";
import { beforeEach, expect, test, vi } from "vitest";
import { keep, recall } from "../../store/db";
import type { Ground } from "./suggest.svelte";
import { Writing } from "./writing.svelte";

const nowhere = {} as Ground;
let page = new EventTarget();
const leftBehind = new Map<string, string>();

beforeEach(() => {
  page = new EventTarget();
  leftBehind.clear();
  vi.stubGlobal("addEventListener", page.addEventListener.bind(page));
  vi.stubGlobal("removeEventListener", page.removeEventListener.bind(page));
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => leftBehind.get(key) ?? null,
    setItem: (key: string, value: string) => leftBehind.set(key, value),
    removeItem: (key: string) => leftBehind.delete(key),
  });
});

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

test("what was written before the draft was there stands behind it, and neither is lost", async () => {
  await keep("drafts", "new", { text: "kept", attachments: [] });
  const one = new Writing("new", nowhere);
  const end = one.begin();
  one.text = "typed";
  await expect.poll(() => one.text).toBe("kept\n\ntyped");
  end();
  await expect.poll(() => draft("new")).toBe("kept\n\ntyped");

  // It goes before it has taken up anything.
  await keep("drafts", "new", { text: "kept", attachments: [] });
  const next = new Writing("new", nowhere);
  const over = next.begin();
  next.text = "quick";
  over();
  await expect.poll(() => draft("new")).toBe("kept\n\nquick");
});

test("the field that comes next has what was written last", async () => {
  await keep("drafts", "next", { text: "kept", attachments: [] });
  const one = new Writing("next", nowhere);
  const end = one.begin();
  await expect.poll(() => one.text).toBe("kept");
  one.text = "kept, and more";
  end();
  const next = new Writing("next", nowhere);
  next.begin();
  await expect.poll(() => next.text).toBe("kept, and more");
});

test("what is put into the field is kept at once, with its files", async () => {
  await keep("drafts", "put", { text: "kept", attachments: [] });
  const one = new Writing("put", nowhere);
  one.begin();
  const file = { name: "a.txt", mediaType: "text/plain", data: "YQ==" };
  one.put("Taken back.", [file]);
  await expect.poll(() => draft("put")).toBe("kept\n\nTaken back.");
  expect((await recall("drafts", "put"))?.attachments).toEqual([file]);
  one.put("And more.");
  expect(await draft("put")).toBe("kept\n\nTaken back.\n\nAnd more.");
});

test("what is written while a message is on its way stays", async () => {
  const one = new Writing("other", nowhere);
  const file = { name: "a.txt", mediaType: "text/plain", data: "YQ==" };
  const late = { name: "b.txt", mediaType: "text/plain", data: "Yg==" };
  one.text = "Do it.";
  one.files = [file];
  const { text, files } = one;
  one.text = "Do it. And that.";
  one.files = [file, late];
  one.sent(text, files);
  expect([one.text, one.files]).toEqual(["And that.", [late]]);

  // Another text altogether is not what went.
  one.text = "Begun anew";
  one.sent("Do it.", []);
  expect(one.text).toBe("Begun anew");
});

test("files that are added at once all stay, and one that cannot be read hinders no other", async () => {
  const { window } = new JSDOM();
  Object.assign(globalThis, { FileReader: window.FileReader });
  const file = (name: string): File =>
    new window.File([`text of ${name}`], name, { type: "text/plain" }) as unknown as File;
  const gone = new Proxy(file("gone.txt"), {
    get: (of, key) =>
      key === "arrayBuffer" ? () => Promise.reject(new Error("gone")) : Reflect.get(of, key),
  });
  const one = new Writing("files", nowhere);
  void one.attach([gone]);
  void one.attach([file("a.txt")]);
  await one.attach([file("b.txt"), file("c.txt")]);
  expect(one.files.map(({ name }) => name)).toEqual(["a.txt", "b.txt", "c.txt"]);

  await one.attach([gone]);
  expect(one.problem).toBe("A file could not be read. Add it again.");
  // What was sent while a file was being read does not come back with it.
  const reading = one.attach([file("d.txt")]);
  one.take();
  await reading;
  expect(one.files.map(({ name }) => name)).toEqual(["d.txt"]);
});

test("what was typed just before the page went is taken up by the next one, once", async () => {
  const file = { name: "a.txt", mediaType: "text/plain", data: "YQ==" };
  await keep("drafts", "page", { text: "old", attachments: [file] });
  const one = new Writing("page", nowhere);
  one.begin();
  await expect.poll(() => one.text).toBe("old");
  one.text = "cold";
  page.dispatchEvent(new Event("pagehide"));

  const next = new Writing("page", nowhere);
  const end = next.begin();
  expect(next.text).toBe("cold");
  await expect.poll(() => draft("page")).toBe("cold");
  expect(next.files).toEqual([file]);
  next.take();
  next.save();
  await expect.poll(() => draft("page")).toBe(undefined);
  end();
  const last = new Writing("page", nowhere);
  last.begin();
  expect(last.text).toBe("");
});

test("what was typed before the draft was there, and the page went, stands behind it", async () => {
  await keep("drafts", "page", { text: "kept", attachments: [] });
  const one = new Writing("page", nowhere);
  one.begin();
  one.text = "typed";
  page.dispatchEvent(new Event("pagehide"));
  const next = new Writing("page", nowhere);
  next.begin();
  await expect.poll(() => next.text).toBe("kept\n\ntyped");
});

test("a page that goes with all kept leaves nothing behind it", async () => {
  await keep("drafts", "page", { text: "kept", attachments: [] });
  const one = new Writing("page", nowhere);
  one.begin();
  await expect.poll(() => one.text).toBe("kept");
  page.dispatchEvent(new Event("pagehide"));
  one.take();
  page.dispatchEvent(new Event("pagehide"));
  expect(leftBehind.size).toBe(0);
});
