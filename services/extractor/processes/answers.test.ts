import { answersOf, type Answer } from './answers.ts';
import type { ChildMessage } from './protocol.ts';

const lines = Buffer.from(
  ['{"text":"水泵 pump","location":{},"group":""}', '{"text":"valve","location":{},"group":""}', ''].join('\n'),
);
const batch: ChildMessage = {
  kind: 'batch',
  blocks: 2,
  characters: 12,
  bytes: lines.byteLength,
  progress: 50,
  warnings: [],
};
const warned: ChildMessage = {
  kind: 'batch',
  blocks: 0,
  characters: 0,
  bytes: 0,
  progress: 100,
  warnings: [{ code: 'indexed_nothing', detail: 'nothing' }],
};
const end: ChildMessage = { kind: 'end', failure: null, healthy: true, cpuSeconds: 1, memoryBytes: 2 };
const line = (message: ChildMessage): Buffer => Buffer.from(`${JSON.stringify(message)}\n`);

async function read(whole: Buffer, size: number): Promise<Answer[]> {
  const all: Answer[] = [];
  for await (const answer of answersOf(
    (async function* pieces() {
      for (let at = 0; at < whole.byteLength; at += size) yield whole.subarray(at, at + size);
    })(),
  ))
    all.push(answer);
  return all;
}

describe('the answers of an extraction process', () => {
  it.each([1, 7, 100, 1_000_000])('are parsed from chunks of %d bytes', async (size) => {
    const answers = await read(Buffer.concat([line(batch), lines, line(batch), lines, line(warned), line(end)]), size);
    expect(answers.map(({ message }) => message)).toEqual([batch, batch, warned, end]);
    expect(answers.map((answer) => Buffer.from(answer.lines).toString('utf8'))).toEqual([
      String(lines),
      String(lines),
      '',
      '',
    ]);
  });

  it('are refused if a batch does not end with a line, or is endless', async () => {
    await expect(
      read(Buffer.concat([line({ ...batch, bytes: lines.byteLength - 1 }), lines]), 100),
    ).rejects.toMatchObject({ code: 'document_unreadable' });
    await expect(read(Buffer.alloc(5_000_000, 'x'), 65_536)).rejects.toMatchObject({ code: 'document_too_complex' });
    await expect(
      read(Buffer.concat([line({ ...batch, bytes: 2 ** 40 }), Buffer.alloc(70_000_000, 'x')]), 65_536),
    ).rejects.toMatchObject({ code: 'document_too_complex' });
  });
});
