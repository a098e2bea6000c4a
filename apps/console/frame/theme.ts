type Theme = 'auto' | 'light' | 'dark';

const KEY = 'millrace-theme';
const NEXT: Readonly<Record<Theme, Theme>> = { auto: 'light', light: 'dark', dark: 'auto' };

export function keptTheme(): Theme {
  const kept = localStorage.getItem(KEY);
  return kept === 'light' || kept === 'dark' ? kept : 'auto';
}

/** `auto` is what the system has. */
export function applyTheme(theme: Theme): void {
  if (theme === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

export function changeTheme(theme: Theme): Theme {
  const next = NEXT[theme];
  localStorage.setItem(KEY, next);
  applyTheme(next);
  return next;
}

/**
 * Calls `changed` when the page has other colors, by its button or by the system.
 * @returns what ends it
 */
export function watchTheme(changed: () => void): () => void {
  const chosen = new MutationObserver(changed);
  chosen.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  const system = matchMedia('(prefers-color-scheme: dark)');
  system.addEventListener('change', changed);
  return () => {
    chosen.disconnect();
    system.removeEventListener('change', changed);
  };
}
