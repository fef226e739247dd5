/** Days, both counted, as YYYY-MM-DD in UTC. */
export interface Period {
  from: string;
  to: string;
}

/** A period as it stands in the address of a page. */
export interface AskedPeriod {
  from?: string | undefined;
  to?: string | undefined;
}

const dayLength = 86_400_000;
const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** The period of an address; ends that are left out make it the thirty days up to today. */
export function periodOf({ from, to }: AskedPeriod, now = Date.now()): Period {
  const last = to ?? dayOf(now);
  return { from: from ?? dayOf(Date.parse(last) - 29 * dayLength), to: last };
}

/** The checked period of an address. */
export function askedPeriod(sent: { readonly [name: string]: unknown }): AskedPeriod {
  const day = (value: unknown): string | undefined =>
    typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) && Number.isFinite(Date.parse(value))
      ? value
      : undefined;
  return { from: day(sent['from']), to: day(sent['to']) };
}
