import { useQuery, useQueryClient } from '@tanstack/react-query';
import { memo, useCallback, useEffect, useMemo, useRef, useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import { asFailure } from '../../api/failure.ts';
import { includesRole, useMe } from '../../api/me.ts';
import type { components } from '../../api/schema.d.ts';
import { clock } from '../../i18n/formats.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { Marked } from '../../ui/marked.tsx';
import { FailureNotice, Skeletons } from '../../ui/states.tsx';
import { readersOf } from './address.ts';
import { CorrectionBar } from './correction.tsx';
import { locate } from './find.ts';
import { viewerMessages } from './messages.ts';
import { scrollWithin } from './scroll.ts';
import type { FoundPassage } from './passages.ts';

type Segment = components['schemas']['Segment'];
type Range = { start: number; end: number };

/** Seconds by which the player may be short of a segment's beginning that it was sent to. */
const slack = 0.05;
const noRanges: readonly Range[] = [];

interface Props {
  assetId: string;
  revision: number;
  as: string | undefined;
  /** Second that is played. */
  now: number;
  passages: readonly FoundPassage[];
  onSeek: (seconds: number) => void;
}

/** The marked words of segments by their ids. */
function marksOf(segments: readonly Segment[], passages: readonly FoundPassage[]): ReadonlyMap<string, Range[]> {
  const marks = new Map<string, Range[]>();
  for (const { snippet, highlights, location } of passages) {
    const { source, startSeconds = 0, endSeconds = startSeconds } = location;
    if (source === 'slide') continue;
    const spoken = segments.filter(({ start, end }) => start <= endSeconds && end >= startSeconds);
    const { words } = locate(
      spoken.map(({ text }) => text),
      snippet,
      highlights,
    );
    for (const { piece, start, end } of words) {
      const id = spoken[piece]?.id ?? '';
      marks.set(id, [...(marks.get(id) ?? []), { start, end }]);
    }
  }
  return marks;
}

/** What was said, moving along with the player. Editors correct it segment by segment. */
export function Transcript({ assetId, revision, as, now, passages, onSeek }: Props): ReactElement {
  const t = useMessages(viewerMessages);
  const queries = useQueryClient();
  const role = useMe()?.role ?? 'reader';
  const list = useRef<HTMLOListElement>(null);
  const [edited, setEdited] = useState<string | null>(null);
  const [edits, setEdits] = useState<ReadonlyMap<string, string>>(new Map());
  const principals = readersOf(as);
  const key = ['transcript', assetId, revision, as];
  const transcript = useQuery({
    queryKey: key,
    staleTime: Infinity,
    queryFn: () =>
      answered(
        api.GET('/api/content/v1/assets/{assetId}/transcript', {
          params: { path: { assetId }, query: principals === undefined ? {} : { principals } },
        }),
      ),
  });
  const segments = useMemo(() => transcript.data?.segments ?? [], [transcript.data]);
  const marks = useMemo(() => marksOf(segments, passages), [segments, passages]);
  const current = segments.findLast(({ start }) => start <= now + slack)?.id;
  useEffect(() => {
    const [scroller, row] = [list.current, list.current?.querySelector('[aria-current]')];
    if (scroller === null || !(row instanceof HTMLElement)) return;
    scrollWithin(scroller, row, 1 / 3);
  }, [current]);
  const keep = useCallback((id: string, text: string, before: string) => {
    setEdits((all) => {
      const next = new Map(all);
      if (text === before) next.delete(id);
      else next.set(id, text);
      return next;
    });
    setEdited(null);
  }, []);
  const mayCorrect = includesRole(role, 'editor') && segments.length > 0;
  const isAbsent = transcript.isError && asFailure(transcript.error).code === 'transcript_not_ready';
  return (
    <section className="card stack" aria-label={t('transcript')}>
      <h2>{t('transcript')}</h2>
      {transcript.isPending && <Skeletons />}
      {transcript.isError && !isAbsent && <FailureNotice error={transcript.error} />}
      {(isAbsent || (transcript.isSuccess && segments.length === 0)) && <p className="muted">{t('noTranscript')}</p>}
      {transcript.isSuccess && edits.size > 0 && (
        <CorrectionBar
          assetId={assetId}
          revision={transcript.data.revision}
          edits={edits}
          onDiscard={() => setEdits(new Map())}
          onSaved={() => {
            queries.setQueryData(key, {
              ...transcript.data,
              segments: segments.map((segment) => ({ ...segment, text: edits.get(segment.id) ?? segment.text })),
            });
            setEdits(new Map());
            void queries.invalidateQueries({ queryKey: ['asset', assetId] });
          }}
        />
      )}
      <ol className="transcript" ref={list}>
        {segments.map((segment) => (
          <Row
            key={segment.id}
            segment={segment}
            text={edits.get(segment.id) ?? segment.text}
            ranges={edits.has(segment.id) ? noRanges : (marks.get(segment.id) ?? noRanges)}
            isCurrent={segment.id === current}
            isEdited={segment.id === edited}
            mayCorrect={mayCorrect}
            onSeek={onSeek}
            onEdit={setEdited}
            onKeep={keep}
          />
        ))}
      </ol>
    </section>
  );
}

interface RowProps {
  segment: Segment;
  text: string;
  ranges: readonly Range[];
  isCurrent: boolean;
  isEdited: boolean;
  mayCorrect: boolean;
  onSeek: (seconds: number) => void;
  onEdit: (id: string | null) => void;
  onKeep: (id: string, text: string, before: string) => void;
}

const Row = memo(function Row({ segment, text, ranges, isCurrent, isEdited, mayCorrect, ...on }: RowProps) {
  const t = useMessages(viewerMessages);
  const { id, start, speaker } = segment;
  if (isEdited)
    return (
      <li>
        <textarea
          className="input"
          aria-label={t('correctionOf', { time: clock(start) })}
          defaultValue={text}
          maxLength={20_000}
          rows={Math.min(6, Math.ceil(text.length / 60) + 1)}
          ref={(area) => area?.focus()}
          onBlur={({ target }) => on.onKeep(id, target.value.trim(), segment.text)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') on.onEdit(null);
            else if (event.key === 'Enter' && !event.shiftKey)
              on.onKeep(id, event.currentTarget.value.trim(), segment.text);
            else return;
            event.preventDefault();
            event.stopPropagation();
          }}
        />
      </li>
    );
  return (
    <li className="transcript-row" data-edited={text !== segment.text || undefined}>
      <button
        type="button"
        className="transcript-segment"
        aria-current={isCurrent || undefined}
        onClick={() => on.onSeek(start)}
      >
        <time>{clock(start)}</time>
        <span>
          {speaker !== null && <span className="muted">{speaker}: </span>}
          <Marked text={text} ranges={ranges} />
        </span>
      </button>
      {mayCorrect && (
        <Button look="quiet" icon="pen" label={t('correct', { time: clock(start) })} onClick={() => on.onEdit(id)} />
      )}
    </li>
  );
});
