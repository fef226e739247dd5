import type { SettingsChange, SettingsView } from '../../models/settings.ts';
import { content, expectRefused, type Client, type Expected } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';

let program: TestProgram;
let owner: Client;
beforeAll(async () => {
  program = await startTestProgram();
  owner = program.standard;
});
afterAll(() => program.end());

const path = `${content}/settings`;
const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const secret = 'a secret of more than thirty-two characters';
const platform = { ladder: [360, 720, 1080], keepOriginal: true, download: false, thumbnails: true };
const unset = { ladder: null, keepOriginal: null, download: null, thumbnails: null };
const defaultOrigins = {
  source_hosts: 'deployment',
  callback_url: 'deployment',
  callback_secret: 'deployment',
  daily_budget_usd: 'deployment',
  daily_audio_hours: 'deployment',
  require_acl: 'deployment',
  extract_content_from_video_frames: 'deployment',
  search_log_days: 'deployment',
};
const defaults: SettingsView = {
  sourceHosts: [],
  callbackUrl: null,
  dailyBudgetUsd: 0,
  dailyAudioHours: null,
  requireAcl: false,
  extractContentFromVideoFrames: false,
  searchLogDays: 90,
  videoDefaults: platform,
  callbackSecretSet: false,
  allowedHostCeiling: [],
  configured: false,
  updatedAt: null,
  origins: defaultOrigins,
  videoDefaultsOrigins: { ladder: 'default', keepOriginal: 'default', download: 'default', thumbnails: 'default' },
  videoDefaultsOwn: unset,
  videoPlatformDefaults: platform,
};
const full: SettingsChange = {
  sourceHosts: ['files.example.com', '*.example.org'],
  callbackUrl: 'https://callback.example.com/access?tenant=1',
  dailyAudioHours: 12.5,
  requireAcl: true,
  extractContentFromVideoFrames: true,
  searchLogDays: 0,
  videoDefaults: { ladder: [720, 240], keepOriginal: false, download: true, thumbnails: false },
};

const read = (client: Client): Promise<SettingsView> => client.get(200, 'GET', path);
const put = (client: Client, body: unknown): Promise<SettingsView> => client.get(200, 'PUT', path, { body });
const patch = (client: Client, body: unknown): Promise<SettingsView> => client.get(200, 'PATCH', path, { body });
const drop = (client: Client): Promise<SettingsView> => client.get(200, 'DELETE', path);

async function newOrganization(): Promise<Client> {
  return owner.as((await program.admin.createOrganization('Settings')).id);
}

