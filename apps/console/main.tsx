import { render } from 'preact';
import { App } from './frame/app.js';
import { applyTheme, keptTheme } from './frame/theme.js';
import './style/main.css';

applyTheme(keptTheme());
const place = document.getElementById('console');
if (place) {
  place.textContent = '';
  render(<App />, place);
}
