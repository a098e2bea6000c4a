import { besideEachOther, nearest } from './chart-bars.js';

describe('bars of several series', () => {
  it('leave a share of the way to the next point empty', () => {
    expect([nearest([0, 60, 90, 150]), nearest([7]), nearest([])]).toEqual([30, 1, 1]);
  });

  it('stand beside each other around their point, and never over each other', () => {
    const x = [0, 10, 20];
    const [first, second] = [0, 1].map((index) =>
      besideEachOther(x, { index, count: 2 }, Infinity),
    );
    expect(first).toEqual({ begins: [-3.5, 6.5, 16.5], width: 3.5 });
    expect(second).toEqual({ begins: [0, 10, 20], width: 3.5 });
  });

  it('are in the middle of their point where they are narrower than there is room', () => {
    const places = [0, 1, 2].map((index) => besideEachOther([0, 100], { index, count: 3 }, 2));
    expect(places.map(({ begins }) => begins[0])).toEqual([-3, -1, 1]);
    expect(places.map(({ width }) => width)).toEqual([2, 2, 2]);
  });
});
