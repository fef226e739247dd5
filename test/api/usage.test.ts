import { content } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';
import { readStores, type Stored } from './support/stores.ts';

let program: TestProgram;
beforeAll(async () => {
  program = await startTestProgram();
});
afterAll(() => program.end());

async function stopped(): Promise<Stored> {
  expect(await program.process.stop()).toBe(0);
  return readStores(program);
}

it('the same content is charged once across concurrent registrations', async () => {
  const { id } = await program.admin.createOrganization('third');
  const reference = program.source.put('same.txt', 'the same content everywhere');
  const clients = [program.standard, program.standard.as(id)];
  const accepted = await Promise.all(Array.from({ length: 12 }, (_, at) => clients[at % 2]!.register(reference)));
  for (const [at, { jobId }] of accepted.entries()) await clients[at % 2]!.reaches(jobId, 'ready');
  const { usage } = await stopped();
  const charged = usage
    .filter(({ metric, assetId }) => metric === 'document_megabytes' && accepted.some((one) => one.assetId === assetId))
    .map(({ quantity }) => quantity);
  expect(charged.sort((a, b) => b - a)).toEqual([27, ...Array<number>(11).fill(0)]);
  await program.start();
});

it('the ledger has read bytes, indexed documents and searches exactly once', async () => {
  const began = Date.now();
  const { id } = await program.admin.createOrganization('second');
  const second = program.standard.as(id);
  const texts = ['short', 'a longer text with ümlauts', 'x'.repeat(5000)];
  // A search in an empty library is not charged.
  const empty = await second.search({ query: 'anything' });
  const first = await program.standard.indexed(program.source.put('first.txt', texts[0]!));
  const other = await program.standard.indexed(program.source.put('other.txt', texts[1]!));
  const twin = await second.indexed(program.source.put('twin.txt', texts[0]!));
  const failed = await program.standard.register(program.source.put('failed.txt', Uint8Array.from([0xe9])));
  await program.standard.reaches(failed.jobId, 'failed');
  const flaky = await program.standard.register(program.source.put('flaky.txt', texts[2]!, { status: 500 }));
  await program.standard.reaches(flaky.jobId, 'retry_scheduled');
  program.source.change('flaky.txt', { status: 200 });
  await program.standard.reaches(flaky.jobId, 'ready');
  const again = await program.standard.get<{ jobId: string }>(
    202,
    'POST',
    `${content}/assets/${other.assetId}/reindex`,
    { headers: { 'Idempotency-Key': 'again' } },
  );
  await program.standard.reaches(again.jobId, 'ready');
  await second.get(202, 'DELETE', `${content}/assets/${twin.assetId}`);
  const searches = await Promise.all(Array.from({ length: 30 }, () => program.standard.search({ query: 'short' })));
  const refused = await program.standard.ask('POST', `${content}/search`, { body: { query: '' } });
  expect(refused.status).toBe(422);

  const { usage: all } = await stopped();
  const usage = all.filter(({ at }) => at >= began);
  const of = (metric: string) => usage.filter((event) => event.metric === metric);
  const bytes = (text: string) => Buffer.byteLength(text);
  const rows = (metric: string) =>
    of(metric)
      .map(({ assetId, quantity, organizationId }) => `${assetId} ${quantity} ${organizationId}`)
      .sort();
  const own = program.organizationId;
  expect(rows('document_megabytes')).toEqual(
    [
      `${first.assetId} ${bytes(texts[0]!)} ${own}`,
      `${other.assetId} ${bytes(texts[1]!)} ${own}`,
      `${other.assetId} 0 ${own}`,
      `${twin.assetId} 0 ${id}`,
      `${flaky.assetId} ${bytes(texts[2]!)} ${own}`,
    ].sort(),
  );
  expect(rows('source_bytes')).toEqual(
    [
      `${first.assetId} ${bytes(texts[0]!)} ${own}`,
      ...Array<string>(2).fill(`${other.assetId} ${bytes(texts[1]!)} ${own}`),
      `${twin.assetId} ${bytes(texts[0]!)} ${id}`,
      `${flaky.assetId} ${bytes(texts[2]!)} ${own}`,
      // Bytes of an unreadable file are charged as well.
      `${failed.assetId} 1 ${own}`,
    ].sort(),
  );
  expect(
    of('searches')
      .map(({ _id }) => _id)
      .sort(),
  ).toEqual(searches.map(({ searchId }) => `${searchId}:search`).sort());
  expect(of('searches').map(({ _id }) => _id)).not.toContain(`${empty.searchId}:search`);
  for (const event of usage)
    expect({
      whole: Number.isSafeInteger(event.quantity),
      late: event.receivedAt >= event.at,
      account: event.accountId,
    }).toEqual({ whole: true, late: true, account: usage[0]!.accountId });
  expect(new Set(usage.map(({ _id }) => _id)).size).toBe(usage.length);
});
