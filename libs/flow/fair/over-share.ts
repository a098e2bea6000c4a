/**
 * Tells whether somebody has more than a fair share of bounded room: as much as one has must be
 * left. One alone gets half of it, two get a third each, and a new one always finds some.
 */
export const isOverShare = (own: number, all: number, most: number): boolean => own > most - all;
