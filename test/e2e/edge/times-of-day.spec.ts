import { join } from 'node:path';
import { startEdge } from '../../server/start-edge.js';

const EXACT = join(import.meta.dirname, '../../fixtures/parquet/exact.parquet');
const MOST = {
  time_millis: '23:59:59.999',
  time_micros: '23:59:59.999999',
  time_nanos: '23:59:59.999999999',
};

describe('times of day in Parquet', () => {
  it.each(['true', 'false'])(
    'are that, and moments are moments, materialize=%s',
    async (copied) => {
      const edge = await startEdge(['-t', `t=${EXACT},materialize=${copied}`]);
      try {
        const names = Object.keys(MOST);
        const lists = names.map((name) => `${name}_list`).join(', ');
        const rows = (where: string) =>
          edge.sql(`SELECT ${names.join(', ')}, ${lists}, micros, nanos_utc FROM t WHERE ${where}`);
        const [most] = JSON.parse((await rows('id = 2')).text) as Record<string, unknown>[];
        expect(most).toMatchObject({ ...MOST, micros: '2299-12-31T23:59:59.999999' });
        const [least] = JSON.parse((await rows('id = 1')).text) as Record<string, unknown>[];
        expect(least?.time_micros_list).toEqual(['00:00:00.000000', MOST.time_micros, null]);
        const [nulls] = JSON.parse((await rows('id = 3')).text) as Record<string, unknown>[];
        expect(nulls).toMatchObject({ time_millis: null, time_nanos: null, micros: null });
        const { fields } = JSON.parse((await edge.get('/api/schema/t')).text) as {
          fields: { name: string; data_type: unknown }[];
        };
        const typeOf = (name: string): unknown =>
          fields.find((field) => field.name === name)?.data_type;
        expect(typeOf('time_micros')).toEqual({ Time64: 'Microsecond' });
        expect(typeOf('nanos_utc')).toEqual({ Timestamp: ['Nanosecond', 'UTC'] });
      } finally {
        await edge.stop();
      }
    },
  );
});
