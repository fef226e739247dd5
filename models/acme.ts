import { defineCollection } from './collection.ts';

/** The account of this deployment at a certificate authority. */
export interface AcmeAccount {
  /** Address of the authority's directory. */
  _id: string;
  /** Private key, PEM, sealed for `acmeKeyContext`. */
  sealedKey: string;
  createdAt: number;
}

/** The context that the key of an account is sealed for. */
export function acmeKeyContext(directory: string): string {
  return `acme:${directory}:account`;
}

/** The accounts, one for each authority that was used. */
export const acmeAccounts = defineCollection<AcmeAccount>({ name: 'acme_accounts', owner: 'deployment', indexes: [] });

/**
 * What the edges answer to a certificate authority at `/.well-known/acme-challenge/<token>` (RFC 8555, 8.3). It is no
 * secret.
 */
export interface AcmeChallenge {
  /** The token. */
  _id: string;
  keyAuthorization: string;
  hostname: string;
  /** Store time after which it is removed, where the order of a certificate was broken off. */
  expiresAt: number;
}

/** The challenges that are under way. */
export const acmeChallenges = defineCollection<AcmeChallenge>({
  name: 'acme_challenges',
  owner: 'deployment',
  indexes: [{ name: 'expiry', fields: ['expiresAt'] }],
});
