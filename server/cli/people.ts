import { hashPassword, randomSecret } from '../kernel/people/secrets.ts';
import { endSessions } from '../modules/sessions/queries.ts';
import { roles as knownRoles, NewUser } from '../modules/users/contract.ts';
import { weaknessOf } from '../modules/users/password-rules.ts';
import { updatePassword } from '../modules/users/passwords.ts';
import { findUserBy, insertUser, updateUserRoles } from '../modules/users/queries.ts';
import type { Call, Command, Outcome } from './command.ts';
import { needed, org, organisationOf, readList, table, UsageError } from './command.ts';

async function passwordOf(call: Call): Promise<string> {
  const given = call.text('password');
  const weakness = given !== undefined && (await weaknessOf(given, call.text('email') ?? ''));
  if (weakness) throw new UsageError(`--password ${weakness}.`);
  return given ?? randomSecret().slice(0, 16);
}

function rolesOf(call: Call): string[] {
  const given = readList(call.text('roles')).filter((role) => role !== '');
  const unknown = given.filter((role) => !knownRoles.some((known) => known === role));
  if (unknown.length > 0)
    throw new UsageError(`--roles must be of ${knownRoles.join(', ')}: "${unknown.join('", "')}" is none.`);
  return [...new Set(['user', ...given])];
}

type NewPerson = Parameters<typeof insertUser>[1];

async function create(call: Call): Promise<Outcome> {
  const person = { email: call.text('email'), first_name: call.text('first-name'), last_name: call.text('last-name') };
  const { compileCheck } = await import('../kernel/contract/validate.ts');
  const user = compileCheck(NewUser)(person, { form: false, warnings: [] }) as NewPerson;
  const [roles, password] = [rolesOf(call), await passwordOf(call)];
  const { tx } = await organisationOf(call);
  const password_hash = await hashPassword(password);
  const user_id = await tx.transaction(async (inside) => {
    const { id } = JSON.parse(await insertUser(inside, user)) as { id: number };
    if (roles.length > 1) await updateUserRoles(inside, id, roles);
    await updatePassword(inside, id, password_hash);
    return id;
  });
  return {
    json: { user_id, email: user.email, roles, password },
    text: `Created user ${user_id}:\n\n${table({ 'E-mail': user.email, Roles: roles.join(', '), Password: password })}`,
  };
}

async function setPassword(call: Call): Promise<Outcome> {
  const [email, password] = [call.text('email') ?? '', await passwordOf(call)];
  const { tx, organisation } = await organisationOf(call);
  const found = await findUserBy(tx, { email });
  if (!found) throw new Error(`Nobody in organisation ${organisation.id} has the e-mail address ${email}.`);
  const { id: user_id } = JSON.parse(found) as { id: number };
  const password_hash = await hashPassword(password);
  await tx.transaction(async (inside) => {
    await updatePassword(inside, user_id, password_hash);
    await endSessions(inside, [user_id]);
  });
  return {
    json: { user_id, email, password },
    text: `The new password of ${email} is ${password}\nSessions of this person have ended.\n`,
  };
}

const email = needed('ADDRESS', 'The person’s e-mail address.');
const password = {
  value: 'TEXT',
  about: 'At least 12 characters, and none of the usual; made up and printed when omitted.',
};

export const peopleCommands: readonly Command[] = [
  {
    words: 'user create',
    about: 'Create a person who can sign in',
    options: {
      org,
      email,
      'first-name': needed('NAME', 'First name.'),
      'last-name': needed('NAME', 'Last name.'),
      roles: { value: 'LIST', about: `Comma-separated, of ${knownRoles.join(', ')}.` },
      password,
    },
    run: create,
  },
  {
    words: 'user password',
    about: 'Set a person’s password and end their sessions',
    options: { org, email, password },
    run: setPassword,
  },
];
