import * as fc from 'fast-check';
import { paramsOf, type ActionName } from '../../mixins/actions/table.ts';
import type { Caller } from '../../models/api.ts';
import { Refusal } from '../../models/errors.ts';
import type { JsonObject } from '../../models/json.ts';
import { compile } from '../../models/schemas/rules.ts';
import type { Fields } from '../../models/schemas/schema.ts';
import { routeTable } from '../../services/gateway/table.ts';
import { valuesNear } from './support/arbitraries.ts';

/*
 * The parameters of an action must accept what a route passes after its own validation, also after serialization: the
 * gateway's process does not validate again, but another process does.
 */

const caller: Caller = {
  accountId: 'a',
  organizationId: 'o',
  keyId: 'k',
  keyPrefix: 'p',
  keyLabel: '',
  keyScope: 'admin',
  requestId: 'r',
};

/** Texts that a client could send as parameters. */
function textsOf(fields: Fields): fc.Arbitrary<[string, string[]][]> {
  const each = Object.entries(fields).map(([name, { schema, presence }]) => {
    const texts = valuesNear(schema.json).map((value): [string, string[]][] => [
      [name, [value].flat().map((text) => (typeof text === 'string' ? text : JSON.stringify(text)))],
    ]);
    return presence === 'required' ? texts : fc.oneof(fc.constant<[string, string[]][]>([]), texts);
  });
  return fc.tuple(...each).map((all) => all.flat().filter(([, texts]) => texts.length > 0));
}

/** Valid bodies, which random values from the schema hardly ever are. */
const bodies: { [operation: string]: JsonObject | undefined } = {
  registerAsset: {
    externalId: 'a',
    filename: 'a.TXT',
    kind: 'document',
    sourceUrl: 'https://files.example.com/a.txt',
    sourceVersion: '"1"',
    sourceAccess: { url: 'https://files.example.com/a.txt' },
  },
  createConnector: {
    kind: 'azure_blob',
    name: 'a',
    config: { containerUrl: 'https://account.blob.core.windows.net/files' },
    credential: 'a',
  },
  replaceConnector: {
    kind: 's3',
    name: 'a',
    config: { endpoint: 'https://s3.example.com', bucket: 'files', accessKeyId: 'a' },
  },
  createBucket: { name: 'abc', region: 'in-west' },
  addDomain: { bucketId: '00000000-0000-4000-8000-000000000000', hostname: 'a.example.com' },
  createStorageCredential: { name: 'a', kind: 's3', permissions: ['read', 'manage'], bucketIds: null },
  writeBoost: { name: 'a', match: { kind: 'video', metadata: { a: 1 } }, factor: 2 },
  search: { query: 'a', kind: 'video', filter: { createdAfter: '2026-01-31T09:30:00Z', collections: ['a'] } },
};

describe('actions accept the parameters of validated requests', () => {
  it.each(routeTable.map((route) => ({ operation: route.operation, route })))('$operation', async ({ route }) => {
    const { operation, params, query, headers, body } = route;
    let handed = 0;
    const own = bodies[operation];
    const sent = fc.record({
      params: textsOf(params),
      query: textsOf(query),
      headers: textsOf(headers),
      body:
        body === null
          ? fc.constant(undefined)
          : own === undefined
            ? valuesNear(body.json)
            : fc.oneof(fc.constant(own), valuesNear(body.json)),
    });
    const calls: { name: ActionName; given: unknown }[] = [];
    const actions = {
      call: (name: ActionName, given: unknown) => {
        calls.push({ name, given });
        return Promise.resolve({ revision: 1, warnings: [], key: null });
      },
    };
    await fc.assert(
      fc.asyncProperty(sent, async (parts) => {
        let prepared;
        try {
          prepared = route.prepare(
            {
              params: Object.fromEntries(parts.params.map(([name, [text = '']]) => [name, text])),
              query: new Map(parts.query),
              headers: Object.fromEntries(parts.headers.map(([name, [text = '']]) => [name.toLowerCase(), text])),
              body: parts.body,
            },
            () => undefined,
          );
        } catch (error) {
          if (error instanceof Refusal) return;
          throw error;
        }
        await prepared.perform(actions as never, caller, null, handed % 2 === 0 ? 'id' : undefined);
        handed += 1;
      }),
      { numRuns: 60, seed: 7 },
    );
    for (const { name, given } of calls)
      expect(compile({ type: 'object', props: paramsOf(name) })(JSON.parse(JSON.stringify(given)))).toEqual(given);
    expect(handed).toBeGreaterThan(0);
  });
});
