import { ConfigurationError, readConfiguration, type Configuration } from './models/configuration/configuration.ts';
import { privateUmask } from './app/data-folder.ts';
import { startupBanner } from './app/startup-banner.ts';
import { startProgram, type Program } from './app/program.ts';
import { startFailure } from './app/start-failure.ts';

/** How long after its stop timeout a process may run before it exits by force, in milliseconds. */
const graceMs = 2000;

function configure(): Configuration {
  try {
    return readConfiguration(process.env);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    console.error(error.message);
    process.exit(2);
  }
}

async function start(configuration: Configuration): Promise<Program> {
  try {
    return await startProgram(configuration);
  } catch (error) {
    console.error(`Ply could not start: ${startFailure(error, configuration)}`);
    if (error instanceof Error && process.env['PLY_LOG_LEVEL'] === 'debug') console.error(error);
    process.exit(1);
  }
}

function stopOnSignals(program: Program): void {
  let askedAt: number | null = null;
  const stop = (signal: NodeJS.Signals): void => {
    if (askedAt !== null) {
      // A signal to the whole process group arrives twice: directly, and forwarded by the launcher.
      if (performance.now() - askedAt > 1000) process.exit(130);
      return;
    }
    askedAt = performance.now();
    console.error(`${signal}: stopping (send it again to exit at once)`);
    setTimeout(
      () => {
        console.error('the stop took too long: exiting by force; unfinished work continues at the next start');
        process.exit(1);
      },
      program.configuration.PLY_STOP_TIMEOUT * 1000 + graceMs,
    ).unref();
    program.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

const startedAt = performance.now();
process.umask(privateUmask);
const configuration = configure();
const program = await start(configuration);
stopOnSignals(program);
process.on('unhandledRejection', (error) => program.app.log.error({ err: error }, 'unhandled rejection'));
console.log(startupBanner(program, performance.now() - startedAt));
