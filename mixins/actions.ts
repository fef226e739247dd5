import { Errors, type ServiceBroker } from 'moleculer';
import type { LibraryHealth, SearchAnalytics, Suggestions } from '../models/analytics.ts';
import type {
  Accepted, ActivityQuery, AnswerResponse, AssetCreate, AssetView, AuditView, Caller, ImportItem, ImportResult, JobView, PlaybackLink, RelatedResponse, SearchRequest, SearchResponse,
  SubOrganizationChange, SubOrganizationView,
} from '../models/api.ts';
import type { AclMode, Metadata } from '../models/asset.ts';
import type { CollectionView, CreatedCollectionView } from '../models/library-collection.ts';
import type { ConnectorInput, ConnectorView } from '../models/connector.ts';
import type { AuditActor, KeyScope } from '../models/organization.ts';
import type { SettingsChange, SettingsView } from '../models/settings.ts';
import type { SyncAnswer, SyncBatch } from '../models/sync.ts';
import type { SegmentEdit, StoredTranscript } from '../models/transcript.ts';
import type { BoostRule, PinRule, SynonymRule } from '../models/tuning.ts';
import type { UsageEvent } from '../models/usage-event.ts';
import { Deadlines } from './deadlines.ts';
import type { ChunkOutcome, ChunkRequest } from './transcript/chunks.ts';
import { sentWork } from './work-context.ts';

/** What a key is allowed, as the accounts service answers it. Gateways keep it for a second at most. */
export interface KeyAccess {
  accountId: string;
  ownOrganizationId: string;
  keyId: string;
  prefix: string;
  label: string;
  scope: KeyScope;
  /** Requests a minute by rate class. */
  limits: { requests: number; search: number; registrations: number };
  /** Plan features; null where no plan is applied and everything is available. */
  features: string[] | null;
}

/** How an organization stands to an account. */
export type OrganizationAccess = 'allowed' | 'forbidden';

/** Every action that one actor may call of another, with what goes in and what comes out. Plain JSON both ways. */
export interface ActionMap {
  'accounts.keyAccess': [{ keyHash: string }, KeyAccess | null];
  'accounts.organizationAccess': [{ accountId: string; organizationId: string }, OrganizationAccess];
  'accounts.createSubOrganization': [{ caller: Caller; organization: SubOrganizationChange }, SubOrganizationView];
  'accounts.listSubOrganizations': [{ caller: Caller }, SubOrganizationView[]];
  'accounts.readSubOrganization': [{ caller: Caller; id: string }, SubOrganizationView];
  'accounts.changeSubOrganization': [{ caller: Caller; id: string; change: SubOrganizationChange }, SubOrganizationView];
  'accounts.deactivateSubOrganization': [{ caller: Caller; id: string }, { success: true; message: string }];
  'accounts.readAudit': [{ caller: Caller; limit: number; before: string | null }, { items: AuditView[]; next: string | null }];
  'accounts.recordSearchAs': [{ searchId: string; organizationId: string; actor: AuditActor; principals: readonly string[] }, { accountId: string }];
  'accounts.readSettings': [{ caller: Caller }, SettingsView];
  'accounts.replaceSettings': [{ caller: Caller; settings: SettingsChange }, SettingsView];
  'accounts.changeSettings': [{ caller: Caller; change: SettingsChange }, SettingsView];
  'accounts.dropSettings': [{ caller: Caller }, SettingsView];

