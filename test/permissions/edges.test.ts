import { randomUUID } from 'node:crypto';
import type { Accepted } from '../../models/api.ts';
import { content, expectRefused, until, type Client } from '../api/support/client.ts';
import { startTestProgram, type TestProgram } from '../api/support/program.ts';
import { names, readerQuery } from './readers.ts';
import { recordingsOf } from './stage.ts';

let program: TestProgram;
let client: Client;
let recording: Accepted;
beforeAll(async () => {
  program = await startTestProgram();
  const { id } = await program.admin.createOrganization('edges');
  client = program.standard.as(id);
  recording = (await recordingsOf(program)(id, 'narwhal'))[0]!;
  await client.reaches(recording.jobId, 'ready');
});
afterAll(() => program.end());

function permit(assetId: string, principals: readonly string[]): Promise<object> {
  return client.get(200, 'PUT', `${content}/assets/${assetId}/permissions`, {
    body: { mode: 'restricted', principals },
  });
}

async function found(query: string, principals?: readonly string[]): Promise<string[]> {
  return (await client.search({ query, limit: 100, ...(principals === undefined ? {} : { principals }) })).items.map(
    ({ assetId }) => assetId,
  );
}

const crowd = (count: number): string[] => Array.from({ length: count }, (_, index) => `crowd ${index}`);
const statusOf = async (assetId: string, path: string, query: string): Promise<number> =>
  (await client.ask('GET', `${content}/assets/${assetId}${path}?${query}`)).status;

it('principals are compared character by character', async () => {
  const files = await Promise.all(
    names.map((name, index) =>
      client.indexed({ ...program.source.put(`name-${index}.txt`, 'a pangolin'), principals: [name] }),
    ),
  );
  for (const [index, name] of names.entries()) {
    const { assetId } = files[index]!;
    expect([name, await found('pangolin', [name])]).toEqual([name, [assetId]]);
    expect([
      name,
      await statusOf(assetId, '', readerQuery([name])),
      await statusOf(files[(index + 1) % files.length]!.assetId, '', readerQuery([name])),
    ]).toEqual([name, 200, 404]);
    const { items } = await client.get<{ items: { assetId: string; aclMode: string }[] }>(
      200,
      'GET',
      `${content}/activity?kind=document&limit=100&${readerQuery([name])}`,
    );
    expect([name, items.filter(({ aclMode }) => aclMode === 'restricted').map((item) => item.assetId)]).toEqual([
      name,
      [assetId],
    ]);
  }
  expect((await found('pangolin', names)).sort()).toEqual(files.map(({ assetId }) => assetId).sort());
  expect([await found('pangolin'), await found('pangolin', []), await found('pangolin', ['unknown'])]).toEqual([
    [],
    [],
    [],
  ]);
});

it('one common principal of 5,000 in the file and 1,000 in the request is enough', async () => {
  const { assetId } = await client.indexed(program.source.put('many.txt', 'an okapi'));
  const granted = Array.from({ length: 5000 }, (_, index) => `reader ${index}`);
  await permit(assetId, granted);
  const [none, last] = [crowd(1000), [...crowd(999), 'reader 4999']];
  expect([await found('okapi', none), await found('okapi', last)]).toEqual([[], [assetId]]);
  expect([await statusOf(assetId, '', readerQuery(none)), await statusOf(assetId, '', readerQuery(last))]).toEqual([
    404, 200,
  ]);
  expectRefused(await client.ask('POST', `${content}/search`, { body: { query: 'okapi', principals: crowd(1001) } }), [
    422,
    'validation_error',
    ['body', 'principals'],
  ]);
  for (const path of [`assets/${assetId}`, `assets/${assetId}/transcript`, 'activity']) {
    expectRefused(await client.ask('GET', `${content}/${path}?${readerQuery(crowd(1001))}`), [
      422,
      'validation_error',
      ['query', 'principals'],
    ]);
  }
});

it('no principal means everybody', async () => {
  const { assetId } = await client.indexed(program.source.put('nobody.txt', 'an ocelot'));
  await permit(assetId, []);
  const odd = ['', '\0', '\ud800'];
  for (const principal of odd) {
    expectRefused(
      await client.ask('POST', `${content}/search`, { body: { query: 'ocelot', principals: [principal] } }),
      [422, 'validation_error', ['body', 'principals', 0]],
    );
    expectRefused(
      await client.ask('PUT', `${content}/assets/${assetId}/permissions`, {
        body: { mode: 'restricted', principals: [principal] },
      }),
      [422, 'validation_error', ['body', 'principals', 0]],
    );
  }
  for (const query of ['principals=', 'principals', 'principals=a&principals=', 'principals=%00']) {
    expect([query, (await client.ask('GET', `${content}/assets/${assetId}?${query}`)).status]).toEqual([query, 422]);
  }
  expect([await found('ocelot'), await found('ocelot', names), await statusOf(assetId, '', 'asReader=true')]).toEqual([
    [],
    [],
    404,
  ]);
});

