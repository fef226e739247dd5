import { askingBeforeLeaving } from '../../api/leaving.ts';

/** A file on its way from this page into a bucket or library. */
export interface Transfer {
  id: number;
  /** The bucket or library. */
  target: string;
  name: string;
  state: 'waiting' | 'sending' | 'done' | 'failed';
  /** 0 to 1. */
  share: number;
  error: unknown;
}

/** What is to be sent. */
export interface Sending {
  name: string;
  send: (onProgress: (share: number) => void) => Promise<unknown>;
}

/** Files that are sent at once. */
const lanes = 3;

let transfers: readonly Transfer[] = [];
let made = 0;
let running = 0;
const queue: { id: number; sending: Sending; onDone: () => void }[] = [];
const listeners = new Set<() => void>();

function change(next: readonly Transfer[]): void {
  transfers = next;
  for (const listener of listeners) listener();
}

function update(id: number, changes: Partial<Transfer>): void {
  change(transfers.map((transfer) => (transfer.id === id ? { ...transfer, ...changes } : transfer)));
}

/** The transfers of this page, as a store that React can subscribe to. They go on while other pages are open. */
export const transferStore = {
  current: (): readonly Transfer[] => transfers,
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  /** Forgets what is over. */
  clear: (): void => change(transfers.filter(({ state }) => state === 'waiting' || state === 'sending')),
};

/** Sends files into a bucket or library, some at a time. @param onDone after each that arrived */
export function addTransfers(target: string, sendings: readonly Sending[], onDone: () => void): void {
  const added = sendings.map(({ name }): Transfer => ({
    id: (made += 1),
    target,
    name,
    state: 'waiting',
    share: 0,
    error: null,
  }));
  added.forEach(({ id }, index) => {
    const sending = sendings[index];
    if (sending !== undefined) queue.push({ id, sending, onDone });
  });
  change([...transfers, ...added]);
  for (let lane = running; lane < lanes; lane += 1) void askingBeforeLeaving(work);
}

async function work(): Promise<void> {
  running += 1;
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const { id, sending, onDone } = next;
    try {
      update(id, { state: 'sending' });
      await sending.send((share) => update(id, { share }));
      update(id, { state: 'done', share: 1 });
      onDone();
    } catch (error) {
      update(id, { state: 'failed', error });
    }
  }
  running -= 1;
}
