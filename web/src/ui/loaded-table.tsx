import type { ReactElement, ReactNode } from 'react';
import { FailureNotice, Skeletons } from './states.tsx';
import { Table, type TableProps } from './table.tsx';

interface Props<Row> extends TableProps<Row> {
  /** The query of the rows. */
  list: { isPending: boolean; isSuccess: boolean; error: Error | null; refetch: () => unknown };
  /** What is shown where there is no row. */
  empty: ReactNode;
  /** Lines of the skeleton while it loads. */
  lines?: number;
}

/** A table whose rows are asked for: as it loads, where that failed, where there are none, and the rows. */
export function LoadedTable<Row>({ list, empty, lines, ...table }: Props<Row>): ReactElement {
  const isEmpty = table.rows.length === 0;
  return (
    <>
      {list.isPending && <Skeletons {...(lines !== undefined && { lines })} />}
      {list.error !== null && <FailureNotice error={list.error} onRetry={() => void list.refetch()} />}
      {list.isSuccess && isEmpty && empty}
      {!isEmpty && <Table {...table} />}
    </>
  );
}
