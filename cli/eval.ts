import { readFile, writeFile } from 'node:fs/promises';
import { basename, extname, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Readiness } from '../app/health.ts';
import type { Configuration } from '../models/configuration/configuration.ts';
import { systemRuntime } from '../models/runtime.ts';
import { CommandError, connect, reasonOf } from './connection.ts';
import { evaluate } from './eval/evaluate.ts';
import { reportIn, reportPage } from './eval/page.ts';
import { readQuestions } from './eval/questions.ts';
import { reportText, type Report } from './eval/report.ts';
import { ProgressBar } from './progress.ts';
import { printable } from './terminal.ts';

const usage = 'npm run ply -- eval <questions.csv> [--page <file.html>] [--before <earlier page>]';
const answerMs = 5000;

interface Arguments {
  questions: string;
  page: string | null;
  before: string | null;
}

function parseArguments(words: readonly string[]): Arguments {
  const parse = (): Arguments => {
    const { values, positionals } = parseArgs({
      args: [...words],
      options: { page: { type: 'string' }, before: { type: 'string' } },
      allowPositionals: true,
    });
    const [questions, ...rest] = positionals;
    if (questions === undefined || rest.length > 0) throw new CommandError(`Name one file of questions: ${usage}`);
    return { questions, page: values.page ?? null, before: values.before ?? null };
  };
  try {
    return parse();
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`${reasonOf(error)} Usage: ${usage}`);
  }
}

async function readGiven(path: string): Promise<Buffer> {
  return readFile(path).catch((error: unknown) => {
    throw new CommandError(`${path} cannot be read: ${reasonOf(error)}`);
  });
}

/** The embedding models that the program names; empty where it does not. */
async function modelsAt(apiUrl: string): Promise<string> {
  try {
    const response = await fetch(`${apiUrl}/health/ready`, { signal: AbortSignal.timeout(answerMs) });
    const { parts } = (await response.json()) as Readiness;
    return parts['embeddings']?.detail ?? '';
  } catch {
    return '';
  }
}

/**
 * `ply eval <questions.csv>`: puts questions to the library and reports what is found, as text and as a page. With
 * `--before`, compares with an earlier page. Relative paths start at the folder the command was run in.
 * @throws CommandError for a wrong file of questions, with line and column, or if nothing in it is searchable
 */
export async function evalQuestions(configuration: Configuration, words: readonly string[]): Promise<string> {
  const given = parseArguments(words);
  const pathOf = (path: string): string => resolve(process.env['INIT_CWD'] ?? process.cwd(), path);
  const questions = readQuestions(await readGiven(pathOf(given.questions)), given.questions);
  const before =
    given.before === null ? null : reportIn((await readGiven(pathOf(given.before))).toString('utf8'), given.before);
  const connection = await connect(configuration);
  const bar = new ProgressBar(process.stderr);
  const evaluation = await evaluate(connection, questions, (done) =>
    bar.show(done, questions.length, 'questions'),
  ).finally(() => bar.clear());
  const madeAt = new Date(systemRuntime.now()).toISOString();
  const report: Report = {
    form: 1,
    name: basename(given.questions),
    madeAt,
    models: await modelsAt(connection.apiUrl),
    ...evaluation,
  };
  const page =
    given.page ??
    `${basename(given.questions, extname(given.questions))}.${madeAt.slice(0, 19).replaceAll(':', '')}.html`;
  await writeFile(pathOf(page), reportPage(report, before)).catch((error: unknown) => {
    throw new CommandError(`${page} cannot be written: ${reasonOf(error)}`);
  });
  const text = `${reportText(report, before)}\n\nThe misses with their passages: ${printable(page)}`;
  if (report.figures.questions === 0) throw new CommandError(text);
  return text;
}
