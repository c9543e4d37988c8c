import Fastify from 'fastify';

/*
 * A program of its own: the HTTP framework with nothing behind it. It parses what it is sent, and answers an object that
 * the benchmark gives it over the channel of its parent: one of our own answers, for the framework to write out each time.
 */
let answer: object = {};
process.on('message', (text) => {
  answer = JSON.parse(String(text));
});
process.on('disconnect', () => process.exit());

const app = Fastify();
// As ours does: a GET may have a body.
app.addHttpMethod('GET', { hasBody: true, overrideExisting: true });
app.route({
  method: ['GET', 'POST'],
  url: '/v1/*',
  handler: async () => answer,
});
process.send?.(await app.listen({ port: 0, host: '127.0.0.1' }));
