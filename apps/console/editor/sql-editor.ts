import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  closeCompletion,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { sql } from '@codemirror/lang-sql';
import { bracketMatching } from '@codemirror/language';
import { Compartment, EditorState, Prec, StateEffect, StateField } from '@codemirror/state';
import {
  Decoration,
  drawSelection,
  EditorView,
  keymap,
  lineNumbers,
  type DecorationSet,
} from '@codemirror/view';
import type { Table } from '../api/schema.js';
import { completionsOf } from './completions.js';
import { editorLook } from './editor-look.js';
import { DIALECT } from './sql-words.js';

interface Span {
  readonly from: number;
  readonly to: number;
}

const mark = StateEffect.define<Span | undefined>();
/** The editor marks what the server did not understand, until the statement is changed. */
const marked = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(before, { effects, docChanged }) {
    for (const effect of effects)
      if (effect.is(mark)) {
        const span = effect.value;
        if (!span || span.from >= span.to) return Decoration.none;
        return Decoration.set(Decoration.mark({ class: 'wrong-place' }).range(span.from, span.to));
      }
    return docChanged ? Decoration.none : before;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** The editor completes these names. */
export interface Known {
  readonly tables: readonly Table[];
  readonly functions: readonly string[];
}

interface Told {
  readonly onRun: () => void;
  readonly onChange: (text: string) => void;
}

/**
 * The editor of statements, in a shadow root: there its styles are objects and no elements, which
 * the page's policy would not let in. Tab leaves it, as it leaves any other field.
 */
export class SqlEditor {
  private readonly language = new Compartment();
  private readonly view: EditorView;

  constructor(place: HTMLElement, text: string, known: Known, { onRun, onChange }: Told) {
    const root = place.shadowRoot ?? place.attachShadow({ mode: 'open' });
    const run = (view: EditorView): boolean => {
      closeCompletion(view);
      onRun();
      return true;
    };
    const state = EditorState.create({
      doc: text,
      extensions: [
        Prec.highest(keymap.of([{ key: 'Mod-Enter', run }])),
        lineNumbers(),
        history(),
        drawSelection(),
        bracketMatching(),
        closeBrackets(),
        autocompletion({ icons: false }),
        keymap.of([
          ...closeBracketsKeymap,
          ...defaultKeymap,
          ...historyKeymap,
          ...completionKeymap,
        ]),
        this.language.of(languageOf(known)),
        marked,
        editorLook,
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': 'SQL statement' }),
        EditorView.updateListener.of(({ docChanged, state: { doc } }) => {
          if (docChanged) onChange(doc.toString());
        }),
      ],
    });
    this.view = new EditorView({ state, parent: root, root });
  }

  set known(known: Known) {
    this.view.dispatch({ effects: this.language.reconfigure(languageOf(known)) });
  }

  set text(text: string) {
    if (text === this.view.state.doc.toString()) return;
    this.replace({ from: 0, to: this.view.state.doc.length }, text);
  }

  replace({ from, to }: Span, insert: string): void {
    this.view.dispatch({ changes: { from, to, insert } });
  }

  mark(span: Span | undefined): void {
    this.view.dispatch({
      effects: mark.of(span),
      ...(span ? { selection: { anchor: span.from }, scrollIntoView: true } : {}),
    });
  }

  close(): void {
    this.view.destroy();
  }
}

function languageOf({ tables, functions }: Known) {
  const language = sql({ dialect: DIALECT, upperCaseKeywords: true });
  return [language, language.language.data.of({ autocomplete: completionsOf(tables, functions) })];
}
