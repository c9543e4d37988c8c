import { useMatches } from '@mantine/core';

/** The placeholder of the guest search, shorter on narrow screens. */
export const useSearchHint = () =>
  useMatches(
    { base: 'Name, e-mail or number', sm: 'Name, e-mail, number or membership' },
    { getInitialValueInEffect: false },
  );
