import { reservation } from '@app/event-store';

/** The name of an organization. Only one organization has it at a time. */
export const organizationName = reservation('OrganizationName');

/** The event stream of an organization's name. */
export const organizationNameStream = (name: string): string =>
  `organizationname-${Buffer.from(name).toString('hex')}`;

/** An e-mail. Only one account has it at a time. */
export const email = reservation('Email');

/** The event stream of an e-mail. */
export const emailStream = (emailHash: string): string => `email-${emailHash}`;
