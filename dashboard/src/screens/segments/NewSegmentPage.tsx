import { NativeSelect, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { Preset, Segment } from '#service/features/insight/segments/schema.ts';
import type { Definition } from '#service/shared/segment-fields.ts';
import { api } from '../../api/client.ts';
import { useAccount, useHasRole } from '../../session/session.ts';
import { Page, TextLink } from '../../ui/Page.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { ErrorState } from '../../ui/States.tsx';
import { PresetSettings } from './PresetSettings.tsx';
import { presetsQuery, segmentQuery, segmentsPath, showSaved } from './paths.ts';
import { SegmentBuilder } from './SegmentBuilder.tsx';
import { StaffOnly } from './StaffOnly.tsx';

const route = getRouteApi('/guard/accounts/$accountId/segments/new');

export function NewSegmentPage() {
  const { id } = useAccount();
  const mayChange = useHasRole('staff');
  return (
    <Page
      title="New segment"
      breadcrumbs={[
        <TextLink key="segments" to="/accounts/$accountId/segments" params={{ accountId: id }}>
          Segments
        </TextLink>,
      ]}
    >
      {mayChange ? <NewSegment /> : <StaffOnly />}
    </Page>
  );
}

interface Start {
  name: string;
  definition?: Definition;
  preset?: Preset;
}

function NewSegment() {
  const account = useAccount();
  const { preset: key, copy_of: from } = route.useSearch();
  const navigate = route.useNavigate();
  const presets = useQuery(presetsQuery(account));
  const original = useQuery({ ...segmentQuery(account, from ?? 0), enabled: from !== undefined });
  const needed = from === undefined ? presets : original;
  if (needed.error && !needed.data) return <ErrorState error={needed.error} onRetry={needed.refetch} />;
  const start = startOf();
  if (!start) return <Skeleton height="10rem" />;
  const params = { accountId: account.id };
  return (
    <SegmentBuilder
      // Another start is another draft.
      key={`${key} ${from}`}
      draftKey={`${segmentsPath(account)}/new/${from ?? key ?? ''}`}
      start={start.definition}
      name={start.name}
      above={
        from === undefined
          ? (isChanged, replace) => (
              <Panel>
                <NativeSelect
                  label="Start from"
                  maw="24rem"
                  data={[
                    { value: '', label: 'My own conditions' },
                    ...(presets.data?.data ?? []).map(({ key: value, name }) => ({ value, label: name })),
                  ]}
                  value={start.preset?.key ?? ''}
                  onChange={(event) => {
                    const { value } = event.currentTarget;
                    void navigate({ search: { preset: value || undefined }, replace: true });
                  }}
                />
                {start.preset && (
                  <Text c="dimmed" size="sm" mt="xs">
                    {start.preset.description}
                  </Text>
                )}
                {start.preset && !isChanged && <PresetSettings of={start.preset} onChange={replace} />}
              </Panel>
            )
          : undefined
      }
      save={{
        send: (name, definition) => api.post<Segment>(segmentsPath(account), { name, definition }),
        onSaved: (saved) => {
          showSaved(account, saved);
          return navigate({
            to: '/accounts/$accountId/segments/$segmentId',
            params: { ...params, segmentId: saved.id },
          });
        },
      }}
      onCancel={() => void navigate({ to: '/accounts/$accountId/segments', params })}
    />
  );

  /** Undefined while it loads. */
  function startOf(): Start | undefined {
    if (from !== undefined)
      return original.data && { name: `Copy of ${original.data.name}`, definition: original.data.definition };
    if (key === undefined) return { name: '' };
    const preset = presets.data?.data.find((one) => one.key === key);
    if (preset) return { name: preset.name, definition: preset.definition, preset };
    return presets.data && { name: '' };
  }
}
