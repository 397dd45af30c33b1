// What a new password must be: long, and not what is guessed first.
const LENGTH_LEAST = 12;
const LENGTH_MOST = 1024;

/** What is wrong with the password, to follow its name in a sentence. */
export async function weaknessOf(password: string, email: string): Promise<string | undefined> {
  const guess = password.toLowerCase();
  if (password.length < LENGTH_LEAST || password.length > LENGTH_MOST)
    return `must have ${LENGTH_LEAST} to ${LENGTH_MOST} characters`;
  if ([email, email.split('@')[0]].some((own) => own?.toLowerCase() === guess)) return 'must not be the e-mail address';
  if ((await usual()).has(guess)) return 'is one of those that are used and guessed most';
  return undefined;
}

let known: Promise<ReadonlySet<string>> | undefined;
/** The 49,000 most usual of leaked passwords; half a megabyte that only new passwords need. */
const usual = () => {
  known ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set<string>(dictionary['passwords-common'].filter(({ length }) => length >= LENGTH_LEAST)),
  );
  return known;
};
