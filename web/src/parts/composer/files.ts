/** Files a person adds to a message: read, measured, and held to the limits the daemon has. */

import { size } from "../../fold/format";
import type { AttachmentBody } from "../../link/types";
import { whyNotSent } from "./sniff";

const MOST = 10;
const EACH = 20_000_000;
const ALL = 50_000_000;

/** How many bytes base64 text stands for. */
export const bytesOf = ({ data }: AttachmentBody): number =>
  (data.length * 3) / 4 - (data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0);

export interface Added {
  readonly files: AttachmentBody[];
  readonly problem: string;
}

export async function add(before: readonly AttachmentBody[], news: readonly File[]): Promise<Added> {
  const files = [...before];
  let sum = files.reduce((all, file) => all + bytesOf(file), 0);
  for (const file of news) {
    if (files.length >= MOST) return { files, problem: `At most ${MOST} files go with a message.` };
    if (file.size > EACH)
      return { files, problem: `${file.name} has ${size(file.size)}; ${size(EACH)} is the most.` };
    const problem = await whyNotSent(file);
    if (problem) return { files, problem };
    sum += file.size;
    if (sum > ALL) return { files, problem: `All files together may have ${size(ALL)}.` };
    files.push({
      name: file.name || "pasted",
      mediaType: file.type || "application/octet-stream",
      data: await base64(file),
    });
  }
  return { files, problem: "" };
}

export function base64(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ""));
    reader.onerror = () => reject(reader.error ?? new Error("the file could not be read"));
    reader.readAsDataURL(file);
  });
}
