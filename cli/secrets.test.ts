import { readConfiguration } from '../models/configuration/configuration.ts';
import type { SecretsReport } from '../app/secrets/count.ts';
import { secretsFinding } from './doctor.ts';
import { linesOf, secrets } from './secrets.ts';

const none = { 'addresses of files': 0, 'callback secrets': 0 };
const report = (left: number, more: Partial<SecretsReport> = {}): SecretsReport => ({
  keys: [
    { key: { id: '11111111', use: 'current' }, counts: { 'addresses of files': 3, 'callback secrets': 1 }, total: 4 },
    { key: { id: '22222222', use: 'former' }, counts: { ...none, 'addresses of files': left }, total: left },
  ],
  unopened: { total: 0, first: [] },
  formerAddresses: [],
  ...more,
});

describe('the report of the secret keys', () => {
  it('while a former key is needed', () => {
    expect(linesOf(report(2))).toEqual([
      'key 11111111  seals       3 addresses of files, 1 callback secrets',
      'key 22222222  former      2 addresses of files',
      '2 are still sealed with a former key, so keep it. They are resealed in the background, or now with: npm run ply -- secrets reseal',
    ]);
    expect(secretsFinding(report(2))).toEqual({
      state: 'degraded',
      what: '2 secrets are still sealed with a former key',
      fix: 'npm run ply -- secrets reseal',
    });
  });

  it('when it is not needed any more', () => {
    expect(linesOf(report(0)).slice(1)).toEqual([
      'key 22222222  former      nothing',
      expect.stringMatching(
        /^Nothing is sealed with a former key any more\. Remove it from PLY_FORMER_SECRET_KEYS \(or secret\.key\)/,
      ),
    ]);
    expect(secretsFinding(report(0))).toEqual({ state: 'ok', what: 'former secret keys are no longer needed' });
  });

  it('if the program does not know it yet', () => {
    const { keys, ...rest } = report(0);
    expect(secretsFinding({ ...rest, keys: keys.slice(0, 1) })).toMatchObject({
      state: 'degraded',
      what: expect.stringContaining('the running program does not know'),
    });
  });

  it('if no key opens something, and sources use an address of a former key', () => {
    const broken = report(0, { unopened: { total: 21, first: [{ what: 'callback secrets', id: 'one' }] } });
    expect(linesOf(broken)).toEqual(
      expect.arrayContaining([
        'no key     opens       21: one (callback secrets), ...',
        'Name the key that sealed them in PLY_FORMER_SECRET_KEYS, or enter these secrets again.',
      ]),
    );
    expect(secretsFinding(broken)).toMatchObject({
      state: 'broken',
      what: '21 secrets open with none of the secret keys',
    });
    const used = report(0, {
      formerAddresses: Array.from({ length: 22 }, (_, at) => ({ connectorId: `c${at}`, organizationId: 'o', at: 0 })),
    });
    expect(linesOf(used)).toEqual(
      expect.arrayContaining(['  connector c0 of organization o, last at 1970-01-01T00:00:00.000Z', '  and 2 more']),
    );
    expect(secretsFinding(used)).toMatchObject({
      state: 'degraded',
      what: 'sources of 22 connectors use addresses of a former key',
    });
  });

  it('is refused for an unknown command', async () => {
    await expect(secrets(readConfiguration({}), ['drop'])).rejects.toThrow('Commands: secrets show, secrets reseal.');
  });
});
