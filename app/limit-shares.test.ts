import { ServiceBroker } from 'moleculer';
import { processesCounting } from './limit-shares.ts';

it('a limit is divided by the processes that count it', async () => {
  // Two processes with a gateway, of which one has a door as well, two with doors alone, and one that counts limits of its own.
  const layout = [['gateway', 's3'], ['gateway'], ['s3'], ['s3', 'blob'], ['storage', 'accounts']];
  const brokers = layout.map((roles, at) => {
    const broker = new ServiceBroker({
      nodeID: `process-${at}`,
      namespace: 'limit-shares',
      logger: false,
      transporter: 'Fake',
      skipProcessEventRegistration: true,
    });
    for (const name of roles) broker.createService({ name });
    return broker;
  });
  const [first] = brokers;
  if (first === undefined) throw new Error('there is no broker');
  try {
    expect(processesCounting(first, 'requests:organization')).toBe(1);
    await Promise.all(brokers.map((broker) => broker.start()));
    await first.waitForServices(['gateway', 's3', 'blob', 'storage', 'accounts'], 5000);
    expect(processesCounting(first, 'storage:organization')).toBe(4);
    expect(processesCounting(first, 'requests:organization')).toBe(2);
    expect(processesCounting(first, 'bucket_names:account')).toBe(1);
    expect(processesCounting(first, 'invitations:account')).toBe(1);
    await brokers[3]?.stop();
    expect(processesCounting(first, 'storage:organization')).toBe(3);
  } finally {
    await Promise.all(brokers.map((broker) => broker.stop()));
  }
});
