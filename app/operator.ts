import type { Blobs } from '../adapters/blobs/port.ts';
import { call, type ActionCaller } from '../mixins/actions/call.ts';
import type { Sealer } from '../mixins/sealing.ts';
import type { TrustedSources } from '../mixins/sources/trusted.ts';
import type { SearchResponse } from '../models/api.ts';
import { accountSettings } from '../models/schemas/account-settings.ts';
import { maxEmail } from '../models/schemas/dashboard.ts';
import { searchBody } from '../models/schemas/search.ts';
import { withDefault, optional, nullable, object, required, type Schema } from '../models/schemas/schema.ts';
import { boolean, text, uuid, integer, oneOf } from '../models/schemas/values.ts';
import { accountOf, changeAccount, readAccount } from '../services/accounts/account.ts';
import { operatorActor } from '../services/accounts/audit.ts';
import { createAccount, listAccounts } from '../services/accounts/create.ts';
import { givePassword, listUsers } from '../services/accounts/dashboard/users.ts';
import { eraseAccount, erasedOrNamed } from '../services/accounts/erase.ts';
import { exportAccount } from '../services/accounts/export/export.ts';
import { createKey, deactivateKey, listKeys, reactivateKey, rotateKey } from '../services/accounts/keys.ts';
import type { AccountsContext } from '../services/accounts/collections.ts';
import {
  changeBucketAsOperator,
  createBucketAsOperator,
  createLibraryAsOperator,
  operatorBucket,
  operatorBucketChange,
  operatorNewBucket,
  operatorNewLibrary,
  removeBucketAsOperator,
} from './operator-buckets.ts';
import { eventsAsOperator, operatorEvents } from './operator-events.ts';
import {
  closeAsOperator,
  exportAsOperator,
  operatorExport,
  operatorStatements,
  verifyAsOperator,
} from './operator-statements.ts';
import { adjustAsOperator, operatorAdjustment, operatorUsage, usageAsOperator } from './operator-usage.ts';
import { readInstallation, renewInstallation } from './installation.ts';
import { countSecrets } from './secrets/count.ts';
import { reseal } from './secrets/reseal.ts';

/** What operator requests run on: the open records, and the parts that only a running program has. */
export interface OperatorContext extends AccountsContext {
  trustedSources?: TrustedSources;
  blobs?: Blobs;
  actions?: ActionCaller;
  sealer?: Sealer;
}

/** An operation of the operator: its input schema and what it returns. */
interface Operation<I, O> {
  input: Schema<I>;
  run(app: OperatorContext, input: I): Promise<O>;
}

function operation<I, O>(input: Schema<I>, run: (app: OperatorContext, input: I) => Promise<O>): Operation<I, O> {
  return { input, run };
}

const keyId = object({ keyId: required(text(1, 100)) });
const milliseconds = integer(0);
/** Longest time for which a rotated key's old secret is accepted: 30 days. */
const longestOverlapMs = 30 * 86_400_000;
/** Id or name of an account; defaults to the account of the first start. */
const account = optional(text(1, 200));

/**
 * Every operation of the operator's command line: sent over the socket of a running program, else run on the records.
 */
