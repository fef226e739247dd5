import { setTimeout as pause } from 'node:timers/promises';
import { Errors, ServiceBroker, type Context, type Middleware } from 'moleculer';
import { Refusal } from '../../models/errors.ts';
import type { Caller } from '../../models/api.ts';
import { recordingLedger } from '../../test/support/ledger-handlers.ts';
import { actionsOf } from '../actions/actions-of.ts';
import { call } from '../actions/call.ts';
import { Metrics } from '../metrics.ts';
import { noTracing, type Span } from '../tracing.ts';
import { workContext, workingFor } from '../work-context.ts';
import { measureActions } from './measure-actions.ts';
import { retryElsewhere } from './retry-elsewhere.ts';
import { traceActions } from './trace-actions.ts';
import { carryWorkContext } from './work-context.ts';

const brokers: ServiceBroker[] = [];
afterEach(async () => {
  await Promise.all(brokers.splice(0).map((broker) => broker.stop()));
});

let clusters = 0;
/** Starts brokers that see each other; the first one of the result is without services. */
async function cluster(
  middlewares: Middleware[],
  services: { [nodeID: string]: (nodeID: string) => Promise<{ recorded: number }> } = {},
): Promise<ServiceBroker> {
  clusters += 1;
  const start = async (nodeID: string): Promise<ServiceBroker> => {
    const broker = new ServiceBroker({
      namespace: `middlewares-${clusters}`,
      nodeID,
      logger: false,
      validator: false,
      transporter: 'Fake',
      skipProcessEventRegistration: true,
      requestTimeout: 10_000,
      middlewares,
    });
    const record = services[nodeID];
    if (record !== undefined)
      broker.createService({
        name: 'ledger',
        actions: {
          ...actionsOf(
            'ledger',
            recordingLedger(() => record(nodeID)),
          ),
          write: () => record(nodeID),
        },
      });
    await broker.start();
    brokers.push(broker);
    return broker;
  };
  const caller = await start('caller');
  for (const nodeID of Object.keys(services)) await start(nodeID);
  const known = (): number => caller.registry.getNodeList({ onlyAvailable: true, withServices: true }).length;
  while (known() < 1 + Object.keys(services).length) await pause(10);
  if (Object.keys(services).length > 0) await caller.waitForServices('ledger', 10_000, 10);
  return caller;
}

/** A broker whose ledger does as given. */
async function single(middlewares: Middleware[], record: () => Promise<{ recorded: number }>): Promise<ServiceBroker> {
  const broker = new ServiceBroker({
    logger: false,
    validator: false,
    skipProcessEventRegistration: true,
    middlewares,
  });
  brokers.push(broker);
  broker.createService({ name: 'ledger', actions: actionsOf('ledger', recordingLedger(record)) });
  await broker.start();
  return broker;
}

describe('a call of an action', () => {
  it('is rejected after its timeout, also within the process; the action continues', async () => {
    let ended = false;
    const broker = await single([], async () => {
      await pause(300);
      ended = true;
      return { recorded: 1 };
    });
    await expect(call(broker, 'ledger.record', { events: [] }, { timeout: 50 })).rejects.toMatchObject({
      name: 'RequestTimeoutError',
    });
    expect(ended).toBe(false);
    await expect(call(broker, 'ledger.record', { events: [] }, { timeout: 0 })).resolves.toEqual({ recorded: 1 });
    expect(ended).toBe(true);
  });

  it('does not change its options', async () => {
    const broker = await single([], () => Promise.resolve({ recorded: 1 }));
    const options = Object.freeze({ timeout: 1000 });
    await expect(call(broker, 'ledger.record', { events: [] }, options)).resolves.toEqual({ recorded: 1 });
  });
});

describe('measured actions', () => {
  it('are counted by outcome', async () => {
    const metrics = new Metrics();
    const outcomes = [
      () => Promise.resolve({ recorded: 1 }),
      () => Promise.resolve({ recorded: 2 }),
      () => {
        throw new Refusal('asset_not_found');
      },
      () => Promise.reject(new Error('broken')),
    ];
    const broker = await single([measureActions(metrics)], () => outcomes.shift()?.() ?? Promise.reject(new Error()));
    const record = (): Promise<unknown> => call(broker, 'ledger.record', { events: [] });
    await expect(record()).resolves.toEqual({ recorded: 1 });
    await expect(record()).resolves.toEqual({ recorded: 2 });
    await expect(record()).rejects.toThrow('The asset does not exist');
    await expect(record()).rejects.toThrow('broken');
    const { values } = await metrics.actions.get();
    expect(
      values
        .filter(({ metricName }) => metricName === 'ply_action_duration_seconds_count')
        .map(({ labels, value }) => [labels.action, labels.outcome, value]),
    ).toEqual([
      ['ledger.record', 'done', 2],
      ['ledger.record', 'refused', 1],
      ['ledger.record', 'failed', 1],
    ]);
  });
});

const caller: Caller = {
  accountId: 'a',
  organizationId: 'o',
  keyId: 'k',
  keyPrefix: 'p',
  keyLabel: 'l',
  keyScope: 'standard',
  requestId: 'r',
};

