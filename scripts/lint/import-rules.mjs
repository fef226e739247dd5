import { dirname, join, relative, resolve, sep } from 'node:path';

/** Files that are tests, or made for tests: they may import everything. */
const testFile = /(^|\/)(test\/|testing\/|test-server\.ts$|conformance[^/]*\.ts$)|\.test\.tsx?$/;

/** Whether a path is inside one of the folders. */
const within = (path, ...folders) => folders.some((folder) => path.startsWith(`${folder}/`));

const isPort = (path) => /^adapters\/[^/]+\/port\.ts$/.test(path);

/** What each part of the project may import, by the beginning of its path; the first that fits holds. */
const parts = [
  {
    from: /^models\//,
    may: 'models only',
    allows: (to) => within(to, 'models'),
  },
  {
    from: /^(?<part>formats|media)\//,
    may: 'models and its own folder',
    allows: (to, { part }) => within(to, 'models', part),
  },
  {
    from: /^adapters\/(?<port>[^/]+)\//,
    may: 'models, adapters/*/port.ts, adapters/s3 and its own folder',
    allows: (to, { port }) => within(to, 'models', 'adapters/s3', `adapters/${port}`) || isPort(to),
  },
  {
    from: /^adapters\//,
    may: 'models and adapters',
    allows: (to) => within(to, 'models', 'adapters'),
  },
  {
    from: /^mixins\//,
    may: 'mixins, models and adapters/*/port.ts',
    allows: (to) => within(to, 'mixins', 'models') || isPort(to),
  },
  {
    from: /^services\/(?<actor>[^/]+)\//,
    may: 'its own folder, mixins, formats, media, models and adapters/*/port.ts',
    allows: (to, { actor }) => within(to, 'mixins', 'formats', 'media', 'models', `services/${actor}`) || isPort(to),
  },
  {
    from: /^web\//,
    may: 'web only: the dashboard knows the API by its description',
    allows: (to) => within(to, 'web'),
  },
  {
    from: /^(scripts|bench)\//,
    may: 'everything',
    allows: () => true,
  },
  {
    from: /^/,
    may: 'everything but test/',
    allows: (to) => !testFile.test(to),
  },
];

/**
 * Why a file of the project may not import another, or null where it may.
 * @param {string} from path of the importing file, from the project's folder
 * @param {string} to path of the imported file, likewise
 */
export function importFault(from, to) {
  // The version of the program is in package.json alone.
  if (testFile.test(from) || to === 'package.json') return null;
  for (const part of parts) {
    const match = part.from.exec(from);
    if (match === null) continue;
    return part.allows(to, match.groups ?? {}) ? null : `${from} may import ${part.may}, not ${to}`;
  }
  return null;
}

/** The part of a node that names another module: of an import, or of `new URL('./x.ts', import.meta.url)`. */
function addressOf(node) {
  if (node.type === 'NewExpression') {
    const isModuleAddress =
      node.callee.type === 'Identifier' && node.callee.name === 'URL' && node.arguments[1]?.type === 'MemberExpression';
    return isModuleAddress ? node.arguments[0] : null;
  }
  return node.source;
}

/** ESLint rule: holds the import rules of docs/architecture.md. */
export const importRule = {
  meta: { type: 'problem', schema: [], messages: { forbidden: '{{fault}}' } },
  create(context) {
    const from = relative(context.cwd, context.filename).split(sep).join('/');
    const check = (node) => {
      const address = addressOf(node);
      if (address?.type !== 'Literal' || typeof address.value !== 'string') return;
      // Only relative addresses of files are ours: no packages, no folders.
      if (!/^\.\.?\/.*[^/]$/.test(address.value)) return;
      const to = relative(context.cwd, resolve(join(context.cwd, dirname(from)), address.value))
        .split(sep)
        .join('/');
      const fault = importFault(from, to);
      if (fault !== null) context.report({ node: address, messageId: 'forbidden', data: { fault } });
    };
    return {
      ImportDeclaration: check,
      ImportExpression: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
      NewExpression: check,
      TSImportType: check,
    };
  },
};
