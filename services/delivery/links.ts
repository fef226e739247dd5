import { LRUCache } from 'lru-cache';
import { directorySchemes } from '../../models/links/token.ts';
import type { DeliveryTarget } from '../../models/links/target.ts';
import { verifyLink, type LinkRefusal, type ValidLink } from '../../models/links/verify.ts';
import type { Site } from './sites.ts';

/** Memory for links that were found valid, in characters. */
const maxLength = 4 * 2 ** 20;

/**
 * Verifies links. What was found valid is kept by its exact text and the version of the bucket's settings, which grows
 * with each new key: a link that is used again costs half as much processor time.
 */
export class Links {
  readonly #valid = new LRUCache<string, ValidLink>({
    maxSize: maxLength,
    sizeCalculation: (_, name) => name.length + 200,
  });

  /** @param raw the request target as sent; @param now in milliseconds */
  verify({ bucket, link }: Site, raw: string, target: DeliveryTarget, now: number): ValidLink | LinkRefusal {
    // A bucket of an earlier version has no key before it is asked for one: it has no links.
    if (link === null) return /(?:^|&)token=/.test(target.query ?? '') ? 'link_invalid' : 'link_required';
    const name = `${bucket._id} ${bucket.settingsVersion} ${raw}`;
    const known = this.#valid.get(name);
    if (known !== undefined) return now < known.expires * 1000 ? known : 'link_expired';
    const valid = verifyLink(target, {
      scheme: bucket.linkScheme,
      directoryScheme: bucket.kind === 'video' ? directorySchemes[bucket.linkScheme] : null,
      key: link,
      ipBinding: bucket.settings.delivery.ipBinding,
      now,
    });
    if (typeof valid !== 'string') this.#valid.set(name, valid);
    return valid;
  }
}
