import { Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import type { Segment } from '#service/features/insight/segments/schema.ts';
import { api } from '../../api/client.ts';
import { removeFromCache } from '../../api/queries.ts';
import { useAccount } from '../../session/session.ts';
import { Confirm } from '../../ui/Confirm.tsx';
import { withCount } from '../../ui/format.ts';
import { notify } from '../../ui/notify.ts';
import { refreshSegments, segmentPath } from './paths.ts';

interface DeleteSegmentProps {
  segment: Segment;
  opened: boolean;
  onClose: () => void;
}

/** Deletes a segment. The service refuses it while other segments use it, and names them. */
export function DeleteSegment({ segment: { id, name, count }, opened, onClose }: DeleteSegmentProps) {
  const account = useAccount();
  const navigate = useNavigate();
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title={`Delete ${name}?`}
      action="Delete segment"
      danger
      onConfirm={async () => {
        await api.delete(segmentPath(account, id));
        await navigate({ to: '/accounts/$accountId/segments', params: { accountId: account.id } });
        removeFromCache(segmentPath(account, id));
        await refreshSegments(account);
        notify.success(`${name} is deleted.`);
      }}
    >
      <Text>
        {count === null ? 'Its guests' : count === 1 ? 'Its 1 guest' : `Its ${withCount(count, 'guest')}`} and their
        data stay. Partners can no longer read the segment. This can’t be undone.
      </Text>
    </Confirm>
  );
}
