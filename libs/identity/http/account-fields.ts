import { z } from 'zod';
import { passwordProblem } from '../auth/password-hash.js';

const EMAIL_MAX = 254;
const NAME_MAX = 200;

export const email = z
  .string()
  .trim()
  .max(EMAIL_MAX)
  // A colon would end the user name of HTTP Basic.
  .regex(/^[^\s@:,;<>()[\]\\"]+@[^\s@:,;<>()[\]\\"]+\.[^\s@:.]{2,}$/, 'want an e-mail address')
  // An invisible character would let an address look like another person's.
  .regex(/^[^\p{Cc}\p{Default_Ignorable_Code_Point}]*$/u, 'has an invisible character');

export const personName = z.string().max(NAME_MAX);

export const newPassword = z.string().superRefine((password, context) => {
  const problem = passwordProblem(password);
  if (problem) context.addIssue({ code: 'custom', message: problem });
});