describe('settings', () => {
  it("have the deployment's defaults", async () => {
    expect(await read(await newOrganization())).toEqual(defaults);
  });

  it('are replaced by PUT: omitted ones are inherited, except for the secret', async () => {
    const client = await newOrganization();
    const own = client.organizationId;
    const set = await put(client, { ...full, callbackSecret: secret, dailyBudgetUsd: 99.5 });
    const { videoDefaults: _video, ...plain } = full;
    expect(set).toEqual({
      ...defaults,
      ...plain,
      videoDefaults: { ladder: [240, 720], keepOriginal: false, download: true, thumbnails: false },
      callbackSecretSet: true,
      configured: true,
      updatedAt: expect.stringMatching(instant),
      origins: {
        source_hosts: own,
        callback_url: own,
        callback_secret: own,
        daily_budget_usd: 'deployment',
        daily_audio_hours: own,
        require_acl: own,
        extract_content_from_video_frames: own,
        search_log_days: own,
      },
      videoDefaultsOrigins: {
        ladder: 'organization',
        keepOriginal: 'organization',
        download: 'organization',
        thumbnails: 'organization',
      },
      videoDefaultsOwn: { ladder: [240, 720], keepOriginal: false, download: true, thumbnails: false },
    });
    expect(JSON.stringify(set)).not.toContain(secret);
    expect(await read(client)).toEqual(set);
    const emptied = await put(client, {});
    expect(emptied).toEqual({
      ...defaults,
      configured: true,
      updatedAt: expect.stringMatching(instant),
      callbackSecretSet: true,
      origins: { ...defaultOrigins, callback_secret: own },
    });
    expect(await put(client, { callbackSecret: null })).toMatchObject({ callbackSecretSet: false, configured: true });
    expect(await drop(client)).toEqual(defaults);
    expect(await drop(client)).toEqual(defaults);
  });

  it('are changed by PATCH: null inherits again', async () => {
    const client = await newOrganization();
    expect(await patch(client, {})).toEqual(defaults);
    expect(await patch(client, { dailyBudgetUsd: 5 })).toEqual(defaults);
    const first = await patch(client, {
      callbackSecret: secret,
      searchLogDays: 3650,
      videoDefaults: { ladder: [2160] },
    });
    expect(first).toMatchObject({
      configured: true,
      callbackSecretSet: true,
      searchLogDays: 3650,
      sourceHosts: [],
      videoDefaults: { ...platform, ladder: [2160] },
      videoDefaultsOwn: { ...unset, ladder: [2160] },
    });
    const second = await patch(client, { dailyAudioHours: 0, videoDefaults: { download: true, thumbnails: null } });
    expect(second).toMatchObject({
      searchLogDays: 3650,
      dailyAudioHours: 0,
      callbackSecretSet: true,
      videoDefaultsOwn: { ...unset, ladder: [2160], download: true },
    });
    expect(await patch(client, {})).toEqual(second);
    expect(
      await patch(client, { videoDefaults: null, searchLogDays: null, dailyAudioHours: null, callbackSecret: null }),
    ).toEqual({ ...defaults, configured: true, updatedAt: expect.stringMatching(instant) });
    await patch(client, full);
    expect(
      await patch(client, {
        sourceHosts: [],
        callbackUrl: null,
        requireAcl: null,
        extractContentFromVideoFrames: null,
      }),
    ).toMatchObject({
      sourceHosts: [],
      callbackUrl: null,
      requireAcl: false,
      extractContentFromVideoFrames: false,
      searchLogDays: 0,
      dailyAudioHours: 12.5,
      origins: {
        source_hosts: 'deployment',
        callback_url: 'deployment',
        require_acl: 'deployment',
        extract_content_from_video_frames: 'deployment',
        daily_audio_hours: client.organizationId,
      },
    });
  });

  it('keep all concurrent changes', async () => {
    const client = await newOrganization();
    await Promise.all(
      [
        { searchLogDays: 5 },
        { dailyAudioHours: 6 },
        { requireAcl: true },
        { videoDefaults: { download: true } },
        { videoDefaults: { ladder: [480] } },
        { callbackSecret: secret },
      ].map((body) => patch(client, body)),
    );
    expect(await read(client)).toMatchObject({
      searchLogDays: 5,
      dailyAudioHours: 6,
      requireAcl: true,
      callbackSecretSet: true,
      videoDefaultsOwn: { ...unset, download: true, ladder: [480] },
    });
  });

  it.each<[unknown, Expected]>([
    [{ sourceHosts: 'a.example' }, [422, 'validation_error', ['body', 'sourceHosts']]],
    [
      { sourceHosts: Array.from({ length: 201 }, (_, at) => `h${at}.example`) },
      [422, 'validation_error', ['body', 'sourceHosts']],
    ],
    ...[
      'https://a.example',
      'a.example/',
      'a.example:443',
      '*',
      '*.',
      'a.*.example',
      '.a',
      'a..b',
      '-a.example',
      'a b',
      'ä.example',
      `${'a'.repeat(64)}.example`,
      '',
    ].map((host): [unknown, Expected] => [
      { sourceHosts: ['ok.example', host] },
      [422, 'validation_error', ['body', 'sourceHosts', 1]],
    ]),
    ...[
      'files.example.com',
      'ftp://a.example/',
      'https://user:word@a.example/',
      'https://a.example/#part',
      'https:a.example',
      '/relative',
      'https://a.example/ b',
      '',
    ].map((address): [unknown, Expected] => [
      { callbackUrl: address },
      [422, 'validation_error', ['body', 'callbackUrl']],
    ]),
    [{ callbackSecret: 'x'.repeat(31) }, [422, 'validation_error', ['body', 'callbackSecret']]],
    [{ callbackSecret: 'x'.repeat(513) }, [422, 'validation_error', ['body', 'callbackSecret']]],
    [{ dailyBudgetUsd: 'much' }, [422, 'validation_error', ['body', 'dailyBudgetUsd']]],
    [{ dailyAudioHours: -1 }, [422, 'validation_error', ['body', 'dailyAudioHours']]],
    [{ dailyAudioHours: 100_000.5 }, [422, 'validation_error', ['body', 'dailyAudioHours']]],
    [{ requireAcl: 'true' }, [422, 'validation_error', ['body', 'requireAcl']]],
    [{ extractContentFromVideoFrames: 1 }, [422, 'validation_error', ['body', 'extractContentFromVideoFrames']]],
    [{ searchLogDays: 3651 }, [422, 'validation_error', ['body', 'searchLogDays']]],
    [{ searchLogDays: 1.5 }, [422, 'validation_error', ['body', 'searchLogDays']]],
    [{ videoDefaults: { ladder: [360, 361] } }, [422, 'validation_error', ['body', 'videoDefaults', 'ladder', 1]]],
    [{ videoDefaults: { ladder: [360, 720, 360] } }, [422, 'validation_error', ['body', 'videoDefaults', 'ladder']]],
    [{ videoDefaults: { ladder: [] } }, [422, 'validation_error', ['body', 'videoDefaults', 'ladder']]],
    [{ videoDefaults: { bitrate: 1 } }, [422, 'validation_error', ['body', 'videoDefaults', 'bitrate']]],
    [{ videoDefaults: [] }, [422, 'validation_error', ['body', 'videoDefaults']]],
    [{ callbackSecretSet: true }, [422, 'validation_error', ['body', 'callbackSecretSet']]],
    [{ searchLogDays: -1, sourceHosts: ['*'] }, [422, 'validation_error', ['body', 'sourceHosts', 0]]],
  ])('%# are refused with the first field at fault', async (body, expected) => {
    for (const method of ['PUT', 'PATCH']) expectRefused(await owner.ask(method, path, { body }), expected);
  });

  it('accept values at their limits', async () => {
    const client = await newOrganization();
    const hosts = Array.from({ length: 200 }, (_, at) => `${at % 2 === 0 ? '*.' : ''}h${at}.example`);
    const set = await put(client, {
      sourceHosts: hosts,
      callbackSecret: 'é'.repeat(512),
      dailyAudioHours: 100_000,
      searchLogDays: 3650,
      videoDefaults: { ladder: [2160, 1440, 1080, 720, 480, 360, 240] },
    });
    expect(set).toMatchObject({
      sourceHosts: hosts,
      dailyAudioHours: 100_000,
      searchLogDays: 3650,
      videoDefaults: { ladder: [240, 360, 480, 720, 1080, 1440, 2160] },
    });
    expect(
      await put(client, { callbackSecret: 'x'.repeat(32), sourceHosts: ['localhost', '127.0.0.1', 'A_b.EXAMPLE'] }),
    ).toMatchObject({ callbackSecretSet: true, sourceHosts: ['localhost', '127.0.0.1', 'A_b.EXAMPLE'] });
  });
});

