import { call, type ActionCaller } from '../actions/call.ts';
import type { AppContext } from '../app-context.ts';
import type { Bucket } from '../../models/bucket.ts';
import type { NewUsageEvent } from '../../models/usage-event.ts';
import type { UsageMetric } from '../../models/usage-metric.ts';

/** A response of a door that is over. */
export interface Answered {
  method: string;
  /** Null where the client is not known. */
  organization: { accountId: string; organizationId: string } | null;
  /** Null for a request about no bucket. */
  bucket: Pick<Bucket, '_id' | 'region'> | null;
  status: number;
  /** Bytes of objects that were handed to the connection. */
  bytes: number;
}

type UsageContext = Pick<AppContext, 'runtime' | 'log'>;

const everyMs = 5000;
const dayMs = 86_400_000;
/** Sums that are held while the ledger does not answer; what is beyond is not counted. */
const maxSums = 50_000;
/** Events of one call. */
const atOnce = 500;

const metricOfMethod: { readonly [method: string]: UsageMetric | undefined } = {
  PUT: 'gateway_write_requests_millions',
  POST: 'gateway_write_requests_millions',
  GET: 'gateway_read_requests_millions',
  HEAD: 'gateway_read_requests_millions',
};

/** Whether a response counts as a request: what the client was not let in for, and what we failed at, does not. */
function isCounted(status: number): boolean {
  return status > 0 && status !== 401 && status !== 403 && status < 500;
}

/**
 * Counts the requests of a door and the bytes of objects that it sends, by organization, bucket and UTC day, and hands the
 * sums to the ledger every five seconds. A batch of sums has fixed ids, so that repeating it counts once. A killed process
 * loses its last seconds, in the customer's favour.
 */
export class GatewayUsage {
  readonly #app: UsageContext;
  readonly #actions: ActionCaller;
  /** Region of requests about no bucket. */
  readonly #region: string;
  readonly #batchId: string;
  #sums = new Map<string, NewUsageEvent>();
  #waiting: NewUsageEvent[] = [];
  #number = 0;
  #sending: Promise<void> | null = null;
  #timer: NodeJS.Timeout | undefined;

  /** @param region of requests about no bucket */
  constructor(app: UsageContext, actions: ActionCaller, region: string) {
    this.#app = app;
    this.#actions = actions;
    this.#region = region;
    this.#batchId = app.runtime.uuid();
  }

  /** Starts to hand over what is counted. */
  start(): void {
    this.#timer = setInterval(() => void this.flush(), everyMs);
  }

  /** Hands over the rest. To be called when the door's listener has stopped. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }

  /** Counts a response. It never throws. */
  count({ method, organization, bucket, status, bytes }: Answered): void {
    if (organization === null || !isCounted(status)) return;
    const metric = metricOfMethod[method];
    if (metric !== undefined) this.#add(organization, bucket, metric, 1);
    if (bytes > 0) this.#add(organization, bucket, 'gateway_egress_gb', bytes);
  }

  /** Hands over what was counted; what fails is sent again with the next. */
  flush(): Promise<void> {
    this.#sending ??= this.#send().finally(() => (this.#sending = null));
    return this.#sending;
  }

  #add(
    { accountId, organizationId }: NonNullable<Answered['organization']>,
    bucket: Answered['bucket'],
    metric: UsageMetric,
    quantity: number,
  ): void {
    const at = this.#app.runtime.now();
    const key = `${organizationId} ${bucket?._id ?? ''} ${metric} ${Math.floor(at / dayMs)}`;
    const sum = this.#sums.get(key);
    if (sum !== undefined) {
      sum.quantity += quantity;
      return;
    }
    if (this.#sums.size + this.#waiting.length >= maxSums) return;
    this.#sums.set(key, {
      _id: '',
      accountId,
      organizationId,
      assetId: null,
      ...(bucket === null ? {} : { resourceId: bucket._id }),
      metric,
      dimension: bucket?.region ?? this.#region,
      quantity,
      at,
    });
  }

  async #send(): Promise<void> {
    for (const event of this.#sums.values()) {
      this.#number += 1;
      this.#waiting.push({ ...event, _id: `gateway:${this.#batchId}:${this.#number}` });
    }
    this.#sums = new Map();
    try {
      for (let events = this.#waiting.slice(0, atOnce); events.length > 0; events = this.#waiting.slice(0, atOnce)) {
        await call(this.#actions, 'ledger.record', { events });
        this.#waiting = this.#waiting.slice(events.length);
      }
    } catch (error) {
      this.#app.log.warn({ err: error }, 'the usage of a door could not be handed over, will retry');
    }
  }
}
