import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { routes } from '../../src/app/http-app.ts';
import { actionOf } from '../../src/cli/audit-trail.ts';
import { isAudited } from '../../src/platform/http/route.ts';
import { actionWords, describeAction } from '../../src/shared/actions.ts';

/** The sentences of earlier versions, and the code that each was translated to. */
const translated = [
  ...readFileSync('migrations/0014_codes.sql', 'utf8').matchAll(/^ {2}\('(.+?)', '([a-z_.]+)', .*?\)[,)]/gm),
].map(([, sentence = '', code = '']) => ({ sentence, code }));
const ofCommands = translated.filter(({ sentence }) => sentence.startsWith('regulars '));

/** Recorded without a route and without a command. */
const ofSignIn = 'user.wrong_password';
/** Newer than the translation of earlier sentences. */
const ofDatabase = ['database.distribute', 'database.move_account', 'database.rebalance'];
const ofSegments = ['create', 'update', 'delete', 'assign_codes', 'add_to_group', 'cancel_action'];
const ofWebhooks = ['create', 'update', 'delete', 'disable', 'test', 'resend', 'replay', 'rotate_secret'];
const newer = [
  ...ofDatabase,
  ...ofSegments.map((verb) => `segment.${verb}`),
  ...ofWebhooks.map((verb) => `webhook.${verb}`),
];

describe('the actions of the audit trail', () => {
  it('are codes', () => {
    for (const action of Object.keys(actionWords)) expect(action).toMatch(/^[a-z]+(_[a-z]+)*\.[a-z]+(_[a-z]+)*$/);
  });

  it('have words, and there are no words without an action', () => {
    const changes = routes.filter(isAudited);
    expect(changes.length).toBeGreaterThan(40);
    const stored = [...changes.map(({ action }) => action), ...ofCommands.map(({ code }) => code), ofSignIn, ...newer];
    expect([...new Set(stored)].sort()).toEqual(Object.keys(actionWords).sort());
  });

  it('of the command line are those of the same change through the admin API', () => {
    expect(ofCommands.length).toBeGreaterThan(40);
    for (const { sentence, code } of ofCommands) expect(actionOf(sentence.slice('regulars '.length))).toBe(code);
    expect(['distribute', 'move-account', 'rebalance'].map((verb) => actionOf(`db ${verb}`))).toEqual(ofDatabase);
  });

  it('replace every sentence of earlier versions', () => {
    expect(translated.length).toBeGreaterThan(100);
    expect(new Set(translated.map(({ sentence }) => sentence)).size).toBe(translated.length);
    const codes = new Set(translated.map(({ code }) => code));
    for (const action of Object.keys(actionWords)) if (!newer.includes(action)) expect(codes).toContain(action);
  });
});

describe('an action in words', () => {
  it('is in the past tense', () => {
    for (const words of Object.values(actionWords))
      expect(words).toMatch(/^(\w+ed|Gave|Made|Sent|Set|Took|Undid)( |$)/);
  });

  it('names the changed object', () => {
    expect(describeAction({ action: 'unit.create', subject: 'The Anchor' })).toBe('Created the venue The Anchor');
    expect(describeAction({ action: 'account.delete', subject: 'Inns' })).toBe('Deleted the account Inns');
    expect(describeAction({ action: 'unique_code.create', subject: '500 in Summer' })).toBe(
      'Generated or imported voucher codes: 500 in Summer',
    );
    expect(describeAction({ action: 'user.wrong_password', subject: null })).toBe('Gave a wrong password');
    expect(describeAction({ action: 'note.create', subject: null })).toBe('Added a note to a guest');
    expect(describeAction({ action: 'Something new', subject: null })).toBe('Something new');
    expect(describeAction({ action: 'constructor', subject: null })).toBe('constructor');
  });
});
