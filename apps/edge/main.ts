import { HELP, readEdgeConfig, readEdgeEnvironment } from '@app/edge';
import { programVersion } from '@app/platform';

try {
  const config = await readEdgeConfig(process.argv.slice(2), readEdgeEnvironment());
  if (config === 'help') console.log(HELP);
  else if (config === 'version') console.log(`millrace-edge ${programVersion()}`);
  else {
    // Neither the usage text nor a message about wrong arguments needs these modules.
    const { start } = await import('./start.js');
    await start(config);
  }
} catch (error) {
  console.error(`millrace-edge: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}
