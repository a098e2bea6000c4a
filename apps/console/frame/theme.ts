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