describe('settings of a parent', () => {
  it('are inherited independently and can be overridden', async () => {
    const client = await newOrganization();
    const sibling = await newOrganization();
    await put(owner, { ...full, callbackSecret: secret });
    const inherited = await read(client);
    const { videoDefaults: _video, ...plain } = full;
    expect(inherited).toMatchObject({
      ...plain,
      callbackSecretSet: true,
      configured: false,
      updatedAt: null,
      videoDefaults: { ladder: [240, 720], keepOriginal: false, download: true, thumbnails: false },
      videoDefaultsOwn: unset,
    });
    expect(
      new Set(
        Object.entries(inherited.origins)
          .filter(([name]) => name !== 'daily_budget_usd')
          .map(([, from]) => from),
      ),
    ).toEqual(new Set(['owner']));
    expect(new Set(Object.values(inherited.videoDefaultsOrigins))).toEqual(new Set(['parent']));
    const own = await patch(client, {
      sourceHosts: ['other.example'],
      requireAcl: false,
      dailyAudioHours: 100_000,
      videoDefaults: { download: false },
    });
    expect(own).toMatchObject({
      sourceHosts: ['other.example'],
      requireAcl: false,
      dailyAudioHours: 100_000,
      searchLogDays: 0,
      callbackSecretSet: true,
      origins: {
        source_hosts: client.organizationId,
        require_acl: client.organizationId,
        daily_audio_hours: client.organizationId,
        search_log_days: 'owner',
        callback_secret: 'owner',
      },
      videoDefaults: { ladder: [240, 720], keepOriginal: false, download: false, thumbnails: false },
      videoDefaultsOrigins: {
        ladder: 'parent',
        keepOriginal: 'parent',
        download: 'organization',
        thumbnails: 'parent',
      },
    });
    expect(await read(sibling)).toEqual(inherited);
    await put(owner, { searchLogDays: 30 });
    expect(await read(client)).toMatchObject({
      searchLogDays: 30,
      sourceHosts: ['other.example'],
      callbackSecretSet: true,
      videoDefaults: { ...platform, download: false },
    });
    await drop(owner);
    expect(await read(sibling)).toEqual(defaults);
    expect(await drop(client)).toEqual(defaults);
  });
});
