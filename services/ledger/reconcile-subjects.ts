import { isDeepStrictEqual } from 'node:util';
import { dayText } from '../../models/calendar-day.ts';
import { systemScope } from '../../models/scope.ts';
import type { UsageDays } from '../../models/usage-month.ts';
import { daysOfMonth } from '../../models/utc-days.ts';
import { countedThrough, isBehind, type CountedEvent, type Place } from './fold.ts';
import { eventsOfDays, placeOf } from './log.ts';
import type { ReconcileContext } from './reconcile.ts';
import { fileKind, registrationTimes, resourceKind, subjectMonthId, type SubjectKind } from './subjects.ts';
import { addEvent, toStored, type Sum, type Sums } from './sums.ts';

/*
 * The roll-ups of the files and resources of a month are compared with its events: so many of them at a time, in the order
 * of their ids, that their sums fit into memory. The events of the month are read once for a group of files and one of
 * resources together.
 */

/** Roll-ups of one group, and those of it that may be missing. What is beyond that is left to the next time. */
const groupSize = 20_000;
/** Roll-ups that are compared at a time. */
const readTogether = 200;

/** Roll-ups of subjects, as far as both kinds have the same. */
interface SubjectMonth {
  _id: string;
  throughAt: number;
  throughId: string;
  days: UsageDays;
  duplicateOf?: string | null;
}

/** What the events say of one subject's month. */
interface Expected {
  first: CountedEvent;
  days: Map<string, Sums>;
  /** The last event that names a file that was charged before. */
  duplicate: CountedEvent | null;
}

/** Sizes of groups; tests make them smaller. */
export interface GroupSizes {
  groupSize: number;
}

/**
 * Compares what the roll-ups of the files, buckets, libraries and domains of an account say of a month with its events, and
 * replaces what differs. One that is counted further meanwhile is left to the next time.
 * @param month YYYY-MM @param goOn called with each page of events: whether to go on
 * @returns how many roll-ups differed. @throws StoreUnavailable
 */
export async function reconcileSubjects(
  app: ReconcileContext,
  accountId: string,
  month: string,
  goOn: () => Promise<boolean>,
  { groupSize: size }: GroupSizes = { groupSize },
): Promise<number> {
  const of = { accountId, month };
  const { from, to } = daysOfMonth(month);
  let groups: Group[] = [
    await groupAfter(app, fileKind, of, null, size),
    await groupAfter(app, resourceKind, of, null, size),
  ];
  let differed = 0;
  while (groups.length > 0) {
    // Days of UTC and of the account's time zone differ by at most one.
    for await (const page of eventsOfDays(app, accountId, dayText(from - 1), dayText(to + 1))) {
      if (!(await goOn())) return differed;
      for (const event of page) for (const group of groups) group.add(event);
    }
    for (const group of groups) differed += await group.compare();
    groups = (await Promise.all(groups.map((group) => group.next()))).flatMap((group) => group ?? []);
  }
  return differed;
}

/** Roll-ups of one kind of subjects that are compared together. */
interface Group {
  /** Counts an event, if it is of one of them. */
  add(event: CountedEvent): void;
  /** Replaces those that differ from the events that were added. Returns how many did. */
  compare(): Promise<number>;
  /** The group that follows; null after the last. */
  next(): Promise<Group | null>;
}

