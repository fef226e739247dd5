import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import { useMessages } from '../../i18n/messages.ts';
import { toast } from '../../ui/toast.tsx';
import { tuningMessages } from './messages.ts';

/** The key of the query that reads rules, and of the results of the trial. */
export const keys = { rules: 'tuning', trial: 'tuning-trial', before: 'tuning-before' } as const;

/**
 * A change of the rules. What the trial showed until then is kept, to be compared with what it shows afterwards.
 * @param save sends the change
 */
export function useChange<Given>(save: (given: Given) => Promise<unknown>): UseMutationResult<unknown, Error, Given> {
  const t = useMessages(tuningMessages);
  const queries = useQueryClient();
  return useMutation({
    mutationFn: save,
    onSuccess: async () => {
      toast(t('saved'));
      for (const [key, shown] of queries.getQueriesData({ queryKey: [keys.trial] }))
        queries.setQueryData([keys.before, key[1]], shown);
      await Promise.all([
        queries.invalidateQueries({ queryKey: [keys.rules] }),
        queries.invalidateQueries({ queryKey: [keys.trial] }),
      ]);
    },
  });
}
