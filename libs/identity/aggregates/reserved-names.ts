import { reservation } from '@app/event-store';

/** An organization's name, which one has at a time. */
export const organizationName = reservation('OrganizationName');

/** Tells where the events of an organization's name are. */
export const organizationNameStream = (name: string): string =>
  `organizationname-${Buffer.from(name).toString('hex')}`;

/** An e-mail, which one account has at a time. */
export const email = reservation('Email');

/** Tells where the events of an e-mail are. */
export const emailStream = (emailHash: string): string => `email-${emailHash}`;
