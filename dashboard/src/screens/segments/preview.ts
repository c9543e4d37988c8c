import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Preview } from '#service/features/insight/segments/schema.ts';
import type { Definition } from '#service/shared/segment-fields.ts';
import { type ApiError, api } from '../../api/client.ts';
import { useAccount } from '../../session/session.ts';
import { segmentsPath } from './paths.ts';

/** The guests that fit a definition. The last result stays while another one loads or fails. */
export function usePreview(definition: Definition | undefined) {
  const account = useAccount();
  const path = `${segmentsPath(account)}/preview`;
  const query = useQuery<Preview, ApiError>({
    queryKey: [...path.split('/').filter(Boolean), { definition }],
    queryFn: ({ signal }) => api.post<Preview>(path, { definition }, { signal }),
    enabled: definition !== undefined,
    placeholderData: keepPreviousData,
    retry: false,
  });
  const [last, setLast] = useState<Preview>();
  if (query.data && query.data !== last) setLast(query.data);
  return {
    data: query.data ?? last,
    error: definition === undefined ? null : query.error,
    isLoading: query.isFetching,
    isStale: definition === undefined || query.isPlaceholderData || query.error !== null,
    retry: query.refetch,
  };
}
