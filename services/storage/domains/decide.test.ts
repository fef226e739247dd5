import type { Domain, DomainState } from '../../../models/domain.ts';
import { testDomain } from '../../../test/support/domain.ts';
import { decide, nextDailyLook, nextLook, renewalTime, type Evidence } from './decide.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const good: Evidence = { ownership: 'found', routing: 'found', claim: 'free', apex: false, caa: 'allowed' };

const domain = (state: DomainState, fields: Partial<Domain> = {}): Domain => testDomain({ state, ...fields });

describe('the schedule of looks', () => {
  it('is each minute for an hour, then every ten minutes', () => {
    expect(nextLook({ pendingSince: 0 }, 0)).toBe(minute);
    expect(nextLook({ pendingSince: 0 }, hour - 1)).toBe(hour - 1 + minute);
    expect(nextLook({ pendingSince: 0 }, hour)).toBe(hour + 10 * minute);
  });

  it('is daily when active, and sooner where a certificate is to be renewed', () => {
    expect(nextDailyLook(null, 5)).toBe(5 + day);
    const certificate = { chain: '', notBefore: 0, notAfter: 3 * hour, lateAt: 0 };
    expect(renewalTime(certificate)).toBe(2 * hour);
    expect(nextDailyLook(certificate, hour)).toBe(2 * hour);
    expect(nextDailyLook(certificate, 2 * hour)).toBe(2 * hour + minute);
  });
});

describe('what is unknown', () => {
  const states: DomainState[] = ['pending_dns', 'verifying', 'active'];
  it.each(states)('never changes the state of a domain that is %s', (state) => {
    for (const now of [0, 73 * hour, 200 * day])
      for (const unknown of [
        { ownership: 'unknown' },
        { routing: 'unknown' },
        { ownership: 'unknown', routing: 'unknown' },
        { ownership: 'unknown', routing: 'unknown', claim: 'unknown', caa: 'unknown', apex: null },
      ] as const) {
        const { set, audit, next } = decide(domain(state), { ...good, ...unknown }, now);
        expect([set.state, set.failureReason, audit]).toEqual([undefined, undefined, []]);
        expect(next?.stage).toBe('checking_domain');
      }
  });
});

describe('a domain that is pending_dns', () => {
  it('is verifying once both records are found', () => {
    const { set, audit, next } = decide(domain('pending_dns'), good, 7);
    expect(set).toMatchObject({ state: 'verifying', apex: false, lastCheckedAt: 7, nextCheckAt: 7 });
    expect([audit, next]).toEqual([[{ action: 'domain.verified' }], { stage: 'checking_domain', at: 7 }]);
  });

  it.each([{ ownership: 'missing' }, { routing: 'missing' }, { routing: 'elsewhere' }] as const)(
    'waits 72 hours with %j, then fails',
    (bad) => {
      const evidence = { ...good, ...bad };
      expect(decide(domain('pending_dns'), evidence, 72 * hour - 1)).toMatchObject({
        audit: [],
        next: { stage: 'checking_domain', at: 72 * hour - 1 + 10 * minute },
      });
      const { set, audit } = decide(domain('pending_dns'), evidence, 72 * hour);
      expect(set).toMatchObject({ state: 'failed', failureReason: 'dns_not_configured', nextCheckAt: null });
      expect(audit).toEqual([{ action: 'domain.failed', detail: { reason: 'dns_not_configured' } }]);
    },
  );

  it('goes on with what is found after 72 hours', () => {
    expect(decide(domain('pending_dns'), good, 80 * hour).set.state).toBe('verifying');
  });
});

describe('a domain that is verifying', () => {
  it('gets its certificate', () => {
    const { set, next } = decide(domain('verifying'), good, 7);
    expect(set).toMatchObject({ state: 'issuing_certificate', checks: { claim: 'free', certificate: 'pending' } });
    expect(next).toEqual({ stage: 'certifying_domain', at: 7 });
  });

  it('is pending again without its TXT record, which is no failure', () => {
    const { set, audit } = decide(domain('verifying'), { ...good, ownership: 'missing' }, 7);
    expect([set.state, set.failureReason, audit]).toEqual(['pending_dns', undefined, []]);
  });

  it('waits for a hostname that is held elsewhere, and fails after 72 hours', () => {
    const held = { ...good, claim: 'held_elsewhere' } as const;
    const waiting = decide(domain('verifying'), held, 71 * hour);
    expect([waiting.set.state, waiting.set.checks?.claim]).toEqual([undefined, 'held_elsewhere']);
    expect(decide(domain('verifying'), held, 72 * hour).set.failureReason).toBe('hostname_in_use');
  });

  it('fails where CAA records forbid its certificate', () => {
    const caa = { name: 'example.com', value: '0 issue "ca.example"' };
    const { set } = decide(domain('verifying'), { ...good, caa }, 7);
    expect(set).toMatchObject({ state: 'failed', failureReason: 'caa_blocks_certificate', caa });
  });
});

describe('an active domain', () => {
  it.each([
    [{ ownership: 'missing' }, 'ownership_record_removed'],
    [{ routing: 'missing' }, 'dns_record_removed'],
    [{ routing: 'elsewhere' }, 'dns_record_removed'],
  ] as const)('with %j is detached when an hour has passed', (bad, reason) => {
    const evidence = { ...good, ...bad };
    const first = decide(domain('active'), evidence, day);
    expect([first.set.state, first.set.missingSince, first.next?.at]).toEqual([undefined, day, day + hour]);
    const early = decide(domain('active', { missingSince: day }), evidence, day + hour - 1);
    expect([early.set.state, early.next?.at]).toEqual([undefined, day + hour]);
    const { set, audit, next } = decide(domain('active', { missingSince: day }), evidence, day + hour);
    expect(set).toMatchObject({ state: 'detached', failureReason: reason });
    expect([audit, next?.stage]).toEqual([[{ action: 'domain.detached', detail: { reason } }], 'releasing_domain']);
  });

  it('forgets what was missing once it is found again', () => {
    const { set, next } = decide(domain('active', { missingSince: day }), good, day + hour);
    expect([set.missingSince, next?.at]).toEqual([null, day + hour + day]);
  });

  it('renews its certificate with a third of its life left', () => {
    const certificate = { chain: '', notBefore: 0, notAfter: 90 * day, lateAt: 0 };
    expect(decide(domain('active', { certificate }), good, 60 * day - 1).next?.stage).toBe('checking_domain');
    expect(decide(domain('active', { certificate }), good, 60 * day).next?.stage).toBe('certifying_domain');
  });
});
