// Loaded by mocha before the tests of Azurite: those that write
// host, port and key of the emulator into addresses and signatures get the door's.
const { join } = require('node:path');

const [host, port] = (process.env.JUDGED_DOOR ?? '').split(':');
const factory = require(join(process.cwd(), 'tests/BlobTestServerFactory.ts'));
// They sign with the key of the emulator.
const constants = require(join(process.cwd(), 'src/blob/utils/constants.ts'));
constants.EMULATOR_ACCOUNT_KEY_STR = process.env.JUDGED_KEY;
const nothing = async () => undefined;
factory.default.prototype.createServer = () => ({
  config: { host, port: Number(port) },
  start: nothing,
  close: nothing,
  clean: nothing,
});
