import type { KeyScope } from './organization.ts';
import type { Role } from './people.ts';
import type * as assets from './schemas/answers/assets.ts';
import type { importAnswer } from './schemas/answers/imports.ts';
import type * as jobs from './schemas/answers/jobs.ts';
import type * as organizations from './schemas/answers/organizations.ts';
import type * as dashboard from './schemas/answers/dashboard.ts';
import type * as passages from './schemas/answers/passages.ts';
import type * as search from './schemas/answers/search.ts';
import type { assetCreate } from './schemas/assets.ts';
import type { activityQuery } from './schemas/library.ts';
import type { subOrganizationChange } from './schemas/organizations.ts';
import type { Infer, Shape } from './schemas/schema.ts';
import type { searchBody } from './schemas/search.ts';

/*
 * The types of requests and answers are inferred from their schemas (schemas/, schemas/answers/): add a field there.
 */

/** The authenticated client of a request. It is passed along with every call. */
export interface Caller {
  accountId: string;
  /** The organization that the request applies to. */
  organizationId: string;
  keyId: string;
  keyPrefix: string;
  keyLabel: string;
  keyScope: KeyScope;
  requestId: string;
  /** Address of the client; null or absent if it is unknown. */
  ip?: string | null;
  /** The user, where the request was made in the dashboard: `keyId` is this too, and `keyLabel` the e-mail address. */
  userId?: string;
  /** What that user may do, and the session that asks. */
  role?: Role;
  sessionId?: string;
}

/** The key id of the operator's own command line, which has no key: audit rows name the service itself. */
export const operatorKeyId = 'operator';

/** A session of the dashboard as the API shows it. */
export type SessionView = Infer<typeof dashboard.sessionAnswer>;

/** The session of a cookie, without what the gateway adds of the deployment. */
export type CurrentSessionView = Omit<Infer<typeof dashboard.currentSessionAnswer>, 'plainDelivery'>;

/** The user of a session. */
export type ProfileView = Infer<typeof dashboard.profileAnswer>;

/** A session in the list of its user. */
export type SessionItemView = Infer<typeof dashboard.sessionsAnswer>['items'][number];

/** A second factor that is to be confirmed. */
export type NewSecondFactorView = Infer<typeof dashboard.newSecondFactorAnswer>;

/** Recovery codes, which are shown once. */
export type RecoveryCodesView = Infer<typeof dashboard.recoveryCodesAnswer>;

/** An API key. */
export type ApiKeyView = Infer<typeof dashboard.apiKeyAnswer>;

/** An API key with its secret, which is shown once. */
export type NewApiKeyView = Infer<typeof dashboard.newApiKeyAnswer>;

/** The account's own organization. */
export type OrganizationProfileView = Infer<typeof dashboard.organizationAnswer>;

/** A person of an account. */
export type PersonView = Infer<typeof dashboard.personAnswer>;

/** An invitation. */
export type InvitationView = Infer<typeof dashboard.invitationAnswer>;

/** An invitation with the token of its link. */
export type NewInvitationView = Infer<typeof dashboard.newInvitationAnswer>;

/** What the holder of an invitation's link sees. */
export type OpenInvitationView = Infer<typeof dashboard.openInvitationAnswer>;

/** The fields of one registration, validated, with defaults; null if not sent and without a default. */
export type AssetCreate = Infer<typeof assetCreate>;

/** Answer of a registration, a reindex and a removal. */
export type Accepted = Infer<typeof jobs.accepted>;

/** The latest job as assets show it. */
export type LatestJobView = Infer<typeof jobs.latestJob>;

/** An asset as the API shows it. */
export type AssetView = Infer<typeof assets.assetAnswer>;

/** A job as the API shows it. */
export type JobView = Infer<typeof jobs.jobAnswer>;

/** One item of an import's answer. */
export type ImportResult = Infer<typeof importAnswer>['results'][number];

/** What an import hands to the registrar: a valid item, or the refusal to answer at its index. */
export type ImportItem =
  { asset: AssetCreate } | { externalId: string | null; code: string; fields?: (string | number)[]; detail: string };

/** The address from which a file can be played until `expiresAt`. */
export type PlaybackLink = Infer<typeof assets.playbackAnswer>;

/** Query of GET /activity; null if not sent. */
export type ActivityQuery = Shape<typeof activityQuery>;

/** Body of POST /search, validated, with defaults. */
export type SearchRequest = Infer<typeof searchBody>;

/** A marked part of a snippet, in UTF-16 code units, end exclusive. */
export type Highlight = Moment['highlights'][number];

/** Band of a relevance; docs/search.md lists the limits of the bands. */
export type Confidence = Moment['confidence'];
/** What found a passage: its words, its meaning, or both. */
export type MatchType = Moment['matchType'];

/** A found passage inside a grouped result. */
export type Moment = Infer<typeof search.moment>;

/** One result of a search. */
export type SearchItem = Infer<typeof search.searchItem>;

/** Answer of POST /search. */
export type SearchResponse = Infer<typeof search.searchAnswer>;

/** A passage that was offered to an answer. */
export type Citation = Infer<typeof search.citation>;

/** Answer of POST /answer. */
export type AnswerResponse = Infer<typeof search.writtenAnswer>;

/** A passage with those around it. */
export type PassageView = Infer<typeof passages.passageAnswer>;

/** Passages of a file in its order. */
export type FilePassages = Infer<typeof passages.passagesAnswer>;

/** A file that is similar to another. */
export type RelatedItem = Infer<typeof search.relatedItem>;

/** Answer of GET /assets/{assetId}/related. */
export type RelatedResponse = Infer<typeof search.relatedAnswer>;

/** A sub-organization as the API shows it (snake case by contract). */
export type SubOrganizationView = Infer<typeof organizations.subOrganizationAnswer>;

/** The fields of a sub-organization that a client may set; absent fields are not changed. */
export type SubOrganizationChange = Infer<typeof subOrganizationChange>;

/** A row of the account audit as the API shows it. */
export type AuditView = Infer<typeof organizations.auditRow>;