describe('a transcript', () => {
  const path = (assetId: string): string => `${content}/assets/${assetId}/transcript`;

  it('is visible to those who may see its recording, and not found for others', async () => {
    const { assetId } = recording;
    expect((await client.ask('GET', `${path(assetId)}?asReader=true`)).status).toBe(200);
    await permit(assetId, ['Ann', 'group:staff']);
    for (const query of [
      '',
      '?asReader=false',
      '?principals=Ann',
      '?asReader=true&principals=Ann',
      '?principals=x&principals=group%3Astaff',
    ]) {
      const { status, headers, body } = await client.ask<object>('GET', `${path(assetId)}${query}`);
      expect([query, status, headers.get('etag'), body]).toMatchObject([
        query,
        200,
        '"1"',
        { segments: [{ text: 'the narwhal is here' }] },
      ]);
    }
    for (const query of ['asReader=true', 'principals=ann', 'asReader=false&principals=Bob', 'principals=Ann%20']) {
      const {
        status,
        headers,
        body: { requestId: _id, ...body },
      } = await client.ask('GET', `${path(assetId)}?${query}`);
      const {
        body: { requestId: _other, ...unknown },
      } = await client.ask('GET', `${path(randomUUID())}?${query}`);
      expect([query, status, headers.get('etag'), body]).toEqual([query, 404, null, unknown]);
    }
    expectRefused(await client.ask('GET', `${path(assetId)}?asReader=perhaps`), [
      422,
      'validation_error',
      ['query', 'asReader'],
    ]);
  });

  it('of a hidden recording is not found, even before it is ready', async () => {
    const { assetId } = await client.indexed({
      ...program.source.put('hidden.txt', 'a document'),
      principals: ['Ann'],
    });
    expectRefused(await client.ask('GET', `${path(assetId)}?asReader=true`), [404, 'asset_not_found']);
    expectRefused(await client.ask('GET', `${path(assetId)}?principals=Ann`), [409, 'transcript_not_ready']);
  });
});

it('with requireAcl a new file without principals is hidden from everybody', async () => {
  const strict = program.standard.as((await program.admin.createOrganization('strict')).id);
  const before = await strict.indexed(program.source.put('before.txt', 'a tapir'));
  await strict.get(200, 'PATCH', `${content}/settings`, { body: { requireAcl: true } });
  const hidden = await strict.indexed(program.source.put('hidden-tapir.txt', 'a tapir'));
  const named = await strict.indexed({ ...program.source.put('named-tapir.txt', 'a tapir'), principals: ['Ann'] });
  const [open, ann] = [
    await strict.search({ query: 'tapir' }),
    await strict.search({ query: 'tapir', principals: ['Ann'] }),
  ];
  expect(open.items.map(({ assetId }) => assetId)).toEqual([before.assetId]);
  expect(ann.items.map(({ assetId }) => assetId).sort()).toEqual([before.assetId, named.assetId].sort());
  await strict.get(200, 'PUT', `${content}/assets/${hidden.assetId}/permissions`, {
    body: { mode: 'open', principals: [] },
  });
  expect((await strict.search({ query: 'tapir' })).items).toHaveLength(2);
});

it('queries of a single reader are not suggested', async () => {
  const type = async (query: string, principals?: string[]): Promise<void> => {
    for (let time = 0; time < 3; time += 1)
      await client.search({ query, ...(principals === undefined ? {} : { principals }) });
  };
  await client.indexed(program.source.put('merger.txt', 'the merger of quagga and zebra'));
  await type('merger of quagga', ['Ann']);
  await type('merger of quagga', ['Ann', 'Ann']);
  await type('merger of zebra');
  const { items } = await until(
    () => client.get<{ items: { query: string }[] }>(200, 'GET', `${content}/suggest?prefix=merger`),
    ({ items: suggested }) => suggested.length > 0,
  );
  expect(items.map(({ query }) => query)).toEqual(['merger of zebra']);
});
