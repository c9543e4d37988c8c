import { answers, gathers, lists, silent } from '../http/operation.ts';
import { NoFields } from '../shared/fields.ts';
import { contactObject } from './answer.ts';
import { dropsInvalid, prepareContact, weighContact } from './command.ts';
import { eraseContact } from './erase.ts';
import { keepPairApart, listDuplicates, listMerges, mergeByHand, showMerge, undoMerge } from './merge.ts';
import { listContacts, lookForContact, showContact, showStaffContact } from './read.ts';
import {
  Contact,
  ContactWrite,
  ContactWritten,
  FindContact,
  FoundContacts,
  ListContacts,
  ListMerges,
  Merge,
  MergeInto,
  PossibleDuplicate,
  SearchContacts,
  StaffContact,
} from './schema.ts';
import { searchContacts } from './search.ts';
import { writeContacts } from './write.ts';

const contact = {
  id: 42,
  allow_sms: '',
  allow_email: '1',
  allow_call: '',
  allow_snail_mail: '',
  udfs: [{ id: 5, data: 'Nut allergy' }],
  units: [{ id: 2, name: 'The Anchor', groups: [{ id: 4, name: 'Newsletter' }] }],
  feedback: 'https://guests.example.com/v1/contact/42/feedback',
  purchases: 'https://guests.example.com/v1/contact/42/purchases',
  gender: 'F',
  title: '',
  first_name: 'Ana',
  last_name: 'Silva',
  dob: '1990-04-30',
  building_name: '',
  building_num_street: '12 Quay Street',
  locality: '',
  postcode: 'BS1 4QA',
  city: 'Bristol',
  country: '',
  county: '',
  mobile_number: '447700900123',
  home_number: '',
  work_number: '',
  email: 'ana.silva@gmail.com',
  preferred_method_id: '',
  membership_number: '',
  membership_type: '',
  source_id: '3',
} as const;

const staffContact = {
  ...contact,
  card_reference: '',
  email_status: null,
  merged_contact_ids: [57],
  created_at: '2026-03-01T12:30:00.000Z',
  updated_at: '2026-03-02T09:00:00.000Z',
};

const foundContact = {
  id: 42,
  first_name: 'Ana',
  last_name: 'Silva',
  email: 'ana.silva@gmail.com',
  mobile_number: '447700900123',
  membership_number: '',
  allow_email: true,
  allow_sms: false,
  allow_call: false,
  allow_snail_mail: false,
  created_at: '2026-03-01T12:30:00.000Z',
  last_visit_at: '2026-03-01 20:05:00',
};

const merge = {
  id: 9,
  contact_id: 57,
  into_contact_id: 42,
  reason: 'same mobile number',
  actor: 'token 3',
  at: '2026-03-01T12:30:00.000Z',
  undone_at: null,
  undone_by: null,
  contact: { first_name: 'Ana', last_name: '', email: '', mobile_number: '447700900123' },
};

const partner = { access: 'partner', tag: 'Contacts' } as const;
const staff = { access: 'admin', tag: 'Manage contacts' } as const;
const account = '/admin/v1/accounts/:account_id';

