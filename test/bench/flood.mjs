// Uploads over and over on many connections until it is killed; It is a process of its own, so that
// it does not slow down the program that measures. node flood.mjs <url> <authorization>
// <connections> <records a body>
import { Agent, request } from 'node:http';

const [url, authorization, connections, records] = process.argv.slice(2);
const line =
  '{"host":"web-1","method":"GET","path":"/api/v1/items/7","status":200,"bytes":5120,"duration":0.25}\n';
const body = Buffer.from(line.repeat(Number(records)));
const agent = new Agent({ keepAlive: true, maxSockets: Number(connections) });
const headers = { authorization, 'content-length': String(body.length) };
const answers = {};

const post = () =>
  new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      if (Object.keys(answers).length === 0) process.stdout.write('flooding\n');
      answers[response.statusCode] = (answers[response.statusCode] ?? 0) + 1;
      response.resume().on('end', resolve);
    });
    sent.on('error', reject).end(body);
  });

async function flood() {
  for (;;) await post();
}

process.on('SIGTERM', () => {
  process.stdout.write(`${JSON.stringify(answers)}\n`, () => process.exit(0));
});
await Promise.all(Array.from({ length: Number(connections) }, flood));
