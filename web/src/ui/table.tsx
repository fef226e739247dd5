import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, type CSSProperties, type ReactElement, type ReactNode } from 'react';

/** A column of a table. */
export interface Column<Row> {
  id: string;
  title: ReactNode;
  /** A track of CSS grid, such as `2fr` or `6rem`. */
  width: string;
  /** Left out on narrow screens. */
  isWide?: boolean;
  cell: (row: Row) => ReactNode;
}

/** What a table shows. */
export interface TableProps<Row> {
  /** What the table lists, for screen readers. */
  label: string;
  columns: readonly Column<Row>[];
  /** Undefined for a row that is not loaded: its place is kept. */
  rows: readonly (Row | undefined)[];
  keyOf: (row: Row) => string;
  /** How many there are in all, where not all are loaded. */
  total?: number;
  /** The end of the loaded rows came into view. */
  onEnd?: () => void;
  /** Which rows are in view, by their indexes. */
  onView?: (first: number, last: number) => void;
}

const rowHeight = 48;

/** A table of any length: only the rows in view are in the page. */
export function Table<Row>({ label, columns, rows, keyOf, total, onEnd, onView }: TableProps<Row>): ReactElement {
  const scroll = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => rowHeight,
    overscan: 8,
  });
  const shown = virtual.getVirtualItems();
  const first = shown[0]?.index ?? 0;
  const last = shown.at(-1)?.index ?? -1;
  useEffect(() => {
    if (last >= rows.length - 1 && rows.length > 0) onEnd?.();
  }, [last, rows.length, onEnd]);
  useEffect(() => {
    if (last >= 0) onView?.(first, last);
  }, [first, last, onView]);
  const tracks = {
    '--columns': columns.map(({ width }) => width).join(' '),
    '--columns-narrow': columns
      .filter(({ isWide }) => isWide !== true)
      .map(({ width }) => width)
      .join(' '),
  } as CSSProperties;
  return (
    <div className="table" style={tracks}>
      <div
        className="table-scroll"
        ref={scroll}
        tabIndex={0}
        role="table"
        aria-label={label}
        aria-rowcount={(total ?? rows.length) + 1}
      >
        <div role="rowgroup">
          <div className="table-row table-head" role="row" aria-rowindex={1}>
            {columns.map(({ id, title, isWide }) => (
              <div key={id} className="table-cell" role="columnheader" data-wide={isWide || undefined}>
                {title}
              </div>
            ))}
          </div>
        </div>
        <div className="table-body" role="rowgroup" style={{ blockSize: virtual.getTotalSize() }}>
          {shown.map(({ index, start }) => {
            const row = rows[index];
            if (row === undefined)
              return (
                <div
                  key={index}
                  className="table-row"
                  role="row"
                  aria-rowindex={index + 2}
                  aria-busy="true"
                  style={{ blockSize: rowHeight, transform: `translateY(${start}px)` }}
                >
                  <div className="table-cell" role="cell">
                    <div className="skeleton" />
                  </div>
                </div>
              );
            return (
              <div
                key={keyOf(row)}
                className="table-row"
                role="row"
                aria-rowindex={index + 2}
                style={{ blockSize: rowHeight, transform: `translateY(${start}px)` }}
              >
                {columns.map(({ id, cell, isWide }) => (
                  <div key={id} className="table-cell" role="cell" data-wide={isWide || undefined}>
                    {cell(row)}
                  </div>
                ))}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}
