/** Why the edge does not deliver, as its answers say it. */
export type DeliveryRefusal =
  | 'not_found'
  | 'method_not_allowed'
  | 'request_not_allowed'
  | 'bucket_suspended'
  | 'country_blocked'
  | 'referrer_blocked'
  | 'link_required'
  | 'link_invalid'
  | 'link_expired'
  | 'ip_mismatch'
  | 'provider_unavailable';

const statuses: { readonly [R in DeliveryRefusal]: number } = {
  not_found: 404,
  method_not_allowed: 405,
  request_not_allowed: 403,
  bucket_suspended: 403,
  country_blocked: 403,
  referrer_blocked: 403,
  link_required: 403,
  link_invalid: 403,
  link_expired: 403,
  ip_mismatch: 403,
  provider_unavailable: 503,
};

/** Seconds after which a client may try again what the edge could not find out. */
const retryAfter = '2';

/** An answer that refuses: made once for each code. */
export interface RefusalAnswer {
  status: number;
  /** Names and values of headers in turn. */
  lines: readonly string[];
  body: Buffer;
}

function answerOf(code: DeliveryRefusal): RefusalAnswer {
  const body = Buffer.from(JSON.stringify({ code }));
  return {
    status: statuses[code],
    body,
    lines: [
      ...['Content-Type', 'application/json; charset=utf-8', 'Content-Length', String(body.length)],
      // Never kept on the way: the same address may work with another link, or in a moment.
      ...['Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff', 'Referrer-Policy', 'no-referrer'],
      ...(code === 'method_not_allowed' ? ['Allow', 'GET, HEAD, OPTIONS'] : []),
      ...(code === 'provider_unavailable' ? ['Retry-After', retryAfter] : []),
    ],
  };
}

const answers = new Map<DeliveryRefusal, RefusalAnswer>();

/** The answer for a code. */
export function refusalAnswer(code: DeliveryRefusal): RefusalAnswer {
  let answer = answers.get(code);
  if (answer === undefined) answers.set(code, (answer = answerOf(code)));
  return answer;
}
