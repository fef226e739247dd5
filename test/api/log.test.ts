import { readFileSync } from 'node:fs';
import { SignedSource } from '../support/signed-source.ts';
import { content } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';

/** A line of the log. */
interface Line {
  level: number;
  msg?: string;
  requestId?: string;
  organizationId?: string;
  assetId?: string;
  jobId?: string;
  stage?: string;
}

let program: TestProgram;
const source = new SignedSource();
beforeAll(async () => {
  await source.start();
  program = await startTestProgram({ PLY_LOG_LEVEL: 'trace', PLY_LEASE_SECONDS: '5' });
});
afterAll(async () => {
  await program.end();
  await source.stop();
});

function lines(): Line[] {
  return readFileSync(program.logFile, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line): Line => JSON.parse(line));
}

/** Secrets that must not be in the log, in every encoding. */
const canaries = [
  'CanaryOfTheText',
  'CanaryOfTheQuery',
  'CanaryOfTheAddress',
  'CanaryOfTheCallback-of-32-characters',
  'CanaryOfTheConnector',
  'CanaryOfTheKey-0123456789',
  'CanaryOfTheMetadata',
];

describe('the log', () => {
  it('contains no secrets, queries of addresses or searches, or file texts, even at level debug', async () => {
    const { standard } = program;
    const file = (name: string): { sourceUrl: string; sourceVersion: string } =>
      source.put(name, `${canaries[0]} stands in this file.`);
    // Files: readable, with a refused token, with a broken connection, with the wrong format.
    const good = file('good.txt');
    await standard.indexed({
      filename: 'good.txt',
      ...good,
      metadata: { note: 'CanaryOfTheMetadata' },
      sourceAccess: { url: source.url + '/good.txt', sasToken: `${source.token('good.txt')}&x=CanaryOfTheAddress` },
    });
    const refused = await standard.register({
      filename: 'refused.txt',
      ...file('refused.txt'),
      sourceAccess: { url: `${source.url}/refused.txt?sig=CanaryOfTheAddress` },
    });
    await standard.reaches(refused.jobId, 'awaiting_source_access');
    const wrong = await standard.register({
      filename: 'wrong.pdf',
      ...source.put('wrong.pdf', 'CanaryOfTheText is no PDF'),
      sourceAccess: { url: source.signed('wrong.pdf') },
    });
    await standard.reaches(wrong.jobId, 'failed');
    const away = await standard.register({
      filename: 'away.txt',
      sourceUrl: 'http://127.0.0.1:9/away.txt',
      sourceVersion: '"1"',
      sourceAccess: { url: 'http://127.0.0.1:9/away.txt?token=CanaryOfTheAddress' },
    });
    await standard.reaches(away.jobId, 'retry_scheduled');
    // Searches, settings, connectors, wrong keys, malformed bodies.
    await standard.search({ query: 'CanaryOfTheQuery stands' });
    await standard.ask('POST', `${content}/answer`, { body: { query: 'CanaryOfTheQuery' } });
    await standard.ask('PATCH', `${content}/settings`, {
      body: { callbackUrl: 'https://example.com/callback', callbackSecret: 'CanaryOfTheCallback-of-32-characters' },
    });
    await standard.ask('POST', `${content}/connectors`, {
      body: {
        kind: 's3',
        name: 'c',
        config: { endpoint: 'http://127.0.0.1:9', bucket: 'b', region: 'r', prefix: '', accessKeyId: 'A' },
        credential: 'CanaryOfTheConnector',
      },
    });
    const { items } = await standard.get<{ items: { connectorId: string }[] }>(200, 'GET', `${content}/connectors`);
    await standard.ask('POST', `${content}/connectors/${items[0]?.connectorId}/sync`);
    await standard.ask('GET', `${content}/assets`, { headers: { Authorization: 'ApiKey CanaryOfTheKey-0123456789' } });
    await standard.ask('GET', `${content}/assets?apiKey=CanaryOfTheKey-0123456789`);
    await standard.ask('POST', `${content}/search`, {
      raw: { type: 'application/json', body: '{"query":"CanaryOfTheQuery"' },
    });
    await program.process.stop();

    const text = readFileSync(program.logFile, 'utf8');
    expect(lines().length).toBeGreaterThan(5);
    expect(canaries.filter((canary) => text.includes(canary))).toEqual([]);
    expect(canaries.filter((canary) => text.includes(Buffer.from(canary).toString('base64').slice(0, 16)))).toEqual([]);
    await program.start();
  });

  it('has the organization, asset, job and stage in lines of workers', async () => {
    const { standard } = program;
    const { assetId, jobId } = await standard.register({
      filename: 'no.pdf',
      ...source.put('no.pdf', 'no PDF at all'),
      sourceAccess: { url: source.signed('no.pdf') },
    });
    await standard.reaches(jobId, 'failed');
    expect(lines().filter((line) => line.jobId === jobId && line.msg === 'the stage was not done')).toEqual([
      expect.objectContaining({ organizationId: program.organizationId, assetId, jobId, stage: 'extracting' }),
    ]);
  });
});