const operations = {
  'keys.list': operation(object({}), (app) => listKeys(app)),
  'keys.create': operation(
    object({
      scope: required(oneOf('standard', 'admin')),
      label: required(text(1, 200)),
      expiresAt: withDefault(milliseconds, null),
      account,
    }),
    async (app, { account: named, ...wanted }) => createKey(app, (await accountOf(app, named))._id, wanted),
  ),
  'keys.rotate': operation(
    object({
      keyId: required(text(1, 100)),
      expiresAt: optional(nullable(milliseconds)),
      overlapMs: withDefault(integer(0, longestOverlapMs), 0),
    }),
    async (app, { keyId: id, expiresAt, overlapMs }) => known(id, await rotateKey(app, id, expiresAt, overlapMs)),
  ),
  'keys.deactivate': operation(keyId, async (app, asked) => known(asked.keyId, await deactivateKey(app, asked.keyId))),
  'keys.reactivate': operation(keyId, async (app, asked) => known(asked.keyId, await reactivateKey(app, asked.keyId))),
  'users.list': operation(object({ account }), async (app, asked) =>
    listUsers(app, (await accountOf(app, asked.account))._id),
  ),
  'users.password': operation(object({ email: required(text(1, maxEmail)), account }), async (app, asked) =>
    givePassword(app, (await accountOf(app, asked.account))._id, asked.email),
  ),
  'users.reset': operation(object({ email: required(text(1, maxEmail)), account }), async (app, asked) =>
    givePassword(app, (await accountOf(app, asked.account))._id, asked.email, true),
  ),
  'account.list': operation(object({}), (app) => listAccounts(app)),
  'account.show': operation(object({ account }), (app, asked) => readAccount(app, asked.account)),
  'account.set': operation(object({ ...accountSettings, account }), (app, { account: named, ...change }) =>
    changeAccount(app, change, named),
  ),
  'account.adjust': operation(operatorAdjustment, (app, asked) => adjustAsOperator(app, asked)),
  'statements.close': operation(operatorStatements, (app, asked) => closeAsOperator(app, asked)),
  'statements.verify': operation(operatorStatements, (app, asked) => verifyAsOperator(app, asked)),
  'statements.events': operation(operatorEvents, (app, asked) => eventsAsOperator(app, asked)),
  'statements.export': operation(operatorExport, (app, asked) => exportAsOperator(app, asked)),
  'usage.show': operation(operatorUsage, (app, asked) => usageAsOperator(app, asked)),
  'account.create': operation(object({ name: required(text(1, 200)) }), (app, { name }) => createAccount(app, name)),
  'account.export': operation(object({ folder: required(text(1, 4000)), account }), (app, asked) =>
    exportAccount({ ...app, blobs: running(app.blobs) }, asked),
  ),
  'account.name': operation(object({ account: required(text(1, 200)) }), (app, asked) =>
    erasedOrNamed(app, asked.account),
  ),
  'account.erase': operation(
    object({ account: required(text(1, 200)), keepUsage: withDefault(boolean, false) }),
    (app, asked) => eraseAccount(app, asked),
  ),
  'installation.show': operation(object({}), (app) => readInstallation(app.records, app.configuration, app.runtime)),
  'installation.renew': operation(object({}), (app) => renewInstallation(app.records, app.configuration, app.runtime)),
  'secrets.count': operation(object({}), (app) => countSecrets({ ...app, sealer: running(app.sealer) })),
  'secrets.reseal': operation(object({}), (app) => reseal({ ...app, sealer: running(app.sealer) })),
  'search.as': operation(
    object({ organizationId: required(uuid), request: required(searchBody) }),
    (app, { organizationId, request }): Promise<SearchResponse> =>
      call(running(app.actions), 'searcher.searchAs', { organizationId, actor: operatorActor, request }),
  ),
  'bucket.create': operation(operatorNewBucket, (app, asked) =>
    createBucketAsOperator({ ...app, actions: running(app.actions) }, asked),
  ),
  'library.create': operation(operatorNewLibrary, (app, asked) =>
    createLibraryAsOperator({ ...app, actions: running(app.actions) }, asked),
  ),
  'bucket.change': operation(operatorBucketChange, (app, asked) =>
    changeBucketAsOperator({ ...app, actions: running(app.actions) }, asked),
  ),
  'bucket.suspend': operation(object({ bucketId: required(uuid), isSuspended: required(boolean) }), (app, asked) =>
    call(running(app.actions), 'storage.suspendBucket', asked),
  ),
  'object.takedown': operation(object({ objectId: required(uuid), isDown: required(boolean) }), (app, asked) =>
    call(running(app.actions), 'storage.takeDownObject', asked),
  ),
  'video.takedown': operation(object({ videoId: required(uuid), isDown: required(boolean) }), (app, asked) =>
    call(running(app.actions), 'storage.takeDownVideo', asked),
  ),
  'bucket.remove': operation(operatorBucket, (app, asked) =>
    removeBucketAsOperator({ ...app, actions: running(app.actions) }, asked),
  ),
  'sources.trust': operation(
    object({ origin: required(text(1, 300)), milliseconds: required(milliseconds) }),
    async (app, asked) => {
      running(app.trustedSources).trust(asked.origin, asked.milliseconds);
      return {};
    },
  ),
};

type Operations = typeof operations;

/** Name of an operation. */
export type OperationName = keyof Operations;
/** What an operation returns. */
export type OperationAnswer<N extends OperationName> = Awaited<ReturnType<Operations[N]['run']>>;

function isOperation(name: string): name is OperationName {
  return Object.hasOwn(operations, name);
}

/**
 * Runs an operation. `sources.trust` and `search.as` need a running program.
 * @throws Refusal if the input is not valid; what the operation throws
 */
export function operate(app: OperatorContext, name: string, input: unknown): Promise<unknown> {
  if (!isOperation(name))
    throw new Error(`this program has no operation ${name}: is it the same version as the command line?`);
  return carryOut(app, operations[name], input);
}

function carryOut<I>(app: OperatorContext, { input, run }: Operation<I, unknown>, sent: unknown): Promise<unknown> {
  return run(app, input.check(sent));
}

function known<T>(id: string, found: T | null): T {
  if (found === null) throw new Error(`there is no key ${id}`);
  return found;
}

function running<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('the program is not running: start it with npm start');
  return part;
}