  'registrar.register': [{ caller: Caller; asset: AssetCreate; idempotencyId?: string }, Accepted];
  'registrar.listAssets': [{ caller: Caller; limit: number; offset: number }, { items: AssetView[]; total: number; limit: number; offset: number }];
  'registrar.readAsset': [{ caller: Caller; assetId: string; asReader: boolean; principals: string[] | null }, AssetView];
  'registrar.playback': [{ caller: Caller; assetId: string; asReader: boolean; principals: string[] | null }, PlaybackLink];
  'registrar.removeAsset': [{ caller: Caller; assetId: string }, Accepted];
  'registrar.reindex': [{ caller: Caller; assetId: string; idempotencyId?: string }, Accepted];
  'registrar.import': [{ caller: Caller; items: ImportItem[]; idempotencyId?: string }, { importId: string; results: ImportResult[] }];
  'registrar.readImport': [{ caller: Caller; importId: string }, { importId: string; items: { jobId: string; assetId: string; state: string; progress: number; errorCode: string | null }[] }];
  'registrar.readJob': [{ caller: Caller; jobId: string }, JobView];
  'registrar.listJobs': [{ caller: Caller; assetId: string }, { items: JobView[] }];
  'registrar.cancelJob': [{ caller: Caller; jobId: string }, { jobId: string; state: 'cancelled' }];
  'registrar.activity': [{ caller: Caller; query: ActivityQuery }, { items: AssetView[]; nextCursor?: string | null }];
  'registrar.giveSourceAccess': [{ caller: Caller; assetId: string; access: { url: string; sasToken: string | null } }, { assetId: string; resumedJobs: string[] }];
  'registrar.readMetadata': [{ caller: Caller; assetId: string }, { assetId: string; metadata: Metadata }];
  'registrar.writeMetadata': [{ caller: Caller; assetId: string; metadata: Metadata }, { assetId: string; metadata: Metadata }];
  'registrar.readPermissions': [{ caller: Caller; assetId: string }, { assetId: string; mode: AclMode; principals: string[] }];
  'registrar.writePermissions': [{ caller: Caller; assetId: string; mode: AclMode; principals: string[] }, { assetId: string; mode: AclMode; principals: string[] }];
  'registrar.readTranscript': [{ caller: Caller; assetId: string; asReader: boolean; principals: string[] | null }, StoredTranscript];
  'registrar.correctTranscript': [{ caller: Caller; assetId: string; revision: number; edits: SegmentEdit[]; idempotencyId?: string }, Accepted];
  'registrar.createCollection': [{ caller: Caller; name: string; documents: string[] }, CreatedCollectionView];
  'registrar.listCollections': [{ caller: Caller; limit: number; offset: number }, { items: CollectionView[] }];
  'registrar.writeCollection': [{ caller: Caller; externalId: string; change: { externalId: string | null; name: string; metadata: Metadata | null } }, CollectionView];
  'registrar.changeCollectionAssets': [{ caller: Caller; externalId: string; add: string[]; remove: string[] }, { externalId: string; assetCount: number }];
  'registrar.removeCollection': [{ caller: Caller; externalId: string }, null];
  'registrar.libraryHealth': [{ caller: Caller; limit: number }, LibraryHealth];
  'registrar.applySync': [SyncBatch, SyncAnswer];
  'registrar.capabilities': [Record<string, never>, { formats: { kind: string; extensions: string[]; describes: string }[]; maxFileBytes: number; maxDocumentBytes: number; maxAudioSeconds: number }];

  'connectors.create': [{ caller: Caller; connector: ConnectorInput }, ConnectorView];
  'connectors.list': [{ caller: Caller }, { items: ConnectorView[] }];
  'connectors.read': [{ caller: Caller; connectorId: string }, ConnectorView];
  'connectors.replace': [{ caller: Caller; connectorId: string; connector: ConnectorInput }, ConnectorView];
  'connectors.remove': [{ caller: Caller; connectorId: string }, null];
  'connectors.requestSync': [{ caller: Caller; connectorId: string }, { connectorId: string; syncPending: boolean; requestedAt: string }];
  /** Where a connector's file can be read now (`ReadableAddress`), or why it cannot: a job's code, and a detail for the log. Refuses nothing. */
  'connectors.readAddress': [
    { organizationId: string; connectorId: string; externalId: string; sourceUrl: string; sourceVersion: string },
    { address: string; redirects: boolean; verified: boolean } | { failure: 'source_access_denied' | 'source_unreachable' | 'source_version_changed' | 'source_host_not_allowed'; detail: string },
  ];
  /** A storage event came in at a notification address; a handshake only asks whether the address is good. Refuses with `invalid_callback`. */
  'connectors.notify': [{ token: string; isHandshake: boolean }, { accepted: true }];

  'transcriber.chunk': [ChunkRequest, ChunkOutcome];

  'searcher.search': [{ caller: Caller; request: SearchRequest }, SearchResponse];
  'searcher.searchAs': [{ organizationId: string; actor: AuditActor; request: SearchRequest }, SearchResponse];
  'searcher.suggest': [{ caller: Caller; prefix: string; limit: number }, Suggestions];
  'searcher.searchAnalytics': [{ caller: Caller; days: number; limit: number }, SearchAnalytics];
  'searcher.answer': [{ caller: Caller; request: SearchRequest }, AnswerResponse];
  'searcher.related': [{ caller: Caller; assetId: string; limit: number; principals: string[] | null }, RelatedResponse];
  'searcher.readSynonyms': [{ caller: Caller }, { items: SynonymRule[] }];
  'searcher.writeSynonyms': [{ caller: Caller; rules: SynonymRule[] }, { items: SynonymRule[] }];
  'searcher.readBoosts': [{ caller: Caller }, { items: BoostRule[] }];
  'searcher.writeBoost': [{ caller: Caller; name: string; rule: BoostRule }, BoostRule];
  'searcher.removeBoost': [{ caller: Caller; name: string }, null];
  'searcher.readPins': [{ caller: Caller }, { items: PinRule[] }];
  'searcher.writePin': [{ caller: Caller; rule: PinRule }, PinRule];

  'ledger.record': [{ events: Omit<UsageEvent, 'receivedAt'>[] }, { recorded: number }];
}

/** Name of an action, as `<actor>.<what it does>`. */
export type ActionName = keyof ActionMap;
/** What an action takes. */
export type ActionInput<N extends ActionName> = ActionMap[N][0];
/** What an action answers: plain JSON, for it may cross the wire. */
export type ActionOutput<N extends ActionName> = ActionMap[N][1];

