import type * as schemas from './schemas/analytics.ts';
import type { Infer } from './schemas/schema.ts';

/** Answer of GET /suggest. */
export type Suggestions = Infer<typeof schemas.suggestAnswer>;
/** Answer of GET /analytics/searches. */
export type SearchAnalytics = Infer<typeof schemas.searchAnalyticsAnswer>;
/** A file whose latest job failed or waits for access. */
export type AttentionItem = Infer<typeof schemas.attentionItem>;
/** Answer of GET /analytics/library. */
export type LibraryHealth = Infer<typeof schemas.libraryHealthAnswer>;
