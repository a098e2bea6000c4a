import { BROWSER } from './browser.js';

/** Runs suites that need a browser, or says that this machine has none. */
export function inBrowser(suites: () => void): void {
  if (BROWSER !== undefined) suites();
  else
    it('is not looked at: this machine has no Chromium (apt-get install chromium)', () => {
      expect(BROWSER).toBeUndefined();
    });
}
