import { EitherSignal } from './either-signal.ts';

describe('a signal of several', () => {
  it('is aborted with the first of them, and with its reason', () => {
    const [one, other] = [new AbortController(), new AbortController()];
    const either = new EitherSignal([one.signal, other.signal]);
    expect(either.signal.aborted).toBe(false);
    other.abort(new Error('the other'));
    one.abort(new Error('the one'));
    expect(either.signal.reason).toEqual(new Error('the other'));
  });

  it('is aborted from the start where one of them is', () => {
    expect(new EitherSignal([new AbortController().signal, AbortSignal.abort(new Error('before'))]).signal.reason).toEqual(new Error('before'));
  });

  it('is not aborted any more once nobody needs it', () => {
    const one = new AbortController();
    const either = new EitherSignal([one.signal]);
    either.end();
    one.abort();
    expect(either.signal.aborted).toBe(false);
  });
});
