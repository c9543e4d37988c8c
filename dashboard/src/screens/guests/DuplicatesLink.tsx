import { IconUsersGroup } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useAccount } from '../../session/session.ts';
import { ButtonLink } from '../../ui/ButtonLink.tsx';
import { withCount } from '../../ui/format.ts';
import { duplicatesQuery } from './queries.ts';

/** A link to the possible duplicates, if there are any. */
export function DuplicatesLink() {
  const { id, path } = useAccount();
  const { data } = useQuery(duplicatesQuery(path));
  if (!data?.total) return null;
  return (
    <ButtonLink
      to="/accounts/$accountId/duplicates"
      params={{ accountId: id }}
      variant="default"
      leftSection={<IconUsersGroup size={16} aria-hidden />}
    >
      {withCount(data.total, 'possible duplicate')}
    </ButtonLink>
  );
}
