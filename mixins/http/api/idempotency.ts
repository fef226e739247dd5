import { createHash, hash } from 'node:crypto';
import { isDuplicate, type Collection, type Records } from '../../../adapters/records/port.ts';
import type { Runtime } from '../../../models/runtime.ts';
import { Refusal } from '../../../models/errors.ts';
import { idempotencyRecords, keptAnswerContext, type IdempotencyRecord } from '../../../models/idempotency.ts';
import { canonicalJson } from '../../../models/json.ts';
import { scopeOf, systemScope } from '../../../models/scope.ts';
import type { Sealer } from '../../sealing.ts';
import { failureOf, isTimeout } from './failures.ts';

/** Milliseconds after which the lock of a request expires. Longer than any action may take. */
const lockMs = 60_000;
/** Milliseconds for which a response is kept. */
const retentionMs = 24 * 3_600_000;
/** Records that one statement of the sweeper removes, and statements in one run. */
const sweepBatch = 1000;
const maxSweepBatches = 100;

/** A request with an Idempotency-Key. */
export interface KeyedRequest {
  organizationId: string;
  method: string;
  /** Path of the row, with its parameters' names. */
  route: string;
  key: string;
  /** From `fingerprintOf`. */
  fingerprint: string;
  /** Its answer shows a secret, and is kept sealed. */
  hasSecret?: boolean;
}

/** The process that receives the requests. */
export interface OwnProcess {
  /** New at each start. */
  id: string;
  /** Whether no other process uses the records: then the locks of another process are those of one that has ended. */
  isAlone: boolean;
  /** Seals answers that show a secret. */
  sealer: Pick<Sealer, 'seal' | 'open'>;
}

/** A response as it is kept and replayed. */
export interface KeptAnswer {
  status: number;
  body: string;
}

/** A digest of method, address and JSON body, whatever the order of its keys; or of the bytes of a body. */
export function fingerprintOf(method: string, address: string, body: unknown): string {
  if (ArrayBuffer.isView(body))
    return createHash('sha256')
      .update(`${method}\n${address}\n`)
      .update(new Uint8Array(body.buffer, body.byteOffset, body.byteLength))
      .digest('hex');
  return hash('sha256', `${method}\n${address}\n${canonicalJson(body) ?? ''}`, 'hex');
}

/**
 * Runs keyed requests once. The record of a key is its lock and keeps the response; the action receives the same
 * `workId` in every attempt, so that work which was done before a crash is found again and not done twice.
 */
export class IdempotentRequests {
  private readonly records: Records;
  private readonly runtime: Runtime;
  private readonly process: OwnProcess;

  constructor(records: Records, runtime: Runtime, process: OwnProcess) {
    this.records = records;
    this.runtime = runtime;
    this.process = process;
  }

  /**
   * The response of `perform`, or the one that is kept of an earlier run.
   * @throws Refusal `idempotency_conflict` for another body, or (retryable) while the first still runs
   */
  async run(
    request: KeyedRequest,
    perform: (workId: string) => Promise<KeptAnswer>,
  ): Promise<KeptAnswer & { replayed: boolean; kept: boolean }> {
    const collection = this.records.collection(idempotencyRecords, scopeOf(request.organizationId));
    const claim = await this.claim(collection, request);
    if (claim.state === 'done')
      return { status: claim.status ?? 200, body: this.bodyOf(claim), replayed: true, kept: true };
    let answer: KeptAnswer;
    try {
      answer = await perform(claim.workId);
    } catch (error) {
      await this.release(collection, claim, error);
      throw error;
    }
    return { ...answer, replayed: false, kept: await this.keep(collection, claim, answer, request) };
  }

  /** @throws SealBroken where its key is not known any more */
  private bodyOf({ _id, body, sealedBody = null }: IdempotencyRecord): string {
    return sealedBody === null ? (body ?? '') : this.process.sealer.open(sealedBody, keptAnswerContext(_id));
  }

  /** Removes expired records in bounded batches. @returns how many */
  async sweep(): Promise<number> {
    const collection = this.records.collection(idempotencyRecords, systemScope);
    for (let all = 0, round = 1; ; round += 1) {
      const removed = await collection.removeMany({ expiresAt: { $lte: this.records.time() } }, sweepBatch);
      all += removed;
      if (removed < sweepBatch || round === maxSweepBatches) return all;
    }
  }

