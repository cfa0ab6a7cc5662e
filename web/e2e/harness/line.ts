/** A line between a page and its daemon that a test can hold: what comes meanwhile arrives later, in order. */
import type { Page, Route } from "@playwright/test";

export interface Line {
  hold(): void;
  release(): void;
  /** Says to the page what the daemon did not. */
  say(frame: object): void;
}

/** Takes over the page's WebSocket; call it before the page is opened. */
export async function holdableLine(page: Page): Promise<Line> {
  let held = false;
  let send: (message: string | Buffer) => void = () => {};
  const later: (string | Buffer)[] = [];
  await page.routeWebSocket(/\/api\/v1\/ws$/, (socket) => {
    send = (message) => socket.send(message);
    socket.connectToServer().onMessage((message) => {
      if (held) later.push(message);
      else send(message);
    });
  });
  return {
    hold() {
      held = true;
    },
    release() {
      held = false;
      for (const message of later.splice(0)) send(message);
    },
    say(frame) {
      send(JSON.stringify(frame));
    },
  };
}

export interface Held {
  /** Resolves once a call was made. */
  readonly made: Promise<void>;
  /** Lets it and all later ones through. */
  release(): void;
}

/** Keeps calls to an address on their way until they are released. */
export async function holdCalls(page: Page, method: string, address: RegExp): Promise<Held> {
  let release = (): void => {};
  let tell = (): void => {};
  const released = new Promise<void>((done) => {
    release = done;
  });
  const made = new Promise<void>((done) => {
    tell = done;
  });
  await page.route(address, async (route: Route) => {
    if (route.request().method() === method) {
      tell();
      await released;
    }
    // The page may be gone by now.
    await route.continue().catch(() => {});
  });
  return { made, release };
}
