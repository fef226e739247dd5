import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfiguration } from '../models/configuration/configuration.ts';
import { knowsFormerKeys, secretKeys, type KeySettings } from './secret-key.ts';

const folder = mkdtempSync(join(tmpdir(), 'ply-keys-'));
afterAll(() => rmSync(folder, { recursive: true }));

const [one, other, third] = [randomBytes(32), randomBytes(32), randomBytes(32)];
const text = (key: Buffer): string => key.toString('base64');
const settings = (given: Record<string, string>, data = folder): KeySettings =>
  readConfiguration({ PLY_DATA_DIR: data, ...given });
const read = async (
  given: Record<string, string>,
  data?: string,
): Promise<{ current: string; next: string | null; former: string[] }> => {
  const { current, next, former } = await secretKeys(settings(given, data));
  return {
    current: text(Buffer.from(current)),
    next: next === null ? null : text(Buffer.from(next)),
    former: former.map((key) => text(Buffer.from(key))),
  };
};

describe('the secret keys', () => {
  it('come from the variables, in either encoding', async () => {
    const given = {
      PLY_SECRET_KEY: text(one),
      PLY_NEXT_SECRET_KEY: other.toString('base64url'),
      PLY_FORMER_SECRET_KEYS: ` ${third.toString('base64url')}, `,
    };
    expect(await read(given)).toEqual({ current: text(one), next: text(other), former: [text(third)] });
  });

  it('come from the data folder without a variable: created once, with former ones on further lines', async () => {
    const data = join(folder, 'data');
    expect(await knowsFormerKeys(settings({}, data))).toBe(false);
    const made = await read({}, data);
    expect(await knowsFormerKeys(settings({}, data))).toBe(false);
    expect(made).toMatchObject({ next: null, former: [] });
    expect(await read({}, data)).toEqual(made);
    const file = join(data, 'secret.key');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    writeFileSync(file, `${text(one)}\n${readFileSync(file, 'utf8')}`);
    expect(await knowsFormerKeys(settings({}, data))).toBe(true);
    expect(await knowsFormerKeys(settings({ PLY_SECRET_KEY: text(other) }, data))).toBe(false);
    expect(await read({ PLY_FORMER_SECRET_KEYS: text(third) }, data)).toEqual({
      current: text(one),
      next: null,
      former: [made.current, text(third)],
    });
    expect(await read({ PLY_SECRET_KEY: text(other), PLY_FORMER_SECRET_KEYS: text(one) }, data)).toEqual({
      current: text(other),
      next: null,
      former: [text(one)],
    });
  });

  it('are refused if invalid, with the variable but without the key', async () => {
    await expect(read({ PLY_SECRET_KEY: 'c2VjcmV0' })).rejects.toThrow(/^PLY_SECRET_KEY has to hold 32 bytes/);
    await expect(read({ PLY_SECRET_KEY: text(one), PLY_NEXT_SECRET_KEY: 'c2VjcmV0' })).rejects.toThrow(
      /^PLY_NEXT_SECRET_KEY has to hold 32 bytes/,
    );
    expect(() => settings({ PLY_FORMER_SECRET_KEYS: `${text(one)},c2VjcmV0` })).toThrow(
      /PLY_FORMER_SECRET_KEYS: expected 32 bytes as base64 or base64url; number 2 is not$/,
    );
    const data = join(folder, 'broken');
    await read({}, data);
    writeFileSync(join(data, 'secret.key'), `${text(one)}\nnot a key\n`);
    await expect(read({}, data)).rejects.toThrow(/secret\.key \(line 2\) has to hold 32 bytes/);
  });

  it.each([
    ['next', { PLY_NEXT_SECRET_KEY: text(one) }],
    ['former', { PLY_FORMER_SECRET_KEYS: `${text(other)},${text(one)}` }],
  ])(
    'that are given twice, as current and %s, are refused: nobody would know which is out of use',
    async (_, given) => {
      await expect(read({ PLY_SECRET_KEY: text(one), ...given })).rejects.toThrow(
        /is given twice: PLY_SECRET_KEY, PLY_NEXT_SECRET_KEY and PLY_FORMER_SECRET_KEYS have to name different keys/,
      );
    },
  );
});