  /** The record of the key: `running` means that the lock is taken, `done` that the response is to be replayed. */
  private async claim(collection: Collection<IdempotencyRecord>, request: KeyedRequest): Promise<IdempotencyRecord> {
    const id = hash('sha256', `${request.organizationId}\n${request.method}\n${request.route}\n${request.key}`, 'hex');
    // An attempt fails only where another request made progress, which the next attempt reads.
    for (let round = 0; round < 5; round += 1) {
      const fresh = this.newRecord(id, request);
      try {
        await collection.insert(fresh);
        return fresh;
      } catch (error) {
        if (!isDuplicate(error)) throw error;
      }
      const known = await collection.get(id);
      if (known === null) continue;
      const taken = await this.takeOver(collection, known, fresh);
      if (taken !== null) return taken;
    }
    throw stillRunning();
  }

  private async takeOver(
    collection: Collection<IdempotencyRecord>,
    known: IdempotencyRecord,
    fresh: IdempotencyRecord,
  ): Promise<IdempotencyRecord | null> {
    const now = this.records.time();
    const sameRequest = known.fingerprint === fresh.fingerprint;
    if (known.expiresAt > now) {
      const open =
        known.state === 'running' &&
        (known.until <= now || (this.process.isAlone && known.startedBy !== this.process.id));
      if (!sameRequest && !open)
        throw new Refusal('idempotency_conflict', {
          detail: 'The Idempotency-Key was used with another request: another address or another body.',
        });
      if (known.state === 'done') return known;
      if (!open) throw stillRunning();
    }
    const again = sameRequest && known.state === 'running';
    const { _id, organizationId: _unchanged, ...fields } = fresh;
    return collection.update(
      _id,
      { token: known.token },
      { set: { ...fields, token: known.token + 1, workId: again ? known.workId : fresh.workId } },
    );
  }

  private newRecord(id: string, { organizationId, fingerprint }: KeyedRequest): IdempotencyRecord {
    const now = this.records.time();
    return {
      _id: id,
      organizationId,
      fingerprint,
      state: 'running',
      token: 1,
      until: now + lockMs,
      startedBy: this.process.id,
      workId: this.runtime.uuid(),
      status: null,
      body: null,
      sealedBody: null,
      expiresAt: now + retentionMs,
    };
  }

  /** Keeps a response; false if it could not be kept (the next attempt then finds the work by its ids). */
  private async keep(
    collection: Collection<IdempotencyRecord>,
    claim: IdempotencyRecord,
    { status, body }: KeptAnswer,
    { hasSecret = false }: KeyedRequest,
  ): Promise<boolean> {
    const kept = hasSecret ? { sealedBody: this.process.sealer.seal(body, keptAnswerContext(claim._id)) } : { body };
    try {
      return (
        (await collection.update(
          claim._id,
          { token: claim.token },
          { set: { state: 'done', status, ...kept, expiresAt: this.records.time() + retentionMs } },
        )) !== null
      );
    } catch (error) {
      if (failureOf(error).type !== 'content_service_unavailable') throw error;
      return false;
    }
  }

  /**
   * Frees the key of a request that failed. Refused: as if it had never come. Failed otherwise: the next try goes on
   * with the same ids. Timed out: the action may still run, so nobody takes over before it is taken for lost.
   */
  private async release(
    collection: Collection<IdempotencyRecord>,
    claim: IdempotencyRecord,
    error: unknown,
  ): Promise<void> {
    if (isTimeout(error)) return;
    try {
      if (failureOf(error).status < 500) await collection.remove(claim._id, { token: claim.token });
      else await collection.update(claim._id, { token: claim.token }, { set: { until: 0 } });
    } catch {
      // The client receives the first failure; the key is free once its lock expires.
    }
  }
}

function stillRunning(): Refusal {
  return new Refusal('idempotency_conflict', {
    detail: 'The first request with this Idempotency-Key is still running.',
    retryable: true,
    retryAfter: 1,
  });
}
