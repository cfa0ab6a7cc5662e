/**
 * What no screen may ever do, whatever a test is about: write an error to the
 * console, break its content security policy, or ask another origin for anything.
 */
import type { BrowserContext } from "@playwright/test";

/** What browsers write by themselves when nobody answers. */
export const UNREACHABLE = [
  /net::ERR_(CONNECTION_REFUSED|CONNECTION_RESET|EMPTY_RESPONSE|INTERNET_DISCONNECTED|NETWORK_CHANGED|SOCKET_NOT_CONNECTED|INCOMPLETE_CHUNKED_ENCODING|CONNECTION_CLOSED|FAILED)/,
  /WebSocket connection to .* failed/,
];

/** What a browser writes in which a test runs without the service worker. */
const BLOCKED = /^console warning: Service Worker registration blocked by Playwright/;

export class Watch {
  private readonly seen: string[] = [];
  private readonly fine: RegExp[] = [BLOCKED];

  constructor(private readonly origin: string) {}

  /** Lets a test cause what would be a fault elsewhere; say why beside it. */
  allow(...fine: readonly RegExp[]): void {
    this.fine.push(...fine);
  }

  /** What happened that should not have. */
  get faults(): string[] {
    return this.seen.filter((fault) => !this.fine.some((fine) => fine.test(fault)));
  }

  async over(context: BrowserContext): Promise<void> {
    context.on("console", (message) => {
      const type = message.type();
      if (type === "error" || type === "warning")
        this.seen.push(`console ${type}: ${message.text()} (${message.location().url})`);
    });
    context.on("weberror", (error) => this.seen.push(`uncaught: ${error.error().stack ?? error.error()}`));
    context.on("request", (request) => this.asked(request.url()));
    context.on("page", (page) => page.on("websocket", (socket) => this.asked(socket.url())));
    await context.exposeBinding("batonViolation", (_, what: string) => {
      this.seen.push(`content security policy: ${what}`);
    });
    await context.addInitScript(() => {
      document.addEventListener("securitypolicyviolation", (event) => {
        const { batonViolation } = window as unknown as { batonViolation(what: string): void };
        batonViolation(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`);
      });
    });
  }

  private asked(address: string): void {
    const url = new URL(address);
    if (url.protocol === "data:" || url.protocol === "blob:") return;
    if (url.host !== new URL(this.origin).host) this.seen.push(`left the origin: ${address}`);
  }
}
