import { isRepeatable } from '../../mixins/actions/table.ts';
import { routeTable } from '../../services/gateway/table.ts';

describe('a read-only action', () => {
  const reads = routeTable.filter(({ method }) => method === 'GET').map(({ action }) => action);

  it.each(reads)('%s is repeated on another node', (action) => {
    expect(isRepeatable(action)).toBe(true);
  });
});
