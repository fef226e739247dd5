import { Errors, ServiceBroker } from 'moleculer';
import { recordingLedger } from '../../test/support/ledger-handlers.ts';
import { actionsOf } from '../actions/actions-of.ts';
import { call } from '../actions/call.ts';
import { measureActions } from './measure-actions.ts';
import { Metrics } from '../metrics.ts';
import { ParamsValidator } from './params-validator.ts';

const brokers: ServiceBroker[] = [];
afterEach(async () => {
  await Promise.all(brokers.splice(0).map((broker) => broker.stop()));
});

let clusters = 0;
/** A caller and, in another process or its own, a ledger that keeps what it is called with. */
async function ledger(isRemote: boolean): Promise<{ caller: ServiceBroker; received: unknown[] }> {
  clusters += 1;
  const received: unknown[] = [];
  const broker = (nodeID: string): ServiceBroker => {
    const made = new ServiceBroker({
      namespace: `params-${clusters}`,
      nodeID,
      logger: false,
      transporter: 'Fake',
      skipProcessEventRegistration: true,
      validator: new ParamsValidator(),
      middlewares: [measureActions(new Metrics())],
    });
    brokers.push(made);
    return made;
  };
  const caller = broker('caller');
  const callee = isRemote ? broker('callee') : caller;
  callee.createService({
    name: 'ledger',
    actions: actionsOf(
      'ledger',
      recordingLedger(({ events }) => {
        received.push(events);
        return { recorded: events.length };
      }),
    ),
  });
  await Promise.all(brokers.map((each) => each.start()));
  await caller.waitForServices('ledger', 10_000, 10);
  return { caller, received };
}

const event = {
  _id: 'a',
  accountId: 'a',
  organizationId: 'o',
  assetId: null,
  metric: 'searches',
  quantity: 1,
  at: 1,
} as const;

describe.each([
  ['within a process', false],
  ['between processes', true],
])('parameters %s', (_name, isRemote) => {
  it('that are valid reach the action as a copy', async () => {
    const { caller, received } = await ledger(isRemote);
    const events = [event];
    await expect(call(caller, 'ledger.record', { events })).resolves.toEqual({ recorded: 1 });
    expect(received).toEqual([events]);
    expect(received[0]).not.toBe(events);
  });

  it('that a later version added are dropped, at every depth', async () => {
    const { caller, received } = await ledger(isRemote);
    await caller.call('ledger.record', { events: [{ ...event, currency: 'EUR' }], more: 1 });
    expect(received).toEqual([[event]]);
  });

  it('that are wrong reject the call with the name of the field', async () => {
    const { caller, received } = await ledger(isRemote);
    const rejected = caller.call('ledger.record', { events: [event, { ...event, quantity: 'many' }] });
    await expect(rejected).rejects.toBeInstanceOf(Errors.ValidationError);
    await expect(rejected).rejects.toMatchObject({
      code: 422,
      type: 'VALIDATION_ERROR',
      message: 'ledger.record: events[1].quantity must be a number',
      data: [{ field: 'events[1].quantity', message: 'must be a number', action: 'ledger.record' }],
    });
    await expect(caller.call('ledger.record', null)).rejects.toThrow('ledger.record: events is missing');
    expect(received).toEqual([]);
  });
});

describe('parameters that the caller has checked', () => {
  it('are not checked again in its process', async () => {
    const { caller, received } = await ledger(false);
    const events = [event];
    await call(caller, 'ledger.record', { events }, { isChecked: true });
    expect(received[0]).toBe(events);
  });

  it('are checked by another process, whatever the packet says', async () => {
    const { caller, received } = await ledger(true);
    const wrong = { events: [{ ...event, quantity: 0.5 }] };
    await expect(call(caller, 'ledger.record', wrong, { isChecked: true })).rejects.toThrow(
      'events[0].quantity must be a whole number',
    );
    await expect(
      caller.call('ledger.record', wrong, { meta: { isChecked: true }, headers: { isChecked: true } }),
    ).rejects.toThrow('events[0].quantity must be a whole number');
    expect(received).toEqual([]);
  });
});
