import { useMatches } from '@mantine/core';

/** What a guest is found by, in as many words as there is room for. */
export const useSearchHint = () =>
  useMatches(
    { base: 'Name, e-mail or number', sm: 'Name, e-mail, number or membership' },
    { getInitialValueInEffect: false },
  );
