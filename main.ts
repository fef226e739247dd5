import { ConfigurationError, readConfiguration, type Configuration } from './models/configuration/configuration.ts';
import { firstWords } from './house/first-words.ts';
import { startProgram, type Program } from './house/program.ts';
import { settleLater } from './house/settle.ts';
import { startFailure } from './house/start-failure.ts';

/** How long past its stop timeout a process may live before it ends by force. */
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
  let asked: number | null = null;
  const stop = (signal: NodeJS.Signals): void => {
    if (asked !== null) {
      // A signal to the whole process group comes twice: directly, and handed on by the launcher.
      if (performance.now() - asked > 1000) process.exit(130);
      return;
    }
    asked = performance.now();
    console.error(`${signal}: stopping (once more ends at once)`);
    setTimeout(() => {
      console.error('the stop took too long: ending by force; what was under way is taken up again at the next start');
      process.exit(1);
    }, program.configuration.PLY_STOP_TIMEOUT * 1000 + graceMs).unref();
    program.stop().then(() => process.exit(0), (error: unknown) => {
      console.error(error);
      process.exit(1);
    });
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

const began = performance.now();
const configuration = configure();
const program = await start(configuration);
stopOnSignals(program);
process.on('unhandledRejection', (error) => program.house.log.error({ err: error }, 'a failure that nobody waited for'));
console.log(firstWords(program, performance.now() - began));
settleLater();
