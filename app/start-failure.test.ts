import { createServer, type AddressInfo, type Server } from 'node:net';
import { readConfiguration } from '../models/configuration/configuration.ts';
import { startFailure } from './start-failure.ts';

describe('the reason of a failed start', () => {
  let taken: Server;
  let port: number;
  beforeAll(async () => {
    taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', () => resolve()));
    ({ port } = taken.address() as AddressInfo);
  });
  afterAll(() => {
    taken.close();
  });

  it.each(['PLY_API_PORT', 'PLY_DELIVERY_PORT', 'PLY_UPLOAD_PORT', 'PLY_S3_PORT', 'PLY_BLOB_PORT', 'PLY_METRICS_PORT'])(
    'names %s if its port is in use',
    async (variable) => {
      const error = await new Promise<Error>((resolve) => {
        createServer().once('error', resolve).listen(port, '127.0.0.1');
      });
      expect(startFailure(error, readConfiguration({ [variable]: String(port) }))).toBe(
        `port ${port} is taken. Stop what listens there, or name another with ${variable} (0 takes a free one).`,
      );
    },
  );

  it("is the error's message otherwise", () => {
    expect(startFailure(new Error('the data folder is in use'), readConfiguration({}))).toBe(
      'the data folder is in use',
    );
    expect(startFailure('odd', readConfiguration({}))).toBe('odd');
  });
});