/** The first group of a kind, or the one after a subject. */
async function groupAfter<T extends SubjectMonth>(
  app: ReconcileContext,
  kind: SubjectKind<T>,
  of: { accountId: string; month: string },
  after: string | null,
  size: number,
): Promise<Group> {
  const months = app.records.collection(kind.definition, systemScope);
  // Read before the roll-ups: every event up to here that was counted has one.
  const counted = await countedThrough(app);
  const group = await months.pick(
    { filter: of, sort: [[kind.field, 1]], limit: size, ...(after === null ? {} : { after: [after] }) },
    [kind.field, '_id', 'throughAt', 'throughId'],
  );
  const last = group.length < size ? undefined : group.at(-1);
  const through = last === undefined ? null : String(last[0]);
  const places = new Map(
    group.map(([, id, throughAt, throughId]) => [
      String(id),
      { throughAt: Number(throughAt), throughId: String(throughId) },
    ]),
  );
  const expected = new Map<string, Expected>();
  let missing = 0;
  return {
    add(received) {
      const event = kind.counted(received);
      const subject = event?.[kind.field] ?? null;
      if (event === null || subject === null || !event.day.startsWith(of.month)) return;
      if ((after !== null && subject <= after) || (through !== null && subject > through)) return;
      const id = subjectMonthId(kind, event);
      if (isBehind(event, placeOf(places.get(id), counted))) return;
      let sums = expected.get(id);
      if (sums === undefined) {
        if (!places.has(id) && (missing += 1) > size) return;
        sums = { first: event, days: new Map(), duplicate: null };
        expected.set(id, sums);
      }
      addExpected(sums, event);
    },
    async compare() {
      const ids = [...new Set([...places.keys(), ...expected.keys()])];
      let differed = 0;
      for (let start = 0; start < ids.length; start += readTogether) {
        const some = ids.slice(start, start + readTogether);
        const stored = new Map((await months.getMany(some)).map((one) => [one._id, one]));
        for (const id of some)
          if (await replaced(app, kind, stored.get(id), places.get(id), expected.get(id), counted)) differed += 1;
      }
      return differed;
    },
    next: () => (through === null ? Promise.resolve(null) : groupAfter(app, kind, of, through, size)),
  };
}

function addExpected(expected: Expected, event: CountedEvent): void {
  const number = event.day.slice(8);
  const day = expected.days.get(number) ?? new Map<string, Sum>();
  expected.days.set(number, day);
  addEvent(day, event);
  const { duplicate } = expected;
  if (event.duplicateOf === undefined) return;
  if (duplicate === null || isBehind(event, { receivedAt: duplicate.receivedAt, eventId: duplicate._id }))
    expected.duplicate = event;
}

/** Replaces a roll-up that differs from its events. Returns whether it did. */
async function replaced<T extends SubjectMonth>(
  { records, log }: ReconcileContext,
  kind: SubjectKind<T>,
  stored: Readonly<T> | undefined,
  read: Parameters<typeof placeOf>[0],
  expected: Expected | undefined,
  counted: Place,
): Promise<boolean> {
  // Counted, or removed with its account, since it was read: its events may be others now.
  if (stored?.throughAt !== read?.throughAt || stored?.throughId !== read?.throughId) return false;
  const days: UsageDays = Object.fromEntries(
    [...(expected?.days ?? [])].map(([number, sums]) => [number, toStored(sums)] as const),
  );
  const duplicateOf = expected?.duplicate?.duplicateOf ?? null;
  const isSame = isDeepStrictEqual({ ...stored?.days }, days) && (stored?.duplicateOf ?? null) === duplicateOf;
  if (isSame) return false;
  const place = placeOf(read, counted);
  const isFile = kind.field === 'assetId';
  const set = {
    days,
    throughAt: place.receivedAt,
    throughId: place.eventId,
    ...(isFile ? { duplicateOf } : {}),
  };
  const months = records.collection(kind.definition, systemScope);
  if (stored !== undefined) {
    const { throughAt, throughId } = stored;
    if ((await months.update(stored._id, { throughAt, throughId }, { set })) === null) return false;
  } else if (expected !== undefined) {
    const { first } = expected;
    const times = isFile ? await registrationTimes({ records }, [first.assetId ?? '']) : null;
    const createdAt = times === null ? first.at : times.get(first.assetId ?? '');
    if (createdAt === undefined) return false;
    const made = { ...kind.empty(first, createdAt), ...set };
    if ((await months.insertNew([made])).length === 0) return false;
  }
  log.error(
    {
      rollUp: stored?._id ?? (expected && subjectMonthId(kind, expected.first)),
      stored: stored?.days ?? null,
      events: days,
    },
    'a roll-up of usage differed from its events',
  );
  return true;
}
