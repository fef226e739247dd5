import { useEffect, useRef, type ReactElement } from 'react';
import { usePreferences } from '../app/preferences.ts';
import { useMessages } from '../i18n/messages.ts';
import { uiMessages } from './messages.ts';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import './series.css';

/** One line of a chart. */
export interface Line {
  label: string;
  /** One value for each time. */
  values: readonly number[];
}

/** Turns of the accent's hue for further lines, in degrees. */
const turn = 47;

/** Where the axis ends at least, so that nothing is not drawn as fractions. */
const leastTop = 10;
const day = 86_400;

/** Writes seconds since 1970 as days in UTC, with hours where steps are shorter than a day. */
function momentWriter(language: string, hasHours: boolean): (seconds: number) => string {
  const format = new Intl.DateTimeFormat(language, {
    timeZone: 'UTC',
    day: 'numeric',
    month: 'short',
    ...(hasHours && { hour: '2-digit', minute: '2-digit' }),
  });
  return (seconds) => format.format(new Date(seconds * 1000));
}

/** Values over time. The pointer shows those of one moment; `label` says for screen readers what there is to see. */
export function Series({
  label,
  times,
  lines,
  write,
}: {
  label: string;
  /** Seconds since 1970, ascending. */
  times: readonly number[];
  lines: readonly Line[];
  /** How values are written. */
  write: (value: number) => string;
}): ReactElement {
  const t = useMessages(uiMessages);
  const { language } = usePreferences();
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = root.current;
    if (element === null) return;
    // The canvas knows no custom properties: colours are read from the element they are applied to.
    const { color: accent, caretColor: soft, borderTopColor: grid } = getComputedStyle(element);
    const moment = momentWriter(language, (times[1] ?? 0) - (times[0] ?? 0) < day);
    const axis = { stroke: soft, grid: { stroke: grid, width: 1 }, ticks: { show: false } };
    const chart = new uPlot(
      {
        width: element.clientWidth,
        height: 220,
        series: [
          { label: t('time'), value: (_: uPlot, at: number | null) => (at === null ? '' : moment(at)) },
          ...lines.map(({ label: name }, index) => ({
            label: name,
            stroke: index === 0 ? accent : `hsl(from ${accent} calc(h + ${index * turn}) s l)`,
            width: 2,
            points: { show: times.length < 3 },
            value: (_: uPlot, value: number | null) => (value === null ? '' : write(value)),
          })),
        ],
        axes: [
          { ...axis, space: 90, values: (_: uPlot, ticks: number[]) => ticks.map(moment) },
          { ...axis, size: 80, values: (_: uPlot, ticks: number[]) => ticks.map(write) },
        ],
        scales: { y: { range: (_: uPlot, __: number, most: number) => [0, most > 0 ? most * 1.05 : leastTop] } },
        tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
      },
      [[...times], ...lines.map(({ values }) => [...values])],
      element,
    );
    const watch = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: 220 }));
    watch.observe(element);
    return () => {
      watch.disconnect();
      chart.destroy();
    };
  }, [times, lines, write, language, t]);
  return <div className="series" ref={root} role="img" aria-label={label} />;
}

/** Parts of a whole as bars, largest first as they come. */
export function Shares({
  parts,
  write,
}: {
  parts: readonly { name: string; value: number }[];
  write: (value: number) => string;
}): ReactElement {
  const most = Math.max(1, ...parts.map(({ value }) => value));
  return (
    <ul className="shares">
      {parts.map(({ name, value }) => (
        <li key={name}>
          <span>{name}</span>
          <span className="numeric">{write(value)}</span>
          <span className="share" aria-hidden="true">
            <span style={{ inlineSize: `${(value / most) * 100}%` }} />
          </span>
        </li>
      ))}
    </ul>
  );
}
