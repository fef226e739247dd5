import { once } from 'node:events';
import { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { Warning } from '../../../models/asset.ts';
import type { Block } from '../../../models/block.ts';
import { ExtractionFailure } from '../formats/failure.ts';
import { readerOf } from '../formats/readers.ts';
import type { BatchMessage, ChildMessage, EndMessage, ReadRequest } from './protocol.ts';
import { answerDescriptor, batchLimits } from './protocol.ts';

/*
 * The program of an extraction process: reads one file after another for its parent, until its standard input ends.
 * The parent gives it no environment, no network and no way to write, and ends it when it takes too much.
 */

const answers = new Socket({ fd: answerDescriptor, readable: false, writable: true });
answers.on('error', () => process.exit(1));

/** Sends messages, several at once as one piece, and waits while the parent does not read. */
async function send(...messages: ChildMessage[]): Promise<void> {
  if (!answers.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(''))) await once(answers, 'drain');
}

/** Sends a file's blocks but for the last ones, which are answered: they go with the end, so that a small file wakes the parent once. */
async function sendBlocks(request: ReadRequest): Promise<BatchMessage[]> {
  const read = await readerOf(request.format);
  let progress = 0;
  let blocks: Block[] = [];
  let characters = 0;
  const warnings: Warning[] = [];
  const report = (share: number): void => { progress = Math.max(progress, Math.min(100, Math.floor(share * 100))); };
  const file = { path: request.path, bytes: request.bytes, ...(request.content === undefined ? {} : { content: Buffer.from(request.content, 'base64') }) };
  for await (const block of read(file, request.limits, report, (warning) => warnings.push(warning))) {
    blocks.push(block);
    characters += block.text.length;
    if (characters < batchLimits.characters && blocks.length < batchLimits.blocks) continue;
    await send({ kind: 'batch', blocks, progress, warnings: [] });
    blocks = [];
    characters = 0;
  }
  return blocks.length > 0 || warnings.length > 0 ? [{ kind: 'batch', blocks, progress, warnings }] : [];
}

function ended(failure: EndMessage['failure'], healthy: boolean): EndMessage {
  const { user, system } = process.cpuUsage();
  return { kind: 'end', failure, healthy, cpuSeconds: (user + system) / 1e6, memoryBytes: process.memoryUsage.rss() };
}

/** A string or buffer that would pass the engine's own limits is a file that is too large, not a broken one. */
function isTooLarge(error: unknown): boolean {
  return error instanceof RangeError && /invalid (string|array|typed array|array buffer) length|allocation failed/i.test(error.message);
}

/** Where an unforeseen error arose. Its own words may quote the file, and what a file says does not belong in a log. */
function placeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'something that is no error was thrown';
  const code = 'code' in error && typeof error.code === 'string' && /^[A-Z_]{1,60}$/.test(error.code) ? ` ${error.code}` : '';
  const frames = (error.stack ?? '').replace(error.message, '').split('\n').filter((line) => /^ {4}at .*:\d+:\d+\)?$/.test(line));
  return [`${error.name}${code}`, ...frames].join('\n');
}

/** The last messages about a file. */
async function answer(request: ReadRequest): Promise<ChildMessage[]> {
  try {
    return [...(await sendBlocks(request)), ended(null, true)];
  } catch (error) {
    if (error instanceof ExtractionFailure) return [ended({ code: error.code, message: error.message }, true)];
    return [ended({ code: isTooLarge(error) ? 'document_too_complex' : 'document_unreadable', message: placeOf(error) }, false)];
  }
}

// A library that loses track of a promise over a broken file must not take the answer with it.
process.on('unhandledRejection', (reason) => { process.stderr.write(`unhandled: ${placeOf(reason)}\n`); });

for await (const line of createInterface({ input: process.stdin })) {
  await send(...(await answer(JSON.parse(line) as ReadRequest)));
}
process.exit(0);
