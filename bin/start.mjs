// `npm start`: makes a fresh clone ready, then runs the server: `node bin/start.mjs [app] [flags]`.
// Without an app, MILLRACE_ROLES decides which. `<app>/<program>` runs another program of that app, such as `api/replay`.
import { prepare } from './prepare.mjs';
import { programOfRoles, runProgram } from './run-program.mjs';

const [first, ...rest] = process.argv.slice(2);
const named = first !== undefined && !first.startsWith('-');

await prepare();
runProgram(named ? first : programOfRoles(), named ? rest : process.argv.slice(2));
