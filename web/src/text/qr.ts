/** A QR code of a text, as rows of dark and light; it knows nothing of the screen. */
import { encode } from "uqr";

/** Level M: a seventh may be unreadable. Size 20 holds 666 bytes, more than any link of ours. */
const LIKE = { ecc: "M", boostEcc: false, maxVersion: 20, border: 0 } as const;

export const qr = (text: string): readonly (readonly boolean[])[] => encode(text, LIKE).data;
