import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../scripts/setup/paths.mjs';
import { ConfigurationError, readConfiguration, variableNames } from './configuration.ts';
import { variables } from './table.ts';

/** What reading an environment complains about, one line a fault; empty if it is usable. */
function faultsOf(environment: Record<string, string>): string[] {
  try {
    readConfiguration(environment);
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError);
    return String(error)
      .split('\n')
      .slice(1)
      .map((line) => line.trim());
  }
}

/** Texts that the kinds of these variables must refuse. */
const nonsense: Record<string, string> = {
  PLY_ROLES: 'gateway,janitor',
  PLY_HOST: 'not a host',
  PLY_API_PORT: '65536',
  PLY_METRICS_PORT: '-1',
  PLY_DATA_DIR: 'x'.repeat(5000),
  PLY_PRIVATE_NETWORKS: 'maybe',
  PLY_ALLOWED_HOST_CEILING: 'example.com,not a host',
  PLY_PUBLIC_URL: 'https://user@ply.example.com',
  PLY_TRUSTED_PROXIES: '10.0.0.0/8,10.0.0.0/33',
  PLY_NATS_URL: 'http://127.0.0.1',
  PLY_NATS_PREFIX: 'ply.stages',
  PLY_MONGO_URL: 'mysql://127.0.0.1',
  PLY_MONGO_DATABASE: 'x'.repeat(64),
  PLY_MILVUS_URL: '127.0.0.1:19530',
  PLY_MILVUS_COLLECTION: 'x'.repeat(64),
  PLY_REDIS_URL: 'nowhere',
  PLY_BLOBS_URL: 'ftp://127.0.0.1/folder',
  PLY_OBJECTS_URL: 'gs://bucket',
  PLY_DELIVERY_DOMAIN: 'not a domain',
  PLY_COUNTRY_HEADER: 'two words',
  PLY_LOCAL_MODEL: 'models',
  PLY_LOCAL_TRANSCRIBER: 'whisper',
  PLY_EMBEDDINGS_URL: 'models',
  PLY_EMBEDDINGS_DIMENSIONS: '0',
  PLY_EMBEDDING_THREADS: 'two',
  PLY_EXTRACTOR_SLOTS: '0',
  PLY_EMBEDDER_SLOTS: '1.5',
  PLY_REQUESTS_PER_MINUTE: '1e3',
  PLY_OTLP_URL: 'http://collector:4318?token=1',
  PLY_TRACE_RATIO: '1.5',
  PLY_STOP_TIMEOUT: '601',
  PLY_LOG_LEVEL: 'loud',
  PLY_METRICS_ORGANIZATIONS: '11111111-1111-4111-8111-111111111111,two',
  PLY_FORMER_SECRET_KEYS: 'c2VjcmV0',
  PLY_BOOTSTRAP_ORGANIZATION_ID: '1234',
  PLY_BOOTSTRAP_ADMIN_KEY: 'too short',
};

describe('the configuration', () => {
  it('needs nothing to be set', () => {
    const configuration = readConfiguration({ PATH: '/usr/bin' });
    for (const name of variableNames) expect(configuration[name]).toEqual(variables[name].fallback);
  });

  it.each(Object.entries(nonsense))('names %s when it holds nonsense', (name, text) => {
    expect(faultsOf({ [name]: text })).toEqual([expect.stringMatching(new RegExp(`^${name}: \\S`))]);
  });

  it('is tested with invalid values of every kind', () => {
    const tried = new Set(Object.keys(nonsense));
    const triedShapes = new Set(
      variableNames.filter((name) => tried.has(name)).map((name) => kindOf(variables[name].kind.shape)),
    );
    expect(
      variableNames.map((name) => kindOf(variables[name].kind.shape)).filter((kind) => !triedShapes.has(kind)),
    ).toEqual([]);
  });

  it('accepts shares as decimal numbers', () => {
    for (const [text, value] of [
      ['0', 0],
      ['0.05', 0.05],
      ['1', 1],
      ['1.0', 1],
    ] as const)
      expect(readConfiguration({ PLY_TRACE_RATIO: text }).PLY_TRACE_RATIO).toBe(value);
    for (const text of ['1.01', '-0.1', '.5', '5%', '1e-3', ''])
      expect(faultsOf({ PLY_TRACE_RATIO: text })).toHaveLength(text === '' ? 0 : 1);
  });

  it('takes an external ACME account with id and key only', () => {
    const [id, key] = [{ PLY_ACME_EAB_KEY_ID: 'id' }, { PLY_ACME_EAB_HMAC_KEY: 'key' }];
    expect(faultsOf({ ...id, ...key })).toEqual([]);
    expect(faultsOf(id)).toEqual(['PLY_ACME_EAB_HMAC_KEY: needed with PLY_ACME_EAB_KEY_ID']);
    expect(faultsOf(key)).toEqual(['PLY_ACME_EAB_KEY_ID: needed with PLY_ACME_EAB_HMAC_KEY']);
  });

  it('reports all invalid variables', () => {
    const faults = faultsOf({ PLY_API_PORT: 'x', PLY_LOG_LEVEL: 'y', PLY_NOWHERE: 'z' });
    expect(faults.map((fault) => fault.split(':')[0]).sort()).toEqual(['PLY_API_PORT', 'PLY_LOG_LEVEL', 'PLY_NOWHERE']);
  });

  it('refuses unknown variables except for those of tests', () => {
    expect(faultsOf({ PLY_API_PROT: '3000' })).toEqual([
      'PLY_API_PROT: there is no such variable; there are PLY_API_PORT, PLY_API_URL, PLY_API_KEY (see docs/configuration.md)',
    ]);
    expect(faultsOf({ PLY_PORT: '3000' })).toEqual([
      'PLY_PORT: there is no such variable; there are PLY_API_PORT, PLY_DELIVERY_PORT, PLY_UPLOAD_PORT (see docs/configuration.md)',
    ]);
    expect(faultsOf({ PLY_LISTEN: '3000' })).toEqual([
      'PLY_LISTEN: there is no such variable (see docs/configuration.md)',
    ]);
    expect(faultsOf({ PLY_TEST_MONGO_URL: 'mongodb://127.0.0.1' })).toEqual([]);
  });

  it('treats an empty variable as unset', () => {
    expect(readConfiguration({ PLY_API_PORT: '' }).PLY_API_PORT).toBe(variables.PLY_API_PORT.fallback);
  });

  it('reads values', () => {
    const configuration = readConfiguration({
      PLY_ROLES: 'gateway, searcher,gateway',
      PLY_API_PORT: '0',
      PLY_ALLOWED_HOST_CEILING: 'A.example, *.b.example',
    });
    expect(configuration.PLY_ROLES).toEqual(['gateway', 'searcher']);
    expect(configuration.PLY_API_PORT).toBe(0);
    expect(configuration.PLY_ALLOWED_HOST_CEILING).toEqual(['a.example', '*.b.example']);
  });
});

