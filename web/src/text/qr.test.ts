import fc from "fast-check";
import jsQR from "jsqr";
import { describe, expect, it } from "vitest";
import { qr } from "./qr";

/** What a camera would see: three pixels a cell, with a light edge. */
function read(text: string): string | undefined {
  const cells = qr(text);
  const [scale, edge] = [3, 4];
  const width = (cells.length + 2 * edge) * scale;
  const pixels = new Uint8ClampedArray(width * width * 4).fill(255);
  cells.forEach((row, y) => {
    row.forEach((dark, x) => {
      if (!dark) return;
      for (let dy = 0; dy < scale; dy++)
        for (let dx = 0; dx < scale; dx++) {
          const at = 4 * (((y + edge) * scale + dy) * width + (x + edge) * scale + dx);
          pixels.fill(0, at, at + 3);
        }
    });
  });
  return jsQR(pixels, width, width)?.data;
}

describe("a QR code", () => {
  it("is read back as the link it was made of", () => {
    const link = "http://studio-mac.local:2633/p/ledger-api/s/ses_0123456789#link=kJ8s-Tq_2Zx";
    expect(read(link)).toBe(link);
  });

  it("holds at every size what the standard says, and is read back full", () => {
    // Bytes that fit at level M, by size.
    const most = [
      14, 26, 42, 62, 84, 106, 122, 152, 180, 213, 251, 287, 331, 362, 412, 450, 504, 560, 624, 666,
    ];
    most.forEach((length, at) => {
      const text = Array.from({ length }, (_, i) => String.fromCharCode(33 + ((i * 31) % 90))).join("");
      expect(qr(text)).toHaveLength(4 * (at + 1) + 17);
      expect(read(text), `${length} bytes`).toBe(text);
    });
  });

  it("is read back whatever it says", () => {
    const any = fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(any, (text) => read(text) === text),
      { numRuns: 20 },
    );
  });

  it("refuses what does not fit instead of cutting it", () => {
    expect(qr("x".repeat(666))).toHaveLength(97);
    expect(() => qr("x".repeat(667))).toThrow(RangeError);
  });
});
