import { setTimeout as pause } from 'node:timers/promises';
import { all, History, moment } from './history.ts';

it('a write applies to operations after its response, and not to those before its request', async () => {
  const history = new History('old');
  const [before, early] = [moment(), moment()];
  await pause(2);
  const settle = history.begin('new');
  const underway = moment();
  expect([history.during(before, early), history.during(before, underway), history.during(underway, underway)]).toEqual(
    [['old'], ['old', 'new'], ['old', 'new']],
  );
  await pause(2);
  settle();
  await pause(2);
  const after = moment();
  expect([history.during(underway, after), history.during(after, after), history.latest]).toEqual([
    ['old', 'new'],
    ['new'],
    'new',
  ]);
});

it('either of two concurrent writes may apply until both are answered', async () => {
  const history = new History(0);
  const settles = [history.begin(1), history.begin(2)];
  await pause(2);
  const underway = moment();
  await pause(2);
  for (const settle of settles) settle();
  await pause(2);
  expect([history.during(underway, underway), history.during(moment(), moment())]).toEqual([[0, 1, 2], [2]]);
});

it('several conditions are certain only together', () => {
  expect([all([[true], [true]]), all([[true], [true, false]]), all([[true, false], [false]])]).toEqual([
    'yes',
    'either',
    'no',
  ]);
});
