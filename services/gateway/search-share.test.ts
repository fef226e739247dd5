import { ServiceBroker, type ServiceSchema } from 'moleculer';
import { SearchShare } from './search-share.ts';

describe("a gateway's share of the searches", () => {
  /** A share over a broker with these services, at a clock that the test moves. */
  async function shareOf(...services: ServiceSchema[]): Promise<{ share: SearchShare; wait: () => void }> {
    const broker = new ServiceBroker({ logger: false });
    for (const service of services) broker.createService(service);
    await broker.start();
    await broker.stop();
    let now = 0;
    return { share: new SearchShare(broker, () => now), wait: () => (now += 2000) };
  }
  const begun = (share: SearchShare): number => {
    let count = 0;
    while (count < 1000 && share.begin()) count += 1;
    return count;
  };

  it('is the slots of all searchers by the number of gateways, and is free again after each end', async () => {
    const { share, wait } = await shareOf(
      { name: 'searcher', version: 1, metadata: { searchSlots: 7 } },
      { name: 'searcher', version: 2, metadata: { searchSlots: 4 } },
      { name: 'gateway', version: 1 },
      { name: 'gateway', version: 2 },
    );
    // Six, and nine times as many in a burst.
    expect(begun(share)).toBe(60);
    for (let ended = 0; ended < 55; ended += 1) share.end();
    expect(begun(share)).toBe(1);
    wait();
    expect(share.begin()).toBe(false);
  });

  it('is unlimited without a searcher, and beside one of an earlier version', async () => {
    expect(begun((await shareOf()).share)).toBe(1000);
    expect(begun((await shareOf({ name: 'searcher' })).share)).toBe(1000);
  });
});
