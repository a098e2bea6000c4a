import { reservation } from '@app/event-store';

/** The aggregate that gives an organization's name one holder. */
export const organizationNameReservation = reservation('OrganizationName');

/** The event stream of an organization's name. */
export const organizationNameStream = (name: string): string =>
  `organizationname-${Buffer.from(name).toString('hex')}`;

/** The aggregate that gives an e-mail one holder. */
export const emailReservation = reservation('Email');

/** The event stream of an e-mail. */
export const emailStream = (emailHash: string): string => `email-${emailHash}`;
