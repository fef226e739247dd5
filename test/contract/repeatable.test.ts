import { isRepeatable } from '../../mixins/actions/table.ts';
import { routeTable } from '../../services/gateway/table.ts';

describe('an action that only reads', () => {
  const reads = routeTable.filter(({ method }) => method === 'GET').map(({ action }) => action);

  it.each(reads)('%s goes to another node when its node is lost', (action) => {
    expect(isRepeatable(action)).toBe(true);
  });
});
