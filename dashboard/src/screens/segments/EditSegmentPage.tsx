import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { Segment } from '#service/features/insight/segments/schema.ts';
import { api } from '../../api/client.ts';
import { useAccount, useHasRole } from '../../session/session.ts';
import { Page, TextLink } from '../../ui/Page.tsx';
import { ErrorState } from '../../ui/States.tsx';
import { segmentPath, segmentQuery, showSaved } from './paths.ts';
import { SegmentBuilder } from './SegmentBuilder.tsx';
import { StaffOnly } from './StaffOnly.tsx';

const route = getRouteApi('/guard/accounts/$accountId/segments/$segmentId/edit');

export function EditSegmentPage() {
  const account = useAccount();
  const mayChange = useHasRole('staff');
  const { segmentId } = route.useParams();
  const navigate = route.useNavigate();
  const { data: segment, error, refetch } = useQuery(segmentQuery(account, segmentId));
  const path = segmentPath(account, segmentId);
  const params = { accountId: account.id, segmentId };
  const show = () => navigate({ to: '/accounts/$accountId/segments/$segmentId', params });
  return (
    <Page
      title={segment ? `Edit ${segment.name}` : 'Edit segment'}
      breadcrumbs={[
        <TextLink key="segments" to="/accounts/$accountId/segments" params={{ accountId: account.id }}>
          Segments
        </TextLink>,
        <TextLink key="segment" to="/accounts/$accountId/segments/$segmentId" params={params}>
          {segment?.name ?? 'Segment'}
        </TextLink>,
      ]}
    >
      {!mayChange ? (
        <StaffOnly />
      ) : error && !segment ? (
        <ErrorState error={error} onRetry={refetch} />
      ) : segment ? (
        <SegmentBuilder
          draftKey={path}
          start={segment.definition}
          name={segment.name}
          ownId={segment.id}
          save={{
            send: (name, definition) => api.patch<Segment>(path, { name, definition }),
            onSaved: (saved) => {
              showSaved(account, saved);
              return show();
            },
          }}
          onCancel={() => void show()}
        />
      ) : (
        <Skeleton height="10rem" />
      )}
    </Page>
  );
}
