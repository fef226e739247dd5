import type { StageResult, StageWork } from '../../../mixins/work/worker.ts';
import { certificateKeyContext, type Domain, type DomainCertificate } from '../../../models/domain.ts';
import type { Storage } from '../tools.ts';
import { isRefused, type IssuedCertificate } from './authority.ts';
import { decideWithoutCertificate, nextDailyLook, renewalTime } from './decide.ts';
import type { DomainTools } from './tools.ts';
import { transitionOf } from './transition.ts';

/**
 * Obtains the certificate of a domain, and makes it active. Without an authority the step passes: where TLS ends before
 * the edges, the proxy there has the certificate.
 */
export async function certify(
  { storage: { app }, authority }: DomainTools,
  { document: { _id, hostname }, signal }: StageWork<Domain>,
): Promise<StageResult<Domain>> {
  let issued: IssuedCertificate | null;
  try {
    issued = authority === null ? null : await authority.issue(hostname, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Error && error.name === 'StoreUnavailable') throw error;
    const reason = isRefused(error) ? error.reason : 'provider_unavailable';
    app.log.warn({ err: error, domainId: _id, reason }, 'a certificate was not issued');
    return (domain, storeNow) =>
      transitionOf(app, domain, decideWithoutCertificate(domain, reason, app.runtime.now()), storeNow);
  }
  const sealed = issued === null ? {} : sealedCertificate(app, _id, issued);
  return (domain, storeNow) => {
    const now = app.runtime.now();
    const isNew = domain.state !== 'active';
    const at = nextDailyLook(sealed.certificate ?? null, now);
    const { filter, change } = transitionOf(
      app,
      domain,
      {
        set: {
          checks: { ...domain.checks, certificate: 'active' },
          nextCheckAt: at,
          refusals: 0,
          ...(isNew ? { state: 'active' } : {}),
        },
        audit: isNew ? [{ action: 'domain.active' }] : [],
        next: { stage: 'checking_domain', at },
      },
      storeNow,
    );
    return { filter, change: { ...change, set: { ...change.set, ...sealed, ...(isNew ? { activeAt: now } : {}) } } };
  };
}

/** The fields of a domain that hold its certificate. */
function sealedCertificate(
  { sealer }: Storage['app'],
  domainId: string,
  { key, ...issued }: IssuedCertificate,
): { certificate?: DomainCertificate; sealedCertificateKey?: string } {
  const renewal = renewalTime(issued);
  return {
    certificate: { ...issued, lateAt: renewal + Math.floor((issued.notAfter - renewal) / 2) },
    sealedCertificateKey: sealer.seal(key, certificateKeyContext(domainId)),
  };
}
