import { createHash } from 'node:crypto';
import { Redis } from 'ioredis';
import type { Ambient } from '../../models/ambient.ts';
import type { Allowance, Counters } from './port.ts';
import { memoryWindows } from './memory.ts';
import { takeScript } from './redis-script.ts';
import { groupsInWindow } from './window.ts';

/** What counters over Redis are made from. */
export interface RedisCountersOptions {
  /** `redis://` or `rediss://`, with user, password and database number where wanted. */
  url: string;
  ambient: Pick<Ambient, 'now'>;
  /** Milliseconds that a request waits for Redis at most. */
  commandMs?: number;
  /** Hears when Redis goes away and when it is back. */
  onChange?: (change: { away: boolean; error: unknown }) => void;
}

/** Beginning of the names of all keys. */
const keyPrefix = 'ply:window:';
/** After a failure Redis is left alone for this long, so that not every request waits for it. */
const restMs = 1000;
/** Keys that are counted at a time while Redis is away. */
const mostLocalKeys = 100_000;

const scriptDigest = createHash('sha1').update(takeScript).digest('hex');

/** Whether Redis says that it does not know the script yet. */
function isUnknownScript(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string' && error.message.startsWith('NOSCRIPT');
}

function parseAnswer(answer: unknown, limit: number): Allowance {
  if (Array.isArray(answer)) {
    const [allowed, remaining, resetMs] = answer.map(Number);
    if (allowed !== undefined && remaining !== undefined && resetMs !== undefined && Number.isFinite(allowed + remaining + resetMs)) {
      return { allowed: allowed === 1, limit, remaining, resetMs };
    }
  }
  throw new Error('Redis answered the limiter with something else');
}

/**
 * Counters that all processes share in Redis, by one script with the server's clock. With Redis away (no connection,
 * or no answer in time) each process counts by itself against its part of the limit: the limit divided by the number
 * of live nodes, at least 1. The limits are never open.
 */
export async function openRedisCounters(options: RedisCountersOptions): Promise<Counters> {
  const { ambient, commandMs = 250 } = options;
  const redis = new Redis(options.url, {
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout: commandMs,
    connectTimeout: 2000,
    retryStrategy: (times) => Math.min(100 * times, 2000),
  });
  let lastError: unknown = null;
  redis.on('error', (error: unknown) => {
    lastError = error;
  });

  const local = memoryWindows(mostLocalKeys);
  let nodes = () => 1;
  let away = false;
  let restUntil = 0;

  function mark(nowAway: boolean, error: unknown): void {
    if (nowAway) {
      restUntil = ambient.now() + restMs;
      lastError = error;
    }
    if (away === nowAway) return;
    away = nowAway;
    options.onChange?.({ away, error });
  }

  async function takeShared(key: string, limit: number, windowMs: number): Promise<Allowance> {
    const values = [`${keyPrefix}${key}`, limit, windowMs, windowMs / groupsInWindow] as const;
    try {
      return parseAnswer(await redis.evalsha(scriptDigest, 1, ...values), limit);
    } catch (error) {
      if (!isUnknownScript(error)) throw error;
      return parseAnswer(await redis.eval(takeScript, 1, ...values), limit);
    }
  }

  function takeLocally(key: string, limit: number, windowMs: number): Allowance {
    const live = Math.max(1, Math.floor(nodes()) || 1);
    const part = limit === 0 ? 0 : Math.max(1, Math.floor(limit / live));
    return local.take(key, part, windowMs, ambient.now());
  }

  // The first connection is awaited for a moment, so that a start does not begin on its own counters.
  await new Promise<void>((resolve) => {
    const late = setTimeout(resolve, 2000);
    for (const event of ['ready', 'close'] as const) {
      redis.once(event, () => {
        clearTimeout(late);
        resolve();
      });
    }
  });

  return {
    async take(key, limit, windowMs) {
      if (redis.status === 'ready' && ambient.now() >= restUntil) {
        try {
          const answer = await takeShared(key, limit, windowMs);
          mark(false, null);
          return answer;
        } catch (error) {
          mark(true, error);
        }
      } else if (redis.status !== 'ready') {
        mark(true, lastError);
      }
      return takeLocally(key, limit, windowMs);
    },
    shareAmong(live) {
      nodes = live;
    },
    async ping() {
      try {
        await redis.ping();
      } catch (error) {
        throw new Error('Redis does not answer', { cause: redis.status === 'ready' ? error : (lastError ?? error) });
      }
    },
    async close() {
      redis.disconnect();
    },
  };
}
