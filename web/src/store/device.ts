/** Which device this is, as the daemon names it in receipts. */
const KEY = "baton.device";

export const device = {
  id: (): string | undefined => localStorage.getItem(KEY) ?? undefined,
  remember: (id: string): void => localStorage.setItem(KEY, id),
};
