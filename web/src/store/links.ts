/** One-time links: made by the daemon, opened by whoever gets them. */
import { call } from "../link/api";
import type { AccessScope, OneTimeLink, Share } from "../link/records";

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
  return `${base(link.url, here)}${path}#link=${link.link}`;
}

/** The address of a link to one session. */
export const shareAddress = (
  { url, token, device }: Pick<Share, "url" | "token"> & { device: Pick<Share["device"], "sessionId"> },
  here: Pick<Location, "origin" | "hostname">,
): string => `${base(url, here)}/s/${device.sessionId}#share=${token}`;

const base = (url: string | null | undefined, here: Pick<Location, "origin" | "hostname">): string =>
  onlyHere(here.hostname) && url ? new URL(url).origin : here.origin;
