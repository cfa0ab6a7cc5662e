/** A UUIDv4 that also works on a plain-http address, where `randomUUID` is missing. */
export function uuid(): string {
  return written(crypto.getRandomValues(new Uint8Array(16)));
}

/**
 * The UUID of a message that says another one again. It follows from the other's,
 * so that two devices that send it again at once send one message.
 */
export function uuidAgain(first: string): string {
  const bytes = new Uint8Array(16);
  const view = new DataView(bytes.buffer);
  for (const half of [0, 1]) {
    // FNV-1a, of the name and of which half it is.
    let hash = 0xcbf29ce484222325n;
    for (const byte of new TextEncoder().encode(`${half} again ${first.toLowerCase()}`))
      hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
    view.setBigUint64(half * 8, hash);
  }
  return written(bytes);
}

function written(bytes: Uint8Array): string {
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
