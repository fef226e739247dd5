import { auditRows } from '../../models/organization.ts';
import { systemScope } from '../../models/scope.ts';
import { readAudit, record, theOperator } from './audit.ts';
import { sweepAudit } from './audit-retention.ts';
import { startedHouse } from './testing/house.ts';

const day = 24 * 3_600_000;

describe('the retention of the audit', () => {
  it('removes rows that are too old, in pages, and never the newest; numbers go on ascending', async () => {
    const { house, first: { accountId } } = await startedHouse({ PLY_AUDIT_DAYS: '30' });
    try {
      const add = (id: string): Promise<void> => record(house.books, { accountId, at: house.ambient.now(), actor: theOperator, action: 'api_key.rotated', resourceKind: 'api_key', resourceId: id, detail: {} }, id);
      // The first start left two rows.
      for (let number = 0; number < 1100; number += 1) await add(`old-${number}`);
      house.pass(20 * day);
      await add('young');
      expect(await sweepAudit(house)).toBe(0);
      house.pass(11 * day);
      expect(await Promise.all([sweepAudit(house), sweepAudit(house)]).then(([one, other]) => one + other)).toBe(1102);
      expect((await readAudit(house.books, accountId, 10, null)).items.map(({ id, resourceId }) => [id, resourceId])).toEqual([['1103', 'young']]);
      house.pass(365 * day);
      expect(await sweepAudit(house)).toBe(0);
      await add('next');
      const page = await readAudit(house.books, accountId, 1, null);
      expect(page).toMatchObject({ items: [{ id: '1104' }], next: '1104' });
      expect((await readAudit(house.books, accountId, 1, page.next)).items).toMatchObject([{ id: '1103' }]);
      expect(await sweepAudit(house)).toBe(1);
      expect(await house.records.collection(auditRows, systemScope).count({ accountId })).toBe(1);
    } finally {
      await house.stop();
    }
  });

  it('keeps everything where no time is set', async () => {
    const { house } = await startedHouse({ PLY_AUDIT_DAYS: '0' });
    try {
      house.pass(100_000 * day);
      expect(await sweepAudit(house)).toBe(0);
    } finally {
      await house.stop();
    }
  });
});
