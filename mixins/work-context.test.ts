import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { workContext, workingFor } from './work-context.ts';

describe('the context of a log line', () => {
  it('is the request or job of the work, across awaits and concurrent work', async () => {
    const lines: { [name: string]: unknown }[] = [];
    const log = pino({ base: null, mixin: workContext }, { write: (line) => lines.push(JSON.parse(line)) });
    await Promise.all(
      ['a', 'b'].map((requestId) =>
        workingFor({ requestId, organizationId: `of ${requestId}` }, async () => {
          await pause(requestId === 'a' ? 5 : 1);
          log.info({ more: 1 }, requestId);
        }),
      ),
    );
    log.info('outside');
    expect(lines.map(({ msg, requestId, organizationId, more }) => ({ msg, requestId, organizationId, more }))).toEqual(
      [
        { msg: 'b', requestId: 'b', organizationId: 'of b', more: 1 },
        { msg: 'a', requestId: 'a', organizationId: 'of a', more: 1 },
        { msg: 'outside', requestId: undefined, organizationId: undefined, more: undefined },
      ],
    );
  });

  it("is overridden by the line's own fields", () => {
    const lines: string[] = [];
    const log = pino({ base: null, mixin: workContext }, { write: (line) => lines.push(line) });
    workingFor({ assetId: 'of the work' }, () => log.info({ assetId: 'of the line' }, 'x'));
    expect(lines[0]?.match(/"assetId":"[^"]+"/g)).toEqual(['"assetId":"of the line"']);
  });
});
