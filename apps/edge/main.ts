import { HELP, readEdgeConfig, readEdgeEnvironment } from '@app/edge';
import { programVersion } from '@app/platform';

try {
  const config = await readEdgeConfig(process.argv.slice(2), readEdgeEnvironment());
  if (config === 'help') console.log(HELP);
  else if (config === 'version') console.log(`millrace-edge ${programVersion()}`);
  else {
    // Nothing of it is needed to say how the program is used, or what is wrong with its arguments.
    const { start } = await import('./start.js');
    await start(config);
  }
} catch (error) {
  console.error(`millrace-edge: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}
