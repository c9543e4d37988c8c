const code = { id: 31, unique_code: 'SUMMER-7KQ', unique_code_group_id: '8', contact_id: '42' };
export const redeemed = {
  ...code,
  redeemed_at_unit_id: 1,
  redeemed_at_datetime: '2026-03-01T12:30:00.000000Z',
  unique_code_status: 'Redeemed' as const,
};
export const active = {
  ...code,
  redeemed_at_unit_id: null,
  redeemed_at_datetime: null,
  unique_code_status: 'Active' as const,
};
export const staffCode = {
  id: 31,
  unique_code: 'SUMMER-7KQ',
  unique_code_group_id: 8,
  status: 'Active' as const,
  contact_id: 42,
  contact_name: 'Ana Silva',
  assigned_at: '2026-02-20T09:00:00.000Z',
  redeemed_at_datetime: null,
  redeemed_at_unit_id: null,
  redeemed_at_unit_name: null,
  created_at: '2026-02-19T16:20:00.000Z',
};
export const codeGroup = { id: 8, unit_id: 1, name: 'Summer vouchers', created_at: '2026-02-19T16:20:00.000Z' };
export const exampleCode = { unique_code_group_id: 8, unique_code: 'SUMMER-7KQ' };
