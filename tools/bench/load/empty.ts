import Fastify from 'fastify';

/*
 * A separate program with a bare Fastify. It parses the request and serialises an object that the benchmark sends over
 * IPC: a response of the service.
 */
let answer: object = {};
process.on('message', (text) => {
  answer = JSON.parse(String(text));
});
process.on('disconnect', () => process.exit());

const app = Fastify();
// A GET can have a body, as in the service.
app.addHttpMethod('GET', { hasBody: true, overrideExisting: true });
app.route({
  method: ['GET', 'POST'],
  url: '/v1/*',
  handler: async () => answer,
});
process.send?.(await app.listen({ port: 0, host: '127.0.0.1' }));
