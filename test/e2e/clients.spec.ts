import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { nodeFolder, pythonFolder } from '../clients/fetch.mjs';
import { ROOT, startServer, type Server } from '../server/start-server.js';

interface Example {
  readonly title: string;
  readonly language: string;
  readonly program: string;
  readonly printed: string;
}

const page = readFileSync(join(import.meta.dirname, '../../docs/clients.md'), 'utf8');

/** Every program of the page under its title, with what the page says it prints. */
const examples: readonly Example[] = [
  ...page.matchAll(/^### (.+)\n\n```(python|js)\n([^]+?)^```\n\n```text\n([^]*?)^```$/gm),
].map(([, title = '', language = '', program = '', printed = '']) => ({
  title,
  language,
  program,
  printed,
}));

const inLanguage = (language: string): readonly Example[] =>
  examples.filter((example) => example.language === language);

/** A terminal's width is nobody's business, and no colour of one stands in the page. */
const PLAIN = { COLUMNS: '120', NO_COLOR: '1' };

function theProgramsOf(language: string, name: string, command: string, packages: string): void {
  describe(`docs/clients.md, its programs in ${language === 'js' ? 'Node.js' : 'Python'}`, () => {
    let server: Server;
    let folder: string;

    beforeAll(async () => {
      server = await startServer();
      folder = mkdtempSync(join(tmpdir(), 'millrace-clients-'));
      if (language === 'js') symlinkSync(packages, join(folder, 'node_modules'));
    });
    afterAll(async () => {
      rmSync(folder, { recursive: true, force: true });
      await server.stop();
    });

    it.each(inLanguage(language))('$title', async ({ program, printed }) => {
      const file = join(folder, name);
      writeFileSync(file, program);
      const { stdout, stderr } = await promisify(execFile)(command, [file], {
        cwd: folder,
        encoding: 'utf8',
        env: {
          PATH: process.env.PATH,
          HOME: folder,
          ...PLAIN,
          MILLRACE_URL: `${server.url}/api/default`,
          MILLRACE_USER: ROOT.email,
          MILLRACE_PASSWORD: ROOT.password,
        },
      });
      expect(`${stdout}${stderr}`).toBe(printed);
    });
  });
}

it('finds the programs of the page, and all of them', () => {
  expect(inLanguage('python')).toHaveLength(7);
  expect(inLanguage('js')).toHaveLength(5);
  expect(page.match(/^```(?:python|js)$/gm)).toHaveLength(examples.length);
});

const python = join(pythonFolder, 'bin/python');
const modules = join(nodeFolder, 'node_modules');
const FETCH = 'node test/clients/fetch.mjs';

if (existsSync(join(pythonFolder, 'whole')))
  theProgramsOf('python', 'program.py', python, pythonFolder);
else
  it(`does not run those in Python: their packages are not here (${FETCH})`, () => {
    expect(existsSync(join(pythonFolder, 'whole'))).toBe(false);
  });

if (existsSync(join(nodeFolder, 'whole')))
  theProgramsOf('js', 'program.mjs', process.execPath, modules);
else
  it(`does not run those in Node.js: their packages are not here (${FETCH})`, () => {
    expect(existsSync(join(nodeFolder, 'whole'))).toBe(false);
  });