describe('the work context', () => {
  it('follows a call to another process, and names the request of its caller parameter', async () => {
    const contexts: object[] = [];
    const here = await cluster([carryWorkContext(noTracing)], {
      callee: () => {
        contexts.push(workContext());
        return Promise.resolve({ recorded: 1 });
      },
    });
    await workingFor({ jobId: 'j', stage: 's' }, () => here.call('ledger.write', {}));
    await here.call('ledger.write', { caller });
    await here.call('ledger.write', {}, { meta: { work: { jobId: 1, stage: 'x'.repeat(201), other: 'x' } } });
    expect(contexts).toEqual([{ jobId: 'j', stage: 's' }, { requestId: 'r', organizationId: 'o' }, {}]);
  });

  it('is that of the caller within a process, with the request of the caller parameter', async () => {
    const contexts: object[] = [];
    const broker = new ServiceBroker({
      logger: false,
      validator: false,
      skipProcessEventRegistration: true,
      middlewares: [carryWorkContext(noTracing)],
    });
    brokers.push(broker);
    broker.createService({ name: 'any', actions: { write: () => contexts.push(workContext()) } });
    await broker.start();
    await workingFor({ jobId: 'j' }, () => broker.call('any.write', {}));
    await workingFor({ requestId: 'r' }, () => broker.call('any.write', { caller }));
    expect(contexts).toEqual([{ jobId: 'j' }, { requestId: 'r', organizationId: 'o' }]);
  });
});

describe('traced actions', () => {
  it('are spans of the trace of the call, linked to the created job', async () => {
    const recorded: string[] = [];
    const span = (path: string): Span => ({
      traceId: 't',
      traceparent: 'p',
      startChild: (name) => span(`${path} > ${name}`),
      recordChild: () => undefined,
      setAttributes: () => undefined,
      linkJob: (jobId) => recorded.push(`${path} leads to ${jobId}`),
      end: (hasFailed) => recorded.push(`${path} ${hasFailed ? 'failed' : 'ended'}`),
    });
    const outcomes = [
      () => ({ jobId: 'j' }),
      () => Promise.reject(new Refusal('asset_not_found')),
      () => Promise.reject(new Error('broken')),
      () => ({ jobId: 'untraced' }),
    ];
    const broker = new ServiceBroker({
      logger: false,
      validator: false,
      skipProcessEventRegistration: true,
      middlewares: [traceActions({ isOn: true })],
    });
    brokers.push(broker);
    broker.createService({ name: 'any', actions: { write: (): unknown => outcomes.shift()?.() } });
    await broker.start();
    const write = (): Promise<unknown> => workingFor({ span: span('request') }, () => broker.call('any.write', {}));
    await expect(write()).resolves.toEqual({ jobId: 'j' });
    await expect(write()).rejects.toThrow('The asset does not exist');
    await expect(write()).rejects.toThrow('broken');
    await broker.call('any.write', {});
    expect(recorded).toEqual([
      'request > any.write leads to j',
      'request > any.write ended',
      'request > any.write ended',
      'request > any.write failed',
    ]);
  });
});

describe('a call whose node is lost', () => {
  /** Nodes that were called, in their order. */
  let called: string[] = [];
  /** Nodes whose next calls fail, and how. */
  const losses = new Map<string, (action: string) => Error>();
  const lost = (nodeID: string, data = {}): ((action: string) => Error) => {
    return (action) => {
      const error = new Errors.RequestRejectedError({ action, nodeID });
      error.data = { action, nodeID, ...data };
      return error;
    };
  };
  const transport: Middleware = {
    remoteAction(next, action) {
      return function (ctx: Context): unknown {
        called.push(ctx.nodeID ?? '');
        const loss = losses.get(ctx.nodeID ?? '');
        if (loss === undefined) return next.call(this, ctx);
        return Promise.reject(loss(action.name ?? ''));
      };
    },
  };
  const done = (): Promise<{ recorded: number }> => Promise.resolve({ recorded: 1 });
  const nodes = { one: done, two: done, three: done, four: done };

  beforeEach(() => {
    called = [];
    losses.clear();
  });

  it('goes to another node, to three in all, if the action is repeatable', async () => {
    const here = await cluster([transport, retryElsewhere()], nodes);
    for (const node of ['one', 'two']) losses.set(node, lost(node));
    await expect(call(here, 'ledger.record', { events: [] })).resolves.toEqual({ recorded: 1 });
    expect(called).toEqual(['one', 'two', 'three']);
    for (const node of ['three', 'four']) losses.set(node, lost(node));
    await expect(call(here, 'ledger.record', { events: [] })).rejects.toMatchObject({ name: 'RequestRejectedError' });
    expect(called.slice(3)).toHaveLength(3);
  });

  it('is not repeated if the action is not repeatable, unless it was not delivered', async () => {
    const here = await cluster([transport, retryElsewhere()], nodes);
    losses.set('one', lost('one'));
    losses.set('two', lost('two', { undelivered: true }));
    await expect(here.call('ledger.write')).rejects.toMatchObject({ name: 'RequestRejectedError' });
    expect(called).toEqual(['one']);
    await expect(here.call('ledger.write')).resolves.toEqual({ recorded: 1 });
    expect(called).toEqual(['one', 'two', 'three']);
  });

  it('is not repeated if the callee lost a node that it called itself', async () => {
    const here = await cluster([transport, retryElsewhere()], nodes);
    losses.set('one', lost('elsewhere', { undelivered: true }));
    await expect(here.call('ledger.write')).rejects.toMatchObject({ name: 'RequestRejectedError' });
    expect(called).toEqual(['one']);
  });

  it('is not repeated if it names its node', async () => {
    const here = await cluster([transport, retryElsewhere()], nodes);
    losses.set('two', lost('two', { undelivered: true }));
    await expect(call(here, 'ledger.record', { events: [] }, { nodeID: 'two' })).rejects.toMatchObject({
      name: 'RequestRejectedError',
    });
    expect(called).toEqual(['two']);
  });
});
