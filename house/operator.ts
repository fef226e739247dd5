import type { Blobs } from '../adapters/blobs/port.ts';
import { call, type ActionCaller } from '../mixins/actions.ts';
import type { Sealer } from '../mixins/sealing.ts';
import type { TrustedSources } from '../mixins/sources/trusted.ts';
import type { SearchResponse } from '../models/api.ts';
import { searchBody } from '../models/schemas/search.ts';
import { filled, left, nullable, object, required, type Schema } from '../models/schemas/schema.ts';
import { flag, text, uuid, whole, word } from '../models/schemas/values.ts';
import { accountOf, changeAccount, readAccount } from '../services/accounts/account.ts';
import { theOperator } from '../services/accounts/audit.ts';
import { createAccount, listAccounts } from '../services/accounts/create.ts';
import { eraseAccount, erasedOrNamed } from '../services/accounts/erase.ts';
import { exportAccount } from '../services/accounts/export/export.ts';
import { createKey, deactivateKey, listKeys, reactivateKey, rotateKey } from '../services/accounts/keys.ts';
import type { AccountsHouse } from '../services/accounts/tools.ts';
import { countSecrets } from './secrets/count.ts';
import { reseal } from './secrets/reseal.ts';

/** What the operator's requests are carried out on: open records, and what a running program has besides. */
export interface OperatorHouse extends AccountsHouse {
  trustedSources?: TrustedSources;
  blobs?: Blobs;
  actions?: ActionCaller;
  sealer?: Sealer;
}

/** Something that the operator may ask for: what is sent, checked, and what comes back. */
interface Operation<I, O> {
  input: Schema<I>;
  run(house: OperatorHouse, input: I): Promise<O>;
}

function operation<I, O>(input: Schema<I>, run: (house: OperatorHouse, input: I) => Promise<O>): Operation<I, O> {
  return { input, run };
}

const keyId = object({ keyId: required(text(1, 100)) });
const milliseconds = whole(0);
/** Id or name of an account; left out, that of the first start. */
const account = left(text(1, 200));

/** Everything that the operator's command line asks of a program: over its socket while it runs, else on its records. */
const operations = {
  'keys.list': operation(object({}), (house) => listKeys(house)),
  'keys.create': operation(
    object({ scope: required(word('standard', 'admin')), label: required(text(1, 200)), expiresAt: filled(milliseconds, null), account }),
    async (house, { account: named, ...wanted }) => createKey(house, (await accountOf(house, named))._id, wanted),
  ),
  'keys.rotate': operation(object({ keyId: required(text(1, 100)), expiresAt: left(nullable(milliseconds)) }), async (house, asked) => known(asked.keyId, await rotateKey(house, asked.keyId, asked.expiresAt))),
  'keys.deactivate': operation(keyId, async (house, asked) => known(asked.keyId, await deactivateKey(house, asked.keyId))),
  'keys.reactivate': operation(keyId, async (house, asked) => known(asked.keyId, await reactivateKey(house, asked.keyId))),
  'account.list': operation(object({}), (house) => listAccounts(house)),
  'account.show': operation(object({ account }), (house, asked) => readAccount(house, asked.account)),
  'account.set': operation(object({ timeZone: left(text(1, 100)), plan: left(nullable(text(1, 40))), account }), (house, { account: named, ...change }) => changeAccount(house, change, named)),
  'account.create': operation(object({ name: required(text(1, 200)) }), (house, { name }) => createAccount(house, name)),
  'account.export': operation(object({ folder: required(text(1, 4000)), account }), (house, asked) => exportAccount({ ...house, blobs: running(house.blobs) }, asked)),
  'account.name': operation(object({ account: required(text(1, 200)) }), (house, asked) => erasedOrNamed(house, asked.account)),
  'account.erase': operation(object({ account: required(text(1, 200)), keepUsage: filled(flag, false) }), (house, asked) => eraseAccount(house, asked)),
  'secrets.count': operation(object({}), (house) => countSecrets({ ...house, sealer: running(house.sealer) })),
  'secrets.reseal': operation(object({}), (house) => reseal({ ...house, sealer: running(house.sealer) })),
  'search.as': operation(object({ organizationId: required(uuid), request: required(searchBody) }), (house, { organizationId, request }): Promise<SearchResponse> =>
    call(running(house.actions), 'searcher.searchAs', { organizationId, actor: theOperator, request })),
  'sources.trust': operation(object({ origin: required(text(1, 300)), milliseconds: required(milliseconds) }), async (house, asked) => {
    running(house.trustedSources).trust(asked.origin, asked.milliseconds);
    return {};
  }),
};

type Operations = typeof operations;

/** Name of something that the operator may ask for. */
export type OperationName = keyof Operations;
/** What comes back. */
export type OperationAnswer<N extends OperationName> = Awaited<ReturnType<Operations[N]['run']>>;

function isOperation(name: string): name is OperationName {
  return Object.hasOwn(operations, name);
}

/**
 * Does what the operator asks. `sources.trust` and `search.as` need a running program.
 * @throws Refusal where the input is not valid; what the operation throws
 */
export function operate(house: OperatorHouse, name: string, input: unknown): Promise<unknown> {
  if (!isOperation(name)) throw new Error(`this program knows no ${name}: is it of the same version as the command line?`);
  return carryOut(house, operations[name], input);
}

function carryOut<I>(house: OperatorHouse, { input, run }: Operation<I, unknown>, sent: unknown): Promise<unknown> {
  return run(house, input.check(sent));
}

function known<T>(id: string, found: T | null): T {
  if (found === null) throw new Error(`there is no key ${id}`);
  return found;
}

function running<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('the program does not run: start it with npm start');
  return part;
}
