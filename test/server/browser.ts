import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium, type Browser, type Page } from 'playwright-core';

/** Debian and its like put the browser in one of these places. */
const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
export const BROWSER = PLACES.find((place) => existsSync(place));

const FLAGS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];

/** Opens a browser with a profile of its own, which is gone when it is closed. */
export function openBrowser(): Promise<Browser> {
  if (BROWSER === undefined) throw new Error('there is no Chromium on this machine');
  return chromium.launch({ executablePath: BROWSER, headless: true, args: FLAGS });
}

/**
 * Typing over a selected keyword of the editor: Chromium tries to keep the keyword's look by a style
 * of its own, which our policy refuses, as it should; the editor draws the text anew. The hash is of
 * `color: rgb(106, 44, 158); font-weight: 600;`.
 */
const TYPED_OVER_KEYWORD = 'sha256-nvGzEwTaKAtsWSKLtmoGsN3nZRxndMWG15I/Vcr4b0w=';

/**
 * Watches a page. The returned function lists the page's complaints, and the other hosts that it
 * asked, since this was called.
 */
export function watchPage(page: Page, origin: string): () => readonly string[] {
  const told: string[] = [];
  page.on('console', (message) => {
    // A refused request is one too, and the page tells it to people.
    const isRefusal = message.text().startsWith('Failed to load resource');
    const isTyping = message.text().includes(TYPED_OVER_KEYWORD);
    if (message.type() === 'error' && !isRefusal && !isTyping)
      told.push(`${message.text()} at ${message.location().url}:${message.location().lineNumber}`);
  });
  page.on('pageerror', (error) => told.push(String(error)));
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.origin !== origin && !/^(?:data|blob):$/.test(url.protocol)) told.push(request.url());
  });
  return () => told;
}

/** Opens the console and signs somebody in. */
export async function signIn(
  page: Page,
  url: string,
  { email, password }: { readonly email: string; readonly password: string },
): Promise<void> {
  await page.goto(url);
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Lists the faults that axe finds by WCAG 2.2 AA, one a line. */
export async function accessFaults(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    interface Found {
      readonly id: string;
      readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
    }
    const { axe } = globalThis as unknown as {
      axe: { run(options: object): Promise<{ violations: readonly Found[] }> };
    };
    const values = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
    const { violations } = await axe.run({ runOnly: { type: 'tag', values } });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary = '' }) => `${id}: ${html} ${failureSummary}`),
    );
  });
}
