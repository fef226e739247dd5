import { once } from 'node:events';
import { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { Warning } from '../../../models/asset.ts';
import { longestLine, storedForms } from '../../../mixins/blocks/block-lines.ts';
import { ExtractionFailure, tooComplex } from '../../../models/extraction-failure.ts';
import { readerOf } from '../../../formats/readers.ts';
import type { BatchMessage, ChildMessage, EndMessage, ReadRequest } from './protocol.ts';
import { answerDescriptor, batchLimits, readsInSteps } from './protocol.ts';

/*
 * The program of an extraction process: reads one file after another for its parent, until its standard input ends.
 * The parent gives it no environment, no network and no way to write, and ends it when it takes too much.
 */

/** Steps that follow each other faster are not reported one by one, in milliseconds. */
const betweenSteps = 500;

/** Warnings about one file that are kept: they are stored in its asset's document. */
const maxWarnings = 100;

const answers = new Socket({ fd: answerDescriptor, readable: false, writable: true });
answers.on('error', () => process.exit(1));

/** A message, and the lines that follow it. */
interface Outgoing {
  message: ChildMessage;
  lines?: Buffer;
}

/** Sends messages, several at once as one piece, and waits while the parent does not read. */
async function send(...all: Outgoing[]): Promise<void> {
  const parts = all.flatMap(({ message, lines }) => [
    Buffer.from(`${JSON.stringify(message)}\n`),
    ...(lines === undefined ? [] : [lines]),
  ]);
  if (!answers.write(Buffer.concat(parts))) await once(answers, 'drain');
}

/**
 * Sends a file's blocks except the last ones, which are returned: they are sent with the end, so that a small file
 * wakes the parent once.
 */
async function sendBlocks(request: ReadRequest): Promise<Outgoing[]> {
  const read = await readerOf(request.format);
  let progress = 0;
  let lines = '';
  let blocks = 0;
  let characters = 0;
  const warnings: Warning[] = [];
  let lastStepReport = -Infinity;
  const report = (share: number): void => {
    progress = Math.max(progress, Math.min(100, Math.floor(share * 100)));
    if (!readsInSteps(request.format) || performance.now() - lastStepReport < betweenSteps) return;
    lastStepReport = performance.now();
    void send({ message: { kind: 'step' } });
  };
  const batch = (unread: Warning[]): Outgoing => {
    const bytes = Buffer.from(lines);
    const message: BatchMessage = {
      kind: 'batch',
      blocks,
      characters,
      bytes: bytes.byteLength,
      progress,
      warnings: unread,
    };
    lines = '';
    blocks = 0;
    characters = 0;
    return { message, lines: bytes };
  };
  const file = {
    path: request.path,
    bytes: request.bytes,
    ...(request.content === undefined ? {} : { content: Buffer.from(request.content, 'base64') }),
  };
  for await (const whole of read(file, request.limits, report, (warning) => {
    if (warnings.length < maxWarnings) warnings.push(warning);
  })) {
    for (const block of storedForms(whole)) {
      const line = JSON.stringify(block);
      if (line.length > longestLine)
        throw tooComplex(`a block of ${line.length} characters is longer than may be stored`);
      lines += `${line}\n`;
      blocks += 1;
      characters += block.text.length;
      if (characters >= batchLimits.characters || blocks >= batchLimits.blocks) await send(batch([]));
    }
  }
  return blocks > 0 || warnings.length > 0 ? [batch(warnings)] : [];
}

function ended(failure: EndMessage['failure'], healthy: boolean): Outgoing {
  const { user, system } = process.cpuUsage();
  const message: EndMessage = {
    kind: 'end',
    failure,
    healthy,
    cpuSeconds: (user + system) / 1e6,
    memoryBytes: process.memoryUsage.rss(),
  };
  return { message };
}

/** A string or buffer that would pass the engine's own limits is a file that is too large, not a broken one. */
function isTooLarge(error: unknown): boolean {
  return (
    error instanceof RangeError &&
    /invalid (string|array|typed array|array buffer) length|allocation failed/i.test(error.message)
  );
}

/** Where an unforeseen error arose. Its own words may quote the file, and what a file says does not belong in a log. */
function originOf(error: unknown): string {
  if (!(error instanceof Error)) return 'something that is no error was thrown';
  const code =
    'code' in error && typeof error.code === 'string' && /^[A-Z_]{1,60}$/.test(error.code) ? ` ${error.code}` : '';
  const frames = (error.stack ?? '')
    .replace(error.message, '')
    .split('\n')
    .filter((line) => /^ {4}at .*:\d+:\d+\)?$/.test(line));
  return [`${error.name}${code}`, ...frames].join('\n');
}

/** The last messages about a file. */
async function answer(request: ReadRequest): Promise<Outgoing[]> {
  try {
    return [...(await sendBlocks(request)), ended(null, true)];
  } catch (error) {
    if (error instanceof ExtractionFailure) return [ended({ code: error.code, message: error.message }, true)];
    return [
      ended(
        { code: isTooLarge(error) ? 'document_too_complex' : 'document_unreadable', message: originOf(error) },
        false,
      ),
    ];
  }
}

// An unhandled rejection within a library must not lose the answer.
process.on('unhandledRejection', (reason) => {
  process.stderr.write(`unhandled: ${originOf(reason)}\n`);
});

for await (const line of createInterface({ input: process.stdin })) {
  await send(...(await answer(JSON.parse(line) as ReadRequest)));
}
process.exit(0);