/** Actions that may run twice: they read, or write under ids that are fixed. */
const repeatable: ReadonlySet<ActionName> = new Set<ActionName>([
  'accounts.keyAccess', 'accounts.organizationAccess', 'accounts.listSubOrganizations', 'accounts.readSubOrganization', 'accounts.readAudit', 'accounts.recordSearchAs', 'accounts.readSettings',
  'registrar.listAssets', 'registrar.readAsset', 'registrar.playback', 'registrar.readImport', 'registrar.readJob', 'registrar.listJobs', 'registrar.activity', 'registrar.readMetadata',
  'registrar.readPermissions', 'registrar.readTranscript', 'registrar.applySync', 'registrar.capabilities', 'registrar.listCollections', 'searcher.readSynonyms', 'searcher.readBoosts', 'searcher.readPins', 'searcher.search', 'searcher.answer', 'searcher.related', 'ledger.record',
  'connectors.list', 'connectors.read', 'connectors.requestSync', 'connectors.readAddress', 'connectors.notify',
]);
/** Nodes that a call goes to at most. */
const mostNodes = 3;

/** Whether a call that failed may be made again: its node was gone before it arrived, or while it did what may be done twice. */
function goesToAnother(name: ActionName, error: unknown): boolean {
  if (!(error instanceof Error) || error.name !== 'RequestRejectedError') return false;
  const data: unknown = 'data' in error ? error.data : null;
  const undelivered = typeof data === 'object' && data !== null && 'undelivered' in data && data.undelivered === true;
  return undelivered || repeatable.has(name);
}

/** Milliseconds that an action may take where its caller says nothing else. */
export const patience = 30_000;

/** Something that calls actions: the broker. */
export type ActionCaller = Pick<ServiceBroker, 'call' | 'registry' | 'nodeID'>;

/** How an action is called. */
export interface CallOptions {
  /** Milliseconds after which the caller gives up waiting, while the action runs on; 0 for a call that waits as long as it takes. */
  timeout?: number;
  /** The process that is called; whichever is next where left out. */
  nodeID?: string;
}

/** Deadlines of calls within the process, by their milliseconds: few different ones are asked for. */
const deadlines = new Map<number, Deadlines>();

function deadlinesOf(timeout: number): Deadlines {
  const known = deadlines.get(timeout);
  if (known !== undefined) return known;
  const made = new Deadlines(timeout);
  deadlines.set(timeout, made);
  return made;
}

/** An action without its types, as it is found by its name. */
export type DirectAction = (input: object) => unknown;

/**
 * The action itself, where this process has it, which the broker prefers. Found in the broker's registry, it is called
 * without the broker: what the broker adds to a call (a context, a timer, promises for each of its middlewares) costs
 * several times as much as a read from the records, and none of it is used within a process.
 */
function directOf({ registry, nodeID }: ActionCaller, name: ActionName, wanted: string | undefined): DirectAction | null {
  if (wanted !== undefined && wanted !== nodeID) return null;
  // The registry answers nothing for what nobody offers, whatever its types say.
  const endpoints: { nextLocal(): { action: object } | null } | undefined = registry.getActionEndpoints(name);
  const action = endpoints?.nextLocal()?.action;
  return action !== undefined && 'direct' in action && typeof action.direct === 'function' ? (action.direct as DirectAction) : null;
}

function run<N extends ActionName>(action: DirectAction, input: ActionInput<N>): Promise<ActionOutput<N>> {
  // That an action answers what the map says was checked where it was made (actionsOf).
  return Promise.resolve(action(input) as ActionOutput<N> | Promise<ActionOutput<N>>);
}

function callOnce<N extends ActionName>(caller: ActionCaller, name: N, input: ActionInput<N>, { timeout = patience, nodeID }: CallOptions): Promise<ActionOutput<N>> {
  const direct = directOf(caller, name, nodeID);
  if (direct === null) {
    const work = sentWork();
    return caller.call<ActionOutput<N>, ActionInput<N>>(name, input, { timeout, ...(nodeID === undefined ? {} : { nodeID }), ...(work === null ? {} : { meta: { work } }) });
  }
  const work = run(direct, input);
  return timeout === 0 ? work : deadlinesOf(timeout).within(work, () => new Errors.RequestTimeoutError({ action: name, nodeID: caller.nodeID }));
}

/**
 * Calls an action of another actor with its types checked. The only place that uses the broker's untyped call. Where
 * the called node is gone, the call goes to another one if that can do no harm.
 * A refusal of the callee rejects; read it with `refusalOf`.
 */
export async function call<N extends ActionName>(caller: ActionCaller, name: N, input: ActionInput<N>, options: CallOptions = {}): Promise<ActionOutput<N>> {
  for (let nodes = 1; ; nodes++) {
    try {
      return await callOnce(caller, name, input, options);
    } catch (error) {
      if (nodes === mostNodes || options.nodeID !== undefined || !goesToAnother(name, error)) throw error;
    }
  }
}
