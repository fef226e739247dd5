import { annotated, answer, boolean, id, listOf, literals, orNull, text, time } from './answer.ts';

const record = answer('DomainRecord', {
  type: literals('TXT', 'CNAME', 'CAA'),
  name: text,
  value: text,
});

const checks = answer('DomainChecks', {
  ownership: literals('found', 'missing', 'unknown'),
  routing: literals('found', 'missing', 'elsewhere', 'unknown'),
  claim: literals('free', 'held_elsewhere', 'unknown'),
  certificate: literals('none', 'pending', 'active'),
});

/** A custom domain. */
export const domainAnswer = answer('Domain', {
  id,
  bucketId: id,
  hostname: annotated(text, { description: 'Lower case, xn-- form.' }),
  unicodeHostname: text,
  state: literals('pending_dns', 'verifying', 'issuing_certificate', 'active', 'failed', 'detached'),
  failureReason: orNull(
    literals(
      'dns_not_configured',
      'hostname_in_use',
      'caa_blocks_certificate',
      'certificate_failed',
      'dns_record_removed',
      'ownership_record_removed',
      'provider_unavailable',
    ),
  ),
  apex: orNull(boolean),
  records: annotated(listOf(record), { description: 'What the DNS of the hostname must have.' }),
  checks,
  lastCheckedAt: orNull(time),
  nextCheckAt: orNull(time),
  activeAt: orNull(time),
  createdAt: time,
  updatedAt: time,
});

/** A page of custom domains. */
export const domainsAnswer = answer('Domains', { items: listOf(domainAnswer), nextCursor: orNull(text) });
