import { auditRows } from '../../models/organization.ts';
import { systemScope } from '../../models/scope.ts';
import { readAudit, recordAudit, operatorActor } from './audit.ts';
import { sweepAudit } from './audit-retention.ts';
import { startedApp } from './testing/app.ts';

const day = 24 * 3_600_000;

describe('the retention of the audit', () => {
  it('removes expired rows in pages, but never the newest; numbers keep ascending', async () => {
    const {
      app,
      first: { accountId },
    } = await startedApp({ PLY_AUDIT_DAYS: '30' });
    try {
      const add = (id: string): Promise<void> =>
        recordAudit(
          app.collections,
          {
            accountId,
            at: app.runtime.now(),
            actor: operatorActor,
            action: 'api_key.rotated',
            resourceKind: 'api_key',
            resourceId: id,
            detail: {},
          },
          id,
        );
      // The first start left two rows.
      for (let number = 0; number < 1100; number += 1) await add(`old-${number}`);
      app.pass(20 * day);
      await add('young');
      expect(await sweepAudit(app)).toBe(0);
      app.pass(11 * day);
      expect(await Promise.all([sweepAudit(app), sweepAudit(app)]).then(([one, other]) => one + other)).toBe(1102);
      expect(
        (await readAudit(app.collections, accountId, 10, null)).items.map(({ id, resourceId }) => [id, resourceId]),
      ).toEqual([['1103', 'young']]);
      app.pass(365 * day);
      expect(await sweepAudit(app)).toBe(0);
      await add('next');
      const page = await readAudit(app.collections, accountId, 1, null);
      expect(page).toMatchObject({ items: [{ id: '1104' }], next: '1104' });
      expect((await readAudit(app.collections, accountId, 1, page.next)).items).toMatchObject([{ id: '1103' }]);
      expect(await sweepAudit(app)).toBe(1);
      expect(await app.records.collection(auditRows, systemScope).count({ accountId })).toBe(1);
    } finally {
      await app.stop();
    }
  });

  it('keeps all rows without a retention time', async () => {
    const { app } = await startedApp({ PLY_AUDIT_DAYS: '0' });
    try {
      app.pass(100_000 * day);
      expect(await sweepAudit(app)).toBe(0);
    } finally {
      await app.stop();
    }
  });
});