export const contactRoutes = [
  gathers(
    {
      ...partner,
      method: 'POST',
      path: '/v1/contact',
      summary: 'Write a contact',
      description:
        'Creates the contact, or updates the one that is known by this e-mail or mobile. One of the two is required. Answers the full contact object, or only its id with `full_contact_object: false`. What `discard_invalid_data` dropped is named in the header `Discarded-Fields`.',
      input: ContactWrite,
      answer: ContactWritten,
      example: {
        input: {
          email: 'ana.silva@gmail.com',
          mobile_number: '07700 900123',
          first_name: 'Ana',
          last_name: 'Silva',
          source_name: 'Guest wifi',
          allow_email: true,
          notes: [{ text: 'Prefers the window table.' }],
          bookings: [{ booking_reference: 'B-1042', party_datetime: '2026-03-01 19:30:00', table_numbers: ['12'] }],
          purchases: [
            {
              transaction_reference: 'T-88122',
              created_at: '2026-03-01 20:00:00',
              items: [{ description: 'Pale ale', quantity: 2, value: 11.5 }],
            },
          ],
          rules: [{ rule_name: 'preserve_consent' }],
        },
        answer: contact,
      },
    },
    {
      prepare: ({ input, tokenId, receivedAt }, errors, world) =>
        prepareContact(input, errors, { tokenId, receivedAt }, world.takesMail),
      dropsInvalid,
      weigh: weighContact,
      write: writeContacts,
      answer: ({ id, contact }, { root }) => (contact ? contactObject(contact.row, contact.parts, root) : { id }),
      contactOf: ({ id }) => id,
      discarded: ({ discarded }) => discarded,
      outcomes: ({ outcomes }) => outcomes,
    },
  ),
  answers(
    {
      ...partner,
      method: 'GET',
      path: '/v1/contacts',
      summary: 'Find a contact',
      description: 'The owner of the e-mail; failing that, of the mobile. A 404 where there is none.',
      input: FindContact,
      answer: Contact,
      notFound: 'There is no such contact.',
      example: { input: { email: 'ana.silva@gmail.com' }, answer: contact },
    },
    (tx, { accountId, input, root }) => lookForContact(tx, accountId, input, root),
  ),
  answers(
    {
      ...partner,
      method: 'GET',
      path: '/v1/contact/:contact_id',
      summary: 'Read a contact',
      description: 'The full contact object. An id that was merged into another contact leads to that one.',
      input: NoFields,
      answer: Contact,
      example: { answer: contact },
    },
    (tx, { accountId, ids, root }) => showContact(tx, accountId, ids.contact_id, root),
  ),
  lists(
    {
      ...staff,
      method: 'GET',
      path: `${account}/contacts`,
      summary: 'List contacts',
      description: 'By id. Those that were merged into another are not in it.',
      input: ListContacts,
      answer: StaffContact,
      example: { answer: staffContact },
    },
    (tx, { accountId, input, slice, root }) => listContacts(tx, accountId, input, slice, root),
  ),
  answers(
    {
      ...staff,
      method: 'GET',
      path: `${account}/contacts/search`,
      summary: 'Search contacts',
      description:
        'As somebody types. Without a search: the newest first. Those that were merged into another are not in it; what they were known by leads to that one.',
      input: SearchContacts,
      answer: FoundContacts,
      example: {
        answer: {
          data: [foundContact],
          page: 1,
          more: false,
        },
      },
    },
    (tx, { accountId, input }) => searchContacts(tx, accountId, input),
  ),
  answers(
    {
      ...staff,
      method: 'GET',
      path: `${account}/contacts/:contact_id`,
      summary: 'Show a contact',
      input: NoFields,
      answer: StaffContact,
      example: { answer: staffContact },
    },
    (tx, { accountId, ids, root }) => showStaffContact(tx, accountId, ids.contact_id, root),
  ),
  silent(
    {
      ...staff,
      method: 'DELETE',
      path: `${account}/contacts/:contact_id`,
      summary: 'Erase a contact',
      description:
        'For a guest who asks to be forgotten: the contact goes for good, with everything it did, all that was merged into it, and its consent ledger. Its membership numbers and cards are removed from the purchases of others.',
      input: NoFields,
    },
    async (tx, { accountId, ids }) => {
      await eraseContact(tx, accountId, ids.contact_id);
    },
  ),
  answers(
    {
      ...staff,
      method: 'POST',
      path: `${account}/contacts/:contact_id/merge`,
      summary: 'Merge another contact into this one',
      description:
        'This contact stays, and takes over what it lacks; the other’s id leads to it from now on. Consent is never given by a merge. It can be undone.',
      input: MergeInto,
      answer: Merge,
      example: { input: { contact_id: 57 }, answer: { ...merge, reason: 'by hand', actor: 'jo@example.com' } },
    },
    (tx, { accountId, ids, input, actor }) => mergeByHand(tx, accountId, ids.contact_id, input.contact_id, actor),
  ),
  lists(
    {
      ...staff,
      method: 'GET',
      path: `${account}/merges`,
      summary: 'List merges',
      description: 'Newest first: those by staff, and those that a write brought about.',
      input: ListMerges,
      answer: Merge,
      example: { answer: merge },
    },
    (tx, { accountId, input, slice }) => listMerges(tx, accountId, slice, input),
  ),
  answers(
    {
      ...staff,
      method: 'GET',
      path: `${account}/merges/:merge_id`,
      summary: 'Show a merge',
      input: NoFields,
      answer: Merge,
      example: { answer: merge },
    },
    (tx, { accountId, ids }) => showMerge(tx, accountId, ids.merge_id),
  ),
  answers(
    {
      ...staff,
      method: 'POST',
      path: `${account}/merges/:merge_id/undo`,
      summary: 'Undo a merge',
      description:
        'The contact is itself again, with all that was its own. What the other took over is taken back, as far as it was not changed since. The two are not joined again by a phone they share. A consent that the merge ended stays ended: only the guest can give it.',
      input: NoFields,
      answer: Merge,
      example: { input: {}, answer: { ...merge, undone_at: '2026-03-02T09:00:00.000Z', undone_by: 'jo@example.com' } },
    },
    (tx, { accountId, ids, actor }) => undoMerge(tx, accountId, ids.merge_id, actor),
  ),
  lists(
    {
      ...staff,
      method: 'GET',
      path: `${account}/possible_duplicates`,
      summary: 'List possible duplicates',
      description: 'Pairs of contacts that share a phone and have different e-mails. Newest first.',
      input: NoFields,
      answer: PossibleDuplicate,
      example: {
        answer: {
          id: 6,
          reason: 'same mobile number',
          created_at: '2026-03-01T12:30:00.000Z',
          contacts: [
            foundContact,
            { ...foundContact, id: 57, first_name: 'Rui', email: 'rui@gmail.com', last_visit_at: null },
          ],
        },
      },
    },
    (tx, { accountId, slice }) => listDuplicates(tx, accountId, slice),
  ),
  silent(
    {
      ...staff,
      method: 'POST',
      path: `${account}/possible_duplicates/:pair_id/keep_apart`,
      summary: 'Say that they are two people',
      description: 'They are no longer listed, and never merged by themselves.',
      input: NoFields,
      example: { input: {} },
    },
    (tx, { accountId, ids, actor }) => keepPairApart(tx, accountId, ids.pair_id, actor),
  ),
];
