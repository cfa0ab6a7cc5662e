/** A picture for the agent to show, drawn by the browser at hand. */
import type { Browser } from "@playwright/test";

export async function latencies(browser: Browser): Promise<string> {
  const page = await browser.newPage({ viewport: { width: 640, height: 320 }, isMobile: false });
  const bars = [41, 39, 44, 188, 201, 196, 190]
    .map((ms, at) => `<rect x="${40 + at * 82}" y="${280 - ms}" width="56" height="${ms}" rx="6"/>`)
    .join("");
  await page.setContent(
    `<style>body{margin:0;background:#fff}</style><svg width="640" height="320" fill="#0b666e"><path d="M24 280h600" stroke="#868b88"/>${bars}</svg>`,
  );
  const bytes = await page.screenshot();
  await page.close();
  return bytes.toString("base64");
}