describe('addresses', () => {
  it('may name several servers', () => {
    const several = {
      PLY_MONGO_URL: 'mongodb://one:27017,two:27017/?replicaSet=ply',
      PLY_REDIS_URL: 'rediss://cache.example:6379',
    };
    expect(readConfiguration(several)).toMatchObject(several);
  });

  it.each(['mongodb://', 'mongodb:// one', 'one:27017'])('%j is invalid', (text) => {
    expect(faultsOf({ PLY_MONGO_URL: text })).toEqual([
      'PLY_MONGO_URL: expected an address that begins with mongodb:// or mongodb+srv://',
    ]);
  });
});

describe('a cluster', () => {
  const shared = {
    PLY_NATS_URL: 'nats://127.0.0.1:4222',
    PLY_MONGO_URL: 'mongodb://127.0.0.1',
    PLY_MILVUS_URL: 'http://127.0.0.1:19530',
    PLY_REDIS_URL: 'redis://127.0.0.1',
    PLY_BLOBS_URL: 'file:///blobs',
    PLY_OBJECTS_URL: 'file:///objects',
    PLY_SECRET_KEY: 'c2VjcmV0',
  };

  it('starts with shared stores', () => {
    expect(faultsOf(shared)).toEqual([]);
  });

  it.each(['PLY_MONGO_URL', 'PLY_MILVUS_URL', 'PLY_REDIS_URL', 'PLY_BLOBS_URL', 'PLY_OBJECTS_URL', 'PLY_SECRET_KEY'])(
    'does not start without %s',
    (name) => {
      expect(faultsOf({ ...shared, [name]: '' })).toEqual([
        expect.stringMatching(new RegExp(`^${name}: needed with PLY_NATS_URL`)),
      ]);
    },
  );
});

/** The part of a shape's description that names the kind: without limits and words of its own. */
function kindOf(shape: string): string {
  return shape.split(/[ ,:(]/)[0] ?? '';
}

describe('values of templates', () => {
  const templates = ['secret', 'bootstrap'].flatMap((name) => {
    const text = readFileSync(join(projectRoot, `k8s/base/${name}.example.env`), 'utf8');
    return [...text.matchAll(/^(PLY_\w+)=(.*)$/gm)].map(([, variable = '', value = '']): [string, string] => [
      variable,
      value,
    ]);
  });
  // Nothing in its address is secret.
  const secrets = templates.filter(([variable]) => variable !== 'PLY_MILVUS_URL');

  it('are those of the templates', () => {
    expect(secrets.map(([variable]) => variable)).toEqual(
      expect.arrayContaining([
        'PLY_SECRET_KEY',
        'PLY_MONGO_URL',
        'PLY_BOOTSTRAP_ADMIN_KEY',
        'PLY_BOOTSTRAP_STANDARD_KEY',
      ]),
    );
  });

  it.each(secrets)('are refused for %s', (variable, value) => {
    expect(faultsOf({ [variable]: value })).toContain(
      `${variable}: still has the value of a template, which everybody knows; set a value of your own`,
    );
  });

  it('are refused among several keys, and other values are not', () => {
    const own = Buffer.alloc(32, 7).toString('base64');
    const [, known = ''] = templates.find(([variable]) => variable === 'PLY_SECRET_KEY') ?? [];
    expect(faultsOf({ PLY_FORMER_SECRET_KEYS: own })).toEqual([]);
    expect(faultsOf({ PLY_FORMER_SECRET_KEYS: `${own}, ${known}` })).toEqual([
      expect.stringContaining('PLY_FORMER_SECRET_KEYS: still has the value of a template'),
    ]);
    expect(faultsOf({ PLY_SECRET_KEY: own, PLY_BOOTSTRAP_ADMIN_KEY: 'a-key-that-nobody-else-knows' })).toEqual([]);
  });
});
