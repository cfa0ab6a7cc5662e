/** One-time links: made by the daemon, opened by whoever gets them. */
import { call } from "../link/api";
import type { AccessScope, OneTimeLink } from "../link/records";

export const makeLink = (scope: AccessScope): Promise<OneTimeLink> =>
  call("POST", "/auth/links", { body: { scope } });

export const onlyHere = (host: string): boolean => /^(localhost$|127\.|\[::1\]$)/.test(host);

/**
 * Where this page was opened is where others can open it, unless that is only
 * this machine; then the daemon may know better. The secret is in the fragment,
 * which servers never see.
 */
export function linkAddress(
  link: Pick<OneTimeLink, "link" | "url">,
  here: Pick<Location, "origin" | "hostname">,
  path: string,
): string {
  const base = onlyHere(here.hostname) && link.url ? new URL(link.url).origin : here.origin;
  return `${base}${path}#link=${link.link}`;
}
