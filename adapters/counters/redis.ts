import { createHash } from 'node:crypto';
import { Redis } from 'ioredis';
import type { Runtime } from '../../models/runtime.ts';
import type { Allowance, Counters } from './port.ts';
import { memoryWindows } from './memory.ts';
import { takeScript } from './redis-script.ts';
import { groupsInWindow } from './window.ts';

/** Options of counters over Redis. */
export interface RedisCountersOptions {
  /** `redis://` or `rediss://`, optionally with user, password and database number. */
  url: string;
  runtime: Pick<Runtime, 'now'>;
  /** Maximum wait of a request for Redis, in milliseconds. */
  commandMs?: number;
  /** Called when Redis becomes unavailable and when it is available again. */
  onChange?: (change: { away: boolean; error: unknown }) => void;
}

/** Prefix of all keys. */
const keyPrefix = 'ply:window:';
/** After a failure Redis is not used for this time, so that not every request waits for it. */
const restMs = 1000;
/** Maximum number of counted keys while Redis is unavailable. */
const maxLocalKeys = 100_000;

const scriptDigest = createHash('sha1').update(takeScript).digest('hex');

/** Whether Redis reports that it has not loaded the script. */
function isUnknownScript(error: unknown): boolean {
  return (
    typeof error === 'object' &&
    error !== null &&
    'message' in error &&
    typeof error.message === 'string' &&
    error.message.startsWith('NOSCRIPT')
  );
}

function parseAnswer(answer: unknown, limit: number): Allowance {
  if (Array.isArray(answer)) {
    const [allowed, remaining, resetMs] = answer.map(Number);
    if (
      allowed !== undefined &&
      remaining !== undefined &&
      resetMs !== undefined &&
      Number.isFinite(allowed + remaining + resetMs)
    ) {
      return { allowed: allowed === 1, limit, remaining, resetMs };
    }
  }
  throw new Error('Redis sent an unexpected reply to the limiter');
}

/**
 * Counters that all processes share in Redis, by one script with the server's clock. While Redis is unavailable (no
 * connection, or no reply in time) each process enforces its part of the limit: the limit divided by the number of live
 * processes that count it, at least 1.
 */
export async function openRedisCounters(options: RedisCountersOptions): Promise<Counters> {
  const { runtime, commandMs = 250 } = options;
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

  const local = memoryWindows(maxLocalKeys);
  let processes: (key: string) => number = () => 1;
  let away = false;
  let restUntil = 0;

  function mark(nowAway: boolean, error: unknown): void {
    if (nowAway) {
      restUntil = runtime.now() + restMs;
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
    const live = Math.max(1, Math.floor(processes(key)) || 1);
    const part = limit === 0 ? 0 : Math.max(1, Math.floor(limit / live));
    return local.take(key, part, windowMs, runtime.now());
  }

  // Waits briefly for the first connection, so that a start does not begin with local counters.
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
      if (redis.status === 'ready' && runtime.now() >= restUntil) {
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
      processes = live;
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
