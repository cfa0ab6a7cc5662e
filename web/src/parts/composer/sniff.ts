/** What a file's bytes are, held to what the daemon takes (`attachments` in `baton-session`). */

/** Images that agents can see, by how their bytes begin. */
const kinds = [
  {
    name: "PNG",
    types: ["image/png", "image/x-png"],
    endings: ["png"],
    begins: (head: string) => head.startsWith("\u0089PNG\r\n\u001a\n"),
  },
  {
    name: "JPEG",
    types: ["image/jpeg", "image/jpg", "image/pjpeg"],
    endings: ["jpg", "jpeg", "jpe"],
    begins: (head: string) => head.startsWith("\u00ff\u00d8\u00ff"),
  },
  { name: "GIF", types: ["image/gif"], endings: ["gif"], begins: (head: string) => /^GIF8[79]a/.test(head) },
  {
    name: "WebP",
    types: ["image/webp"],
    endings: ["webp"],
    begins: (head: string) => head.startsWith("RIFF") && head.startsWith("WEBP", 8),
  },
] as const;

/** Why a file would not be taken, in words; empty if it would. */
export async function whyNotSent(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const head = String.fromCharCode(...bytes.subarray(0, 16));
  const type = file.type.split(";")[0]?.trim().toLowerCase() ?? "";
  const ending = /\.([^.]*)$/.exec(file.name)?.[1]?.toLowerCase() ?? "";
  const unsaid = type === "" || type === "application/octet-stream";
  const said = kinds.find((one) =>
    unsaid ? one.endings.some((other) => other === ending) : one.types.some((other) => other === type),
  );
  const found = kinds.find((one) => one.begins(head));
  const name = file.name || "The file";
  if (found && said !== found && (said || !unsaid))
    return `${name} is given as ${said?.name ?? type}, but it is ${found.name}.`;
  if (found) return (await isDrawable(file)) ? "" : `${name} begins like ${found.name}, but cannot be drawn.`;
  if (said)
    return `${name} is given as ${said.name}, but it is ${isText(bytes) ? "text" : "something else"}.`;
  return isText(bytes) ? "" : `${name} is neither text nor an image that agents can see.`;
}

async function isDrawable(file: File): Promise<boolean> {
  try {
    (await createImageBitmap(file)).close();
    return true;
  } catch {
    return false;
  }
}

function isText(bytes: Uint8Array): boolean {
  if (bytes.includes(0)) return false;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
