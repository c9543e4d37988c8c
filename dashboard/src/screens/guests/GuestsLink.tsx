import { useAccount, useSession } from '../../session/session.ts';
import { TextLink } from '../../ui/Page.tsx';
import { lastSearch } from './last-search.ts';

/** A link to the guests, with the last search. */
export function GuestsLink() {
  const { id: accountId } = useAccount();
  const { user } = useSession();
  return (
    <TextLink to="/accounts/$accountId/guests" params={{ accountId }} search={lastSearch.read(user.id, accountId)}>
      Guests
    </TextLink>
  );
}
