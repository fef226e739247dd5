// Loaded by mocha before the tests of Azurite: those that write
// host, port and keys of the emulator into addresses and signatures get the door's.
const Module = require('node:module');
const { join } = require('node:path');

const [host, port] = (process.env.JUDGED_DOOR ?? '').split(':');
const factory = require(join(process.cwd(), 'tests/BlobTestServerFactory.ts'));
const nothing = async () => undefined;
factory.default.prototype.createServer = () => ({
  config: { host, port: Number(port) },
  start: nothing,
  close: nothing,
  clean: nothing,
});

// Keys of the door in place of those that the tests have in themselves, by account and key.
const keys = JSON.parse(process.env.JUDGED_KEYS ?? '{}');
const load = Module._load;
Module._load = (request, ...rest) => {
  const loaded = load(request, ...rest);
  if (request !== '@azure/storage-blob') return loaded;
  class StorageSharedKeyCredential extends loaded.StorageSharedKeyCredential {
    constructor(account, key) {
      super(account, keys[`${account} ${key}`] ?? key);
    }
  }
  return { ...loaded, StorageSharedKeyCredential };
};
