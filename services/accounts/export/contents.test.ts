import { systemScope } from '../../../models/scope.ts';
import { usageEvents, type UsageEvent } from '../../../models/usage-event.ts';
import { testApp } from '../../../test/support/app.ts';
import { accountContents } from './contents.ts';

it('exports usage of every version, also what was not counted yet and has no day', async () => {
  const { app, close } = await testApp();
  try {
    const eventOf = (number: number, more: Partial<UsageEvent>): UsageEvent => ({
      _id: `event-${1000 + number}`,
      accountId: 'account',
      organizationId: 'own',
      assetId: null,
      metric: 'searches',
      quantity: 1,
      at: number,
      receivedAt: number,
      ...more,
    });
    const events = Array.from({ length: 500 }, (_, number) =>
      eventOf(number, number < 250 ? {} : { day: `2031-04-${String(30 - (number % 30)).padStart(2, '0')}` }),
    );
    const ofAnother = eventOf(500, { accountId: 'another' });
    await app.records.collection(usageEvents, systemScope).insertNew([...events, ofAnother]);
    const found = await Array.fromAsync(accountContents(app.records, 'account')['usage-events'] ?? []);
    expect(found.map((event) => ('_id' in event ? event._id : null)).toSorted()).toEqual(events.map(({ _id }) => _id));
  } finally {
    await close();
  }
});
