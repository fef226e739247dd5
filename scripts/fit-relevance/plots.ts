import { relevanceOf, type RelevanceModel } from '../../models/relevance/relevance.ts';
import { topOf } from './fit.ts';
import { calibrationBins } from './measure.ts';
import type { Sample } from './samples.ts';

/** A model with the collection that took no part in its fit. */
export interface LeftOut {
  collection: string;
  model: RelevanceModel;
}

interface Line {
  name: string;
  color: string;
  dashed: boolean;
  points: (readonly [x: number, y: number])[];
}

const colors = ['#1f6feb', '#d1242f', '#1a7f37', '#9a6700', '#8250df', '#57606a'];
/** Drawing area in pixels, with room for the axes at the left and below, and for the names at the right. */
const area = { left: 56, top: 36, width: 420, height: 320, right: 190, below: 48 };
const steps = 50;

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

function escaped(text: string): string {
  return text.replace(/[&<>]/g, (sign) => escapes[sign] ?? sign);
}

/** A plot of lines over 0 to 1 in both directions as an SVG document. `mark` is a vertical line. */
export function plot(
  title: string,
  across: string,
  up: string,
  lines: readonly Line[],
  mark: { at: number; name: string } | null,
): string {
  const { left, top, width, height, right, below } = area;
  const x = (value: number): string => (left + value * width).toFixed(1);
  const y = (value: number): string => (top + (1 - value) * height).toFixed(1);
  const ticks = [0, 0.2, 0.4, 0.6, 0.8, 1].flatMap((tick) => [
    `<path d="M${x(tick)} ${y(0)}V${y(1)}M${x(0)} ${y(tick)}H${x(1)}" stroke="#d0d7de" stroke-width="0.5"/>`,
    `<text x="${x(tick)}" y="${top + height + 16}" text-anchor="middle">${tick}</text>`,
    `<text x="${left - 8}" y="${y(tick)}" text-anchor="end" dominant-baseline="middle">${tick}</text>`,
  ]);
  const drawn = lines.flatMap(({ name, color, dashed, points }, index) => [
    `<polyline fill="none" stroke="${color}" stroke-width="1.8"${dashed ? ' stroke-dasharray="5 4"' : ''} points="${points.map(([px, py]) => `${x(px)},${y(py)}`).join(' ')}"/>`,
    `<path d="M${left + width + 14} ${top + 8 + index * 18}h22" stroke="${color}" stroke-width="1.8"${dashed ? ' stroke-dasharray="5 4"' : ''}/>`,
    `<text x="${left + width + 42}" y="${top + 12 + index * 18}">${escaped(name)}</text>`,
  ]);
  const marked =
    mark === null
      ? []
      : [
          `<path d="M${x(mark.at)} ${y(0)}V${y(1)}" stroke="#24292f" stroke-dasharray="2 3"/>`,
          `<text x="${x(mark.at)}" y="${top - 6}" text-anchor="middle">${escaped(mark.name)}</text>`,
        ];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${left + width + right} ${top + height + below}" font-family="sans-serif" font-size="12" fill="#24292f">`,
    `<rect width="100%" height="100%" fill="#ffffff"/>`,
    `<text x="${left}" y="16" font-weight="bold">${escaped(title)}</text>`,
    ...ticks,
    ...drawn,
    ...marked,
    `<text x="${left + width / 2}" y="${top + height + 38}" text-anchor="middle">${escaped(across)}</text>`,
    `<text transform="translate(14 ${top + height / 2}) rotate(-90)" text-anchor="middle">${escaped(up)}</text>`,
    '</svg>',
    '',
  ].join('\n');
}

/**
 * Calibration: the share of relevant passages among those of a grade, for each collection by the model that was fitted
 * without it.
 */
export function calibrationPlot(samples: readonly Sample[], leftOut: readonly LeftOut[]): string {
  const lines = leftOut.map(({ collection, model }, index): Line => ({
    name: collection,
    color: colors[index % colors.length] ?? '',
    dashed: false,
    points: calibrationBins(samples, collection, model).flatMap(({ weight, grades, relevant }) =>
      weight > 0 ? [[grades / weight, relevant / weight] as const] : [],
    ),
  }));
  return plot(
    'Grades of a collection that took no part in the fit',
    'relevance (mean of a tenth)',
    'relevant ones, both kinds weighing the same',
    [
      ...lines,
      {
        name: 'as the grade says',
        color: '#57606a',
        dashed: true,
        points: [
          [0, 0],
          [1, 1],
        ],
      },
    ],
    null,
  );
}

/** Floor against what it keeps and lets through, for each collection by the model that was fitted without it. */
export function floorPlot(samples: readonly Sample[], leftOut: readonly LeftOut[]): string {
  const lines = leftOut.flatMap(({ collection, model }, index): Line[] => {
    const put = samples.filter((sample) => sample.collection === collection && sample.kind === 'judged');
    const curve = (of: readonly Sample[]): Line['points'] => {
      const tops = of.map((sample) => topOf(sample, (features) => relevanceOf(model, features)));
      return Array.from(
        { length: steps + 1 },
        (_, step) =>
          [step / steps, tops.filter((top) => top >= step / steps).length / Math.max(1, tops.length)] as const,
      );
    };
    const color = colors[index % colors.length] ?? '';
    return [
      {
        name: `${collection}: kept`,
        color,
        dashed: false,
        points: curve(put.filter(({ source }) => source === collection)),
      },
      {
        name: `${collection}: let through`,
        color,
        dashed: true,
        points: curve(put.filter(({ source }) => source !== collection)),
      },
    ];
  });
  const floor = leftOut[0]?.model.floor ?? 0;
  return plot(
    'Queries with a result at a floor, of a collection that took no part in the fit',
    'floor',
    'share of queries with a result',
    lines,
    { at: floor, name: `floor ${floor}` },
  );
}
