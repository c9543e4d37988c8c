import { useAccount, useSession } from '../session/session.ts';
import { TextLink } from '../ui/Page.tsx';
import { lastSearch } from './last-search.ts';

/** The way back to the guests, as one last searched for them. */
export function GuestsLink() {
  const { id: accountId } = useAccount();
  const { user } = useSession();
  return (
    <TextLink to="/accounts/$accountId/guests" params={{ accountId }} search={lastSearch.read(user.id, accountId)}>
      Guests
    </TextLink>
  );
}
